// SPDX-License-Identifier: GPL-2.0-only
/* Adapters of low rank, against plain loops in f64. */
#include "aclnnop/aclnn_add_lora.h"
#include "typed.h"

enum {
	ROWS = 5, INNER = 6, COLUMNS = 9, SLICE = 4, ADAPTERS = 3, LAYERS_OF = 2,
	LOW = 2, LAYER = 1, OFFSET = 3,
};

static const int64_t chosen[ROWS] = { 2, 0, 2, 1, 0 };
static float a[128], c[128], out[64];
static int32_t index_of[ROWS];

/* The tensors of AddLora. */
struct lora {
	struct typed y, x, weight_b, indices, weight_a, out;
};

static struct lora make_lora(aclDataType dtype, enum layout layout,
			     unsigned int inner)
{
	enum layout to = layout % OUT_LAYOUTS;
	struct lora l = {
		.y = TYPED(dtype, layout, ROWS, COLUMNS),
		.x = TYPED(dtype, layout, ROWS, inner),
		.weight_b = TYPED(dtype, to, ADAPTERS, LAYERS_OF, SLICE, LOW),
		.indices = TYPED(ACL_INT32, to, ROWS),
		.weight_a = TYPED(dtype, to, ADAPTERS, LAYERS_OF, LOW, inner),
		.out = TYPED(dtype, to, ROWS, COLUMNS),
	};

	fill(&l.y, 1);
	fill(&l.x, 2);
	fill(&l.weight_a, 3);
	fill(&l.weight_b, 4);
	for (unsigned int i = 0; i < ROWS; i++)
		set(&l.indices, i, chosen[i]);
	return l;
}

/* Compute one element of x * weightA; of x without weightA. */
static double low_of(const struct lora *l, bool has_a, unsigned int row,
		     unsigned int r)
{
	unsigned int layer = chosen[row] * LAYERS_OF + LAYER;
	double sum = 0;

	if (!has_a)
		return get(&l->x, row * LOW + r);
	for (unsigned int k = 0; k < INNER; k++)
		sum += get(&l->x, row * INNER + k) *
		       get(&l->weight_a, (layer * LOW + r) * INNER + k);
	return sum;
}

static bool is_adapted(const struct lora *l, const double *y, bool has_a,
		       const struct typed *to)
{
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++) {
		unsigned int row = i / COLUMNS, column = i % COLUMNS - OFFSET;
		unsigned int layer = chosen[row] * LAYERS_OF + LAYER;
		double want = y[i];

		for (unsigned int r = 0; column < SLICE && r < LOW; r++)
			want += 0.5 * low_of(l, has_a, row, r) *
				get(&l->weight_b,
				    (layer * SLICE + column) * LOW + r);
		EXPECT(is(to, i, want));
	}
	return true;
}

static bool check_lora(aclDataType dtype, enum layout layout, bool has_a)
{
	struct lora l = make_lora(dtype, layout, has_a ? INNER : LOW);
	double y[ROWS * COLUMNS];

	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		y[i] = get(&l.y, i);
	EXPECT(!RUN(aclnnAddLora, l.y.tensor, l.x.tensor, l.weight_b.tensor,
		    l.indices.tensor, has_a ? l.weight_a.tensor : NULL, LAYER,
		    0.5, OFFSET, SLICE, l.out.tensor));
	EXPECT(is_adapted(&l, y, has_a, &l.out));
	if (layout == EXPANDED)
		return true;
	/* In place, as programs do. */
	EXPECT(!RUN(aclnnAddLora, l.y.tensor, l.x.tensor, l.weight_b.tensor,
		    l.indices.tensor, has_a ? l.weight_a.tensor : NULL, LAYER,
		    0.5, OFFSET, SLICE, l.y.tensor));
	return is_adapted(&l, y, has_a, &l.y);
}

static bool adapters(void)
{
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int way = 0; way < 2 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_lora(float_types[t], way / 2, way % 2));
		}
	forget_typed();
	/* No rows. */
	EXPECT(!RUN(aclnnAddLora, F32(out, 0, 4), F32(a, 0, 2),
		    F32(c, 1, 1, 4, 2), I32(index_of, 0), NULL, 0, 1, 0, 4,
		    F32(out, 0, 4)));
	return true;
}

