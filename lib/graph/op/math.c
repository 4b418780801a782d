// SPDX-License-Identifier: MIT
/* Elementwise operators. See op.h. */
#include <math.h>
#include <string.h>

#include "op/op.h"

int op_unary(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);

	return build_op1(b, OP_ARG(b), &x, &y);
}

int op_test(struct build *b)
{
	struct build_view x = build_in(b, 0), y;

	y = build_out(b, 0, VNPU_DT_BOOL, x.t.rank, x.t.dims);
	return build_op1(b, OP_ARG(b), &x, &y);
}

/* Attributes that are parameters of the engine under another name. */
static const struct {
	const char *node;
	const char *attr;
	const char *param;
	float otherwise;
} params[] = {
	{ "Celu", "alpha", "alpha", 1 },
	{ "Elu", "alpha", "alpha", 1 },
	{ "LeakyRelu", "alpha", "negative_slope", 0.01f },
	{ "Selu", "alpha", "alpha", 1.67326319217681884765625f },
	{ "Selu", "gamma", "scale", 1.05070102214813232421875f },
	{ "ThresholdedRelu", "alpha", "threshold", 1 },
};

int op_activation(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	unsigned int i;

	build_begin(b, OP_ARG(b));
	for (i = 0; i < sizeof(params) / sizeof(*params); i++)
		if (!strcmp(params[i].node, b->node->type))
			build_set_float(b, params[i].param,
					build_attr_float(b, params[i].attr,
							 params[i].otherwise));
	return build_end(b, 1, 1, &x, &y);
}

int op_hard_sigmoid(struct build *b)
{
	struct build_view alpha = view_number(build_attr_float(b, "alpha", 0.2f));
	struct build_view beta = view_number(build_attr_float(b, "beta", 0.5f));
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);

	build_op3(b, VNPU_OP_ADDCMUL, &beta, &x, &alpha, &y);
	build_begin(b, VNPU_OP_HARDTANH);
	build_set_float(b, "min", 0);
	build_set_float(b, "max", 1);
	return build_end(b, 1, 1, &y, &y);
}

/* Elements beyond +-lambd move by bias towards 0; the others become 0. */
int op_shrink(struct build *b)
{
	float lambda = build_attr_float(b, "lambd", 0.5f);
	float bias = build_attr_float(b, "bias", 0);
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	struct build_view sign;

	build_begin(b, bias == 0 ? VNPU_OP_HARDSHRINK : VNPU_OP_SOFTSHRINK);
	build_set_float(b, "lambda", lambda);
	build_end(b, 1, 1, &x, &y);
	if (bias == 0 || bias == lambda)
		return b->g->err;
	sign = build_temp_like(b, &x);
	build_op1(b, VNPU_OP_SIGN, &y, &sign);
	build_begin(b, VNPU_OP_ADD);
	build_set_float(b, "alpha", lambda - bias);
	return build_end(b, 2, 1, &y, &sign, &y);
}

int op_is_inf(struct build *b)
{
	bool negative = build_attr_int(b, "detect_negative", 1);
	bool positive = build_attr_int(b, "detect_positive", 1);
	struct build_view x = build_in(b, 0), y, infinity;

	y = build_out(b, 0, VNPU_DT_BOOL, x.t.rank, x.t.dims);
	if (negative && positive)
		return build_op1(b, VNPU_OP_ISINF, &x, &y);
	if (!negative && !positive) {
		infinity = view_integer(0);
		return build_copy(b, &infinity, &y);
	}
	infinity = view_number(positive ? INFINITY : -INFINITY);
	return build_op2(b, VNPU_OP_EQ, &x, &infinity, &y);
}

/* A limit is an attribute, an input, or missing. */
static struct build_view limit_of(struct build *b, unsigned int in,
				  const char *attr)
{
	struct build_view none = { .buffer = BUILD_NONE };

	if (b->node->opset >= 11)
		return build_in(b, in);
	return graph_attr(b->node, attr) ?
		       view_number(build_attr_float(b, attr, 0)) : none;
}

