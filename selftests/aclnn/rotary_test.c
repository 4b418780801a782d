// SPDX-License-Identifier: GPL-2.0-only
/* Softmax with a mask, and gradients of rotations, by type and layout. */
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "typed.h"

enum { LINES = 12, WIDTH = 4, COUNT = LINES * WIDTH };

static float a[COUNT], out[COUNT];
static bool flags[COUNT];

#define BOOL(data, ...)	tensor(ACL_BOOL, data, SHAPE(__VA_ARGS__))

/* The mask has one batch for all, and each row keeps its first element. */
static bool check_softmax(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, 2, 2, 3, WIDTH);
	struct typed mask = TYPED(ACL_BOOL, layout, 1, 2, 3, WIDTH);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, 2, 2, 3, WIDTH);
	struct typed up = TYPED(dtype, layout, 2, 2, 3, WIDTH);
	struct typed of = TYPED(dtype, layout % OUT_LAYOUTS, 2, 2, 3, WIDTH);
	double scale = 0.75, weight[WIDTH], sum, dot;

	fill(&x, 1);
	fill(&up, 2);
	for (unsigned int i = 0; i < 24; i++)
		set(&mask, i, i % WIDTH && number(i) > 0);
	EXPECT(!RUN(aclnnScaledMaskedSoftmax, x.tensor, mask.tensor, scale, false,
		    y.tensor));
	EXPECT(!RUN(aclnnScaledMaskedSoftmaxBackward, up.tensor, y.tensor,
		    mask.tensor, scale, false, of.tensor));
	for (unsigned int line = 0; line < LINES; line++) {
		sum = dot = 0;
		for (unsigned int i = 0; i < WIDTH; i++) {
			unsigned int at = line * WIDTH + i;

			weight[i] = get(&mask, at % 24) ? 0 :
				    exp(scale * get(&x, at));
			sum += weight[i];
			dot += get(&up, at) * get(&y, at);
		}
		for (unsigned int i = 0; i < WIDTH; i++) {
			unsigned int at = line * WIDTH + i;

			EXPECT(is(&y, at, weight[i] / sum));
			EXPECT(is(&of, at, get(&mask, at % 24) ? 0 :
				  scale * get(&y, at) * (get(&up, at) - dot)));
		}
	}
	return true;
}

static bool softmaxes(void)
{
	EXPECT(each_layout(float_types, 3, LAYOUTS, check_softmax));
	return true;
}

static bool softmax_limits(void)
{
	flags[0] = flags[1] = true;
	EXPECT(!RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		    BOOL(flags, 1, 1, 1, 2), 1, false, F32(out, 1, 1, 1, 2)));
	EXPECT(isnan(out[0]) && isnan(out[1]));
	EXPECT(!RUN(aclnnScaledMaskedSoftmax, F32(a, 0, 1, 1, 2),
		    BOOL(flags, 1, 1, 1, 2), 1, false, F32(out, 0, 1, 1, 2)));
	EXPECT(RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		   BOOL(flags, 1, 1, 1, 2), 1, true, F32(out, 1, 1, 1, 2)));
	TEXT("fixedTriuMask: expected false, given true");
	EXPECT(RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		   F32(a, 1, 1, 1, 2), 1, false, F32(out, 1, 1, 1, 2)));
	TEXT("mask: expected type bool, given f32");
	EXPECT(RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		   BOOL(flags, 2, 1, 1, 2), 1, false, F32(out, 2, 1, 1, 2)));
	TEXT("mask: expected 1 or 1 in dimension 0, given 2");
	EXPECT(RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		   BOOL(flags, 1, 1, 1, 2), 1, false, F32(out, 1, 2)));
	TEXT("y: expected 4 dimensions, given 2");
	EXPECT(RUN(aclnnScaledMaskedSoftmax, F32(a, 1, 1, 1, 2),
		   BOOL(flags, 1, 1, 1, 2), 1, false, I32(out, 1, 1, 1, 2)));
	EXPECT(RUN(aclnnScaledMaskedSoftmaxBackward, F32(a, 1, 1, 1, 2),
		   F32(a, 1, 1, 2, 1), BOOL(flags, 1, 1, 1, 2), 1, false,
		   F32(out, 1, 1, 1, 2)));
	TEXT("y: expected 1 in dimension 2, given 2");
	return true;
}

/* The partner of an element in a rotation, and the sign that it has there. */
static unsigned int partner(unsigned int i, int64_t mode, double *sign)
{
	unsigned int distance = mode == 1 ? 1 : mode ? WIDTH / 4 : WIDTH / 2;
	bool is_first = i / distance % 2 == 0;

	*sign = is_first ? -1 : 1;
	return is_first ? i + distance : i - distance;
}

/* One cosine for all heads: dimension 1 is summed up. */
static bool check_rotation(aclDataType dtype, enum layout layout, int64_t mode)
{
	struct typed dy = TYPED(dtype, layout, 2, 2, 3, WIDTH);
	struct typed x = TYPED(dtype, layout, 2, 2, 3, WIDTH);
	struct typed cosine = TYPED(dtype, layout, 2, 1, 3, WIDTH);
	struct typed sine = TYPED(dtype, layout, 2, 1, 3, WIDTH);
	struct typed dx = TYPED(dtype, layout % OUT_LAYOUTS, 2, 2, 3, WIDTH);
	struct typed dcos = TYPED(dtype, layout % OUT_LAYOUTS, 2, 1, 3, WIDTH);
	struct typed dsin = TYPED(dtype, layout % OUT_LAYOUTS, 2, 1, 3, WIDTH);
	double want[COUNT] = { 0 }, by_cos[24] = { 0 }, by_sin[24] = { 0 }, sign;

	fill(&dy, 3);
	fill(&x, 4);
	fill(&cosine, 5);
	fill(&sine, 6);
	EXPECT(!RUN(aclnnRotaryPositionEmbeddingGrad, dy.tensor, cosine.tensor,
		    sine.tensor, x.tensor, mode, dx.tensor, dcos.tensor,
		    dsin.tensor));
	for (unsigned int i = 0; i < COUNT; i++) {
		unsigned int shared = i / 24 * 12 + i % 12, other;
		double up = get(&dy, i);

		/* y[i] = x[i] * cos[i] + sign * x[other] * sin[i] */
		other = i / WIDTH * WIDTH + partner(i % WIDTH, mode, &sign);
		want[i] += up * get(&cosine, shared);
		want[other] += sign * up * get(&sine, shared);
		by_cos[shared] += up * get(&x, i);
		by_sin[shared] += up * sign * get(&x, other);
	}
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(is(&dx, i, want[i]));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(is(&dcos, i, by_cos[i]) && is(&dsin, i, by_sin[i]));
	return true;
}

