// SPDX-License-Identifier: MIT
/* Sampling by a grid, gradients of it, and that of windows. */
#include "build.h"
#include "builders.h"

static void set_grid(struct aclnn_build *b, unsigned int mode)
{
	aclnn_set_int(b, "mode", aclnn_int(b, mode));
	aclnn_set_int(b, "padding", aclnn_int(b, mode + 1));
	aclnn_set_int(b, "align_corners", aclnn_int(b, mode + 2));
}

/* An output that the mask excludes has a temporary if the engine needs it. */
int build_grid_sample_backward(struct aclnn_build *b)
{
	enum { GRAD, INPUT, GRID, MODE, PADDING, CORNERS, MASK, OF_INPUT,
	       OF_GRID };
	struct aclnn_view grad = aclnn_view(b, GRAD), input = aclnn_view(b, INPUT);
	struct aclnn_view grid = aclnn_view(b, GRID);
	struct aclnn_view of_input = aclnn_view(b, OF_INPUT);
	struct aclnn_view of_grid = aclnn_view(b, OF_GRID);
	bool has_grid = aclnn_wants(b, MASK, 1, OF_GRID);

	if (!aclnn_wants(b, MASK, 0, OF_INPUT)) {
		if (!has_grid)
			return b->status;
		of_input = aclnn_temporary(b, input.t.dtype, input.t.rank,
					   input.t.dims);
	}
	aclnn_begin(b, VNPU_OP_GRID_SAMPLE_BACKWARD, 3, 2);
	set_grid(b, MODE);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &input);
	aclnn_put(b, 2, &grid);
	aclnn_put(b, 3, &of_input);
	if (has_grid)
		aclnn_put(b, 4, &of_grid);
	return aclnn_end(b);
}

/* Without a batch, there are two dimensions and three. */
int build_im2col_backward(struct aclnn_build *b)
{
	enum { GRAD, SIZE, KERNEL, DILATION, PADDING, STRIDE, OUT };
	static const struct {
		const char *name;
		unsigned int arg;
	} lists[] = {
		{ "sizes", SIZE }, { "kernel", KERNEL },
		{ "dilation", DILATION }, { "padding", PADDING },
		{ "stride", STRIDE },
	};
	struct aclnn_view grad = aclnn_view(b, GRAD), out = aclnn_view(b, OUT);

	if (grad.t.rank + 1 != out.t.rank)
		return aclnn_fail(b, OUT, "expected %u dimensions, given %u",
				  grad.t.rank + 1, out.t.rank);
	if (grad.t.rank == 2) {
		aclnn_insert(&grad, 0);
		aclnn_insert(&out, 0);
	}
	aclnn_begin(b, VNPU_OP_COL2IM, 1, 1);
	for (unsigned int i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const struct aclnn_array *list = aclnn_array(b, lists[i].arg);

		if (list->size != 2)
			return aclnn_fail(b, lists[i].arg,
					  "expected 2 values, given %llu",
					  (unsigned long long)list->size);
		aclnn_set_ints(b, lists[i].name, list->i, 2);
	}
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* Put coordinates from -1 to 1 of @n elements in a column, along dimension @dim. */
static void put_axis(struct aclnn_build *b, const struct aclnn_view *places,
		     unsigned int dim, int64_t n, bool corners, int64_t column)
{
	double reach = n < 2 ? 0 : corners ? 1 : (n - 1.0) / n;
	struct aclnn_view axis = aclnn_temporary(b, places->t.dtype, 1, &n);
	struct aclnn_view to = *places;
	unsigned int last = places->t.rank - 1;

	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_set_float(b, "start", -reach);
	aclnn_set_float(b, "step", n < 2 ? 0 : 2 * reach / (n - 1));
	aclnn_put(b, 0, &axis);
	aclnn_end(b);
	aclnn_narrow(&to, last, column, 1, 1);
	while (axis.t.rank < places->t.rank - dim)
		aclnn_insert(&axis, axis.t.rank);
	aclnn_step1(b, VNPU_OP_COPY, &axis, &to);
}

/* Check the sizes, [batch, channel, ...]; the number of dimensions of space, or 0. */
static unsigned int check_sizes(struct aclnn_build *b, unsigned int arg)
{
	const struct aclnn_array *sizes = aclnn_array(b, arg);

	if (sizes->size != 4 && sizes->size != 5) {
		aclnn_fail(b, arg, "expected 4 or 5 values, given %llu",
			   (unsigned long long)sizes->size);
		return 0;
	}
	for (unsigned int i = 0; i < sizes->size; i++)
		if (sizes->i[i] < 1 || sizes->i[i] > INT32_MAX) {
			aclnn_fail(b, arg, "expected 1 or more, given %lld",
				   (long long)sizes->i[i]);
			return 0;
		}
	return sizes->size - 2;
}

/* Places are [x, y, 1] or [x, y, z, 1], and the grid is their product with theta. */
int build_affine_grid(struct aclnn_build *b)
{
	enum { THETA, SIZE, CORNERS, OUT };
	struct aclnn_view theta = aclnn_view(b, THETA), places, grid, matrix;
	struct aclnn_view out = aclnn_view(b, OUT), one = aclnn_number(1);
	unsigned int space = check_sizes(b, SIZE), i;
	const int64_t *sizes = aclnn_array(b, SIZE)->i;
	unsigned int type = theta.t.dtype == VNPU_DT_F64 ? VNPU_DT_F64 :
							   VNPU_DT_F32;
	struct aclnn_view want = { 0 };
	int64_t dims[4], rows = 1;

	if (!space)
		return b->status;
	want.t = (struct vnpu_tensor){ .rank = 3, .dims = { sizes[0], space,
							     space + 1 } };
	if (!aclnn_has_shape(b, THETA, &want))
		return b->status;
	want.t.rank = space + 2;
	for (i = 0; i < space; i++) {
		want.t.dims[1 + i] = dims[i] = sizes[2 + i];
		if (__builtin_mul_overflow(rows, dims[i], &rows))
			return aclnn_fail(b, SIZE, "is too large");
	}
	want.t.dims[1 + space] = space;
	dims[space] = space + 1;
	if (!aclnn_has_shape(b, OUT, &want))
		return b->status;
	places = aclnn_temporary(b, type, space + 1, dims);
	for (i = 0; i < space; i++)
		put_axis(b, &places, i, dims[i], aclnn_int(b, CORNERS),
			 space - 1 - i);
	grid = places;
	aclnn_narrow(&grid, space, space, 1, 1);
	aclnn_step1(b, VNPU_OP_COPY, &one, &grid);
	aclnn_reshape(&places, 2, (int64_t[]){ rows, space + 1 });
	matrix = aclnn_temporary(b, type, 3, theta.t.dims);
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &theta, &matrix))
		return b->status;
	aclnn_swap(&matrix, 1, 2);
	grid = aclnn_result2(b, VNPU_OP_MATMUL, &places, &matrix);
	aclnn_reshape(&grid, space + 2, want.t.dims);
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &grid, &out);
}
