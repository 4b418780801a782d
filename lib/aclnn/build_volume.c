// SPDX-License-Identifier: MIT
/*
 * Pooling and resizing of volumes: [channel, depth, row, column], also in batches.
 * All of these work along one dimension after the other, so planes of rows and
 * columns come first, and then planes of depth and pixels.
 */
#include <string.h>

#include "build.h"
#include "builders.h"
#include "build_volume.h"

bool aclnn_is_volume(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *view)
{
	if (view->t.rank == 4 || view->t.rank == 5)
		return true;
	aclnn_fail(b, arg, "expected 4 or 5 dimensions, given %u", view->t.rank);
	return false;
}

bool aclnn_has_volume(struct aclnn_build *b, unsigned int arg,
		      const struct aclnn_view *self, const int64_t *sizes)
{
	struct aclnn_view view = aclnn_view(b, arg);
	unsigned int i, first = self->t.rank - 3;

	if (view.t.rank != self->t.rank) {
		aclnn_fail(b, arg, "expected %u dimensions, given %u",
			   self->t.rank, view.t.rank);
		return false;
	}
	for (i = 0; i < view.t.rank; i++) {
		int64_t size = i < first ? self->t.dims[i] : sizes[i - first];

		if (view.t.dims[i] == size)
			continue;
		aclnn_fail(b, arg, "dimension %u: expected %lld, given %lld", i,
			   (long long)size, (long long)view.t.dims[i]);
		return false;
	}
	return true;
}

void aclnn_merge(struct aclnn_view *view, unsigned int count)
{
	unsigned int rank = view->t.rank - count + 1, i;
	int64_t dims[VNPU_TENSOR_DIMS];

	memcpy(dims, view->t.dims, sizeof(dims));
	for (i = rank; i < view->t.rank; i++)
		dims[rank - 1] *= view->t.dims[i];
	aclnn_reshape(view, rank, dims);
}

struct aclnn_view aclnn_solid(struct aclnn_build *b, const struct aclnn_view *out)
{
	if (vnpu_tensor_is_contiguous(&out->t))
		return *out;
	return aclnn_temporary(b, out->t.dtype, out->t.rank, out->t.dims);
}

int aclnn_solid_end(struct aclnn_build *b, struct aclnn_view *made,
		    const struct aclnn_view *out)
{
	if (b->status || made->arg == out->arg)
		return b->status;
	aclnn_reshape(made, out->t.rank, out->t.dims);
	return aclnn_step1(b, VNPU_OP_COPY, made, out);
}

/**
 * struct resize - an operator that changes the sizes of planes
 * @engine: the operator
 * @flag: the name of a parameter, or NULL
 * @value: of that parameter
 */
struct resize {
	unsigned int engine;
	const char *flag;
	int64_t value;
};

static void begin_resize(struct aclnn_build *b, const struct resize *r,
			 int64_t rows, int64_t columns)
{
	aclnn_begin(b, r->engine, 1, 1);
	aclnn_set_ints(b, "sizes", (int64_t[]){ rows, columns }, 2);
	if (r->flag)
		aclnn_set_int(b, r->flag, r->value);
}

/* From argument @from to argument @to, with these sizes. */
static int resize_volume(struct aclnn_build *b, const struct resize *r,
			 unsigned int from, unsigned int to, const int64_t *sizes)
{
	struct aclnn_view self = aclnn_view(b, from), out = aclnn_view(b, to);
	struct aclnn_view planes, made;

	begin_resize(b, r, sizes[1], sizes[2]);
	aclnn_put(b, 0, &self);
	planes = aclnn_result(b);
	if (b->status)
		return b->status;
	made = aclnn_solid(b, &out);
	aclnn_merge(&planes, 2);
	aclnn_merge(&made, 2);
	begin_resize(b, r, sizes[0], planes.t.dims[planes.t.rank - 1]);
	aclnn_put(b, 0, &planes);
	aclnn_put(b, 1, &made);
	aclnn_end(b);
	return aclnn_solid_end(b, &made, &out);
}

