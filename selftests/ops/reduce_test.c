// SPDX-License-Identifier: GPL-2.0-only
/* Reductions and scans, compared with plain loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"

/* One output from its elements, in order. */
static double reduce(unsigned int op, const double *x, int64_t n, double param,
		     int64_t *index)
{
	double result = 0, mean = 0;
	int64_t i;

	*index = 0;
	switch (op) {
	case VNPU_OP_PROD:
	case VNPU_OP_ALL:
		result = 1;
		break;
	case VNPU_OP_VAR:
	case VNPU_OP_STD:
	case VNPU_OP_VAR_MEAN:
		for (i = 0; i < n; i++)
			mean += x[i] / n;
		break;
	}
	for (i = 0; i < n; i++)
		switch (op) {
		case VNPU_OP_SUM:
		case VNPU_OP_MEAN:
			result += x[i];
			break;
		case VNPU_OP_PROD:
			result *= x[i];
			break;
		case VNPU_OP_AMAX:
		case VNPU_OP_ARGMAX:
		case VNPU_OP_MAX_INDEX:
			if (!i || x[i] > result) {
				result = x[i];
				*index = i;
			}
			break;
		case VNPU_OP_AMIN:
		case VNPU_OP_ARGMIN:
		case VNPU_OP_MIN_INDEX:
			if (!i || x[i] < result) {
				result = x[i];
				*index = i;
			}
			break;
		case VNPU_OP_ALL:
			result = result && x[i] != 0;
			break;
		case VNPU_OP_ANY:
			result = result || x[i] != 0;
			break;
		case VNPU_OP_COUNT_NONZERO:
			result += x[i] != 0;
			break;
		case VNPU_OP_VAR:
		case VNPU_OP_STD:
		case VNPU_OP_VAR_MEAN:
			result += (x[i] - mean) * (x[i] - mean);
			break;
		case VNPU_OP_NORM:
			if (param == INFINITY)
				result = fmax(result, fabs(x[i]));
			else if (param == -INFINITY)
				result = i ? fmin(result, fabs(x[i])) :
					     fabs(x[i]);
			else if (param == 0)
				result += x[i] != 0;
			else
				result += pow(fabs(x[i]), param);
			break;
		case VNPU_OP_LOGSUMEXP:
			result += exp(x[i]);
			break;
		}
	switch (op) {
	case VNPU_OP_MEAN:
		return result / n;
	case VNPU_OP_ARGMAX:
	case VNPU_OP_ARGMIN:
		return *index;
	case VNPU_OP_VAR:
	case VNPU_OP_VAR_MEAN:
		return result / fmax(n - param, 0);
	case VNPU_OP_STD:
		return sqrt(result / fmax(n - param, 0));
	case VNPU_OP_NORM:
		return param == 0 || fabs(param) == INFINITY ?
			       result : pow(result, 1 / param);
	case VNPU_OP_LOGSUMEXP:
		return log(result);
	default:
		return result;
	}
}

static double wrapped(unsigned int dtype, double value)
{
	return dtype == VNPU_DT_BOOL ? value != 0 : value;
}

static bool check(const struct vnpu_op_launch *l, unsigned int mask,
		  double param)
{
	const struct vnpu_tensor *in = &l->tensor[0], *out = &l->tensor[1];
	int64_t outputs = vnpu_tensor_elements(out), o, i, n = 1, index;
	int64_t total = vnpu_tensor_elements(in);
	unsigned int d;
	double *x, want, scale = 0;

	for (d = 0; d < in->rank; d++)
		if (mask & 1U << d)
			n *= in->dims[d];
	x = calloc(n + 1, sizeof(*x));
	for (o = 0; o < outputs; o++) {
		int64_t found = 0;

		for (i = 0; i < total; i++) {
			int64_t rest = i, number = 0, size = 1;

			for (d = in->rank; d--;) {
				if (!(mask & 1U << d)) {
					number += rest % in->dims[d] * size;
					size *= in->dims[d];
				}
				rest /= in->dims[d];
			}
			if (number == o) {
				x[found] = get(in, i);
				scale = fmax(scale, fabs(x[found]));
				found++;
			}
		}
		want = wrapped(out->dtype, reduce(l->op, x, n, param, &index));
		if (!is_close(out, o, want, l->op == VNPU_OP_NORM ||
			      l->op == VNPU_OP_AMAX ? 0 : scale,
			      l->op == VNPU_OP_PROD ||
			      out->dtype == VNPU_DT_F64 ? 1000 : 1.01)) {
			note("%s %s: %.9g, expected %.9g of %lld",
			     vnpu_op_name(l->op), vnpu_dtype_name(in->dtype),
			     get(out, o), want, (long long)n);
			free(x);
			return false;
		}
		if (l->op == VNPU_OP_MAX_INDEX || l->op == VNPU_OP_MIN_INDEX)
			EXPECT(get_int(&l->tensor[2], o) == index);
	}
	free(x);
	return true;
}

/* Factors whose product stays in the range of all types. */
static void fill_factors(const struct vnpu_tensor *t)
{
	int64_t i, count = vnpu_tensor_elements(t);

	fill(t, 0.9, 1.1);
	for (i = 0; i < count && !vnpu_dtype_is_float(t->dtype); i++)
		set_int(t, i, 1);
	/* Elements that repeat would make more than a few of these. */
	for (i = 0; i < t->rank; i++)
		if (!t->strides[i])
			return;
	for (i = 0; i < 8 && i < count; i++)
		set(t, below(count), 2);
}

