// SPDX-License-Identifier: MIT
/* Gradients of resizing, of rows and images; build_volume.c has those of volumes. */
#include "build.h"
#include "builders.h"

/* Arguments of all of them; scales and the output follow. */
enum { GRAD, OUTPUT_SIZE, INPUT_SIZE, REST };

/*
 * Check the two lists of sizes, of which the first has @space values, and the second
 * those of the whole input.
 */
static bool check_sizes(struct aclnn_build *b, const struct aclnn_view *grad,
			const struct aclnn_view *out, unsigned int space)
{
	const struct aclnn_array *input = aclnn_array(b, INPUT_SIZE);
	const struct aclnn_array *output = aclnn_array(b, OUTPUT_SIZE);
	unsigned int rank = space + 2;

	if (grad->t.rank != rank || out->t.rank != rank) {
		aclnn_fail(b, grad->t.rank != rank ? GRAD : (int)out->arg,
			   "expected %u dimensions, given %u", rank,
			   grad->t.rank != rank ? grad->t.rank : out->t.rank);
		return false;
	}
	if (input->size != rank || output->size != space) {
		aclnn_fail(b, input->size != rank ? INPUT_SIZE : OUTPUT_SIZE,
			   "expected %u values, given %llu",
			   input->size != rank ? rank : space,
			   (unsigned long long)(input->size != rank ?
						input->size : output->size));
		return false;
	}
	for (unsigned int i = 0; i < space; i++)
		if (grad->t.dims[i + 2] != output->i[i]) {
			aclnn_fail(b, OUTPUT_SIZE,
				   "expected %lld in dimension %u of gradOut, given %lld",
				   (long long)grad->t.dims[i + 2], i + 2,
				   (long long)output->i[i]);
			return false;
		}
	return true;
}

/* Have the gradient of planes as a step; the flag aligns corners, or is exact. */
static int plane_step(struct aclnn_build *b, unsigned int engine, bool flag,
		      const struct aclnn_view *grad,
		      const struct aclnn_view *out, const int64_t *sizes)
{
	aclnn_begin(b, engine, 1, 1);
	aclnn_set_ints(b, "sizes", sizes, 2);
	aclnn_set_int(b, engine == VNPU_OP_UPSAMPLE_NEAREST_BACKWARD ?
				 "exact" : "align_corners", flag);
	aclnn_put(b, 0, grad);
	aclnn_put(b, 1, out);
	return aclnn_end(b);
}

/* A row is an image of height 1. */
static int row_gradient(struct aclnn_build *b, unsigned int engine, bool flag,
			unsigned int out_arg)
{
	struct aclnn_view grad = aclnn_view(b, GRAD);
	struct aclnn_view out = aclnn_view(b, out_arg);

	if (!check_sizes(b, &grad, &out, 1))
		return b->status;
	aclnn_insert(&grad, 2);
	aclnn_insert(&out, 2);
	return plane_step(b, engine, flag, &grad, &out,
			  (int64_t[]){ 1, aclnn_array(b, INPUT_SIZE)->i[2] });
}

static int image_gradient(struct aclnn_build *b, unsigned int engine,
			  bool flag, unsigned int out_arg)
{
	struct aclnn_view grad = aclnn_view(b, GRAD);
	struct aclnn_view out = aclnn_view(b, out_arg);

	if (!check_sizes(b, &grad, &out, 2))
		return b->status;
	return plane_step(b, engine, flag, &grad, &out,
			  aclnn_array(b, INPUT_SIZE)->i + 2);
}

int build_upsample_nearest_1d_backward(struct aclnn_build *b)
{
	return row_gradient(b, VNPU_OP_UPSAMPLE_NEAREST_BACKWARD, false,
			    REST + 1);
}

int build_upsample_linear_backward(struct aclnn_build *b)
{
	return row_gradient(b, VNPU_OP_UPSAMPLE_BILINEAR_BACKWARD,
			    aclnn_int(b, REST), REST + 2);
}

int build_upsample_nearest_2d_backward(struct aclnn_build *b)
{
	return image_gradient(b, VNPU_OP_UPSAMPLE_NEAREST_BACKWARD, false,
			      REST + 2);
}

int build_upsample_bilinear_backward(struct aclnn_build *b)
{
	return image_gradient(b, VNPU_OP_UPSAMPLE_BILINEAR_BACKWARD,
			      aclnn_int(b, REST), REST + 3);
}

int build_upsample_bicubic_backward(struct aclnn_build *b)
{
	return image_gradient(b, VNPU_OP_UPSAMPLE_BICUBIC_BACKWARD,
			      aclnn_int(b, REST), REST + 3);
}

int build_upsample_nearest_exact_1d_backward(struct aclnn_build *b)
{
	return row_gradient(b, VNPU_OP_UPSAMPLE_NEAREST_BACKWARD, true,
			    REST + 1);
}

int build_upsample_nearest_exact_2d_backward(struct aclnn_build *b)
{
	return image_gradient(b, VNPU_OP_UPSAMPLE_NEAREST_BACKWARD, true,
			      REST + 2);
}
