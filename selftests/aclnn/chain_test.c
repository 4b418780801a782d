// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random chains of operators on few buffers, in random views: slices, transposes,
 * rows that repeat, and in place.  A model computes the same in f64 and rounds, which
 * gives the same bits for these operators.
 *
 * VNPU_CHAIN is the number of operators, and SEED repeats a run.
 */
#include <inttypes.h>

#include "aclnn_test.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sub.h"

enum { BUFFERS = 5, ROOM = 64, SIDE = 7 };

static float device[BUFFERS][ROOM], model[BUFFERS][ROOM];
static uint64_t state;

static uint32_t below(uint32_t limit)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % limit;
}

/* A view of a buffer. */
struct view {
	unsigned int buffer;
	int64_t dims[2], strides[2], offset;
};

static struct view choose(int64_t rows, int64_t columns, bool is_input)
{
	bool swap = below(2);
	int64_t row = swap ? 1 : columns, column = swap ? rows : 1;
	struct view v = { .buffer = below(BUFFERS), .dims = { rows, columns } };

	if (is_input && !below(4)) {
		row = 0;
		column = 1;
	}
	v.strides[0] = row;
	v.strides[1] = column;
	v.offset = below(ROOM - rows * columns + 1);
	return v;
}

static aclTensor *tensor_of(const struct view *v)
{
	return strided(ACL_FLOAT, device[v->buffer], 2, v->dims, v->strides,
		       v->offset, ROOM);
}

static float *at(const struct view *v, int64_t i)
{
	return &model[v->buffer][v->offset + i / v->dims[1] * v->strides[0] +
				 i % v->dims[1] * v->strides[1]];
}

static float expected(unsigned int op, double a, double b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a * b;
	case 3:
		return a / b;
	case 4:
		return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
	case 5:
		return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
	case 6:
		return -a;
	case 7:
		return fabs(a);
	case 8:
		return isnan(a) ? NAN : a > 0 ? a : 0;
	default:
		return a;
	}
}

static aclnnStatus compute(unsigned int op, const aclTensor *a,
			   const aclTensor *b, aclTensor *out)
{
	switch (op) {
	case 0:
		return RUN(aclnnAdd, a, b, scalar(1), out);
	case 1:
		return RUN(aclnnSub, a, b, scalar(1), out);
	case 2:
		return RUN(aclnnMul, a, b, out);
	case 3:
		return RUN(aclnnDiv, a, b, out);
	case 4:
		return RUN(aclnnMaximum, a, b, out);
	case 5:
		return RUN(aclnnMinimum, a, b, out);
	case 6:
		return RUN(aclnnNeg, a, out);
	case 7:
		return RUN(aclnnAbs, a, out);
	case 8:
		return RUN(aclnnRelu, a, out);
	default:
		return RUN(aclnnInplaceCopy, out, a);
	}
}

static bool is_same(const float *is, const float *want)
{
	for (unsigned int i = 0; i < ROOM; i++)
		if (is[i] != want[i] && !(isnan(is[i]) && isnan(want[i]))) {
			note("element %u is %a, expected %a", i, is[i],
			     want[i]);
			return false;
		}
	return true;
}

/* Run an operator; other memory than that of the output must not change. */
static bool step(void)
{
	int64_t rows = 1 + below(SIDE), columns = 1 + below(SIDE);
	struct view out = choose(rows, columns, false);
	struct view a = choose(rows, columns, true);
	struct view b = choose(rows, columns, true);
	float results[SIDE * SIDE];
	unsigned int op = below(10);

	/* The same view, or memory that does not overlap. */
	if (a.buffer == out.buffer)
		a = out;
	if (b.buffer == out.buffer)
		b = out;
	for (int64_t i = 0; i < rows * columns; i++)
		results[i] = expected(op, *at(&a, i), *at(&b, i));
	for (int64_t i = 0; i < rows * columns; i++)
		*at(&out, i) = results[i];
	if (compute(op, tensor_of(&a), tensor_of(&b), tensor_of(&out)))
		return false;
	forget();
	return is_same(device[out.buffer], model[out.buffer]);
}

static void refill(void)
{
	unsigned int buffer = below(BUFFERS);

	numbers(device[buffer], ROOM, below(1000));
	memcpy(model[buffer], device[buffer], sizeof(model[buffer]));
}

static bool chains(void)
{
	const char *count = getenv("VNPU_CHAIN"), *seed = getenv("SEED");
	uint64_t steps = count ? strtoull(count, NULL, 0) : 20000;

	state = seed ? strtoull(seed, NULL, 0) : 1;
	for (uint64_t i = 0; i < steps; i++) {
		if (!(i % 16))
			refill();
		if (!step()) {
			note("operator %" PRIu64, i);
			return false;
		}
	}
	return true;
}

const struct test chain_tests[] = {
	{ "random chains of operators", chains },
	{ 0 }
};
