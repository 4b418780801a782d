// SPDX-License-Identifier: MIT
/*
 * Repetition of elements.  Their numbers are known, or in the memory of the device;
 * then the run fails unless they give as many elements as the caller says.
 */
#include "build.h"
#include "builders.h"

/* Repeat each element along a dimension a number of times, which may be 0. */
static int repeat_all(struct aclnn_build *b, const struct aclnn_view *self,
		      unsigned int dim, int64_t times,
		      const struct aclnn_view *out)
{
	if (!vnpu_tensor_elements(&out->t))
		return b->status;
	aclnn_begin(b, VNPU_OP_REPEAT_INTERLEAVE, 1, 1);
	aclnn_set_int(b, "dim", dim);
	aclnn_set_int(b, "repeats", times);
	aclnn_put(b, 0, self);
	aclnn_put(b, 1, out);
	return aclnn_end(b);
}

/* Copy numbers to 64 bits, in which constants are compared with them. */
static struct aclnn_view widen(struct aclnn_build *b,
			       const struct aclnn_view *numbers)
{
	struct aclnn_view wide;

	wide = aclnn_temporary(b, VNPU_DT_I64, numbers->t.rank,
			       numbers->t.dims);
	aclnn_step1(b, VNPU_OP_COPY, numbers, &wide);
	return wide;
}

/* Make the run fail if a truth value is true: 1 is no index of one element. */
static void fail_if(struct aclnn_build *b, const struct aclnn_view *is_wrong)
{
	struct aclnn_view index, taken;
	int64_t one = 1;

	index = aclnn_temporary(b, VNPU_DT_I32, is_wrong->t.rank,
				is_wrong->t.dims);
	aclnn_step1(b, VNPU_OP_COPY, is_wrong, &index);
	aclnn_reshape(&index, 1, &one);
	taken = aclnn_temporary(b, VNPU_DT_I32, 1, &one);
	aclnn_step2(b, VNPU_OP_TAKE, &index, &index, &taken);
}

/* Repeat each element as often as the single number of the device says. */
static int repeat_by_one(struct aclnn_build *b, const struct aclnn_view *self,
			 unsigned int dim, const struct aclnn_view *repeats,
			 unsigned int size_arg, const struct aclnn_view *out)
{
	int64_t n = self->t.dims[dim], size = aclnn_int(b, size_arg);
	struct aclnn_view times, wide, is_wrong;

	if (n ? size % n : size)
		return aclnn_fail(b, size_arg,
				  "expected a multiple of %lld, given %lld",
				  (long long)n, (long long)size);
	if (!n)
		return b->status;
	times = aclnn_integer(size / n);
	wide = widen(b, repeats);
	is_wrong = aclnn_result2(b, VNPU_OP_NE, &wide, &times);
	if (b->status)
		return b->status;
	fail_if(b, &is_wrong);
	return repeat_all(b, self, dim, size / n, out);
}

/* Sum up the numbers of repetitions; the run fails if they are not valid. */
static struct aclnn_view find_ends(struct aclnn_build *b,
				   const struct aclnn_view *repeats, int64_t size)
{
	struct aclnn_view ends, last, want = aclnn_integer(size), zero, is_wrong;
	struct aclnn_view wide;
	int64_t n = repeats->t.dims[0];

	wide = widen(b, repeats);
	ends = aclnn_temporary(b, VNPU_DT_I64, 1, &n);
	if (aclnn_step1(b, VNPU_OP_CUMSUM, &wide, &ends))
		return ends;
	last = ends;
	aclnn_narrow(&last, 0, n - 1, 1, 1);
	is_wrong = aclnn_result2(b, VNPU_OP_NE, &last, &want);
	zero = aclnn_integer(0);
	last = aclnn_result1(b, VNPU_OP_AMIN, &wide);
	last = aclnn_result2(b, VNPU_OP_LT, &last, &zero);
	is_wrong = aclnn_result2(b, VNPU_OP_LOGICAL_OR, &is_wrong, &last);
	/* Sums of larger ones could wrap. */
	last = aclnn_result1(b, VNPU_OP_AMAX, &wide);
	last = aclnn_result2(b, VNPU_OP_GT, &last, &want);
	is_wrong = aclnn_result2(b, VNPU_OP_LOGICAL_OR, &is_wrong, &last);
	if (!b->status)
		fail_if(b, &is_wrong);
	return ends;
}

/* Repeat each element by its own number: element k of the output is that of the first
 * end behind k. */
