// SPDX-License-Identifier: GPL-2.0-only
/* Operators that quantise what they compute, against plain loops in f64. */
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant_v2.h"
#include "aclnnop/aclnn_gelu_quant.h"
#include "aclnnop/aclnn_quant_matmul_v3.h"
#include "aclnnop/aclnn_trans_quant_param_v2.h"
#include "typed.h"

enum { ROWS = 3, WIDTH = 8, COUNT = ROWS * WIDTH };

static float a[64], c[64], out[64];
static int8_t bytes[64];

#define BYTES(...)	tensor(ACL_INT8, bytes, SHAPE(__VA_ARGS__))

/* Check an integer; the engine's f32 may be on the other side of a half. */
static bool is_rounded(double is, double want)
{
	want = fmin(fmax(want, -128), 127);
	if (fabs(is - want) <= 0.502)
		return true;
	note("is %g, expected %g rounded", is, want);
	return false;
}

/* Check a line that is quantised with the scale that makes its largest number 127. */
static bool is_line(const struct typed *y, const struct typed *scale,
		    unsigned int row, const double *want)
{
	double most = 0;

	for (unsigned int i = 0; i < WIDTH; i++)
		most = fmax(most, fabs(want[i]));
	EXPECT(near(get(scale, row), most / 127));
	for (unsigned int i = 0; i < WIDTH; i++)
		EXPECT(is_rounded(get(y, row * WIDTH + i),
				  most ? want[i] * 127 / most : 0));
	return true;
}

static double gelu(double x, bool is_tanh)
{
	return is_tanh ? 0.5 * x * (1 + tanh(sqrt(2 / M_PI) *
					     (x + 0.044715 * x * x * x))) :
			 0.5 * x * (1 + erf(x / sqrt(2)));
}

static bool check_gelu(aclDataType dtype, enum layout layout, bool is_tanh)
{
	struct typed x = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed y = TYPED(ACL_INT8, layout % OUT_LAYOUTS, ROWS, WIDTH);
	struct typed factor = TYPED(dtype, layout % OUT_LAYOUTS, WIDTH);
	struct typed offset = TYPED(dtype, layout % OUT_LAYOUTS, WIDTH);
	struct typed scale = TYPED(ACL_FLOAT, layout % OUT_LAYOUTS, ROWS);
	const char *approximate = is_tanh ? "tanh" : "none";
	double want[WIDTH];

	fill(&x, 1);
	fill(&offset, 2);
	for (unsigned int i = 0; i < WIDTH; i++)
		set(&factor, i, i + 40);
	EXPECT(!RUN(aclnnGeluQuant, x.tensor, factor.tensor, offset.tensor,
		    approximate, "static", "rint", ACL_INT8, y.tensor, NULL));
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(is_rounded(get(&y, i), gelu(get(&x, i), is_tanh) *
				  get(&factor, i % WIDTH) +
				  get(&offset, i % WIDTH)));
	EXPECT(!RUN(aclnnGeluQuant, x.tensor, factor.tensor, NULL, approximate,
		    "dynamic", "rint", ACL_INT8, y.tensor, scale.tensor));
	for (unsigned int row = 0; row < ROWS; row++) {
		for (unsigned int i = 0; i < WIDTH; i++)
			want[i] = gelu(get(&x, row * WIDTH + i), is_tanh) *
				  get(&factor, i);
		EXPECT(is_line(&y, &scale, row, want));
	}
	return true;
}

static bool activations(void)
{
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int way = 0; way < 2 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_gelu(float_types[t], way / 2, way % 2));
		}
	forget_typed();
	/* A line of zeros, one factor for all, and tensors without elements. */
	memset(a, 0, sizeof(a));
	c[0] = 2;
	bytes[0] = 1;
	EXPECT(!RUN(aclnnGeluQuant, F32(a, 2, 4), F32(c, 1), NULL, "none",
		    "dynamic", "rint", ACL_INT8, BYTES(2, 4), F32(out, 2)));
	EXPECT(out[0] == 0 && bytes[0] == 0);
	EXPECT(!RUN(aclnnGeluQuant, F32(a, 0, 4), NULL, NULL, "none", "dynamic",
		    "rint", ACL_INT8, BYTES(0, 4), F32(out, 0)));
	EXPECT(!RUN(aclnnGeluQuant, F32(a, 2, 0), F32(c, 1), NULL, "none",
		    "static", "rint", ACL_INT8, BYTES(2, 0), NULL));
	return true;
}

