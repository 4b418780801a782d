/* SPDX-License-Identifier: MIT */
/*
 * Single operators (aclop): their types, and how their tensors and attributes
 * become the arguments of an operator of aclnn.
 */
#ifndef ACLNN_SINGLE_H
#define ACLNN_SINGLE_H

#include "aclnn.h"
#include "op/single.h"

/**
 * enum aclnn_single_shape - the sizes of the outputs of a type
 * @SINGLE_SAME: those of the first input
 * @SINGLE_BROADCAST: those to which all inputs are broadcast
 * @SINGLE_MATMUL: of a product of matrices; ~ATTR of its inputs counts
 * @SINGLE_LINES: those of the first input; of further outputs, with 1 for the
 *	dimensions of the second input
 * @SINGLE_REDUCE: the first input's without those of the attribute axes
 * @SINGLE_ARG: without that of the attribute dimension
 * @SINGLE_PERMUTE: in the order of the attribute perm
 * @SINGLE_CONCAT: of all inputs together along the attribute concat_dim
 * @SINGLE_STACK: with their number at the attribute axis
 * @SINGLE_SPLIT: parts of the attribute size_splits along split_dim
 * @SINGLE_GATHER: with those of the second input instead of the attribute axis
 * @SINGLE_INDEX: those of the second input
 * @SINGLE_SHAPE: the attribute shape; -1 stands for the first input's
 * @SINGLE_TILE: times the attribute multiples
 */
enum aclnn_single_shape {
	SINGLE_SAME,
	SINGLE_BROADCAST,
	SINGLE_MATMUL,
	SINGLE_LINES,
	SINGLE_REDUCE,
	SINGLE_ARG,
	SINGLE_PERMUTE,
	SINGLE_CONCAT,
	SINGLE_STACK,
	SINGLE_SPLIT,
	SINGLE_GATHER,
	SINGLE_INDEX,
	SINGLE_SHAPE,
	SINGLE_TILE,
};

/**
 * struct aclnn_single_type - a type of single operators
 * @type: its name
 * @op: the operator of aclnn
 * @args: a word for each argument of it:
 *
 *	xN	input N			xN?	the same, or NULL if it is absent
 *	yN	output N		yN?	the same
 *	x*	the list of all inputs	y*	of all outputs
 *	xN~ATTR	input N; its last two dimensions change places if ATTR is true
 *	:yN	the type of output N	=V	the number V
 *	@ATTR	an attribute		@ATTR=V	the same, or V without it
 *	@ATTR=	the same, or an empty list
 *	-	NULL
 * @shape: sizes of its outputs
 */
struct aclnn_single_type {
	const char *type;
	const char *op;
	const char *args;
	enum aclnn_single_shape shape;
};

/* Find a type; NULL if there is none. */
const struct aclnn_single_type *aclnn_single_find(const char *type);

/* All of them, and their number. */
extern const struct aclnn_single_type aclnn_single_types[];
extern const unsigned int aclnn_single_count;

/* Find the operator of a type: one of aclnn, or one that only types have. */
const struct aclnn_op *aclnn_single_op(const struct aclnn_single_type *type);

/* An operator that only types have. */
extern const struct aclnn_op aclnn_single_gemm;

/* All operators of aclnn, which generate.awk lists, and their number. */
extern const struct aclnn_op *const aclnn_ops[];
extern const unsigned int aclnn_op_count;

/*
 * Functions for libvnpu, see op/single.h.
 */
ACL_FUNC_VISIBILITY aclError vnpu_single_execute(const struct vnpu_single *op,
						 void *stream);
ACL_FUNC_VISIBILITY aclError vnpu_single_check(const struct vnpu_single *op,
					       void *stream);
ACL_FUNC_VISIBILITY aclError
vnpu_single_infer(const struct vnpu_single *op,
		  struct vnpu_single_tensor *output);

#endif /* ACLNN_SINGLE_H */
