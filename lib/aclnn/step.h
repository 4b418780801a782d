/* SPDX-License-Identifier: MIT */
/*
 * Steps of a call, in the first phase: call.c checks them and appends them.
 *
 *	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
 *	aclnn_put(b, 0, &a);
 *	aclnn_put(b, 1, &c);
 *	aclnn_put(b, 2, &sum);
 *	return aclnn_end(b);
 *
 * The first error is reported; after it, these functions do nothing.
 */
#ifndef ACLNN_STEP_H
#define ACLNN_STEP_H

#include "collective.h"

/* Values of aclnn_view.arg beside numbers of arguments. */
#define ACLNN_NO_ARG		(-1)
#define ACLNN_WORKSPACE		(-2)

/**
 * struct aclnn_view - a view of an argument, for a step
 * @t: the view; its type is VNPU_DT_NONE if there is no argument
 * @arg: the argument that it belongs to, ACLNN_NO_ARG or ACLNN_WORKSPACE, where
 *	its address is an offset
 * @member: index in a list
 */
struct aclnn_view {
	struct vnpu_tensor t;
	int16_t arg;
	uint16_t member;
};

/**
 * struct aclnn_place - an address in a call
 * @at: where it is, in bytes
 * @arg: of the view
 * @member: of the view
 * @offset: in the workspace
 */
struct aclnn_place {
	uint32_t at;
	int16_t arg;
	uint16_t member;
	uint64_t offset;
};

/**
 * struct aclnn_build - an operator in the first phase
 * @op: the operator
 * @values: its arguments
 * @object: objects of their handles; NULL for those that are missing
 * @status: status of the first error
 * @call: the call so far
 * @room: bytes that are allocated for @call
 * @places: addresses in the call
 * @place_count: their number
 * @place_room: number of places that are allocated
 * @workspace: bytes of workspace so far
 * @counted: tensors; the device finds their first dimension; or NULL
 * @count_at: where that number is in the workspace, an i64
 * @parts: number of blocks of the step that can use the most
 * @collective: what ranks exchange before or behind the call
 * @step: the step that is being made
 * @views: where its tensors come from
 */
struct aclnn_build {
	const struct aclnn_op *op;
	const union aclnn_value *values;
	void *object[ACLNN_ARGS];
	aclnnStatus status;
	struct vnpu_op_call *call;
	size_t room;
	struct aclnn_place *places;
	uint32_t place_count;
	uint32_t place_room;
	uint64_t workspace;
	const void *counted[2];
	uint64_t count_at;
	uint32_t parts;
	struct aclnn_collective collective;
	struct vnpu_op_launch step;
	struct aclnn_view views[VNPU_OP_TENSORS];
};

/* The address of the workspace in the first phase; the engine refuses 0. */
#define ACLNN_WORKSPACE_BASE	4096U

/* Begin a step with an operator of lib/ops. */
void aclnn_begin(struct aclnn_build *b, unsigned int engine,
		 unsigned int inputs, unsigned int outputs);

/* Set a tensor of the step: inputs, then outputs. */
void aclnn_put(struct aclnn_build *b, unsigned int index,
	       const struct aclnn_view *view);

/* Set a parameter of the step by its name. */
void aclnn_set_int(struct aclnn_build *b, const char *name, int64_t value);
void aclnn_set_float(struct aclnn_build *b, const char *name, double value);
void aclnn_set_scalar(struct aclnn_build *b, const char *name,
		      const struct aclnn_scalar *scalar);
void aclnn_set_ints(struct aclnn_build *b, const char *name,
		    const int64_t *values, uint64_t count);

/* Check the step, and append it to the call. */
int aclnn_end(struct aclnn_build *b);

/* Get a contiguous tensor in the workspace. */
struct aclnn_view aclnn_temporary(struct aclnn_build *b, unsigned int dtype,
				  unsigned int rank, const int64_t *dims);

/* Infer the result of the step, and make it a temporary: f32 for f16 and bf16. */
struct aclnn_view aclnn_result(struct aclnn_build *b);

/* Report an error of an argument, or of the whole call: ACLNN_NO_ARG. */
int aclnn_fail(struct aclnn_build *b, int arg, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* ACLNN_STEP_H */
