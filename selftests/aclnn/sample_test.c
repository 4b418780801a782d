// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gradients of resizing and sampling, by the definition of the adjoint: the product of
 * the results with their gradient is that of the input with its own.
 */
#include "aclnn_test.h"
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_im2col_backward.h"
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

enum { ROOM = 512 };

static float x[ROOM], up[ROOM], out[ROOM], of_x[ROOM];
static float grid[ROOM], of_grid[ROOM];

static void prepare(void)
{
	numbers(x, ROOM, 1);
	numbers(up, ROOM, 2);
	numbers(grid, ROOM, 3);
	for (unsigned int i = 0; i < ROOM; i++)
		grid[i] /= 2;
}

/* Check whether x, of @in elements, and out, of @made, have these gradients. */
static bool is_adjoint(unsigned int in, unsigned int made)
{
	double is = 0, want = 0;

	for (unsigned int i = 0; i < made; i++)
		want += (double)out[i] * up[i];
	for (unsigned int i = 0; i < in; i++)
		is += (double)x[i] * of_x[i];
	if (fabs(is - want) < 1e-4 * (1 + fabs(want)))
		return true;
	note("%g, but %g", is, want);
	return false;
}

static bool rows(void)
{
	prepare();
	EXPECT(!RUN(aclnnUpsampleNearest1d, F32(x, 2, 3, 5), LIST(7),
		    F32(out, 2, 3, 7)));
	EXPECT(!RUN(aclnnUpsampleNearest1dBackward, F32(up, 2, 3, 7), LIST(7),
		    LIST(2, 3, 5), 0.0, F32(of_x, 2, 3, 5)));
	EXPECT(is_adjoint(30, 42));
	for (unsigned int corners = 0; corners < 2; corners++) {
		EXPECT(!RUN(aclnnUpsampleLinear1d, F32(x, 2, 3, 5), LIST(7),
			    corners, 0.0, F32(out, 2, 3, 7)));
		EXPECT(!RUN(aclnnUpsampleLinear1dBackward, F32(up, 2, 3, 7),
			    LIST(7), LIST(2, 3, 5), corners, 0.0,
			    F32(of_x, 2, 3, 5)));
		EXPECT(is_adjoint(30, 42));
	}
	return true;
}

