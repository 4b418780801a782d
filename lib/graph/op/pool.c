// SPDX-License-Identifier: MIT
/* Pooling. See op.h. */
#include <string.h>

#include "op/window.h"

/* Pool the last two dimensions; @d are their numbers in the window. */
static int pool_planes(struct build *b, const struct op_window *w,
		       const int *d, const struct build_view *x,
		       const struct build_view *y,
		       const struct build_view *indices)
{
	int64_t kernel[2], stride[2], pads[4], dilation[2];
	bool is_max = OP_ARG(b) == VNPU_OP_MAX_POOL2D;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		kernel[i] = d[i] < 0 ? 1 : w->kernel[d[i]];
		stride[i] = d[i] < 0 ? 1 : w->stride[d[i]];
		dilation[i] = d[i] < 0 ? 1 : w->dilation[d[i]];
		pads[i] = d[i] < 0 ? 0 : w->before[d[i]];
		pads[2 + i] = d[i] < 0 ? 0 : w->after[d[i]];
	}
	build_begin(b, OP_ARG(b));
	build_set_ints(b, "kernel", kernel, 2);
	build_set_ints(b, "stride", stride, 2);
	build_set_ints(b, "padding", pads, 4);
	build_set_ints(b, "dilation", dilation, 2);
	build_set_int(b, "ceil", w->ceil);
	if (!is_max)
		build_set_int(b, "count_include_pad",
			      build_attr_int(b, "count_include_pad", 0));
	if (indices && view_has(indices))
		return build_end(b, 1, 2, x, y, indices);
	return build_end(b, 1, 1, x, y);
}

/* Pool planes first, then the third dimension of the result. */
static int pool_cubes(struct build *b, const struct op_window *w,
		      const struct build_view *x, const struct build_view *y)
{
	static const int planes[] = { 1, 2 }, depth[] = { 0, -1 };
	int64_t dims[5], flat[4];
	struct build_view t, out;

	memcpy(dims, x->t.dims, 3 * sizeof(*dims));
	dims[3] = w->out[1];
	dims[4] = w->out[2];
	t = build_temp(b, x->t.dtype, 5, dims);
	pool_planes(b, w, planes, x, &t, NULL);
	memcpy(flat, dims, 3 * sizeof(*flat));
	flat[3] = dims[3] * dims[4];
	t = build_reshape(b, &t, 4, flat);
	flat[2] = w->out[0];
	out = build_temp(b, x->t.dtype, 4, flat);
	pool_planes(b, w, depth, &t, &out, NULL);
	out = build_reshape(b, &out, 5, y->t.dims);
	return build_copy(b, &out, y);
}

/* Indices count in the whole tensor; the engine's do in a plane. */
static int shift_indices(struct build *b, const struct build_view *x,
			 const struct build_view *indices)
{
	int64_t dims[4] = { x->t.dims[0], x->t.dims[1], 1, 1 };
	struct build_view base = build_temp(b, VNPU_DT_I64, x->t.rank, dims);
	int64_t size = x->t.dims[2] * (x->t.rank > 3 ? x->t.dims[3] : 1);
	struct build_view rows = view_integer(x->t.dims[2]), t, u;
	struct build_view columns = view_integer(x->t.rank > 3 ? x->t.dims[3] :
								 1);

	if (build_attr_int(b, "storage_order", 0)) {
		/* From row * columns + column to column * rows + row. */
		t = build_temp_like(b, indices);
		u = build_temp_like(b, indices);
		build_op2(b, VNPU_OP_DIV_TRUNC, indices, &columns, &t);
		build_op2(b, VNPU_OP_REMAINDER, indices, &columns, &u);
		build_op2(b, VNPU_OP_MUL, &u, &rows, &u);
		build_op2(b, VNPU_OP_ADD, &t, &u, indices);
	}
	build_begin(b, VNPU_OP_ARANGE);
	build_set_float(b, "step", size);
	build_end(b, 0, 1, &base);
	return build_op2(b, VNPU_OP_ADD, indices, &base, indices);
}

