// SPDX-License-Identifier: GPL-2.0-only
/* Elementwise operators, compared with plain loops in double. */
#include <math.h>
#include <string.h>

#include "map_cases.h"

static bool is_gradient(unsigned int op)
{
	return strstr(vnpu_op_name(op), "_backward");
}

/* Shapes of up to 3 operands; the last has as many as the result. */
static const struct shape {
	unsigned int rank;
	int64_t dims[8];
} shapes[][3] = {
	{ { 1, { 37 } }, { 1, { 37 } }, { 1, { 37 } } },
	{ { 2, { 3, 1 } }, { 1, { 5 } }, { 2, { 3, 5 } } },
	{ { 3, { 4, 3, 70 } }, { 2, { 3, 70 } }, { 3, { 4, 3, 70 } } },
	{ { 0 }, { 1, { 1 } }, { 1, { 1 } } },
	{ { 2, { 0, 3 } }, { 1, { 3 } }, { 2, { 0, 3 } } },
	{ { 1, { 1100 } }, { 1, { 1 } }, { 1, { 1100 } } },
	{ { 8, { 2, 1, 2, 1, 2, 1, 2, 3 } }, { 7, { 2, 1, 2, 2, 1, 1, 3 } },
	  { 8, { 2, 2, 2, 2, 2, 2, 2, 3 } } },
};

static void fill_ones(const struct vnpu_tensor *t)
{
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(t); i++)
		set_int(t, i, 1);
}

static void fill_case(const struct map_case *o, struct vnpu_tensor *in,
		      unsigned int inputs)
{
	unsigned int i;

	for (i = 0; i < inputs; i++)
		fill(&in[i], o->low, o->high);
	/* Divisors that are 0 are left to another test. */
	if (o->op == VNPU_OP_CLAMP) {
		fill(&in[1], -5, 0);
		fill(&in[2], 1, 5);
	}
	if (o->op == VNPU_OP_POW && !vnpu_dtype_is_float(in[1].dtype)) {
		fill(&in[0], 0, 5);
		fill(&in[1], 0, 3);
	}
	if (in[1].dtype == VNPU_DT_BOOL && inputs == 2 &&
	    o->op >= VNPU_OP_DIV && o->op <= VNPU_OP_FMOD)
		fill_ones(&in[1]);
	if (o->op == VNPU_OP_LERP)
		fill(&in[2], 0, 1);
}

/* Integers wrap around when they are stored. */
static double wrap(unsigned int dtype, double want)
{
	switch (dtype) {
	case VNPU_DT_I8:
		return (int8_t)(int64_t)want;
	case VNPU_DT_U8:
		return (uint8_t)(int64_t)want;
	case VNPU_DT_U16:
		return (uint16_t)(int64_t)want;
	case VNPU_DT_U32:
		return (uint32_t)(int64_t)want;
	case VNPU_DT_I16:
		return (int16_t)(int64_t)want;
	case VNPU_DT_I32:
		return (int32_t)(int64_t)want;
	case VNPU_DT_BOOL:
		return want != 0;
	default:
		return want;
	}
}

static bool check_case(const struct map_case *o, const struct vnpu_op_launch *l)
{
	const struct vnpu_tensor *out = &l->tensor[l->inputs];
	int64_t i, count = vnpu_tensor_elements(out);
	double v[3] = { 0 }, want;
	bool coarse = out->dtype == VNPU_DT_F16 || out->dtype == VNPU_DT_BF16;
	double ulps = o->ulps, scale = o->scale;
	unsigned int k;

	/* Computed in f32, so only the last rounding counts. */
	if (coarse && ulps > 0)
		ulps = 0.51;
	if (out->dtype == VNPU_DT_F64 && ulps > 0)
		ulps += is_gradient(o->op) ? 1e8 : 2;
	for (i = 0; i < count; i++) {
		for (k = 0; k < l->inputs; k++)
			v[k] = get(&l->tensor[k], broadcast_number(&l->tensor[k],
					out->rank, out->dims, i));
		/* Integers become f32 first. */
		for (k = 0; out->dtype == VNPU_DT_F32 && k < l->inputs; k++)
			v[k] = (float)v[k];
		want = o->f(v[0], v[1], v[2], o->param);
		want = wrap(out->dtype, want);
		if (!is_close(out, i, want, scale, ulps)) {
			note("%s %s: (%.9g %.9g %.9g) is %.9g, expected %.9g",
			     vnpu_op_name(o->op), vnpu_dtype_name(out->dtype),
			     v[0], v[1], v[2], get(out, i), want);
			return false;
		}
	}
	return true;
}