static bool one(unsigned int op, unsigned int dtype, unsigned int rank,
		const int64_t *dims, unsigned int mask, double param)
{
	struct vnpu_op_launch l;
	struct vnpu_op_error error;
	struct vnpu_tensor in = view(dtype, below(LAYOUTS), rank, dims);
	unsigned int i, outputs = op == VNPU_OP_MAX_INDEX ||
				  op == VNPU_OP_MIN_INDEX ? 2 : 1, count = 0;
	int64_t list[8];

	if (op == VNPU_OP_PROD)
		fill_factors(&in);
	else
		fill(&in, -5, 5);
	for (i = 0; i < rank; i++)
		if (mask & 1U << i)
			list[count++] = below(2) ? i : (int64_t)i - rank;
	vnpu_op_init(&l, op, 1, outputs);
	l.tensor[0] = in;
	vnpu_op_set_ints(&l, 0, list, count);
	vnpu_op_set_int(&l, 1, below(2));
	vnpu_op_set_int(&l, 2, param);
	vnpu_op_set_float(&l, 2, param);
	if (vnpu_op_infer(&l, &error)) {
		note("%s", error.text);
		return false;
	}
	for (i = 1; i <= outputs; i++)
		l.tensor[i] = view(l.tensor[i].dtype, below(OUT_LAYOUTS),
				   l.tensor[i].rank, l.tensor[i].dims);
	EXPECT(run(&l));
	return check(&l, count ? mask : (1U << rank) - 1, param);
}

static bool test_reduce(void)
{
	static const struct {
		unsigned int rank;
		int64_t dims[8];
		unsigned int mask;
	} shape[] = {
		{ 1, { 100 }, 1 }, { 2, { 7, 33 }, 2 }, { 2, { 33, 21 }, 1 },
		{ 3, { 3, 40, 5 }, 2 }, { 3, { 4, 5, 6 }, 5 }, { 2, { 3, 4 }, 0 },
		{ 0, { 0 }, 0 }, { 2, { 3, 1 }, 2 },
		{ 8, { 1, 2, 2, 1, 2, 2, 2, 2 }, 0xa5 },
		{ 2, { 2, 1500 }, 2 },
	};
	unsigned int op, s, t;

	for (op = VNPU_OP_SUM; op <= VNPU_OP_LOGSUMEXP; op++)
		for (s = 0; s < ARRAY_SIZE(shape); s++)
			for (t = 0; t < ARRAY_SIZE(all_types); t++) {
				static const double p[] = { 2, 1, 3, 0, INFINITY,
							    -INFINITY };
				double param = op == VNPU_OP_NORM ?
					p[below(ARRAY_SIZE(p))] : below(2);

				if (!one(op, all_types[t], shape[s].rank,
					 shape[s].dims, shape[s].mask, param))
					return false;
			}
	return true;
}

/* Long enough for several sections. */
static bool test_long(void)
{
	static const unsigned int ops[] = {
		VNPU_OP_SUM, VNPU_OP_MAX_INDEX, VNPU_OP_ARGMIN, VNPU_OP_VAR,
		VNPU_OP_LOGSUMEXP, VNPU_OP_NORM, VNPU_OP_ANY,
	};
	static const int64_t dims[] = { 2, 150000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (!one(ops[i], below(2) ? VNPU_DT_F32 : VNPU_DT_I32, 2, dims,
			 2, 1))
			return false;
	return true;
}

/* Nothing to reduce, and NaN. */
static bool test_edges(void)
{
	struct vnpu_tensor in = VIEW(VNPU_DT_F32, CONTIGUOUS, 3, 0), out;
	struct vnpu_op_launch l;
	struct vnpu_op_error error;

	out = VIEW(VNPU_DT_F32, CONTIGUOUS, 3);
	launch(&l, VNPU_OP_SUM, 1, 1, &in, &out);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 1 }, 1);
	EXPECT(run(&l) && get(&out, 2) == 0);
	launch(&l, VNPU_OP_PROD, 1, 1, &in, &out);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 1 }, 1);
	EXPECT(run(&l) && get(&out, 2) == 1);
	launch(&l, VNPU_OP_MEAN, 1, 1, &in, &out);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 1 }, 1);
	EXPECT(run(&l) && get(&out, 0) != get(&out, 0));
	launch(&l, VNPU_OP_AMAX, 1, 1, &in, &out);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ 1 }, 1);
	EXPECT(vnpu_op_check(&l, &error) && error.argument == 0);

	in = VIEW(VNPU_DT_F16, CONTIGUOUS, 50);
	fill(&in, -3, 3);
	set(&in, 20, NAN);
	set(&in, 30, NAN);
	set(&in, 40, 100);
	out = VIEW(VNPU_DT_I64, CONTIGUOUS);
	launch(&l, VNPU_OP_ARGMAX, 1, 1, &in, &out);
	EXPECT(run(&l) && get_int(&out, 0) == 20);
	out = VIEW(VNPU_DT_F16, CONTIGUOUS);
	launch(&l, VNPU_OP_AMIN, 1, 1, &in, &out);
	EXPECT(run(&l) && get(&out, 0) != get(&out, 0));

	/* A number has a last dimension, too. */
	in = VIEW(VNPU_DT_F32, CONTIGUOUS);
	set(&in, 0, 3);
	out = VIEW(VNPU_DT_F32, CONTIGUOUS);
	launch(&l, VNPU_OP_SUM, 1, 1, &in, &out);
	vnpu_op_set_ints(&l, 0, (int64_t[]){ -1 }, 1);
	EXPECT(run(&l) && get(&out, 0) == 3);
	return true;
}

const struct test reduce_tests[] = {
	{ "reduce", test_reduce },
	{ "reduce_long", test_long },
	{ "reduce_edges", test_edges },
	{ }
};