#define GELU(x, scale, offset, approximate, mode, round, y, out_scale)	\
	RUN(aclnnGeluQuant, x, scale, offset, approximate, mode, round,	\
	    ACL_INT8, y, out_scale)

static bool activation_errors(void)
{
	aclTensor *x = F32(a, 2, 4), *y = BYTES(2, 4), *one = F32(c, 1);

	EXPECT(GELU(x, NULL, NULL, "none", "static", "rint", y, NULL));
	TEXT("inputScaleOptional: expected a tensor in static mode");
	EXPECT(GELU(x, F32(c, 3), NULL, "none", "static", "rint", y, NULL));
	TEXT("inputScaleOptional: expected 1 dimension of 1 or 4 elements, given 1 of 3");
	EXPECT(GELU(x, one, F32(c, 1, 1), "none", "static", "rint", y, NULL));
	TEXT("inputOffsetOptional: expected 1 dimension of 1 or 4 elements, given 2 of 1");
	EXPECT(GELU(x, one, one, "none", "dynamic", "rint", y, F32(out, 2)));
	TEXT("inputOffsetOptional: expected NULL in dynamic mode");
	EXPECT(GELU(x, one, NULL, "none", "dynamic", "rint", y, NULL));
	TEXT("outScaleOptional: expected a tensor in dynamic mode");
	EXPECT(GELU(x, one, NULL, "none", "dynamic", "rint", y, F32(out, 3)));
	EXPECT(GELU(x, one, NULL, "sigmoid", "static", "rint", y, NULL));
	TEXT("approximate: expected none or tanh, given sigmoid");
	EXPECT(GELU(x, one, NULL, "none", "both", "rint", y, NULL));
	TEXT("quantMode: expected static or dynamic, given both");
	EXPECT(GELU(x, one, NULL, "none", "static", "floor", y, NULL));
	TEXT("roundMode: expected rint, given floor");
	EXPECT(RUN(aclnnGeluQuant, x, one, NULL, "none", "static", "rint", 36, y,
		   NULL));
	TEXT("dstType: expected 2, i8, given 36");
	EXPECT(GELU(x, one, NULL, "none", "static", "rint", BYTES(2, 3), NULL));
	TEXT("y: expected 4 in dimension 1, given 3");
	EXPECT(GELU(x, one, NULL, "none", "static", "rint", F32(out, 2, 4), NULL));
	TEXT("y: expected type i8, given f32");
	EXPECT(GELU(I32(a, 2, 4), one, NULL, "none", "static", "rint", y, NULL));
	TEXT("self: expected a floating-point type and 1 dimension or more, given i32 and 2");
	return true;
}

/* The tensors of AddRmsNormDynamicQuantV2. */
struct norm {
	struct typed x1, x2, gamma, smooth[2], beta, y[2], sum, scale[2];
};

static struct norm make_norm(aclDataType dtype, enum layout layout)
{
	enum layout to = layout % OUT_LAYOUTS;
	struct norm n = {
		.x1 = TYPED(dtype, layout, ROWS, WIDTH),
		.x2 = TYPED(dtype, layout, ROWS, WIDTH),
		.gamma = TYPED(dtype, to, WIDTH),
		.smooth = { TYPED(dtype, to, WIDTH), TYPED(dtype, to, WIDTH) },
		.beta = TYPED(dtype, to, WIDTH),
		.y = { TYPED(ACL_INT8, to, ROWS, WIDTH),
		       TYPED(ACL_INT8, to, ROWS, WIDTH) },
		.sum = TYPED(dtype, to, ROWS, WIDTH),
		.scale = { TYPED(ACL_FLOAT, to, ROWS),
			   TYPED(ACL_FLOAT, to, ROWS) },
	};

