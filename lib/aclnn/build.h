/* SPDX-License-Identifier: MIT */
/*
 * From the arguments of an operator to its call, in the first phase.
 *
 * A function build_NAME() gets the checked handles of its arguments.  It makes
 * views of tensors by the functions below, which are in build.c, and appends
 * steps.  builders.h lists these functions.
 */
#ifndef ACLNN_BUILD_H
#define ACLNN_BUILD_H

#include "step.h"

/* Make a view of an argument: a tensor or a scalar. */
struct aclnn_view aclnn_view(const struct aclnn_build *b, unsigned int arg);

/*
 * View the first or second half, @which is 0 or 1, of the elements of an argument
 * that takes halves: the real or the imaginary part, or the lower or upper bits.
 */
struct aclnn_view aclnn_half(const struct aclnn_build *b, unsigned int arg,
			     unsigned int which);

/* Make a view of a member of a list; reports an error if it is not live. */
struct aclnn_view aclnn_member(struct aclnn_build *b, unsigned int arg,
			       uint64_t member);

/*
 * Check a tensor, so that numbers of its views cannot overflow; errors begin with
 * @prefix.  Its address is left for the engine, which gets odd ones as copies.
 */
int aclnn_check(struct aclnn_build *b, unsigned int arg, const char *prefix,
		const struct aclnn_tensor *tensor);

/*
 * Make a view of an input that can become part of the output, such as a limit or
 * a replacement.  A scalar then loses its fraction if the output has integers.
 */
struct aclnn_view aclnn_part(const struct aclnn_build *b, unsigned int arg,
			     const struct aclnn_view *out);

struct aclnn_view aclnn_number(double value);
struct aclnn_view aclnn_integer(int64_t value);

static inline bool aclnn_has(const struct aclnn_view *view)
{
	return view->t.dtype != VNPU_DT_NONE;
}

static inline int64_t aclnn_int(const struct aclnn_build *b, unsigned int arg)
{
	return b->values[arg].i;
}

static inline double aclnn_float(const struct aclnn_build *b, unsigned int arg)
{
	return b->values[arg].f;
}

static inline const struct aclnn_scalar *
aclnn_scalar(const struct aclnn_build *b, unsigned int arg)
{
	return b->object[arg];
}

static inline const struct aclnn_array *
aclnn_array(const struct aclnn_build *b, unsigned int arg)
{
	return b->object[arg];
}

/* Make a dimension non-negative; false after a report if there is none. */
bool aclnn_dim(struct aclnn_build *b, int arg, int64_t dim, unsigned int rank,
	       unsigned int *out);

/* Keep @count elements of a dimension from @start on, @step apart. */
void aclnn_narrow(struct aclnn_view *view, unsigned int dim, int64_t start,
		  int64_t count, int64_t step);

/* Exchange two dimensions. */
void aclnn_swap(struct aclnn_view *view, unsigned int a, unsigned int c);

/* Insert a dimension of size 1. */
void aclnn_insert(struct aclnn_view *view, unsigned int dim);

/* Remove a dimension; the elements at its first index stay. */
void aclnn_remove(struct aclnn_view *view, unsigned int dim);

/* Give a view other dimensions with as many elements, if it is contiguous. */
void aclnn_reshape(struct aclnn_view *view, unsigned int rank,
		   const int64_t *dims);

/* Append a step: an operator with one input, or two, and one output. */
int aclnn_step1(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *in, const struct aclnn_view *out);
int aclnn_step2(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *first, const struct aclnn_view *second,
		const struct aclnn_view *out);

/* Append such a step; its output is a temporary that aclnn_result() makes. */
struct aclnn_view aclnn_result1(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *in);
struct aclnn_view aclnn_result2(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *first,
				const struct aclnn_view *second);

/* Compute a temporary: elements of @first where @condition, else of @second. */
struct aclnn_view aclnn_where(struct aclnn_build *b,
			      const struct aclnn_view *condition,
			      const struct aclnn_view *first,
			      const struct aclnn_view *second);

/*
 * Give a view other dimensions with as many elements.  One that is not contiguous
 * is copied to the workspace first.
 */
void aclnn_flatten(struct aclnn_build *b, struct aclnn_view *view,
		   unsigned int rank, const int64_t *dims);

/* Check that a tensor has the shape of a view; false after a report. */
bool aclnn_has_shape(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *want);

/* Check that a tensor can be expanded to the shape of a view; false after a report. */
bool aclnn_expands(struct aclnn_build *b, unsigned int arg,
		   const struct aclnn_view *want);

/* View a vector along dimension 1 of a tensor with @rank dimensions. */
void aclnn_channels(struct aclnn_view *view, unsigned int rank);

/* Begin a step with one input and one output that reduces all but dimension 1. */
void aclnn_begin_channels(struct aclnn_build *b, unsigned int engine,
			  const struct aclnn_view *in);

/*
 * View statistics, such as means, with the shape of the input and 1 for the
 * last @dims.
 */
void aclnn_lines(struct aclnn_view *view, const struct aclnn_view *self,
		 unsigned int dims);

/*
 * Update a running statistic, if argument @arg exists: arg = (1 - momentum) *
 * arg + momentum * value.
 */
int aclnn_move(struct aclnn_build *b, unsigned int arg,
	       const struct aclnn_view *value, double momentum);

/*
 * Check whether the caller wants an output: it is not NULL, and its mask not 0.
 */
bool aclnn_wants(const struct aclnn_build *b, unsigned int mask,
		 unsigned int index, unsigned int out);

#endif /* ACLNN_BUILD_H */
