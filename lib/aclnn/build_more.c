// SPDX-License-Identifier: MIT
/* Operators of several steps that few programs use. */
#include "build.h"
#include "builders.h"

int build_bincount(struct aclnn_build *b)
{
	enum { SELF, WEIGHTS, LEAST, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view weights = aclnn_view(b, WEIGHTS);
	int64_t least = aclnn_int(b, LEAST);

	if (self.t.rank != 1)
		return aclnn_fail(b, SELF, "expected 1 dimension, given %u",
				  self.t.rank);
	if (least < 0)
		return aclnn_fail(b, LEAST, "expected 0 or more, given %lld",
				  (long long)least);
	if (out.t.rank != 1 || out.t.dims[0] < least)
		return aclnn_fail(b, OUT,
				  "expected 1 dimension of size %lld at least",
				  (long long)least);
	aclnn_begin(b, VNPU_OP_BINCOUNT, 2, 1);
	aclnn_set_int(b, "bins", out.t.dims[0]);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &weights);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

/* beta * self + alpha * vec1 vec2^T; a beta of 0 excludes self. */
int build_addr(struct aclnn_build *b)
{
	enum { SELF, VEC1, VEC2, BETA, ALPHA, OUT };
	const struct aclnn_scalar *beta = aclnn_scalar(b, BETA);
	const struct aclnn_scalar *alpha = aclnn_scalar(b, ALPHA);
	unsigned int to = b->op->count > OUT ? OUT : SELF;
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, to);
	struct aclnn_view vec1 = aclnn_view(b, VEC1);
	struct aclnn_view vec2 = aclnn_view(b, VEC2);
	struct aclnn_view factor = aclnn_view(b, BETA);

	if (vec1.t.rank != 1 || vec2.t.rank != 1)
		return aclnn_fail(b, vec1.t.rank != 1 ? VEC1 : VEC2,
				  "expected 1 dimension, given %u",
				  vec1.t.rank != 1 ? vec1.t.rank : vec2.t.rank);
	aclnn_insert(&vec1, 1);
	if (beta && !beta->f)
		self = aclnn_integer(0);
	else if (beta && beta->f != 1)
		self = aclnn_result2(b, VNPU_OP_MUL, &self, &factor);
	aclnn_begin(b, VNPU_OP_ADDCMUL, 3, 1);
	if (alpha)
		aclnn_set_scalar(b, "value", alpha);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &vec1);
	aclnn_put(b, 2, &vec2);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

int build_add_relu(struct aclnn_build *b)
{
	enum { SELF, OTHER, ALPHA, OUT };
	unsigned int to = b->op->count > OUT ? OUT : SELF;
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, to);
	struct aclnn_view other = aclnn_view(b, OTHER), sum;

	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
	aclnn_set_scalar(b, "alpha", aclnn_scalar(b, ALPHA));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &other);
	sum = aclnn_result(b);
	return aclnn_step1(b, VNPU_OP_RELU, &sum, &out);
}

/* Find both extremes over dimensions, or over all of them if there are none. */
static int aminmax(struct aclnn_build *b, const int64_t *dims, uint64_t count,
		   bool keep, unsigned int first_out)
{
	static const unsigned int engine[] = { VNPU_OP_AMIN, VNPU_OP_AMAX };
	struct aclnn_view self = aclnn_view(b, 0), out;

	for (unsigned int i = 0; i < 2 && !b->status; i++) {
		out = aclnn_view(b, first_out + i);
		aclnn_begin(b, engine[i], 1, 1);
		if (count)
			aclnn_set_ints(b, "dims", dims, count);
		aclnn_set_int(b, "keepdim", keep);
		aclnn_put(b, 0, &self);
		aclnn_put(b, 1, &out);
		aclnn_end(b);
	}
	return b->status;
}

int build_aminmax(struct aclnn_build *b)
{
	enum { SELF, DIM, KEEPDIM, MIN };
	const struct aclnn_array *dims = aclnn_array(b, DIM);

	return aminmax(b, dims ? dims->i : NULL, dims ? dims->size : 0,
		       aclnn_int(b, KEEPDIM), MIN);
}