	fill(&n.x1, 1);
	fill(&n.x2, 2);
	fill(&n.gamma, 3);
	fill(&n.beta, 4);
	fill(&n.smooth[0], 5);
	fill(&n.smooth[1], 6);
	return n;
}

static bool is_norm(const struct norm *n, unsigned int i, bool has_smooth,
		    bool has_beta)
{
	for (unsigned int row = 0; row < ROWS; row++) {
		double sum[WIDTH], square = 0;

		for (unsigned int k = 0; k < WIDTH; k++) {
			unsigned int at = row * WIDTH + k;

			sum[k] = get(&n->x1, at) + get(&n->x2, at);
			square += sum[k] * sum[k] / WIDTH;
			EXPECT(is(&n->sum, at, sum[k]));
		}
		for (unsigned int k = 0; k < WIDTH; k++) {
			sum[k] *= get(&n->gamma, k) / sqrt(square + 0.25);
			sum[k] += has_beta ? get(&n->beta, k) : 0;
			sum[k] *= has_smooth ? get(&n->smooth[i], k) : 1;
		}
		EXPECT(is_line(&n->y[i], &n->scale[i], row, sum));
	}
	return true;
}

static bool check_norm(aclDataType dtype, enum layout layout)
{
	struct norm n = make_norm(dtype, layout);
	aclBoolArray *second = aclCreateBoolArray((bool[]){ false, true }, 2);
	aclBoolArray *both = aclCreateBoolArray((bool[]){ true, true }, 2);

	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, n.x1.tensor, n.x2.tensor,
		    n.gamma.tensor, n.smooth[0].tensor, n.smooth[1].tensor,
		    n.beta.tensor, 0.25, NULL, n.y[0].tensor, n.y[1].tensor,
		    n.sum.tensor, n.scale[0].tensor, n.scale[1].tensor));
	EXPECT(is_norm(&n, 0, true, true) && is_norm(&n, 1, true, true));
	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, n.x1.tensor, n.x2.tensor,
		    n.gamma.tensor, NULL, n.smooth[1].tensor, NULL, 0.25, both,
		    n.y[0].tensor, n.y[1].tensor, n.sum.tensor,
		    n.scale[0].tensor, n.scale[1].tensor));
	EXPECT(is_norm(&n, 0, false, false) && is_norm(&n, 1, true, false));
	/* Outputs that are not wanted may have any shape, and stay. */
	out[0] = 7;
	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, n.x1.tensor, n.x2.tensor,
		    n.gamma.tensor, NULL, NULL, n.beta.tensor, 0.25, second,
		    F32(out, 1), n.y[1].tensor, n.sum.tensor, F32(out, 1),
		    n.scale[1].tensor));
	EXPECT(is_norm(&n, 1, false, true) && out[0] == 7);
	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, n.x1.tensor, n.x2.tensor,
		    n.gamma.tensor, n.smooth[0].tensor, NULL, NULL, 0.25, NULL,
		    n.y[0].tensor, F32(out, 1), n.sum.tensor, n.scale[0].tensor,
		    F32(out, 1)));
	EXPECT(is_norm(&n, 0, true, false) && out[0] == 7);
	aclDestroyBoolArray(second);
	aclDestroyBoolArray(both);
	return true;
}

static bool norms(void)
{
	EXPECT(each_layout(float_types, 3, LAYOUTS, check_norm));
	/* The scales of all lines in one dimension, and no lines. */
	numbers(a, 48, 1);
	for (unsigned int i = 0; i < 8; i++)
		c[i] = 1;
	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, F32(a, 2, 3, 8),
		    F32(a, 2, 3, 8), F32(c, 8), NULL, NULL, NULL, 1e-6, NULL,
		    BYTES(2, 3, 8), BYTES(1), F32(a, 2, 3, 8), F32(out, 6),
		    F32(out, 1)));
	EXPECT(out[5] > 0);
	EXPECT(!RUN(aclnnAddRmsNormDynamicQuantV2, F32(a, 0, 8), F32(a, 0, 8),
		    F32(c, 8), NULL, NULL, NULL, 1e-6, NULL, BYTES(0, 8),
		    BYTES(1), F32(a, 0, 8), F32(out, 0), F32(out, 1)));
	return true;
}