static bool images(void)
{
	prepare();
	EXPECT(!RUN(aclnnUpsampleNearest2d, F32(x, 2, 2, 3, 5), LIST(4, 3),
		    F32(out, 2, 2, 4, 3)));
	EXPECT(!RUN(aclnnUpsampleNearest2dBackward, F32(up, 2, 2, 4, 3),
		    LIST(4, 3), LIST(2, 2, 3, 5), 0.0, 0.0,
		    F32(of_x, 2, 2, 3, 5)));
	EXPECT(is_adjoint(60, 48));
	for (unsigned int corners = 0; corners < 2; corners++) {
		EXPECT(!RUN(aclnnUpsampleBicubic2d, F32(x, 2, 2, 3, 5),
			    LIST(4, 3), corners, 0.0, 0.0,
			    F32(out, 2, 2, 4, 3)));
		EXPECT(!RUN(aclnnUpsampleBicubic2dBackward, F32(up, 2, 2, 4, 3),
			    LIST(4, 3), LIST(2, 2, 3, 5), corners, 0.0, 0.0,
			    F32(of_x, 2, 2, 3, 5)));
		EXPECT(is_adjoint(60, 48));
	}
	EXPECT(RUN(aclnnUpsampleNearest2dBackward, F32(up, 2, 2, 4, 3),
		   LIST(4, 3), LIST(3, 5), 0.0, 0.0, F32(of_x, 2, 2, 3, 5)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("inputSize: expected 4 values, given 2");
	EXPECT(RUN(aclnnUpsampleBicubic2dBackward, F32(up, 2, 2, 4, 3),
		   LIST(3, 4), LIST(2, 2, 3, 5), false, 0.0, 0.0,
		   F32(of_x, 2, 2, 3, 5)) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(strstr(last_text,
		      "outputSize: expected 4 in dimension 2 of gradOut, given 3"));
	EXPECT(RUN(aclnnUpsampleNearest2dBackward, F32(up, 2, 2, 4, 3),
		   LIST(4), LIST(2, 2, 3, 5), 0.0, 0.0,
		   F32(of_x, 2, 2, 3, 5)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("outputSize: expected 2 values, given 1");
	return true;
}

static bool volumes(void)
{
	int64_t dims[] = { 1, 2, 2, 3, 4 }, apart[] = { 96, 48, 24, 8, 2 };
	float copy[48];

	prepare();
	EXPECT(!RUN(aclnnUpsampleNearest3d, F32(x, 1, 2, 2, 3, 4),
		    LIST(3, 2, 5), 0.0, 0.0, 0.0, F32(out, 1, 2, 3, 2, 5)));
	EXPECT(!RUN(aclnnUpsampleNearest3dBackward, F32(up, 1, 2, 3, 2, 5),
		    LIST(3, 2, 5), LIST(1, 2, 2, 3, 4), 0.0, 0.0, 0.0,
		    F32(of_x, 1, 2, 2, 3, 4)));
	EXPECT(is_adjoint(48, 60));
	/* An output with gaps gets the same elements. */
	memcpy(copy, of_x, sizeof(copy));
	EXPECT(!RUN(aclnnUpsampleNearest3dBackward, F32(up, 1, 2, 3, 2, 5),
		    LIST(3, 2, 5), LIST(1, 2, 2, 3, 4), 0.0, 0.0, 0.0,
		    strided(ACL_FLOAT, of_x, 5, dims, apart, 0, 96)));
	for (unsigned int i = 0; i < 48; i++)
		EXPECT(of_x[2 * i] == copy[i]);
	/* As many pixels in another shape. */
	EXPECT(RUN(aclnnUpsampleNearest3dBackward, F32(up, 1, 2, 3, 2, 5),
		   LIST(3, 2, 5), LIST(1, 2, 2, 3, 4), 0.0, 0.0, 0.0,
		   F32(of_x, 1, 2, 2, 4, 3)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("dimension 3: expected 3, given 4");
	return true;
}

static bool grids(void)
{
	static const bool flags[] = { true, true };
	aclBoolArray *both = aclCreateBoolArray(flags, 2);

	prepare();
	for (unsigned int mode = 0; mode < 3; mode++) {
		EXPECT(!RUN(aclnnGridSampler2D, F32(x, 2, 3, 4, 5),
			    F32(grid, 2, 3, 2, 2), mode, 1, true,
			    F32(out, 2, 3, 3, 2)));
		EXPECT(!RUN(aclnnGridSampler2DBackward, F32(up, 2, 3, 3, 2),
			    F32(x, 2, 3, 4, 5), F32(grid, 2, 3, 2, 2), mode, 1,
			    true, both, F32(of_x, 2, 3, 4, 5),
			    F32(of_grid, 2, 3, 2, 2)));
		EXPECT(is_adjoint(120, 36));
	}
	EXPECT(!RUN(aclnnGridSampler3D, F32(x, 1, 2, 2, 3, 4),
		    F32(grid, 1, 2, 2, 3, 3), 0, 0, false,
		    F32(out, 1, 2, 2, 2, 3)));
	EXPECT(!RUN(aclnnGridSampler3DBackward, F32(up, 1, 2, 2, 2, 3),
		    F32(x, 1, 2, 2, 3, 4), F32(grid, 1, 2, 2, 3, 3), 0, 0, false,
		    both, F32(of_x, 1, 2, 2, 3, 4), NULL));
	EXPECT(is_adjoint(48, 24));
	EXPECT(RUN(aclnnGridSampler3D, F32(x, 1, 2, 2, 3, 4),
		   F32(grid, 1, 2, 2, 3, 3), 2, 0, false,
		   F32(out, 1, 2, 2, 2, 3)) == ACLNN_ERR_PARAM_INVALID);
	aclDestroyBoolArray(both);
	return true;
}

static bool windows(void)
{
	prepare();
	EXPECT(!RUN(aclnnIm2col, F32(x, 2, 2, 4, 5), LIST(2, 3), LIST(1, 1),
		    LIST(1, 0), LIST(2, 1), F32(out, 2, 12, 9)));
	EXPECT(!RUN(aclnnIm2colBackward, F32(up, 2, 12, 9), LIST(4, 5),
		    LIST(2, 3), LIST(1, 1), LIST(1, 0), LIST(2, 1),
		    F32(of_x, 2, 2, 4, 5)));
	EXPECT(is_adjoint(80, 216));
	/* Without a batch. */
	memset(out, 0, sizeof(out));
	EXPECT(!RUN(aclnnIm2colBackward, F32(up, 12, 9), LIST(4, 5),
		    LIST(2, 3), LIST(1, 1), LIST(1, 0), LIST(2, 1),
		    F32(out, 2, 4, 5)));
	EXPECT(!memcmp(out, of_x, 40 * sizeof(*out)));
	return true;
}

const struct test sample_tests[] = {
	{ "gradients of resized rows", rows },
	{ "gradients of resized images", images },
	{ "gradients of resized volumes", volumes },
	{ "sampling by a grid", grids },
	{ "gradient of im2col", windows },
	{ 0 }
};
