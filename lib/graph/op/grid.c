// SPDX-License-Identifier: MIT
/*
 * Sampling of planes at positions that a tensor gives. Each position has taps,
 * 1, 4 or 16 neighbours; a tap is an element that indices select, times its
 * weight. Weights are separate for rows and columns.
 */
#include <string.h>

#include "op/op.h"

/**
 * struct grid - a sampling
 * @planes: the input as [batch, height, width, channels]
 * @batch: numbers of the batch, which broadcast with positions
 * @shape: dimensions of the positions: [batch, height, width]
 * @taps: neighbours along a dimension: 1, 2 or 4
 * @reflects: positions outside are reflected
 * @zeros: elements outside are 0
 * @corners: -1 and 1 are the centres of the outermost elements
 */
struct grid {
	struct build_view planes;
	struct build_view batch;
	int64_t shape[3];
	unsigned int taps;
	bool reflects, zeros, corners;
};

static struct build_view temp(struct build *b, const struct grid *g,
			      unsigned int dtype)
{
	return build_temp(b, dtype, 3, g->shape);
}

/* v = v * by + plus */
static void scale(struct build *b, const struct build_view *v, double by,
		  double plus)
{
	struct build_view x = view_number(by), y = view_number(plus);

	build_op3(b, VNPU_OP_ADDCMUL, &y, v, &x, v);
}

static void limit(struct build *b, const struct build_view *v, double low,
		  double high)
{
	struct build_view x = view_number(low), y = view_number(high);

	build_op3(b, VNPU_OP_CLAMP, v, &x, &y, v);
}

/* Reflect positions into a dimension, at its ends or half an element beyond. */
static void reflect(struct build *b, const struct grid *g,
		    const struct build_view *v, int64_t size)
{
	double low = g->corners ? 0 : -0.5;
	double high = g->corners ? size - 1 : size - 0.5;
	struct build_view twice, top = view_number(high - low);

	if (high <= low) {
		scale(b, v, 0, 0);
		return;
	}
	/* |(v - low) mod 2 range - range|, from the other end. */
	twice = view_number(2 * (high - low));
	scale(b, v, 1, -low);
	build_op2(b, VNPU_OP_REMAINDER, v, &twice, v);
	build_op2(b, VNPU_OP_SUB, v, &top, v);
	build_op1(b, VNPU_OP_ABS, v, v);
	scale(b, v, -1, high);
}

/**
 * struct taps - neighbours along a dimension
 * @index: their indices, inside of the dimension
 * @weight: their weights
 */
struct taps {
	struct build_view index[4];
	struct build_view weight[4];
};

/* Weights of four neighbours for the distance @t from the second. */
static void weigh_cubic(struct build *b, const struct grid *g,
			const struct build_view *t, struct taps *taps)
{
	static const double a = -0.75;
	/* Polynomials of the distance, the highest power first. */
	static const double outer[] = { a, -5 * a, 8 * a, -4 * a };
	static const double inner[] = { a + 2, -(a + 3), 0, 1 };
	unsigned int i, k;

	for (i = 0; i < 4; i++) {
		const double *p = i == 0 || i == 3 ? outer : inner;
		struct build_view d = temp(b, g, VNPU_DT_F32), w, c;

		/* Distances: t + 1, t, 1 - t, 2 - t. */
		build_copy(b, t, &d);
		scale(b, &d, i < 2 ? 1 : -1, i == 0 ? 1 : i == 1 ? 0 : i - 1);
		w = temp(b, g, VNPU_DT_F32);
		c = view_number(p[0]);
		build_copy(b, &c, &w);
		for (k = 1; k < 4; k++) {
			c = view_number(p[k]);
			build_op3(b, VNPU_OP_ADDCMUL, &c, &w, &d, &w);
		}
		taps->weight[i] = w;
	}
}

static void weigh(struct build *b, const struct grid *g,
		  const struct build_view *t, struct taps *taps)
{
	struct build_view one = view_number(1);

	if (g->taps == 4) {
		weigh_cubic(b, g, t, taps);
		return;
	}
	if (g->taps == 1) {
		taps->weight[0] = temp(b, g, VNPU_DT_F32);
		build_copy(b, &one, &taps->weight[0]);
		return;
	}
	taps->weight[0] = temp(b, g, VNPU_DT_F32);
	build_op2(b, VNPU_OP_SUB, &one, t, &taps->weight[0]);
	taps->weight[1] = *t;
}

/* Find the neighbours of positions from -1 to 1. */
static void find_taps(struct build *b, const struct grid *g,
		      const struct build_view *grid, int64_t size,
		      struct taps *taps)
{
	struct build_view at = temp(b, g, VNPU_DT_F32), t, is;
	struct build_view first = temp(b, g, VNPU_DT_F32);
	unsigned int i;