#define NORM(x2, gamma, smooth, smooth2, mask, y, scale)		\
	RUN(aclnnAddRmsNormDynamicQuantV2, F32(a, 2, 4), x2, gamma, smooth, \
	    smooth2, NULL, 1e-6, mask, y, BYTES(2, 4), F32(out, 2, 4), scale, \
	    F32(out + 32, 2))

static bool norm_errors(void)
{
	aclBoolArray *none = aclCreateBoolArray((bool[]){ false, false }, 2);
	aclBoolArray *first = aclCreateBoolArray((bool[]){ true, false }, 2);
	aclBoolArray *short_one = aclCreateBoolArray((bool[]){ true }, 1);
	aclTensor *x2 = F32(c, 2, 4), *gamma = F32(c, 4), *y = BYTES(2, 4);
	aclTensor *scale = F32(out + 40, 2);

	EXPECT(NORM(x2, gamma, NULL, gamma, NULL, y, scale));
	TEXT("smoothScale1Optional: expected a tensor, as there is another one for the second output");
	EXPECT(NORM(x2, gamma, NULL, gamma, first, y, scale));
	TEXT("smoothScale2Optional: expected NULL, as the mask excludes the output");
	EXPECT(NORM(x2, gamma, NULL, NULL, none, y, scale));
	TEXT("outputMask: expected an output, given none");
	EXPECT(NORM(x2, gamma, NULL, NULL, short_one, y, scale));
	TEXT("outputMask: expected 2 values, given 1");
	EXPECT(NORM(F32(c, 4), gamma, NULL, NULL, NULL, y, scale));
	TEXT("x2: expected 2 dimensions, given 1");
	EXPECT(NORM(x2, F32(c, 2, 4), NULL, NULL, NULL, y, scale));
	TEXT("gamma: expected 1 dimension of 4 elements, given 2 of 8");
	EXPECT(NORM(x2, gamma, F32(c, 1), NULL, NULL, y, scale));
	TEXT("smoothScale1Optional: expected 4 in dimension 0, given 1");
	EXPECT(NORM(x2, gamma, NULL, NULL, NULL, F32(out, 2, 4), scale));
	TEXT("y1Out: expected type i8, given f32");
	EXPECT(NORM(x2, gamma, NULL, NULL, NULL, BYTES(2, 3), scale));
	TEXT("y1Out: expected 4 in dimension 1, given 3");
	EXPECT(NORM(x2, gamma, NULL, NULL, NULL, y, F32(out, 3)));
	EXPECT(RUN(aclnnAddRmsNormDynamicQuantV2, I32(a, 2, 4), I32(a, 2, 4),
		   gamma, NULL, NULL, NULL, 1e-6, NULL, y, y, I32(out, 2, 4),
		   scale, scale));
	TEXT("x1: expected a floating-point type and 1 dimension or more, given i32 and 2");
	aclDestroyBoolArray(none);
	aclDestroyBoolArray(first);
	aclDestroyBoolArray(short_one);
	return true;
}

/* Pack by plain code. */
static uint64_t packed_scale(float scale, const float *offset)
{
	uint64_t bits = 0;
	long number;

	memcpy(&bits, &scale, sizeof(scale));
	bits = (bits & 0xffffe000) | 1ULL << 46;
	if (!offset)
		return bits;
	number = lrintf(*offset);
	number = number > 255 ? 255 : number < -256 ? -256 : number;
	return bits | (uint64_t)(number & 0x1ff) << 37;
}

