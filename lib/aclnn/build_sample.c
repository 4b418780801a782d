// SPDX-License-Identifier: MIT
/* Sampling by a grid, gradients of it, and that of windows. */
#include "build.h"

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
