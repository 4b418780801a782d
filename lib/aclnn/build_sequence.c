// SPDX-License-Identifier: MIT
/* Numbers at equal distances. */
#include <math.h>

#include "build.h"
#include "builders.h"

enum { START, END, STEP };

/* The relative error of a number that was rounded to the type of a scalar. */
static double unit(const struct aclnn_scalar *scalar)
{
	switch (scalar->dtype) {
	case ACL_BF16:
		return 0x1p-8;
	case ACL_FLOAT16:
		return 0x1p-11;
	case ACL_FLOAT:
		return 0x1p-24;
	case ACL_DOUBLE:
		return 0x1p-53;
	default:
		return 0;
	}
}

/* Number of elements up to a quotient, which is one itself if @has_end. */
static double elements_below(double quotient, bool has_end)
{
	return fmax(has_end ? floor(quotient) + 1 : ceil(quotient), 0);
}

/* The same of integers, exactly. */
static double count_integers(struct aclnn_build *b, bool has_end)
{
	__int128 step = aclnn_scalar(b, STEP)->i;
	__int128 span = (__int128)aclnn_scalar(b, END)->i -
			aclnn_scalar(b, START)->i;

	if (step < 0) {
		step = -step;
		span = -span;
	}
	if (span < 0 || (!span && !has_end))
		return 0;
	return (double)(has_end ? span / step + 1 : (span + step - 1) / step);
}

/*
 * Check the number of elements.  It is exact for integers.  Numbers with
 * fractions are rounded when they become scalars, and the caller may have divided
 * before, or in their type: so a count is right if the quotient has it within the
 * error of these operations.  A whole quotient was not rounded.
 */
static bool check_count(struct aclnn_build *b, bool has_end, bool has_integers,
			int64_t given)
{
	const struct aclnn_scalar *start = aclnn_scalar(b, START);
	const struct aclnn_scalar *end = aclnn_scalar(b, END);
	const struct aclnn_scalar *step = aclnn_scalar(b, STEP);
	double quotient = (end->f - start->f) / step->f, error = 0, least, most;
	enum { OUT = 3 };

	if (!start->is_float && !end->is_float && !step->is_float) {
		least = most = count_integers(b, has_end);
	} else {
		if (!has_integers && quotient != nearbyint(quotient))
			error = fmax(fmax(unit(start), unit(end)), unit(step)) *
				((fabs(start->f) + fabs(end->f)) / fabs(step->f) +
				 3 * fabs(quotient));
		least = elements_below(quotient - error, has_end);
		most = elements_below(quotient + error, has_end);
	}
	if (given >= least && given <= most)
		return true;
	aclnn_fail(b, OUT, "expected %.0f elements, given %lld",
		   elements_below(quotient, has_end), (long long)given);
	return false;
}

/* Numbers from START on, STEP apart; with @has_end END may be the last of them. */
static int sequence(struct aclnn_build *b, bool has_end)
{
	enum { OUT = 3 };
	struct aclnn_view out = aclnn_view(b, OUT);
	int64_t elements = vnpu_tensor_elements(&out.t);

	if (!aclnn_scalar(b, STEP)->f)
		return aclnn_fail(b, STEP, "expected a number other than 0");
	/* Dimensions of size 1 do not matter. */
	aclnn_reshape(&out, 1, &elements);
	if (out.t.rank != 1)
		return aclnn_fail(b, OUT, "expected 1 dimension, given %u",
				  out.t.rank);
	if (!check_count(b, has_end, !vnpu_dtype_is_float(out.t.dtype),
			 out.t.dims[0]))
		return b->status;
	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_set_float(b, "start", aclnn_scalar(b, START)->f);
	aclnn_set_float(b, "step", aclnn_scalar(b, STEP)->f);
	aclnn_put(b, 0, &out);
	return aclnn_end(b);
}

int build_arange(struct aclnn_build *b)
{
	return sequence(b, false);
}

int build_range(struct aclnn_build *b)
{
	return sequence(b, true);
}