/* Indices that name no adapter: the call fails, and reads no other memory. */
static bool wrong_indices(void)
{
	static const int32_t wrong[] = { -1, 2, INT32_MIN, INT32_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		memset(index_of, 0, sizeof(index_of));
		index_of[1] = wrong[i];
		EXPECT(RUN(aclnnAddLora, F32(out, 3, 4), F32(a, 3, 2),
			   F32(c, 2, 1, 4, 2), I32(index_of, 3), NULL, 0, 1, 0,
			   4, F32(out, 3, 4)) == ACLNN_ERR_RUNTIME_ERROR);
	}
	return true;
}

#define LORA(y, x, b, index, a, layer, offset, slice, out)		\
	RUN(aclnnAddLora, y, x, b, index, a, layer, 1, offset, slice, out)

static bool adapter_errors(void)
{
	aclTensor *y = F32(out, 3, 8), *x = F32(a, 3, 5), *index = I32(index_of, 3);
	aclTensor *down = F32(a, 2, 2, 2, 5), *up = F32(c, 2, 2, 4, 2);

	EXPECT(LORA(y, x, F32(c, 2, 4, 2), index, down, 0, 0, 4, y));
	TEXT("weightB: expected 4 dimensions, given 3");
	EXPECT(LORA(y, x, F32(c, 0, 2, 4, 2), index, down, 0, 0, 4, y));
	TEXT("weightB: expected 1 or more in dimension 0, given 0");
	EXPECT(LORA(y, F32(a, 2, 5), up, index, down, 0, 0, 4, y));
	TEXT("x: expected 3 in dimension 0, given 2");
	EXPECT(LORA(y, x, up, I32(index_of, 2), down, 0, 0, 4, y));
	TEXT("indices: expected 3 in dimension 0, given 2");
	EXPECT(LORA(y, x, up, index, F32(a, 2, 2, 3, 5), 0, 0, 4, y));
	TEXT("weightAOptional: expected 2 in dimension 2, given 3");
	EXPECT(LORA(y, x, up, index, F32(a, 2, 2, 2, 4), 0, 0, 4, y));
	TEXT("weightAOptional: expected 5 in dimension 3, given 4");
	EXPECT(LORA(y, x, up, index, F32(a, 1, 2, 2, 5), 0, 0, 4, y));
	EXPECT(LORA(y, x, up, index, NULL, 0, 0, 4, y));
	TEXT("x: expected 2 in dimension 1, given 5");
	EXPECT(LORA(y, x, up, index, down, 2, 0, 4, y));
	TEXT("layerIdx: expected a layer below 2, given 2");
	EXPECT(LORA(y, x, up, index, down, -1, 0, 4, y));
	EXPECT(LORA(y, x, up, index, down, 0, 5, 4, y));
	TEXT("yOffset: expected 0 to 4, given 5");
	EXPECT(LORA(y, x, up, index, down, 0, -1, 4, y));
	EXPECT(LORA(y, x, up, index, down, 0, 0, 8, y));
	TEXT("ySliceSize: expected the columns of weightB, 4, given 8");
	EXPECT(LORA(F32(out, 3, 2), x, up, index, down, 0, 0, 4, F32(out, 3, 2)));
	TEXT("weightB: expected at most 2 in dimension 2, given 4");
	EXPECT(LORA(y, x, up, index, down, 0, 0, 4, F32(out, 3, 7)));
	TEXT("out: expected 8 in dimension 1, given 7");
	EXPECT(LORA(y, x, up, F32(a, 3), down, 0, 0, 4, y));
	EXPECT(LORA(I32(index_of, 1, 4), F32(a, 1, 5), up, I32(index_of, 1), down,
		    0, 0, 4, F32(out, 1, 4)));
	TEXT("y: expected a floating-point type, given i32");
	return true;
}

const struct test lora_tests[] = {
	{ "adapters of low rank are added", adapters },
	{ "indices of adapters are checked", wrong_indices },
	{ "errors of adapters", adapter_errors },
	{ 0 }
};