int op_clip(struct build *b)
{
	struct build_view min = limit_of(b, 1, "min"), max = limit_of(b, 2, "max");
	struct build_view x = build_in(b, 0), y;

	if (!view_has(&min) && !view_has(&max))
		return build_alias(b, 0, &x);
	y = build_out_like(b, 0, &x);
	if (!view_has(&min))
		return build_op2(b, VNPU_OP_MINIMUM, &x, &max, &y);
	if (!view_has(&max))
		return build_op2(b, VNPU_OP_MAXIMUM, &x, &min, &y);
	return build_op3(b, VNPU_OP_CLAMP, &x, &min, &max, &y);
}

/* Before opset 7 an attribute says where the second shape belongs. */
static void align_old(struct build *b, const struct build_view *x,
		      struct build_view *y)
{
	int64_t axis = build_attr_int(b, "axis", -1);

	if (b->node->opset >= 7 || axis < 0)
		return;
	while (y->t.rank + axis < x->t.rank)
		view_insert(y, y->t.rank, 1);
}

/* Get two inputs and the output in the common shape, as @dtype or as @x. */
static void take_two(struct build *b, struct build_view *x,
		     struct build_view *y, struct build_view *out,
		     unsigned int dtype)
{
	const struct build_view *both[] = { x, y };
	int64_t dims[VNPU_TENSOR_DIMS];
	int rank;

	*x = build_in(b, 0);
	*y = build_in(b, 1);
	align_old(b, x, y);
	rank = op_broadcast(b, both, 2, dims);
	*out = rank < 0 ? *x : build_out(b, 0, dtype ? dtype : x->t.dtype, rank,
					 dims);
}

int op_binary(struct build *b)
{
	struct build_view x, y, out;

	take_two(b, &x, &y, &out, VNPU_DT_NONE);
	op_same_type(b, &x, &y);
	return build_op2(b, OP_ARG(b), &x, &y, &out);
}

int op_compare(struct build *b)
{
	struct build_view x, y, out;

	take_two(b, &x, &y, &out, VNPU_DT_BOOL);
	op_same_type(b, &x, &y);
	return build_op2(b, OP_ARG(b), &x, &y, &out);
}

int op_div(struct build *b)
{
	struct build_view x, y, out;

	take_two(b, &x, &y, &out, VNPU_DT_NONE);
	op_same_type(b, &x, &y);
	return build_op2(b, vnpu_dtype_is_float(x.t.dtype) ? VNPU_OP_DIV :
			 VNPU_OP_DIV_TRUNC, &x, &y, &out);
}

int op_mod(struct build *b)
{
	bool is_c = build_attr_int(b, "fmod", 0);
	struct build_view x, y, out;

	take_two(b, &x, &y, &out, VNPU_DT_NONE);
	op_same_type(b, &x, &y);
	if (!is_c && vnpu_dtype_is_float(x.t.dtype))
		return build_fail(b, "attribute fmod must be 1 for numbers of type %s",
				  vnpu_dtype_name(x.t.dtype));
	return build_op2(b, is_c ? VNPU_OP_FMOD : VNPU_OP_REMAINDER, &x, &y,
			 &out);
}

/* The result has the type of the base, and is computed in the common type. */
int op_pow(struct build *b)
{
	struct build_view x, y, out, wide;

	take_two(b, &x, &y, &out, VNPU_DT_NONE);
	if (vnpu_dtype_is_float(x.t.dtype) || !vnpu_dtype_is_float(y.t.dtype))
		return build_op2(b, VNPU_OP_POW, &x, &y, &out);
	wide = build_temp(b, VNPU_DT_F64, out.t.rank, out.t.dims);
	build_op2(b, VNPU_OP_POW, &x, &y, &wide);
	return build_copy(b, &wide, &out);
}

int op_bit_shift(struct build *b)
{
	const char *direction = build_attr_text(b, "direction", "");
	struct build_view x, y, out;

	take_two(b, &x, &y, &out, VNPU_DT_NONE);
	op_same_type(b, &x, &y);
	if (strcmp(direction, "LEFT") && strcmp(direction, "RIGHT"))
		return build_fail(b, "attribute direction: expected LEFT or RIGHT, given '%.20s'",
				  direction);
	return build_op2(b, *direction == 'L' ? VNPU_OP_SHIFT_LEFT :
			 VNPU_OP_SHIFT_RIGHT, &x, &y, &out);
}

