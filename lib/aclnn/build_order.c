// SPDX-License-Identifier: MIT
/* Elements by their rank in a dimension. */
#include "build.h"

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
