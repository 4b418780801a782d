// SPDX-License-Identifier: MIT
/* Convolutions. See op.h. */
#include <string.h>

#include "op/window.h"

static int check_weight(struct build *b, const struct build_view *x,
			const struct build_view *w, int64_t groups,
			bool transposed)
{
	int64_t channels = x->t.rank > 1 ? x->t.dims[1] : 0;

	if (op_need_rank(b, 0, x, 3, 2 + OP_SPACE) ||
	    op_need_rank(b, 1, w, x->t.rank, x->t.rank))
		return b->g->err;
	if (groups < 1 || groups > channels || channels % groups ||
	    (transposed ? w->t.dims[0] != channels ||
			  w->t.dims[1] > VNPU_TENSOR_MAX / groups :
			  w->t.dims[1] != channels / groups ||
			  w->t.dims[0] % groups))
		return build_fail(b, "%lld channels in %lld groups do not fit to a weight of %lld x %lld",
				  (long long)channels, (long long)groups,
				  (long long)w->t.dims[0],
				  (long long)w->t.dims[1]);
	return 0;
}

/* Convolve views; padding is added to a copy where it is not symmetric. */
static int convolve(struct build *b, const struct build_view *x,
		    const struct build_view *weight,
		    const struct build_view *bias, unsigned int out,
		    unsigned int dtype)
{
	int64_t groups = build_attr_int(b, "group", 1), dims[2 + OP_SPACE];
	struct build_view in = *x, y;
	struct op_window w;

	if (check_weight(b, x, weight, groups, false) ||
	    op_window_read(b, x, weight->t.dims + 2, &w) ||
	    op_window_place(b, &w))
		return b->g->err;
	dims[0] = x->t.dims[0];
	dims[1] = weight->t.dims[0];
	memcpy(dims + 2, w.out, w.space * sizeof(*dims));
	y = build_out(b, out, dtype, x->t.rank, dims);
	if (!op_window_is_even(&w)) {
		in = op_window_pad(b, &w, x, 0);
		memset(w.before, 0, sizeof(w.before));
	}
	build_begin(b, VNPU_OP_CONVOLUTION);
	build_set_ints(b, "stride", w.stride, w.space);
	build_set_ints(b, "padding", w.before, w.space);
	build_set_ints(b, "dilation", w.dilation, w.space);
	build_set_int(b, "groups", groups);
	op_set_limits(b);
	return build_end(b, 3, 1, &in, weight, bias, &y);
}

int op_conv(struct build *b)
{
	struct build_view x = build_in(b, 0), w = build_in(b, 1);
	struct build_view bias = build_in(b, 2);

	if (op_same_type(b, &x, &w))
		return b->g->err;
	return convolve(b, &x, &w, &bias, 0, x.t.dtype);
}

/* Subtract a zero point, if there is one, in a type that is exact. */
static struct build_view less_zero(struct build *b, unsigned int in,
				   unsigned int zero, bool of_rows)
{
	struct build_view x = build_in(b, in), z = build_in(b, zero), y;

	y = build_cast(b, &x, VNPU_DT_F32);
	if (!view_has(&z))
		return y;
	/* One for each output channel, the first dimension. */
	while (of_rows && z.t.rank && z.t.dims[0] > 1 && z.t.rank < x.t.rank)
		view_insert(&z, z.t.rank, 1);
	z = build_cast(b, &z, VNPU_DT_F32);
	build_op2(b, VNPU_OP_SUB, &y, &z, &y);
	return y;
}

/* Products of 8 bits are exact in f32; their sums are, up to 2^24. */
int op_conv_integer(struct build *b)
{
	struct build_view x = less_zero(b, 0, 2, false);
	struct build_view w = less_zero(b, 1, 3, true), none = { 0 }, y;
	int64_t groups = build_attr_int(b, "group", 1), dims[2 + OP_SPACE];
	struct op_window win;

	none.buffer = BUILD_NONE;
	if (check_weight(b, &x, &w, groups, false) ||
	    op_window_read(b, &x, w.t.dims + 2, &win) ||
	    op_window_place(b, &win))
		return b->g->err;
	dims[0] = x.t.dims[0];
	dims[1] = w.t.dims[0];
	memcpy(dims + 2, win.out, win.space * sizeof(*dims));
	x = op_window_pad(b, &win, &x, 0);
	y = build_temp(b, VNPU_DT_F32, x.t.rank, dims);
	build_begin(b, VNPU_OP_CONVOLUTION);
	build_set_ints(b, "stride", win.stride, win.space);
	build_set_ints(b, "dilation", win.dilation, win.space);
	build_set_int(b, "groups", groups);
	build_end(b, 3, 1, &x, &w, &none, &y);
	x = build_out(b, 0, VNPU_DT_I32, y.t.rank, dims);
	return build_copy(b, &y, &x);
}