int build_aminmax_all(struct aclnn_build *b)
{
	return aminmax(b, NULL, 0, false, 1);
}

int build_aminmax_dim(struct aclnn_build *b)
{
	enum { SELF, DIM, KEEPDIM, MIN };
	int64_t dim = aclnn_int(b, DIM);

	return aminmax(b, &dim, 1, aclnn_int(b, KEEPDIM), MIN);
}

/* log(x / (1 - x)), where eps limits x if it is not negative. */
int build_logit(struct aclnn_build *b)
{
	enum { INPUT, EPS, OUT };
	double eps = aclnn_float(b, EPS);
	struct aclnn_view x = aclnn_view(b, INPUT), out = aclnn_view(b, OUT);
	struct aclnn_view least = aclnn_number(eps), rest;
	struct aclnn_view most = aclnn_number(1 - eps), one = aclnn_number(1);

	if (eps >= 0) {
		x = aclnn_result2(b, VNPU_OP_MAXIMUM, &x, &least);
		x = aclnn_result2(b, VNPU_OP_MINIMUM, &x, &most);
	}
	rest = aclnn_result2(b, VNPU_OP_SUB, &one, &x);
	x = aclnn_result2(b, VNPU_OP_DIV, &x, &rest);
	return aclnn_step1(b, VNPU_OP_LOG, &x, &out);
}