int op_pool(struct build *b)
{
	static const int line[] = { -1, 0 }, plane[] = { 0, 1 };
	struct build_view x = build_in(b, 0), y, from, to, indices, at;
	unsigned int dtype = x.t.dtype;
	int64_t dims[2 + OP_SPACE];
	struct op_window w;

	if (op_window_read(b, &x, NULL, &w) || op_window_place(b, &w))
		return b->g->err;
	memcpy(dims, x.t.dims, 2 * sizeof(*dims));
	memcpy(dims + 2, w.out, w.space * sizeof(*dims));
	y = build_out(b, 0, dtype, x.t.rank, dims);
	indices = build_out(b, 1, VNPU_DT_I64, x.t.rank, dims);
	if (view_has(&indices) && w.space == 3)
		return build_refuse(b, "indices of three dimensions are not supported");
	from = vnpu_dtype_is_float(dtype) ? x : build_cast(b, &x, VNPU_DT_F32);
	to = vnpu_dtype_is_float(dtype) ? y :
		     build_temp(b, VNPU_DT_F32, x.t.rank, dims);
	at = indices;
	if (w.space == 3) {
		pool_cubes(b, &w, &from, &to);
	} else if (w.space == 2) {
		pool_planes(b, &w, plane, &from, &to, &at);
	} else {
		struct build_view row = to;

		view_insert(&from, 2, 1);
		view_insert(&row, 2, 1);
		if (view_has(&at))
			view_insert(&at, 2, 1);
		pool_planes(b, &w, line, &from, &row, &at);
	}
	if (!vnpu_dtype_is_float(dtype))
		build_copy(b, &to, &y);
	return view_has(&indices) ? shift_indices(b, &x, &indices) :
				    b->g->err;
}

int op_global_pool(struct build *b)
{
	struct build_view x = build_in(b, 0), y;
	int64_t dims[VNPU_TENSOR_DIMS], axes[VNPU_TENSOR_DIMS];
	unsigned int i;

	if (op_need_rank(b, 0, &x, 3, VNPU_TENSOR_DIMS))
		return b->g->err;
	memcpy(dims, x.t.dims, sizeof(dims));
	for (i = 2; i < x.t.rank; i++) {
		dims[i] = 1;
		axes[i - 2] = i;
	}
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	build_begin(b, OP_ARG(b));
	build_set_ints(b, "dims", axes, x.t.rank - 2);
	build_set_int(b, "keepdim", 1);
	return build_end(b, 1, 1, &x, &y);
}

/*
 * Put elements back at the places of the indices. The shape of the result follows
 * from the window; other elements are 0, as are those that output_shape adds.
 */
int op_max_unpool(struct build *b)
{
	struct build_view x = build_in(b, 0), indices = build_in(b, 1), y, flat;
	int64_t dims[VNPU_TENSOR_DIMS], wanted[VNPU_TENSOR_DIMS], n, all = 1;
	struct build_view zero = view_number(0);
	struct op_window w;
	int rank, i;

	if (op_window_read(b, &x, NULL, &w))
		return b->g->err;
	memcpy(dims, x.t.dims, sizeof(dims));
	for (i = 0; i < (int)w.space; i++)
		dims[2 + i] = (w.in[i] - 1) * w.stride[i] + w.kernel[i] -
			      w.before[i] - w.after[i];
	memcpy(wanted, dims, sizeof(wanted));
	rank = build_has(b, 2) ? build_known(b, 2, wanted, VNPU_TENSOR_DIMS) :
				 x.t.rank;
	for (i = 0; i < x.t.rank; i++)
		if (rank != x.t.rank || dims[i] < 1 || wanted[i] < dims[i])
			return build_fail(b, "output_shape: expected %u sizes of at least those of the window",
					  x.t.rank);
	y = build_out(b, 0, x.t.dtype, x.t.rank, wanted);
	for (i = 0; i < x.t.rank; i++)
		all *= dims[i];
	flat = op_filled(b, x.t.dtype, 1, &all, 0);
	n = vnpu_tensor_elements(&x.t);
	x = build_reshape(b, &x, 1, &n);
	indices = build_reshape(b, &indices, 1, &n);
	build_op2(b, VNPU_OP_SCATTER, &indices, &x, &flat);
	flat = build_reshape(b, &flat, y.t.rank, dims);
	build_copy(b, &zero, &y);
	for (i = 0; i < rank; i++)
		view_slice(&y, i, 0, dims[i], 1);
	return build_copy(b, &flat, &y);
}
