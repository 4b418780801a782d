// SPDX-License-Identifier: MIT
/* Reductions that a recipe cannot describe. */
#include <string.h>

#include "build.h"
#include "builders.h"

/* NaN is what is not equal to itself. */
int build_nansum(struct aclnn_build *b)
{
	enum { SELF, DIM, KEEP, TYPE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	const struct aclnn_array *dims = aclnn_array(b, DIM);
	struct aclnn_view zero = aclnn_integer(0), is_nan;

	is_nan = aclnn_result2(b, VNPU_OP_NE, &self, &self);
	self = aclnn_where(b, &is_nan, &zero, &self);
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_ints(b, "dims", dims->i, dims->size);
	aclnn_set_int(b, "keepdim", aclnn_int(b, KEEP));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

int build_equal(struct aclnn_build *b)
{
	enum { SELF, OTHER, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view other = aclnn_view(b, OTHER), same;

	if (self.t.rank != other.t.rank ||
	    memcmp(self.t.dims, other.t.dims,
		   self.t.rank * sizeof(*self.t.dims))) {
		same = aclnn_integer(0);
		return aclnn_step1(b, VNPU_OP_COPY, &same, &out);
	}
	same = aclnn_result2(b, VNPU_OP_EQ, &self, &other);
	aclnn_begin(b, VNPU_OP_ALL, 1, 1);
	aclnn_put(b, 0, &same);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

static int variance(struct aclnn_build *b, int64_t correction)
{
	enum { SELF, DIM, CORRECTION, KEEP, OUT };
	const struct aclnn_array *dims = aclnn_array(b, DIM);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	aclnn_begin(b, VNPU_OP_VAR, 1, 1);
	if (dims)
		aclnn_set_ints(b, "dims", dims->i, dims->size);
	aclnn_set_int(b, "keepdim", aclnn_int(b, KEEP));
	aclnn_set_int(b, "correction", correction);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

int build_variance(struct aclnn_build *b)
{
	enum { UNBIASED = 2 };

	return variance(b, aclnn_int(b, UNBIASED) != 0);
}

int build_variance_correction(struct aclnn_build *b)
{
	enum { CORRECTION = 2 };

	return variance(b, aclnn_int(b, CORRECTION));
}
