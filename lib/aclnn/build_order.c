// SPDX-License-Identifier: MIT
/* Elements by their rank in a dimension. */
#include "build.h"
#include "builders.h"

/* Check that an output has the shape of a view. */
static bool has_shape(struct aclnn_build *b, unsigned int arg,
		      const struct aclnn_view *view)
{
	struct aclnn_view out = aclnn_view(b, arg);
	bool is_same = out.t.rank == view->t.rank;

	for (unsigned int i = 0; is_same && i < out.t.rank; i++)
		is_same = out.t.dims[i] == view->t.dims[i];
	if (!is_same)
		aclnn_fail(b, arg,
			   "expected the shape of self, where the dimension is 1 or missing");
	return is_same;
}

/* Keep the element @at of a dimension, and the dimension if @keep. */
static void pick(struct aclnn_view *view, unsigned int dim, int64_t at, bool keep)
{
	struct vnpu_tensor *t = &view->t;

	aclnn_narrow(view, dim, at, 1, 1);
	if (keep)
		return;
	t->rank--;
	for (unsigned int i = dim; i < t->rank; i++) {
		t->dims[i] = t->dims[i + 1];
		t->strides[i] = t->strides[i + 1];
	}
}

int build_kthvalue(struct aclnn_build *b)
{
	enum { SELF, K, DIM, KEEPDIM, VALUES, INDICES };
	struct aclnn_view self = aclnn_view(b, SELF), sorted, order;
	struct aclnn_view values = aclnn_view(b, VALUES);
	struct aclnn_view indices = aclnn_view(b, INDICES);
	int64_t k = aclnn_int(b, K), one = 1;
	bool keep = aclnn_int(b, KEEPDIM);
	unsigned int dim;

	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	if (!self.t.rank) {
		aclnn_reshape(&self, 1, &one);
		keep = false;
	}
	if (k < 1 || k > self.t.dims[dim])
		return aclnn_fail(b, K, "expected 1 to %lld, given %lld",
				  (long long)self.t.dims[dim], (long long)k);
	sorted = aclnn_temporary(b, self.t.dtype, self.t.rank, self.t.dims);
	order = aclnn_temporary(b, VNPU_DT_I64, self.t.rank, self.t.dims);
	aclnn_begin(b, VNPU_OP_SORT, 1, 2);
	aclnn_set_int(b, "dim", dim);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &sorted);
	aclnn_put(b, 2, &order);
	aclnn_end(b);
	pick(&sorted, dim, k - 1, keep);
	pick(&order, dim, k - 1, keep);
	if (!has_shape(b, VALUES, &sorted) || !has_shape(b, INDICES, &order) ||
	    aclnn_step1(b, VNPU_OP_COPY, &sorted, &values))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &order, &indices);
}

/* Sort along a dimension, and keep the element in the middle, and its index. */
static void find_middle(struct aclnn_build *b, const struct aclnn_view *self,
			unsigned int dim, bool keep, struct aclnn_view middle[2])
{
	int64_t at = (self->t.dims[dim] - 1) / 2;

	middle[0] = aclnn_temporary(b, self->t.dtype, self->t.rank,
				    self->t.dims);
	middle[1] = aclnn_temporary(b, VNPU_DT_I64, self->t.rank, self->t.dims);
	aclnn_begin(b, VNPU_OP_SORT, 1, 2);
	aclnn_set_int(b, "dim", dim);
	aclnn_put(b, 0, self);
	aclnn_put(b, 1, &middle[0]);
	aclnn_put(b, 2, &middle[1]);
	aclnn_end(b);
	pick(&middle[0], dim, at, keep);
	pick(&middle[1], dim, at, keep);
}

/* Find the largest elements, which are NaN where there is one, and their indices. */
static void find_largest(struct aclnn_build *b, const struct aclnn_view *self,
			 unsigned int dim, bool keep,
			 const struct aclnn_view middle[2],
			 struct aclnn_view largest[2])
{
	largest[0] = aclnn_temporary(b, self->t.dtype, middle[0].t.rank,
				     middle[0].t.dims);
	largest[1] = aclnn_temporary(b, VNPU_DT_I64, middle[0].t.rank,
				     middle[0].t.dims);
	aclnn_begin(b, VNPU_OP_MAX_INDEX, 1, 2);
	aclnn_set_int(b, "dims", dim);
	aclnn_set_int(b, "keepdim", keep);
	aclnn_put(b, 0, self);
	aclnn_put(b, 1, &largest[0]);
	aclnn_put(b, 2, &largest[1]);
	aclnn_end(b);
}

/* Find medians and, with @indices, where they are; NaN is the median if there is one. */
static int find_median(struct aclnn_build *b, struct aclnn_view *self,
		       unsigned int dim, bool keep, unsigned int values,
		       unsigned int count)
{
	struct aclnn_view middle[2], largest[2], is_nan, out;

	if (!self->t.dims[dim])
		return aclnn_fail(b, self->arg < 0 ? 0 : self->arg,
				  "has no elements in dimension %u", dim);
	find_middle(b, self, dim, keep, middle);
	for (unsigned int i = 0; i < count; i++)
		if (!has_shape(b, values + i, &middle[i]))
			return b->status;
	if (vnpu_dtype_is_float(self->t.dtype)) {
		find_largest(b, self, dim, keep, middle, largest);
		is_nan = aclnn_result1(b, VNPU_OP_ISNAN, &largest[0]);
	}
	for (unsigned int i = 0; i < count && !b->status; i++) {
		out = aclnn_view(b, values + i);
		if (!vnpu_dtype_is_float(self->t.dtype)) {
			aclnn_step1(b, VNPU_OP_COPY, &middle[i], &out);
			continue;
		}
		aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
		aclnn_put(b, 0, &is_nan);
		aclnn_put(b, 1, &largest[i]);
		aclnn_put(b, 2, &middle[i]);
		aclnn_put(b, 3, &out);
		aclnn_end(b);
	}
	return b->status;
}

int build_median(struct aclnn_build *b)
{
	enum { SELF, VALUES };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view out = aclnn_view(b, VALUES);
	int64_t count = vnpu_tensor_elements(&self.t);

	aclnn_flatten(b, &self, 1, &count);
	if (b->status)
		return b->status;
	return find_median(b, &self, 0, out.t.rank, VALUES, 1);
}

int build_median_dim(struct aclnn_build *b)
{
	enum { SELF, DIM, KEEPDIM, VALUES };
	struct aclnn_view self = aclnn_view(b, SELF);
	bool keep = aclnn_int(b, KEEPDIM);
	int64_t one = 1;
	unsigned int dim;

	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	if (!self.t.rank) {
		aclnn_reshape(&self, 1, &one);
		keep = false;
	}
	return find_median(b, &self, dim, keep, VALUES, 2);
}