static bool packed(void)
{
	float scale[] = { 1, -0.3f, 1e30f, 0x1.000002p-3f, 0 };
	float offset[] = { 0, -3.5f, 1000, -1000, 7 };
	const int64_t back[] = { -2 };
	uint64_t to[10] = { 0 };

	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 5), NULL,
		    tensor(ACL_UINT64, to, SHAPE(5))));
	for (unsigned int i = 0; i < 5; i++)
		EXPECT(to[i] == packed_scale(scale[i], NULL));
	/* Reversed, with a gap between elements. */
	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 5), F32(offset, 1, 5),
		    strided(ACL_INT64, to, SHAPE(5), back, 9, 10)));
	for (unsigned int i = 0; i < 5; i++)
		EXPECT(to[9 - 2 * i] == packed_scale(scale[i], &offset[i]));
	/* One scale or one offset for all. */
	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 1), F32(offset, 5),
		    I64(to, 5)));
	for (unsigned int i = 0; i < 5; i++)
		EXPECT(to[i] == packed_scale(scale[0], &offset[i]));
	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 1, 5), F32(offset + 1, 1),
		    I64(to, 1, 5)));
	for (unsigned int i = 0; i < 5; i++)
		EXPECT(to[i] == packed_scale(scale[i], &offset[1]));
	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 0), NULL, I64(to, 0)));
	return true;
}

/* A product takes packed scales. */
static bool packed_product(void)
{
	int8_t x[] = { 1, 2, 3, 4 }, weight[] = { 5, 6, 7, -8 };
	float scale[] = { 0.5f, 2 };
	int64_t to[2] = { 0 };

	EXPECT(!RUN(aclnnTransQuantParamV2, F32(scale, 2), NULL, I64(to, 2)));
	EXPECT(!RUN(aclnnQuantMatmulV3, tensor(ACL_INT8, x, SHAPE(2, 2)),
		    tensor(ACL_INT8, weight, SHAPE(2, 2)), I64(to, 2), NULL,
		    NULL, false, false, F32(out, 2, 2)));
	EXPECT(out[0] == 19 * 0.5f && out[1] == -10 * 2.0f);
	EXPECT(out[2] == 43 * 0.5f && out[3] == -14 * 2.0f);
	return true;
}

static bool packed_errors(void)
{
	int64_t to[8] = { 0 };

	EXPECT(RUN(aclnnTransQuantParamV2, F16(a, 4), NULL, I64(to, 4)));
	TEXT("scale: expected type f32 and 1 or 2 dimensions, given f16 and 1");
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 1, 1, 4), NULL, I64(to, 4)));
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), NULL, I32(to, 4)));
	TEXT("out: expected type i64 or u64, given type 3");
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), NULL,
		   tensor(ACL_COMPLEX64, to, SHAPE(4))));
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), NULL, I64(to, 5)));
	TEXT("out: expected 4 in dimension 0, given 5");
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), F32(c, 3), I64(to, 4)));
	TEXT("offset: expected type f32 and 1 or 4 elements in the last dimension, given f32 and 3");
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), I32(c, 4), I64(to, 4)));
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), F32(c, 2, 4), I64(to, 4)));
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 1), F32(c, 4), I64(to, 1)));
	TEXT("out: expected 4 in dimension 0, given 1");
	EXPECT(!RUN(aclnnTransQuantParamV2, F32(a, 4), NULL,
		    strided(ACL_UINT64, to, SHAPE(4), NULL, 1, 4)));
	EXPECT(RUN(aclnnTransQuantParamV2, F32(a, 4), NULL,
		   strided(ACL_UINT64, to, SHAPE(4), NULL, 0, 3)));
	return true;
}

const struct test quant_tests[] = {
	{ "activations are quantised", activations },
	{ "errors of quantised activations", activation_errors },
	{ "norms are quantised", norms },
	{ "errors of quantised norms", norm_errors },
	{ "scales are packed", packed },
	{ "products take packed scales", packed_product },
	{ "errors of packed scales", packed_errors },
	{ 0 }
};