int build_histc(struct aclnn_build *b)
{
	enum { SELF, BINS, MIN, MAX, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	aclnn_begin(b, VNPU_OP_HISTC, 1, 1);
	aclnn_set_int(b, "bins", aclnn_int(b, BINS));
	aclnn_set_scalar(b, "min", aclnn_scalar(b, MIN));
	aclnn_set_scalar(b, "max", aclnn_scalar(b, MAX));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* In reverse order, both tensors are read from their ends. */
int build_cumsum_v2(struct aclnn_build *b)
{
	enum { SELF, DIM, EXCLUSIVE, REVERSE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view zero = aclnn_integer(0), first;
	unsigned int dim;
	int64_t size;

	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	if (out.t.rank != self.t.rank ||
	    (self.t.rank && out.t.dims[dim] != self.t.dims[dim]))
		return aclnn_fail(b, OUT, "expected the shape of self");
	size = self.t.rank ? self.t.dims[dim] : 1;
	if (aclnn_int(b, REVERSE) && self.t.rank && size) {
		aclnn_narrow(&self, dim, size - 1, size, -1);
		aclnn_narrow(&out, dim, size - 1, size, -1);
	}
	if (aclnn_int(b, EXCLUSIVE)) {
		if (!self.t.rank || !size)
			return aclnn_step1(b, VNPU_OP_COPY, &zero, &out);
		/* Each element is used before its successor is written. */
		first = aclnn_temporary(b, self.t.dtype, self.t.rank,
					self.t.dims);
		if (aclnn_step1(b, VNPU_OP_COPY, &self, &first))
			return b->status;
		self = first;
		first = out;
		aclnn_narrow(&first, dim, 0, 1, 1);
		if (aclnn_step1(b, VNPU_OP_COPY, &zero, &first) || size == 1)
			return b->status;
		aclnn_narrow(&self, dim, 0, size - 1, 1);
		aclnn_narrow(&out, dim, 1, size - 1, 1);
	}
	aclnn_begin(b, VNPU_OP_CUMSUM, 1, 1);
	aclnn_set_int(b, "dim", dim);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* The inverse deviation contains eps already. */
int build_batch_norm_elemt(struct aclnn_build *b)
{
	enum { INPUT, WEIGHT, BIAS, MEAN, INVSTD, EPS, OUT };
	static const struct {
		unsigned int arg, engine;
	} steps[] = {
		{ MEAN, VNPU_OP_SUB }, { INVSTD, VNPU_OP_MUL },
		{ WEIGHT, VNPU_OP_MUL }, { BIAS, VNPU_OP_ADD },
	};
	struct aclnn_view x = aclnn_view(b, INPUT), out = aclnn_view(b, OUT);
	unsigned int rank = x.t.rank;

	if (rank < 2)
		return aclnn_fail(b, INPUT, "expected 2 dimensions or more");
	for (unsigned int i = 0; i < 4 && !b->status; i++) {
		struct aclnn_view part = aclnn_view(b, steps[i].arg);

		if (!aclnn_has(&part))
			continue;
		if (part.t.rank != 1 || part.t.dims[0] != x.t.dims[1])
			return aclnn_fail(b, steps[i].arg,
					  "expected 1 dimension of size %lld",
					  (long long)x.t.dims[1]);
		aclnn_channels(&part, rank);
		x = aclnn_result2(b, steps[i].engine, &x, &part);
	}
	return aclnn_step1(b, VNPU_OP_COPY, &x, &out);
}

/* Check the arguments of IsClose that decide, and convert integers to f64. */
static bool get_pair(struct aclnn_build *b, struct aclnn_view pair[2])
{
	enum { SELF, OTHER, RTOL };
	struct aclnn_view number;

	for (unsigned int i = 0; i < 2; i++) {
		pair[i] = aclnn_view(b, SELF + i);
		if (!(aclnn_float(b, RTOL + i) >= 0)) {
			aclnn_fail(b, RTOL + i, "expected 0 or more, given %g",
				   aclnn_float(b, RTOL + i));
			return false;
		}
	}
	if (pair[0].t.dtype != pair[1].t.dtype) {
		aclnn_fail(b, OTHER, "expected type %s, as of self, given %s",
			   vnpu_dtype_name(pair[0].t.dtype),
			   vnpu_dtype_name(pair[1].t.dtype));
		return false;
	}
	for (unsigned int i = 0; i < 2 && !vnpu_dtype_is_float(pair[i].t.dtype);
	     i++) {
		number = aclnn_temporary(b, VNPU_DT_F64, pair[i].t.rank,
					 pair[i].t.dims);
		if (aclnn_step1(b, VNPU_OP_COPY, &pair[i], &number))
			return false;
		pair[i] = number;
	}
	return true;
}

/* |self - other| <= atol + rtol * |other|, or both are the same infinity. */
int build_is_close(struct aclnn_build *b)
{
	enum { SELF, OTHER, RTOL, ATOL, EQUAL_NAN, OUT };
	struct aclnn_view rtol = aclnn_number(aclnn_float(b, RTOL));
	struct aclnn_view atol = aclnn_number(aclnn_float(b, ATOL));
	struct aclnn_view out = aclnn_view(b, OUT), pair[2], gap, bound, is_close;

	if (!get_pair(b, pair))
		return b->status;
	gap = aclnn_result2(b, VNPU_OP_SUB, &pair[0], &pair[1]);
	gap = aclnn_result1(b, VNPU_OP_ABS, &gap);
	bound = aclnn_result1(b, VNPU_OP_ABS, &pair[1]);
	bound = aclnn_result2(b, VNPU_OP_MUL, &bound, &rtol);
	bound = aclnn_result2(b, VNPU_OP_ADD, &bound, &atol);
	is_close = aclnn_result2(b, VNPU_OP_LE, &gap, &bound);
	/* An infinite bound does not make an infinite gap small. */
	gap = aclnn_result1(b, VNPU_OP_ISFINITE, &gap);
	is_close = aclnn_result2(b, VNPU_OP_LOGICAL_AND, &is_close, &gap);
	if (aclnn_int(b, EQUAL_NAN)) {
		gap = aclnn_result1(b, VNPU_OP_ISNAN, &pair[0]);
		bound = aclnn_result1(b, VNPU_OP_ISNAN, &pair[1]);
		gap = aclnn_result2(b, VNPU_OP_LOGICAL_AND, &gap, &bound);
		is_close = aclnn_result2(b, VNPU_OP_LOGICAL_OR, &is_close, &gap);
	}
	gap = aclnn_result2(b, VNPU_OP_EQ, &pair[0], &pair[1]);
	return aclnn_step2(b, VNPU_OP_LOGICAL_OR, &is_close, &gap, &out);
}