int op_qlinear_conv(struct build *b)
{
	enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };
	struct build_view x = less_zero(b, X, X_ZERO, false);
	struct build_view w = less_zero(b, W, W_ZERO, true);
	struct build_view scale = build_in(b, X_SCALE), ws = build_in(b, W_SCALE);
	struct build_view ys = build_in(b, Y_SCALE), zero = build_in(b, Y_ZERO);
	struct build_view bias = build_in(b, BIAS), y, all;
	int64_t groups = build_attr_int(b, "group", 1), dims[2 + OP_SPACE];
	struct op_window win;

	if (check_weight(b, &x, &w, groups, false) ||
	    op_window_read(b, &x, w.t.dims + 2, &win) ||
	    op_window_place(b, &win))
		return b->g->err;
	dims[0] = x.t.dims[0];
	dims[1] = w.t.dims[0];
	memcpy(dims + 2, win.out, win.space * sizeof(*dims));
	x = op_window_pad(b, &win, &x, 0);
	y = build_temp(b, VNPU_DT_F32, x.t.rank, dims);
	bias = build_cast(b, &bias, VNPU_DT_F32);
	build_begin(b, VNPU_OP_CONVOLUTION);
	build_set_ints(b, "stride", win.stride, win.space);
	build_set_ints(b, "dilation", win.dilation, win.space);
	build_set_int(b, "groups", groups);
	build_end(b, 3, 1, &x, &w, &bias, &y);

	/* A scale of the weight may be one for each channel. */
	while (ws.t.rank && ws.t.dims[0] > 1 && ws.t.rank < y.t.rank - 1)
		view_insert(&ws, ws.t.rank, 1);
	all = build_temp_like(b, &ws);
	build_op2(b, VNPU_OP_MUL, &scale, &ws, &all);
	build_op2(b, VNPU_OP_DIV, &all, &ys, &all);
	build_op2(b, VNPU_OP_MUL, &y, &all, &y);
	x = build_out(b, 0, zero.t.dtype, y.t.rank, dims);
	return op_round_to(b, &y, &zero, &x);
}

/* Sizes and padding of a transposed convolution. */
static int place_transposed(struct build *b, struct op_window *w)
{
	const char *mode = build_attr_text(b, "auto_pad", "NOTSET");
	int64_t more[OP_SPACE] = { 0 }, shape[2 + OP_SPACE], total;
	bool same = !strncmp(mode, "SAME_", 5);
	int given, count;
	unsigned int i;

	given = build_attr_ints(b, "output_shape", shape, 2 + OP_SPACE);
	count = build_attr_ints(b, "output_padding", more, OP_SPACE);
	if (given < 0 || count < 0 || (given && given < (int)w->space))
		return build_fail(b, "attribute output_shape: expected %u sizes",
				  w->space);
	for (i = 0; i < w->space; i++) {
		int64_t full;

		if (w->in[i] < 1 || more[i] < 0 || more[i] > 1 << 30 ||
		    (given && (shape[given - w->space + i] < 0 ||
			       shape[given - w->space + i] > 1 << 30)))
			return build_fail(b, "an output padding of %lld to a size of %lld is not possible",
					  (long long)more[i],
					  (long long)w->in[i]);
		full = (w->in[i] - 1) * w->stride[i] + more[i] +
		       w->dilation[i] * (w->kernel[i] - 1) + 1;
		w->out[i] = given ? shape[given - w->space + i] :
			    same ? w->in[i] * w->stride[i] :
			    full - w->before[i] - w->after[i];
		if (!given && !same)
			continue;
		total = full - w->out[i];
		total = total < 0 ? 0 : total;
		w->before[i] = strcmp(mode, "SAME_UPPER") ? total - total / 2 :
							    total / 2;
		w->after[i] = total - w->before[i];
	}
	return 0;
}

int op_conv_transpose(struct build *b)
{
	struct build_view x = build_in(b, 0), weight = build_in(b, 1), part, y;
	int64_t groups = build_attr_int(b, "group", 1), dims[2 + OP_SPACE];
	int64_t full[2 + OP_SPACE], more[OP_SPACE] = { 0 };
	struct build_view bias = build_in(b, 2);
	struct op_window w;
	unsigned int i;

	if (op_same_type(b, &x, &weight) ||
	    check_weight(b, &x, &weight, groups, true) ||
	    op_window_read(b, &x, weight.t.dims + 2, &w) ||
	    place_transposed(b, &w))
		return b->g->err;
	full[0] = dims[0] = x.t.dims[0];
	full[1] = dims[1] = weight.t.dims[1] * groups;
	for (i = 0; i < w.space; i++) {
		int64_t made = (w.in[i] - 1) * w.stride[i] +
			       w.dilation[i] * (w.kernel[i] - 1) + 1;

		dims[2 + i] = w.out[i];
		if (w.before[i] + w.out[i] > made)
			more[i] = w.before[i] + w.out[i] - made;
		full[2 + i] = made + more[i];
	}
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	/* The whole result is made, unless all of it is wanted. */
	part = memcmp(full, dims, x.t.rank * sizeof(*full)) ?
		       build_temp(b, x.t.dtype, x.t.rank, full) : y;
	build_begin(b, VNPU_OP_CONVOLUTION);
	build_set_ints(b, "stride", w.stride, w.space);
	build_set_ints(b, "dilation", w.dilation, w.space);
	build_set_ints(b, "output_padding", more, w.space);
	build_set_int(b, "transposed", 1);
	build_set_int(b, "groups", groups);
	build_end(b, 3, 1, &x, &weight, &bias, &part);
	if (build_infers(b) || view_equal(&part, &y))
		return b->g->err;
	for (i = 0; i < w.space; i++)
		view_slice(&part, 2 + i, w.before[i], w.out[i], 1);
	return build_copy(b, &part, &y);
}
