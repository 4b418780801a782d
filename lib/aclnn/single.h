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
 */
struct aclnn_single_type {
	const char *type;
	const char *op;
	const char *args;
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

#endif /* ACLNN_SINGLE_H */
