// SPDX-License-Identifier: MIT
/* Views. See view.h. */
#include <string.h>

#include "build/view.h"

struct build_view view_number(double value)
{
	struct build_view v = { .buffer = BUILD_NONE };

	vnpu_tensor_set_f64(&v.t, value);
	return v;
}

struct build_view view_integer(int64_t value)
{
	struct build_view v = { .buffer = BUILD_NONE };

	vnpu_tensor_set_i64(&v.t, value);
	return v;
}

void view_permute(struct build_view *v, const unsigned int *perm)
{
	struct vnpu_tensor old = v->t;
	unsigned int i;

	for (i = 0; i < old.rank; i++) {
		v->t.dims[i] = old.dims[perm[i]];
		v->t.strides[i] = old.strides[perm[i]];
	}
}

void view_swap(struct build_view *v, unsigned int a, unsigned int b)
{
	unsigned int perm[VNPU_TENSOR_DIMS], i;

	for (i = 0; i < VNPU_TENSOR_DIMS; i++)
		perm[i] = i;
	perm[a] = b;
	perm[b] = a;
	view_permute(v, perm);
}

void view_slice(struct build_view *v, unsigned int dim, int64_t start,
		int64_t count, int64_t step)
{
	if (count)
		v->t.offset += start * v->t.strides[dim];
	v->t.dims[dim] = count;
	v->t.strides[dim] *= step;
}

void view_window(struct build_view *v, unsigned int dim, int64_t size,
		 int64_t stride)
{
	unsigned int i;

	for (i = v->t.rank++; i > dim; i--) {
		v->t.dims[i] = v->t.dims[i - 1];
		v->t.strides[i] = v->t.strides[i - 1];
	}
	v->t.dims[dim] = size;
	v->t.strides[dim] = stride;
}

void view_insert(struct build_view *v, unsigned int dim, int64_t size)
{
	view_window(v, dim, size, 0);
}

void view_remove(struct build_view *v, unsigned int dim)
{
	unsigned int i;

	v->t.rank--;
	for (i = dim; i < v->t.rank; i++) {
		v->t.dims[i] = v->t.dims[i + 1];
		v->t.strides[i] = v->t.strides[i + 1];
	}
}

void view_expand(struct build_view *v, unsigned int rank, const int64_t *dims)
{
	unsigned int i;

	while (v->t.rank < rank)
		view_insert(v, 0, 1);
	for (i = 0; i < rank; i++) {
		if (v->t.dims[i] == dims[i])
			continue;
		v->t.dims[i] = dims[i];
		v->t.strides[i] = 0;
	}
}

/* Leave out dimensions of size 1, and join those without a gap between them. */
static unsigned int join(const struct vnpu_tensor *t, int64_t *dims,
			 int64_t *strides)
{
	unsigned int n = 0, i;

	for (i = 0; i < t->rank; i++) {
		if (t->dims[i] == 1)
			continue;
		if (n && strides[n - 1] == t->dims[i] * t->strides[i]) {
			dims[n - 1] *= t->dims[i];
			strides[n - 1] = t->strides[i];
			continue;
		}
		dims[n] = t->dims[i];
		strides[n++] = t->strides[i];
	}
	return n;
}

bool view_reshape(struct build_view *v, unsigned int rank,
		  const int64_t *dims)
{
	int64_t old[VNPU_TENSOR_DIMS], steps[VNPU_TENSOR_DIMS];
	int64_t strides[VNPU_TENSOR_DIMS], step = 1, left = 1;
	unsigned int n = join(&v->t, old, steps), i = rank;
	struct vnpu_tensor flat;

	if (v->t.flags & VNPU_TENSOR_F_IMMEDIATE)
		return false;
	vnpu_tensor_init(&flat, v->t.dtype, rank, dims, NULL);
	if (!vnpu_tensor_elements(&flat)) {
		memcpy(strides, flat.strides, sizeof(strides));
	} else {
		/* From the inside: each old dimension is split into new ones. */
		while (i--) {
			strides[i] = 1;
			if (dims[i] == 1)
				continue;
			if (left == 1) {
				left = old[--n];
				step = steps[n];
			}
			if (left % dims[i])
				return false;
			strides[i] = step;
			step *= dims[i];
			left /= dims[i];
		}
	}
	v->t.rank = rank;
	if (rank) {
		memcpy(v->t.dims, dims, rank * sizeof(*dims));
		memcpy(v->t.strides, strides, rank * sizeof(*strides));
	}
	return true;
}

bool view_equal(const struct build_view *a, const struct build_view *b)
{
	unsigned int i;

	if (a->buffer != b->buffer || a->buffer == BUILD_NONE ||
	    a->t.dtype != b->t.dtype || a->t.rank != b->t.rank ||
	    a->t.offset != b->t.offset)
		return false;
	for (i = 0; i < a->t.rank; i++)
		if (a->t.dims[i] != b->t.dims[i] ||
		    (a->t.dims[i] > 1 && a->t.strides[i] != b->t.strides[i]))
			return false;
	return true;
}