/* Resize argument 0 to the sizes in argument @list. */
static int resize_to(struct aclnn_build *b, const struct resize *r,
		     unsigned int list, unsigned int out)
{
	const struct aclnn_array *sizes = aclnn_array(b, list);
	struct aclnn_view self = aclnn_view(b, 0);

	if (!aclnn_is_volume(b, 0, &self))
		return b->status;
	if (sizes->size != 3)
		return aclnn_fail(b, list, "expected 3 values, given %llu",
				  (unsigned long long)sizes->size);
	if (!aclnn_has_volume(b, out, &self, sizes->i))
		return b->status;
	return resize_volume(b, r, 0, out, sizes->i);
}

int build_adaptive_avg_pool_3d(struct aclnn_build *b)
{
	enum { SELF, SIZE, OUT };
	struct resize r = { .engine = VNPU_OP_ADAPTIVE_AVG_POOL2D };

	return resize_to(b, &r, SIZE, OUT);
}

int build_adaptive_avg_pool_3d_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, OUT };
	struct resize r = { .engine = VNPU_OP_ADAPTIVE_AVG_POOL2D_BACKWARD };
	struct aclnn_view grad = aclnn_view(b, GRAD), self = aclnn_view(b, SELF);
	unsigned int first;

	if (!aclnn_is_volume(b, SELF, &self))
		return b->status;
	first = self.t.rank - 3;
	if (!aclnn_is_volume(b, GRAD, &grad) ||
	    !aclnn_has_volume(b, GRAD, &self, grad.t.dims + grad.t.rank - 3) ||
	    !aclnn_has_volume(b, OUT, &self, self.t.dims + first))
		return b->status;
	return resize_volume(b, &r, GRAD, OUT, self.t.dims + first);
}

int build_upsample_trilinear(struct aclnn_build *b)
{
	enum { SELF, SIZE, CORNERS, SCALES, OUT = SCALES + 3 };
	struct resize r = { VNPU_OP_UPSAMPLE_BILINEAR, "align_corners",
			    aclnn_int(b, CORNERS) };

	return resize_to(b, &r, SIZE, OUT);
}

/* Gradients of resizing: gradOut, the sizes after it and before it. */
static int resize_gradient(struct aclnn_build *b, const struct resize *r,
			   unsigned int out_arg)
{
	enum { GRAD, OUTPUT_SIZE, INPUT_SIZE };
	const struct aclnn_array *output = aclnn_array(b, OUTPUT_SIZE);
	const struct aclnn_array *input = aclnn_array(b, INPUT_SIZE);
	struct aclnn_view grad = aclnn_view(b, GRAD);

	if (grad.t.rank != 5)
		return aclnn_fail(b, GRAD, "expected 5 dimensions, given %u",
				  grad.t.rank);
	if (output->size != 3 || input->size != 5)
		return aclnn_fail(b, output->size != 3 ? OUTPUT_SIZE : INPUT_SIZE,
				  "expected %d values, given %llu",
				  output->size != 3 ? 3 : 5,
				  (unsigned long long)(output->size != 3 ?
					output->size : input->size));
	if (!aclnn_has_volume(b, GRAD, &grad, output->i))
		return b->status;
	for (unsigned int i = 0; i < 2; i++)
		if (input->i[i] != grad.t.dims[i])
			return aclnn_fail(b, INPUT_SIZE,
					  "value %u: expected %lld, as gradOut has, given %lld",
					  i, (long long)grad.t.dims[i],
					  (long long)input->i[i]);
	if (!aclnn_has_volume(b, out_arg, &grad, input->i + 2))
		return b->status;
	return resize_volume(b, r, GRAD, out_arg, input->i + 2);
}

int build_upsample_trilinear_backward(struct aclnn_build *b)
{
	enum { CORNERS = 3, SCALES, OUT = SCALES + 3 };
	struct resize r = { VNPU_OP_UPSAMPLE_BILINEAR_BACKWARD, "align_corners",
			    aclnn_int(b, CORNERS) };

	return resize_gradient(b, &r, OUT);
}

int build_upsample_nearest_3d_backward(struct aclnn_build *b)
{
	enum { SCALES = 3, OUT = SCALES + 3 };
	struct resize r = { .engine = VNPU_OP_UPSAMPLE_NEAREST_BACKWARD };

	return resize_gradient(b, &r, OUT);
}

int build_upsample_nearest_exact_3d_backward(struct aclnn_build *b)
{
	enum { SCALES = 3, OUT = SCALES + 3 };
	struct resize r = { VNPU_OP_UPSAMPLE_NEAREST_BACKWARD, "exact", 1 };

	return resize_gradient(b, &r, OUT);
}