static bool rotations(void)
{
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int way = 0; way < 3 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_rotation(float_types[t], way % LAYOUTS,
					      way / LAYOUTS));
		}
	forget_typed();
	return true;
}

/* The gradient of a rotation is the rotation back. */
static bool rotations_back(void)
{
	float cosine[4], sine[4], y[16], none = 7;

	numbers(a, 16, 7);
	for (unsigned int i = 0; i < 4; i++) {
		cosine[i] = cosf(1 + i % 2);
		sine[i] = sinf(1 + i % 2);
	}
	EXPECT(!RUN(aclnnRotaryPositionEmbedding, F32(a, 1, 2, 2, 4),
		    F32(cosine, 1, 1, 1, 4), F32(sine, 1, 1, 1, 4), 0,
		    F32(y, 1, 2, 2, 4)));
	EXPECT(!RUN(aclnnRotaryPositionEmbeddingGrad, F32(y, 1, 2, 2, 4),
		    F32(cosine, 1, 1, 1, 4), F32(sine, 1, 1, 1, 4), NULL, 0,
		    F32(out, 1, 2, 2, 4), F32(&none, 0), NULL));
	for (unsigned int i = 0; i < 16; i++)
		EXPECT(near(out[i], a[i]));
	EXPECT(none == 7);
	EXPECT(!RUN(aclnnRotaryPositionEmbeddingGrad, F32(y, 0, 2, 2, 4),
		    F32(cosine, 1, 1, 1, 4), F32(sine, 1, 1, 1, 4),
		    F32(a, 0, 2, 2, 4), 0, F32(out, 0, 2, 2, 4),
		    F32(y, 1, 1, 1, 4), F32(y + 4, 1, 1, 1, 4)));
	EXPECT(y[0] == 0 && y[7] == 0);
	return true;
}

static bool rotation_errors(void)
{
	static const struct {
		int64_t mode, width, heads, features;
		const char *text;
	} cases[] = {
		{ 3, 4, 1, 4, "mode: expected 0 to 2, given 3" },
		{ -1, 4, 1, 4, "mode: expected 0 to 2, given -1" },
		{ 0, 3, 1, 3, "dy: expected a last dimension that 2 divides" },
		{ 2, 2, 1, 2, "dy: expected a last dimension that 4 divides" },
		{ 0, 4, 1, 2, "cos: expected 4 dimensions, and 4 in the last" },
		{ 0, 4, 3, 4, "cos: expected 1 or 2 in dimension 1, given 3" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t n = cases[i].width;

		EXPECT(RUN(aclnnRotaryPositionEmbeddingGrad, F32(a, 1, 2, 1, n),
			   F32(a, 1, cases[i].heads, 1, cases[i].features),
			   F32(a, 1, cases[i].heads, 1, cases[i].features),
			   NULL, cases[i].mode, F32(out, 1, 2, 1, n), NULL,
			   NULL));
		EXPECT(strstr(last_text, cases[i].text));
	}
	EXPECT(RUN(aclnnRotaryPositionEmbeddingGrad, F32(a, 1, 2, 1, 4),
		   F32(a, 1, 1, 1, 4), F32(a, 1, 2, 1, 4), NULL, 0,
		   F32(out, 1, 2, 1, 4), NULL, NULL));
	TEXT("sin: expected 1 in dimension 1, given 2");
	EXPECT(RUN(aclnnRotaryPositionEmbeddingGrad, F32(a, 1, 2, 1, 4),
		   F32(a, 1, 1, 1, 4), F32(a, 1, 1, 1, 4), F32(a, 1, 2, 1, 4), 0,
		   F32(out, 1, 2, 1, 4), F32(out, 4), NULL));
	TEXT("dcosOut: expected 4 dimensions, given 1");
	EXPECT(RUN(aclnnRotaryPositionEmbeddingGrad, F32(a, 1, 2, 1, 4),
		   F32(a, 1, 1, 1, 4), F32(a, 1, 1, 1, 4), NULL, 0,
		   F32(out, 1, 1, 1, 4), NULL, NULL));
	TEXT("dxOut: expected 2 in dimension 1, given 1");
	EXPECT(RUN(aclnnRotaryPositionEmbeddingGrad, I32(a, 1, 2, 1, 4),
		   I32(a, 1, 1, 1, 4), I32(a, 1, 1, 1, 4), NULL, 0,
		   I32(out, 1, 2, 1, 4), NULL, NULL));
	return true;
}

const struct test rotary_tests[] = {
	{ "softmax with a mask, by type and layout", softmaxes },
	{ "softmax without elements, and errors", softmax_limits },
	{ "gradients of rotations, by type and layout", rotations },
	{ "gradients of rotations turn back", rotations_back },
	{ "errors of gradients of rotations", rotation_errors },
	{ 0 }
};