int op_prelu(struct build *b)
{
	struct build_view x = build_in(b, 0), slope = build_in(b, 1), y;

	align_old(b, &x, &slope);
	/* Before opset 7, a slope of one dimension is for channels. */
	if (b->node->opset < 7 && slope.t.rank == 1 && slope.t.dims[0] > 1)
		while (slope.t.rank + 1 < x.t.rank)
			view_insert(&slope, slope.t.rank, 1);
	op_same_type(b, &x, &slope);
	y = build_out_like(b, 0, &x);
	return build_op2(b, VNPU_OP_PRELU, &x, &slope, &y);
}

/* Max, Min, Sum and Mean, from left to right. */
int op_variadic(struct build *b)
{
	unsigned int count = b->node->ins, op = OP_ARG(b), i;
	struct build_view first, next, out, scale;
	int64_t dims[VNPU_TENSOR_DIMS];
	const struct build_view *pair[] = { &first, &next };
	int rank;

	first = build_in(b, 0);
	if (count == 1)
		return build_alias(b, 0, &first);
	for (i = 1; i < count; i++) {
		next = build_in(b, i);
		if (op_same_type(b, &first, &next))
			return b->g->err;
		rank = op_broadcast(b, pair, 2, dims);
		if (rank < 0)
			return rank;
		view_expand(&first, rank, dims);
	}
	out = build_out_like(b, 0, &first);
	for (i = 1; i < count; i++) {
		next = build_in(b, i);
		build_op2(b, op == VNPU_OP_MEAN ? VNPU_OP_ADD : op,
			  i == 1 ? &first : &out, &next, &out);
	}
	if (op != VNPU_OP_MEAN)
		return b->g->err;
	scale = view_number(count);
	return build_op2(b, VNPU_OP_DIV, &out, &scale, &out);
}

/* f(x) * y */
int op_gate(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_in(b, 1), out;

	out = build_out_like(b, 0, &x);
	return build_op2(b, OP_ARG(b), &x, &y, &out);
}

/* c + x * y */
int op_multiply_add(struct build *b)
{
	struct build_view c = build_in(b, 0), x = build_in(b, 1);
	struct build_view y = build_in(b, 2), out;
	const struct build_view *all[] = { &c, &x, &y };
	int64_t dims[VNPU_TENSOR_DIMS];
	int rank;

	rank = op_broadcast(b, all, 3, dims);
	if (rank < 0)
		return rank;
	out = build_out(b, 0, c.t.dtype, rank, dims);
	return build_op3(b, VNPU_OP_ADDCMUL, &c, &x, &y, &out);
}

int op_where(struct build *b)
{
	struct build_view c = build_in(b, 0), x = build_in(b, 1);
	struct build_view y = build_in(b, 2), out;
	const struct build_view *all[] = { &x, &y, &c };
	int64_t dims[VNPU_TENSOR_DIMS];
	int rank;

	rank = op_broadcast(b, all, 3, dims);
	if (rank < 0 || op_same_type(b, &x, &y))
		return b->g->err;
	out = build_out(b, 0, x.t.dtype, rank, dims);
	return build_op3(b, VNPU_OP_WHERE, &c, &x, &y, &out);
}

static int cast(struct build *b, unsigned int dtype)
{
	struct build_view x = build_in(b, 0), y;

	if (x.t.dtype == dtype)
		return build_alias(b, 0, &x);
	y = build_out(b, 0, dtype, x.t.rank, x.t.dims);
	return build_copy(b, &x, &y);
}

int op_cast(struct build *b)
{
	int64_t to = build_attr_int(b, "to", 0);

	unsigned int dtype = op_dtype(b, to);

	return dtype ? cast(b, dtype) : b->g->err;
}

int op_cast_like(struct build *b)
{
	return cast(b, b->node->in[1]->dtype);
}
