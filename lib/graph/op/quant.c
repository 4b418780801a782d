// SPDX-License-Identifier: MIT
/* Quantised numbers: integers with a scale and a zero point. See op.h. */
#include <string.h>

#include "op/op.h"

static void limits_of(unsigned int dtype, struct build_view *low,
		      struct build_view *high)
{
	*low = view_number(dtype == VNPU_DT_I8 ? -128 : 0);
	*high = view_number(dtype == VNPU_DT_I8 ? 127 : 255);
}

int op_round_to(struct build *b, const struct build_view *x,
		const struct build_view *zero, const struct build_view *out)
{
	struct build_view t = build_temp_like(b, x), low, high, z;

	build_op1(b, VNPU_OP_ROUND, x, &t);
	if (view_has(zero)) {
		z = build_cast(b, zero, x->t.dtype);
		build_op2(b, VNPU_OP_ADD, &t, &z, &t);
	}
	limits_of(out->t.dtype, &low, &high);
	build_op3(b, VNPU_OP_CLAMP, &t, &low, &high, &t);
	return build_copy(b, &t, out);
}

/* Reshape scales along an axis, so that they broadcast. */
static void align(struct build *b, const struct build_view *x,
		  struct build_view *v)
{
	int axis;

	if (!view_has(v) || v->t.rank != 1 || v->t.dims[0] == 1)
		return;
	axis = build_axis(b, build_attr_int(b, "axis", 1), x->t.rank);
	while (axis >= 0 && v->t.rank + axis < x->t.rank)
		view_insert(v, v->t.rank, 1);
}

int op_quantize(struct build *b)
{
	struct build_view x = build_in(b, 0), scale = build_in(b, 1);
	struct build_view zero = build_in(b, 2), t = build_temp_like(b, &x), y;

	align(b, &x, &scale);
	align(b, &x, &zero);
	y = build_out(b, 0, view_has(&zero) ? zero.t.dtype : VNPU_DT_U8,
		      x.t.rank, x.t.dims);
	build_op2(b, VNPU_OP_DIV, &x, &scale, &t);
	return op_round_to(b, &t, &zero, &y);
}

int op_dequantize(struct build *b)
{
	struct build_view x = build_in(b, 0), scale = build_in(b, 1);
	struct build_view zero = build_in(b, 2), y;

	align(b, &x, &scale);
	align(b, &x, &zero);
	y = build_out(b, 0, scale.t.dtype, x.t.rank, x.t.dims);
	build_copy(b, &x, &y);
	if (view_has(&zero)) {
		zero = build_cast(b, &zero, scale.t.dtype);
		build_op2(b, VNPU_OP_SUB, &y, &zero, &y);
	}
	return build_op2(b, VNPU_OP_MUL, &y, &scale, &y);
}

/* The range of the elements, which includes 0, becomes 0 to 255. */
int op_dynamic_quantize(struct build *b)
{
	struct build_view x = build_in(b, 0), y, scale, zero, low, high, nothing;
	struct build_view steps = view_number(255), t = build_temp_like(b, &x);

	y = build_out(b, 0, VNPU_DT_U8, x.t.rank, x.t.dims);
	scale = build_out(b, 1, x.t.dtype, 0, NULL);
	zero = build_out(b, 2, VNPU_DT_U8, 0, NULL);
	if (!view_has(&scale) || !view_has(&zero) || !view_has(&y))
		return build_fail(b, "expected three outputs");
	low = build_temp(b, x.t.dtype, 0, NULL);
	high = build_temp(b, x.t.dtype, 0, NULL);
	nothing = view_number(0);
	build_op1(b, VNPU_OP_AMIN, &x, &low);
	build_op2(b, VNPU_OP_MINIMUM, &low, &nothing, &low);
	build_op1(b, VNPU_OP_AMAX, &x, &high);
	build_op2(b, VNPU_OP_MAXIMUM, &high, &nothing, &high);
	build_op2(b, VNPU_OP_SUB, &high, &low, &high);
	build_op2(b, VNPU_OP_DIV, &high, &steps, &scale);
	build_op2(b, VNPU_OP_DIV, &low, &scale, &low);
	build_op1(b, VNPU_OP_NEG, &low, &low);
	nothing.t.dtype = VNPU_DT_NONE;
	op_round_to(b, &low, &nothing, &zero);
	build_op2(b, VNPU_OP_DIV, &x, &scale, &t);
	return op_round_to(b, &t, &zero, &y);
}