static int repeat_by_each(struct aclnn_build *b, const struct aclnn_view *self,
			  unsigned int dim, const struct aclnn_view *repeats,
			  int64_t size, const struct aclnn_view *out)
{
	struct aclnn_view ends = find_ends(b, repeats, size), places, index;

	if (b->status)
		return b->status;
	places = aclnn_temporary(b, VNPU_DT_I64, 1, &size);
	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_put(b, 0, &places);
	aclnn_end(b);
	index = aclnn_temporary(b, VNPU_DT_I64, 1, &size);
	aclnn_begin(b, VNPU_OP_SEARCH_SORTED, 2, 1);
	aclnn_set_int(b, "right", 1);
	aclnn_put(b, 0, &ends);
	aclnn_put(b, 1, &places);
	aclnn_put(b, 2, &index);
	aclnn_end(b);
	aclnn_begin(b, VNPU_OP_TAKE, 2, 1);
	aclnn_set_int(b, "dim", dim);
	aclnn_put(b, 0, self);
	aclnn_put(b, 1, &index);
	aclnn_put(b, 2, out);
	return aclnn_end(b);
}

/* Check that the output has the shape of self, and a size along a dimension. */
static bool check_size(struct aclnn_build *b, unsigned int size_arg,
		       unsigned int out_arg, const struct aclnn_view *self,
		       unsigned int dim)
{
	struct aclnn_view want = *self;

	want.t.dims[dim] = aclnn_int(b, size_arg);
	if (want.t.dims[dim] >= 0)
		return aclnn_has_shape(b, out_arg, &want);
	aclnn_fail(b, size_arg, "expected 0 or more, given %lld",
		   (long long)want.t.dims[dim]);
	return false;
}

/* Repeat along a dimension by numbers of the device, one or one for each element. */
static int repeat(struct aclnn_build *b, const struct aclnn_view *self,
		  unsigned int dim, unsigned int size_arg)
{
	enum { REPEATS = 1 };
	struct aclnn_view repeats = aclnn_view(b, REPEATS);
	struct aclnn_view out = aclnn_view(b, size_arg + 1);
	int64_t n = self->t.dims[dim], count;

	count = vnpu_tensor_elements(&repeats.t);
	if (repeats.t.dtype != VNPU_DT_I64 && repeats.t.dtype != VNPU_DT_I32)
		return aclnn_fail(b, REPEATS,
				  "expected type i32 or i64, given %s",
				  vnpu_dtype_name(repeats.t.dtype));
	if (repeats.t.rank > 1 || (count != 1 && count != n))
		return aclnn_fail(b, REPEATS,
				  "expected 1 or %lld elements in 1 dimension, given %lld in %u",
				  (long long)n, (long long)count,
				  repeats.t.rank);
	if (!check_size(b, size_arg, size_arg + 1, self, dim))
		return b->status;
	if (count == 1)
		return repeat_by_one(b, self, dim, &repeats, size_arg, &out);
	if (count && !vnpu_tensor_elements(&out.t) && out.t.dims[dim])
		return b->status;
	if (count)
		return repeat_by_each(b, self, dim, &repeats,
				      aclnn_int(b, size_arg), &out);
	if (aclnn_int(b, size_arg))
		return aclnn_fail(b, size_arg, "expected 0, given %lld",
				  (long long)aclnn_int(b, size_arg));
	return b->status;
}

/* View self as one dimension. */
static struct aclnn_view flat(struct aclnn_build *b)
{
	struct aclnn_view self = aclnn_view(b, 0);
	int64_t count = vnpu_tensor_elements(&self.t);

	aclnn_flatten(b, &self, 1, &count);
	return self;
}

int build_repeat_interleave(struct aclnn_build *b)
{
	enum { SELF, REPEATS, SIZE };
	struct aclnn_view self = flat(b);

	return b->status ? b->status : repeat(b, &self, 0, SIZE);
}

int build_repeat_interleave_dim(struct aclnn_build *b)
{
	enum { SELF, REPEATS, DIM, SIZE };
	struct aclnn_view self = aclnn_view(b, SELF);
	unsigned int dim;

	if (!self.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	return repeat(b, &self, dim, SIZE);
}

int build_repeat_interleave_int(struct aclnn_build *b)
{
	enum { SELF, REPEATS, SIZE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t times = aclnn_int(b, REPEATS), size;

	if (times < 0)
		return aclnn_fail(b, REPEATS, "expected 0 or more, given %lld",
				  (long long)times);
	if (__builtin_mul_overflow(vnpu_tensor_elements(&self.t), times, &size))
		return aclnn_fail(b, REPEATS,
				  "%lld repetitions are more than 2^63 elements",
				  (long long)times);
	if (aclnn_int(b, SIZE) != size)
		return aclnn_fail(b, SIZE, "expected %lld, given %lld",
				  (long long)size,
				  (long long)aclnn_int(b, SIZE));
	self = flat(b);
	if (b->status || !check_size(b, SIZE, OUT, &self, 0))
		return b->status;
	return repeat_all(b, &self, 0, times, &out);
}