static bool run_case(const struct map_case *o, unsigned int dtype,
		     const struct shape *s, enum layout in_layout,
		     enum layout out_layout)
{
	struct vnpu_tensor in[3];
	struct vnpu_op_launch l;
	unsigned int inputs, k;
	enum vnpu_op_kind kind;
	struct vnpu_op_error error;

	for (inputs = 3; inputs; inputs--) {
		char name[40];

		vnpu_op_argument(o->op, inputs - 1, 3, name, sizeof(name));
		vnpu_op_init(&l, o->op, inputs, 1);
		for (k = 0; k < inputs; k++) {
			const struct shape *t = inputs == 1 ? &s[2] : &s[k];

			in[k] = view(o->op == VNPU_OP_WHERE && !k ?
				     VNPU_DT_BOOL : dtype, in_layout, t->rank,
				     t->dims);
			l.tensor[k] = in[k];
		}
		if (vnpu_op_infer(&l, &error))
			continue;
		break;
	}
	if (!inputs)
		return true;	/* not for this type */
	if (o->op == VNPU_OP_ROUND && o->param[0] != 0 &&
	    !vnpu_dtype_is_float(dtype))
		return true;
	fill_case(o, in, inputs);
	for (k = 0; vnpu_op_param(o->op, k, &kind) && k < 4; k++) {
		if (kind == VNPU_OP_INT)
			vnpu_op_set_int(&l, k, o->param[k]);
		else
			vnpu_op_set_float(&l, k, o->param[k]);
	}
	l.tensor[inputs] = view(l.tensor[inputs].dtype, out_layout,
				l.tensor[inputs].rank, l.tensor[inputs].dims);
	EXPECT(run(&l));
	return check_case(o, &l);
}

/* Each operator, for all types, with all layouts. */
static bool test_map(void)
{
	unsigned int i, t, s;

	for (i = 0; i < map_case_count; i++)
		for (t = 0; t < ARRAY_SIZE(all_types); t++)
			for (s = 0; s < ARRAY_SIZE(shapes); s++)
				if (!run_case(&map_cases[i], all_types[t],
					      shapes[s], below(LAYOUTS),
					      below(OUT_LAYOUTS)))
					return false;
	return true;
}

/* Inputs whose neighbours are far apart, in rows that are long. */
static bool test_transposed(void)
{
	unsigned int round, i;

	for (round = 0; round < 8; round++) {
		struct vnpu_tensor a = VIEW(float_types[round % 4], CONTIGUOUS,
					    3, 256 + 64 * (round % 2), 90), b, out;
		struct vnpu_op_launch l;
		int64_t keep = a.strides[1];

		fill(&a, -4, 4);
		a.strides[1] = a.strides[2];
		a.strides[2] = keep;
		a.dims[2] = a.dims[1];
		a.dims[1] = 90;
		b = VIEW(VNPU_DT_F32, below(LAYOUTS), 90, 1);
		fill(&b, -4, 4);
		out = view(VNPU_DT_F32, below(OUT_LAYOUTS), 3, a.dims);
		launch(&l, VNPU_OP_MUL, 2, 1, &a, &b, &out);
		EXPECT(run(&l));
		for (i = 0; i < vnpu_tensor_elements(&out); i++)
			EXPECT(is_close(&out, i, get(&a, i) *
					get(&b, i / a.dims[2] % 90), 0, 0.5));
	}
	return true;
}

const struct test map_tests[] = {
	{ "map", test_map },
	{ "map_transposed", test_transposed },
	{ }
};