	build_copy(b, grid, &at);
	if (g->corners)
		scale(b, &at, (size - 1) / 2.0, (size - 1) / 2.0);
	else
		scale(b, &at, size / 2.0, (size - 1) / 2.0);
	if (g->taps < 4 && g->reflects)
		reflect(b, g, &at, size);
	if (g->taps < 4 && !g->zeros)
		limit(b, &at, 0, size - 1);
	build_op1(b, g->taps == 1 ? VNPU_OP_ROUND : VNPU_OP_FLOOR, &at, &first);
	t = temp(b, g, VNPU_DT_F32);
	build_op2(b, VNPU_OP_SUB, &at, &first, &t);
	weigh(b, g, &t, taps);
	for (i = 0; i < g->taps; i++) {
		struct build_view p = temp(b, g, VNPU_DT_F32), in;

		build_copy(b, &first, &p);
		scale(b, &p, 1, (int)i - (g->taps == 4));
		if (g->taps == 4 && g->reflects)
			reflect(b, g, &p, size);
		in = temp(b, g, VNPU_DT_F32);
		build_copy(b, &p, &in);
		limit(b, &in, 0, size - 1);
		if (g->zeros) {
			is = temp(b, g, VNPU_DT_BOOL);
			build_op2(b, VNPU_OP_EQ, &in, &p, &is);
			p = temp(b, g, VNPU_DT_F32);
			build_op2(b, VNPU_OP_MUL, &taps->weight[i], &is, &p);
			taps->weight[i] = p;
		}
		taps->index[i] = temp(b, g, VNPU_DT_I64);
		build_copy(b, &in, &taps->index[i]);
	}
}

/* Add all taps to the result, [batch, height, width, channels]. */
static void add_taps(struct build *b, const struct grid *g,
		     const struct taps *rows, const struct taps *columns,
		     const struct build_view *out)
{
	struct build_view zero = view_number(0), w, element;
	unsigned int i, k;

	build_copy(b, &zero, out);
	for (i = 0; i < g->taps; i++) {
		for (k = 0; k < g->taps; k++) {
			element = build_temp_like(b, out);
			build_begin(b, VNPU_OP_INDEX);
			build_end(b, 4, 1, &g->planes, &g->batch,
				  &rows->index[i], &columns->index[k],
				  &element);
			w = temp(b, g, VNPU_DT_F32);
			build_op2(b, VNPU_OP_MUL, &rows->weight[i],
				  &columns->weight[k], &w);
			view_insert(&w, 3, 1);
			build_op3(b, VNPU_OP_ADDCMUL, out, &element, &w, out);
		}
	}
}

int op_grid_sample(struct build *b)
{
	static const unsigned int channels_last[] = { 0, 2, 3, 1 };
	const char *mode = build_attr_text(b, "mode", "bilinear");
	const char *padding = build_attr_text(b, "padding_mode", "zeros");
	struct build_view x = build_in(b, 0), grid = build_in(b, 1), y, at[2];
	struct grid g = {
		.taps = *mode == 'n' ? 1 : !strcmp(mode, "bicubic") ? 4 : 2,
		.reflects = *padding == 'r',
		.zeros = *padding == 'z',
		.corners = build_attr_int(b, "align_corners", 0),
	};
	struct taps rows, columns;
	int64_t dims[4];
	unsigned int i;

	if (op_need_rank(b, 0, &x, 4, 4) || op_need_rank(b, 1, &grid, 4, 4))
		return b->g->err;
	if (grid.t.dims[3] != 2 || grid.t.dims[0] != x.t.dims[0] ||
	    x.t.dtype != VNPU_DT_F32 || !x.t.dims[2] || !x.t.dims[3])
		return build_fail(b, "expected planes of f32, and two numbers for each position");
	dims[0] = x.t.dims[0];
	dims[1] = x.t.dims[1];
	dims[2] = grid.t.dims[1];
	dims[3] = grid.t.dims[2];
	y = build_out(b, 0, x.t.dtype, 4, dims);
	if (build_infers(b))
		return b->g->err;
	memcpy(g.shape, grid.t.dims, sizeof(g.shape));
	g.planes = x;
	view_permute(&g.planes, channels_last);
	dims[1] = dims[2] = 1;
	g.batch = build_temp(b, VNPU_DT_I64, 3, dims);
	build_begin(b, VNPU_OP_ARANGE);
	build_end(b, 0, 1, &g.batch);
	for (i = 0; i < 2; i++) {
		at[i] = grid;
		view_slice(&at[i], 3, i, 1, 1);
		view_remove(&at[i], 3);
	}
	find_taps(b, &g, &at[1], x.t.dims[2], &rows);
	find_taps(b, &g, &at[0], x.t.dims[3], &columns);
	view_permute(&y, channels_last);
	add_taps(b, &g, &rows, &columns, &y);
	return b->g->err;
}
