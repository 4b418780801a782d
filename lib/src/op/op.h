/* SPDX-License-Identifier: MIT */
/*
 * Single operators: aclop*().
 *
 *	attr.c		attributes
 *	library.c	libvnpu-op, which has the operators
 *	gather.c	from the arguments of a call to an operator
 *	execute.c	the calls that run operators
 *	infer.c		sizes of outputs
 *	handle.c	operators that are checked once
 *	blas.c		products of matrices: aclblas*()
 */
#ifndef VNPU_LIB_OP_H
#define VNPU_LIB_OP_H

#include "acl/acl_op.h"
#include "single.h"

/* Copy the attributes of a handle; NULL has none. 0 or an error that was reported. */
aclError vnpu_attrs_copy(const aclopAttr *handle, struct vnpu_attr **first);
void vnpu_attrs_free(struct vnpu_attr *first);

/* Find a function of libvnpu-op; NULL after a report. */
vnpu_single_fn vnpu_single_find(const char *name);

/**
 * struct vnpu_gathered - the arguments of a call
 * @op: the operator, with the members below
 * @input: its inputs
 * @output: its outputs
 */
struct vnpu_gathered {
	struct vnpu_single op;
	struct vnpu_single_tensor input[VNPU_SINGLE_TENSORS];
	struct vnpu_single_tensor output[VNPU_SINGLE_TENSORS];
};

/* Read the descriptions of tensors: 0 or an error that was reported. */
aclError vnpu_gather(struct vnpu_gathered *g, const char *type, int inputs,
		     const aclTensorDesc *const *input, int outputs,
		     const aclTensorDesc *const *output);

/* The same, but the sizes of outputs are left out, as they are to be inferred. */
aclError vnpu_gather_unknown(struct vnpu_gathered *g, const char *type,
			     int inputs, const aclTensorDesc *const *input,
			     int outputs, const aclTensorDesc *const *output);

/* Add the buffers of inputs, as many as there are descriptions. */
aclError vnpu_gather_inputs(struct vnpu_gathered *g, int inputs,
			    const aclDataBuffer *const *input);

/* Add the buffers of tensors: 0 or an error that was reported. */
aclError vnpu_gather_data(struct vnpu_gathered *g, int inputs,
			  const aclDataBuffer *const *input, int outputs,
			  const aclDataBuffer *const *output);

/*
 * Check an operator, and make a handle of a copy: 0 or an error that was reported.
 * The attributes belong to the handle, or are freed.
 */
aclError vnpu_single_create(const struct vnpu_single *op,
			    struct vnpu_attr *attrs, aclopHandle **handle);

#endif /* VNPU_LIB_OP_H */
