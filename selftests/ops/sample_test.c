// SPDX-License-Identifier: GPL-2.0-only
/* Sampling by a grid, its gradients, and the gradient of im2col. */
#include <math.h>
#include <string.h>

#include "ops_test.h"

/* A launch of grid_sample, in three dimensions. */
struct grid {
	int64_t in[3], out[3], channels;
	int space, mode, padding;
	bool corners;
};

static double kernel(int mode, double x)
{
	x = fabs(x);
	if (mode == 0)
		return fmax(0, 1 - x);
	return x < 1 ? (1.25 * x - 2.25) * x * x + 1 :
	       x < 2 ? ((-0.75 * x + 3.75) * x - 6) * x + 3 : 0;
}

/* Move a place inside by one step at a time. */
static double inside(const struct grid *g, double at, int64_t size)
{
	double low = g->corners ? 0 : -0.5, high = size - 1 - low;

	if (g->padding == 2 && high <= low)
		at = 0;
	while (g->padding == 2 && (at < low || at > high))
		at = at < low ? 2 * low - at : 2 * high - at;
	return g->padding ? fmin(fmax(at, 0), size - 1) : at;
}

/* The weight of element @i of a dimension for a coordinate. */
static double weight(const struct grid *g, double coordinate, int64_t size,
		     int64_t i)
{
	double at = g->corners ? (coordinate + 1) / 2 * (size - 1) :
				 ((coordinate + 1) * size - 1) / 2, sum = 0;
	int64_t k;

	if (g->mode != 2)
		at = inside(g, at, size);
	if (g->mode == 1)
		return nearbyint(at) == i;
	if (g->mode == 0)
		return kernel(0, at - i);
	for (k = floor(at) - 1; k <= floor(at) + 2; k++)
		if (inside(g, k, size) == i)
			sum += kernel(2, at - k);
	return sum;
}

/* The value of channel @channel at position @p of the output. */
static double want(const struct grid *g, const struct vnpu_tensor *x,
		   const double *place, int64_t channel)
{
	double sum = 0;
	int64_t d, h, w;

	for (d = 0; d < g->in[0]; d++)
		for (h = 0; h < g->in[1]; h++)
			for (w = 0; w < g->in[2]; w++)
				sum += (g->space == 3 ?
					weight(g, place[2], g->in[0], d) : 1) *
				       weight(g, place[1], g->in[1], h) *
				       weight(g, place[0], g->in[2], w) *
				       get(x, ((channel * g->in[0] + d) *
					       g->in[1] + h) * g->in[2] + w);
	return sum;
}

static void random_grid(struct grid *g, struct vnpu_tensor *x,
			struct vnpu_tensor *places, unsigned int dtype)
{
	int64_t dims[5] = { 2 }, grid[5] = { 2 };
	int i;

	memset(g, 0, sizeof(*g));
	g->space = 2 + below(2);
	g->mode = below(g->space == 2 ? 3 : 2);
	g->padding = below(3);
	g->corners = below(2);
	g->channels = dims[1] = 1 + below(3);
	g->in[0] = g->out[0] = 1;
	for (i = 0; i < g->space; i++) {
		dims[2 + i] = g->in[3 - g->space + i] = 1 + below(4);
		grid[1 + i] = g->out[3 - g->space + i] = 1 + below(4);
	}
	grid[1 + i] = g->space;
	*x = dtype ? view(dtype, below(LAYOUTS), 2 + i, dims) :
		     random_view(2 + i, dims);
	*places = view(VNPU_DT_F64, below(LAYOUTS), 2 + i, grid);
	if (dtype)
		fill(x, -2, 2);
	fill(places, -1.6, 1.6);
}

static void set_grid(struct vnpu_op_launch *l, const struct grid *g)
{
	vnpu_op_set_int(l, 0, g->mode);
	vnpu_op_set_int(l, 1, g->padding);
	vnpu_op_set_int(l, 2, g->corners);
}

static bool test_grid(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		struct vnpu_tensor x, places;
		struct vnpu_op_launch l;
		int64_t i, count;
		struct grid g;

		random_grid(&g, &x, &places, 0);
		count = g.out[0] * g.out[1] * g.out[2];
		launch(&l, VNPU_OP_GRID_SAMPLE, 2, 1, &x, &places, NULL);
		set_grid(&l, &g);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < 2 * g.channels * count; i++) {
			int64_t batch = i / count / g.channels, k;
			double place[3];

			for (k = 0; k < g.space; k++)
				place[k] = get(&places, (batch * count +
					i % count) * g.space + k);
			EXPECT(is_near(&l.tensor[2], i,
				       want(&g, &x, place, i / count), 12));
		}
	}
	return true;
}

/* Coordinates that are no numbers, or far away, select nothing or the edge. */
static bool test_grid_outside(void)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300 };
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 1, 1, 3, 3);
	struct vnpu_tensor places = VIEW(VNPU_DT_F64, CONTIGUOUS, 1, 1, 5, 2);
	struct vnpu_op_launch l;
	struct grid g = { 0 };
	int64_t i;

	fill(&x, 1, 2);
	for (i = 0; i < 10; i++)
		set(&places, i, i % 2 ? 0 : odd[i / 2]);
	for (g.mode = 0; g.mode < 3; g.mode++)
		for (g.padding = 0; g.padding < 3; g.padding++) {
			launch(&l, VNPU_OP_GRID_SAMPLE, 2, 1, &x, &places, NULL);
			set_grid(&l, &g);
			EXPECT(make_outputs(&l) && run(&l));
			for (i = 0; g.padding == 0 && i < 5; i++)
				EXPECT(get(&l.tensor[2], i) == 0);
			EXPECT(g.padding != 1 ||
			       is_near(&l.tensor[2], 1, get(&x, 5), 2));
		}
	return true;
}

