// SPDX-License-Identifier: MIT
/*
 * Random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
 * Random Numbers: As Easy as 1, 2, 3" (2011). Element i is made from word i % 4
 * of block offset + i / 4, as the tasks of the driver do, so it depends neither
 * on other elements nor on the number of parts.
 */
#include <errno.h>
#include <math.h>

#include "families.h"
#include "vec/half.h"
#include "vec/vec.h"

#define TILE	256

static void make_block(uint64_t number, uint64_t key, uint32_t word[4])
{
	uint32_t c0 = number, c1 = number >> 32, c2 = 0, c3 = 0;
	uint32_t k0 = key, k1 = key >> 32;
	unsigned int round;

	for (round = 0; round < 10; round++) {
		uint64_t x = (uint64_t)0xd2511f53 * c0;
		uint64_t y = (uint64_t)0xcd9e8d57 * c2;

		c0 = (uint32_t)(y >> 32) ^ c1 ^ k0;
		c1 = y;
		c2 = (uint32_t)(x >> 32) ^ c3 ^ k1;
		c3 = x;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
	word[0] = c0;
	word[1] = c1;
	word[2] = c2;
	word[3] = c3;
}

int ops_random_infer(struct ops_call *c)
{
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	double a = CALL_FLOAT(c, 2);

	if (!out)
		return ops_fail(c, 0, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	if (c->l->op == VNPU_OP_BERNOULLI) {
		if (!(a >= 0 && a <= 1))
			return ops_fail(c, -1, -EINVAL,
					"p: expected 0 to 1, given %g", a);
		return 0;
	}
	if (!(a <= CALL_FLOAT(c, 3)) || a == -INFINITY ||
	    CALL_FLOAT(c, 3) == INFINITY)
		return ops_fail(c, -1, -EINVAL,
				"expected an interval, given %g to %g", a,
				CALL_FLOAT(c, 3));
	if (!vnpu_dtype_is_float(out->dtype))
		return ops_fail(c, 0, -EINVAL,
				"expected a floating-point type, given %s",
				vnpu_dtype_name(out->dtype));
	return 0;
}

void ops_random_plan(struct vnpu_op_job *job)
{
	int64_t count = vnpu_tensor_elements(ops_out(&job->launch, 0));

	job->scratch = TILE * sizeof(double);
	job->parts = ops_parts(count * 16.0, (count + TILE - 1) / TILE);
}

/* Round down to a format of 24, 11 or 8 digits, from a sum of two doubles. */
static double round_down(double high, double low, unsigned int dtype)
{
	unsigned int drop = dtype == VNPU_DT_F32 ? 29 : dtype == VNPU_DT_F16 ?
			    42 : dtype == VNPU_DT_BF16 ? 45 : 0;
	uint64_t bits = ops_bits64(high), mask = ((uint64_t)1 << drop) - 1;
	double smallest = dtype == VNPU_DT_F16 ? 0x1p-14 : 0x1p-126;

	if (!drop)
		return high;
	/* Subnormal results have a fixed last digit. */
	if (fabs(high) < smallest) {
		double unit = dtype == VNPU_DT_F16 ? 0x1p-24 :
			      dtype == VNPU_DT_BF16 ? 0x1p-133 : 0x1p-149;

		return floor(high / unit) * unit;
	}
	if (!(bits & mask))
		return low < 0 ? ops_double_of(high > 0 ? bits - mask - 1 :
						bits + mask + 1) : high;
	return ops_double_of(high > 0 ? bits & ~mask : (bits | mask) + 1);
}

/*
 * Interpolate between the bounds by the word. The product of 24 and 33 bits is
 * the sum of two doubles; what the sum of both loses decides between neighbours.
 */
static double make_uniform(double from, double to, uint32_t word,
			   unsigned int dtype)
{
	double a = 4294967296. - word, b = word, x = from * a, y = to * b;
	double rest = fma(from, a, -x) + fma(to, b, -y), sum = x + y, part;

	part = sum - x;
	rest += (x - (sum - part)) + (y - part);
	return round_down((sum + rest) * 0x1p-32,
			  ((sum - (sum + rest)) + rest) * 0x1p-32, dtype);
}

int ops_random_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	uint64_t key = JOB_INT(job, 0), offset = JOB_INT(job, 1);
	double from = JOB_FLOAT(job, 2), *x = w->scratch, to = 0;
	bool is_uniform = job->launch.op == VNPU_OP_UNIFORM;
	uint64_t threshold = is_uniform ? 0 : from * 4294967296. + 0.5;
	int64_t at, end, i, rest, size = ops_size(out->dtype);
	uint32_t word[4];
	unsigned int d;

	if (is_uniform)
		to = JOB_FLOAT(job, 3);
	ops_share(w, vnpu_tensor_elements(out), TILE, &at, &end);
	for (i = at; i < end; i++) {
		uint8_t *dst = ops_data(out);

		if (i == at || !(i & 3))
			make_block(offset + (i >> 2), key, word);
		if (is_uniform)
			x[0] = make_uniform(from, to, word[i & 3], out->dtype);
		else
			x[0] = word[i & 3] < threshold;
		rest = i;
		for (d = out->rank; d--;) {
			dst += rest % out->dims[d] * out->strides[d] * size;
			rest /= out->dims[d];
		}
		ops_vec->store[OPS_D][out->dtype](dst, 1, x, 1);
	}
	return 0;
}
