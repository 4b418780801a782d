/* SPDX-License-Identifier: MIT */
/*
 * Views: tensors in a buffer that may change their shape without a copy.
 *
 * Dimensions, starts and counts are those of a checked node: functions do not
 * check them again.
 */
#ifndef GRAPH_BUILD_VIEW_H
#define GRAPH_BUILD_VIEW_H

#include "ops/ops.h"

#define BUILD_NONE UINT32_MAX

/**
 * struct build_view - a tensor in a buffer
 * @t: the tensor; vnpu_tensor.data is only set for an immediate
 * @buffer: number of the buffer; BUILD_NONE for an immediate, for a tensor that
 *	is left out, and while shapes are inferred
 */
struct build_view {
	struct vnpu_tensor t;
	uint32_t buffer;
};

/* Check whether there is a tensor. */
static inline bool view_has(const struct build_view *v)
{
	return v->t.dtype != VNPU_DT_NONE;
}

/* Make an immediate, which takes the type of the other operands. */
struct build_view view_number(double value);
struct build_view view_integer(int64_t value);

/* Reorder dimensions: dimension i becomes the former perm[i]. */
void view_permute(struct build_view *v, const unsigned int *perm);

/* Exchange two dimensions. */
void view_swap(struct build_view *v, unsigned int a, unsigned int b);

/* Keep @count elements of a dimension from @start on, @step apart. */
void view_slice(struct build_view *v, unsigned int dim, int64_t start,
		int64_t count, int64_t step);

/* Insert a dimension of @size elements that are all the same. */
void view_insert(struct build_view *v, unsigned int dim, int64_t size);

/* Remove a dimension of size 1, or keep its first element only. */
void view_remove(struct build_view *v, unsigned int dim);

/* Insert a dimension with a stride of its own, such as one of windows. */
void view_window(struct build_view *v, unsigned int dim, int64_t size,
		 int64_t stride);

/* Repeat elements of dimensions of size 1, and add dimensions in front. */
void view_expand(struct build_view *v, unsigned int rank, const int64_t *dims);

/*
 * Give a view other dimensions with as many elements; return whether that is
 * possible without a copy.
 */
bool view_reshape(struct build_view *v, unsigned int rank,
		  const int64_t *dims);

/* Check whether two views have the same elements in the same order. */
bool view_equal(const struct build_view *a, const struct build_view *b);

#endif