/* How a position's share of the loss grows with one of its coordinates. */
static double slope(const struct grid *g, const struct vnpu_tensor *x,
		    const struct vnpu_tensor *grad, double *place, int axis,
		    int64_t batch, int64_t at, int64_t count)
{
	const double step = 1e-6;
	double before = place[axis], sum = 0;
	int64_t c;

	for (c = batch * g->channels; c < (batch + 1) * g->channels; c++) {
		double high, low;

		place[axis] = before + step;
		high = want(g, x, place, c);
		place[axis] = before - step;
		low = want(g, x, place, c);
		place[axis] = before;
		sum += get(grad, c * count + at) * (high - low) / (2 * step);
	}
	return sum;
}

/* Check whether a coordinate is so near to an element that the slope changes there. */
static bool is_kink(const struct grid *g, double coordinate, int64_t size)
{
	double at = g->corners ? (coordinate + 1) / 2 * (size - 1) :
				 ((coordinate + 1) * size - 1) / 2;

	return fabs(2 * at - nearbyint(2 * at)) < 1e-3;
}

static bool test_grid_gradient(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		struct vnpu_tensor x, places, grad, out;
		double place[3], a = 0, b = 0;
		struct vnpu_op_launch l;
		int64_t i, k, count;
		struct grid g;

		random_grid(&g, &x, &places, VNPU_DT_F64);
		count = g.out[0] * g.out[1] * g.out[2];
		launch(&l, VNPU_OP_GRID_SAMPLE, 2, 1, &x, &places, NULL);
		set_grid(&l, &g);
		EXPECT(make_outputs(&l) && !vnpu_op_compute(&l, NULL));
		out = l.tensor[2];
		grad = view(VNPU_DT_F64, below(LAYOUTS), out.rank, out.dims);
		fill(&grad, -1, 1);
		launch(&l, VNPU_OP_GRID_SAMPLE_BACKWARD, 3, 2, &grad, &x, &places,
		       NULL, NULL);
		set_grid(&l, &g);
		EXPECT(make_outputs(&l) && run(&l));
		/* By the adjoint for the input, by differences for the grid. */
		for (i = 0; i < vnpu_tensor_elements(&out); i++)
			a += get(&out, i) * get(&grad, i);
		for (i = 0; i < vnpu_tensor_elements(&x); i++)
			b += get(&x, i) * get(&l.tensor[3], i);
		EXPECT(fabs(a - b) < 1e-6 * (1 + fabs(a)));
		for (i = 0; i < 2 * count * g.space; i++) {
			int64_t at = i / g.space, axis = i % g.space;
			double is = get(&l.tensor[4], i);

			for (k = 0; k < g.space; k++)
				place[k] = get(&places, at * g.space + k);
			EXPECT(is_kink(&g, place[axis], g.in[2 - axis]) ||
			       fabs(is - slope(&g, &x, &grad, place, axis,
					       at / count, at % count, count)) <
			       1e-4 * (1 + fabs(is)));
		}
	}
	return true;
}

/* The adjoint of im2col. */
static bool test_col2im(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t in[4] = { 1 + below(2), 1 + below(3), 3 + below(6),
				  3 + below(6) };
		int64_t k[2] = { 1 + below(3), 1 + below(3) }, i;
		int64_t stride[2] = { 1 + below(2), 1 + below(2) };
		int64_t pad[2] = { below(4), below(4) };
		struct vnpu_tensor x = view(VNPU_DT_F64, CONTIGUOUS, 4, in), g;
		struct vnpu_op_launch l, b;
		double p = 0, q = 0;

		fill(&x, -2, 2);
		launch(&l, VNPU_OP_IM2COL, 1, 1, &x, NULL);
		vnpu_op_set_ints(&l, 0, stride, 2);
		vnpu_op_set_ints(&l, 1, pad, 2);
		vnpu_op_set_ints(&l, 3, k, 2);
		EXPECT(make_outputs(&l) && !vnpu_op_compute(&l, NULL));
		g = view(VNPU_DT_F64, below(LAYOUTS), 3, l.tensor[1].dims);
		fill(&g, -2, 2);
		launch(&b, VNPU_OP_COL2IM, 1, 1, &g, NULL);
		vnpu_op_set_ints(&b, 0, stride, 2);
		vnpu_op_set_ints(&b, 1, pad, 2);
		vnpu_op_set_ints(&b, 3, k, 2);
		vnpu_op_set_ints(&b, 4, in + 2, 2);
		EXPECT(make_outputs(&b) && run(&b));
		for (i = 0; i < vnpu_tensor_elements(&g); i++)
			p += get(&l.tensor[1], i) * get(&g, i);
		for (i = 0; i < vnpu_tensor_elements(&x); i++)
			q += get(&x, i) * get(&b.tensor[1], i);
		EXPECT(fabs(p - q) < 1e-9 * (1 + fabs(p)));
	}
	return true;
}

const struct test sample_tests[] = {
	{ "grid_sample", test_grid },
	{ "grid_sample_outside", test_grid_outside },
	{ "grid_sample_gradient", test_grid_gradient },
	{ "col2im", test_col2im },
	{ }
};
