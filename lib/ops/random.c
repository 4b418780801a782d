// SPDX-License-Identifier: MIT
/* Tensors of random numbers. See random.h. */
#include <errno.h>
#include <math.h>

#include "families.h"
#include "random.h"
#include "vec/half.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

void ops_philox(uint64_t number, uint64_t key, uint32_t word[4])
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

static int infer_bernoulli(struct ops_call *c, const struct vnpu_tensor *out)
{
	double p = CALL_FLOAT(c, 2);
	int err;

	if (!(p >= 0 && p <= 1))
		return ops_fail(c, -1, -EINVAL, "p: expected 0 to 1, given %g",
				p);
	if (!ops_in(c->l, 0))
		return 0;
	err = ops_need_float(c, 0);
	return err ? err : ops_need_expand(c, 0, out->rank, out->dims);
}

int ops_random_infer(struct ops_call *c)
{
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	double a = CALL_FLOAT(c, 2), b;

	if (!out)
		return ops_fail(c, c->l->inputs, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	if (c->l->op == VNPU_OP_BERNOULLI)
		return infer_bernoulli(c, out);
	b = CALL_FLOAT(c, 3);
	if (c->l->op == VNPU_OP_NORMAL && !(isfinite(a) && isfinite(b) && b >= 0))
		return ops_fail(c, -1, -EINVAL,
				"expected a finite mean and deviation, given %g and %g",
				a, b);
	if (c->l->op == VNPU_OP_UNIFORM &&
	    (!(a <= b) || a == -INFINITY || b == INFINITY))
		return ops_fail(c, -1, -EINVAL,
				"expected an interval, given %g to %g", a, b);
	if (!vnpu_dtype_is_float(out->dtype))
		return ops_fail(c, c->l->inputs, -EINVAL,
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

/*
 * The quantile of the normal distribution in the middle of the word's interval:
 * the rational functions of Wichura, "Algorithm AS 241" (1988), without those
 * for tails that no word reaches.
 */
static double make_normal(uint32_t word)
{
	static const double top[] = {
		2.5090809287301226727e+3, 3.3430575583588128105e+4,
		6.7265770927008700853e+4, 4.5921953931549871457e+4,
		1.3731693765509461125e+4, 1.9715909503065514427e+3,
		1.3314166789178437745e+2, 3.3871328727963666080e+0,
	}, bottom[] = {
		5.2264952788528545610e+3, 2.8729085735721942674e+4,
		3.9307895800092710610e+4, 2.1213794301586595867e+4,
		5.3941960214247511077e+3, 6.8718700749205790830e+2,
		4.2313330701600911252e+1, 1,
	}, far_top[] = {
		7.74545014278341407640e-4, 2.27238449892691845833e-2,
		2.41780725177450611770e-1, 1.27045825245236838258e+0,
		3.64784832476320460504e+0, 5.76949722146069140550e+0,
		4.63033784615654529590e+0, 1.42343711074968357734e+0,
	}, far_bottom[] = {
		1.05075007164441684324e-9, 5.47593808499534494600e-4,
		1.51986665636164571966e-2, 1.48103976427480074590e-1,
		6.89767334985100004550e-1, 1.67638483018380384940e+0,
		2.05319162663775882187e+0, 1,
	};
	double p = (word + 0.5) * 0x1p-32, away = p - 0.5, r, x, y;
	bool is_far = fabs(away) > 0.425;
	unsigned int i;

	r = is_far ? sqrt(-log(away < 0 ? p : 1 - p)) - 1.6 :
		     0.180625 - away * away;
	x = is_far ? far_top[0] : top[0];
	y = is_far ? far_bottom[0] : bottom[0];
	for (i = 1; i < 8; i++) {
		x = x * r + (is_far ? far_top[i] : top[i]);
		y = y * r + (is_far ? far_bottom[i] : bottom[i]);
	}
	return is_far ? copysign(x / y, away) : away * x / y;
}

static double make_element(const struct vnpu_op_job *job, uint32_t word,
			   unsigned int dtype)
{
	double a = JOB_FLOAT(job, 2);

	switch (job->launch.op) {
	case VNPU_OP_UNIFORM:
		return make_uniform(a, JOB_FLOAT(job, 3), word, dtype);
	case VNPU_OP_NORMAL:
		return a + JOB_FLOAT(job, 3) * make_normal(word);
	default:
		return word < ops_threshold(a);
	}
}

int ops_random_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	const struct vnpu_tensor *chance = ops_in(&job->launch, 0);
	uint64_t key = JOB_INT(job, 0), offset = JOB_INT(job, 1);
	struct vnpu_tensor chances;
	double *x = w->scratch;
	int64_t at, end, i, n;
	uint32_t word[4];

	if (chance)
		chances = ops_expand(chance, out->rank, out->dims);
	ops_share(w, vnpu_tensor_elements(out), TILE, &at, &end);
	for (; at < end; at += n) {
		n = ops_row_rest(out, at, end, TILE);
		if (chance)
			ops_vec->load[chance->dtype][OPS_D](x,
				ops_element(&chances, at),
				ops_row_step(&chances), n);
		for (i = 0; i < n; i++) {
			if (!i || !((at + i) & 3))
				ops_philox(offset + ((at + i) >> 2), key, word);
			if (chance)
				x[i] = word[(at + i) & 3] < ops_threshold(x[i]);
			else
				x[i] = make_element(job, word[(at + i) & 3],
						    out->dtype);
		}
		ops_vec->store[OPS_D][out->dtype](ops_element(out, at),
						  ops_row_step(out), x, n);
	}
	return 0;
}
