// SPDX-License-Identifier: MIT
/*
 * Convolutions with one input channel in each group, such as depthwise ones. As
 * products they would be tiny, so a plane of the input is copied with its padding,
 * and each element of the window adds a shifted plane to the result. Positions
 * that a stride leaves out are computed, too: lines stay whole.
 */
#include <string.h>

#include "conv.h"

enum { ROW = 1, COLUMN };

/**
 * struct geometry - planes
 * @span: lines and columns from the first to the last position
 * @size: lines and columns of the padded plane
 * @count: elements from the first to the last position
 */
struct geometry {
	int64_t span[OPS_SPACE];
	int64_t size[OPS_SPACE];
	int64_t count;
};

/* Elements that a padded plane may have besides four times those of the input. */
#define PADDING	4096

static void measure_plane(const struct ops_window *g, struct geometry *m)
{
	int d;

	for (d = ROW; d <= COLUMN; d++) {
		m->span[d] = (g->out[d] - 1) * g->stride[d] + 1;
		m->size[d] = m->span[d] + (g->kernel[d] - 1) * g->dilation[d];
	}
}

/* Check whether a plane with its padding is not much larger than without. */
static bool is_dense(const struct ops_window *g)
{
	struct geometry m;

	/* A product of the sizes could overflow. */
	measure_plane(g, &m);
	return m.size[ROW] <= (4 * g->in[ROW] * g->in[COLUMN] + PADDING) /
			      m.size[COLUMN];
}

static void measure(const struct ops_window *g, struct geometry *m)
{
	measure_plane(g, m);
	m->count = (m->span[ROW] - 1) * m->size[COLUMN] + m->span[COLUMN];
}

bool ops_conv_has_planes(const struct ops_conv *v)
{
	const struct ops_window *g = &v->g;

	return v->in_channels == 1 && v->groups > 1 && !g->transposed &&
	       !v->is_packed &&
	       v->product.class == OPS_F && g->kernel[0] == 1 &&
	       g->out[0] == 1 && g->in[0] == 1 && g->stride[0] == 1 &&
	       g->pad[0] == 0 && g->out[ROW] > 0 && g->out[COLUMN] > 0 &&
	       g->kernel[ROW] * g->kernel[COLUMN] <= OPS_CONV_ELEMENTS &&
	       g->stride[ROW] <= 4 && g->stride[COLUMN] <= 4 &&
	       g->stride[ROW] * g->stride[COLUMN] <= 4 && is_dense(g);
}

size_t ops_conv_planes_scratch(const struct ops_conv *v)
{
	struct geometry m;

	measure(&v->g, &m);
	return (m.size[ROW] * m.size[COLUMN] + m.count +
		OPS_CONV_ELEMENTS + v->g.out[COLUMN]) * sizeof(float);
}

/* Copy a plane of the input, with zeros around it. */
static void load_plane(const struct ops_conv *v, const struct geometry *m,
		       const uint8_t *from, float *to)
{
	const struct ops_factor *f = &v->product.right;
	const struct ops_window *g = &v->g;
	int64_t width = m->size[COLUMN], left = g->pad[COLUMN], y;
	int64_t inside = width - left < g->in[COLUMN] ? width - left :
							 g->in[COLUMN];

	memset(to, 0, m->size[ROW] * width * sizeof(*to));
	for (y = 0; y < g->in[ROW] && y + g->pad[ROW] < m->size[ROW] &&
	     inside > 0; y++)
		f->load(to + (y + g->pad[ROW]) * width + left,
			from + y * v->in_space[ROW],
			v->in_space[COLUMN] / f->size, inside);
}

/* Load the weight of an output channel. */
static void load_window(const struct ops_conv *v, const uint8_t *from,
			float *to)
{
	const struct ops_factor *f = &v->product.left;
	const int64_t *kernel = v->g.kernel, *space = v->weight_space;
	int64_t y;

	for (y = 0; y < kernel[ROW]; y++)
		f->load(to + y * kernel[COLUMN], from + y * space[ROW],
			space[COLUMN] / f->size, kernel[COLUMN]);
}

/* Sum the shifted planes, each with its weight. */
static void sum_planes(const struct ops_conv *v, const struct geometry *m,
		       const float *plane, const float *weight, float bias,
		       float *sum)
{
	const struct ops_window *g = &v->g;
	int64_t at[OPS_CONV_ELEMENTS], y, x;
	unsigned int count = 0;

	for (y = 0; y < g->kernel[ROW]; y++)
		for (x = 0; x < g->kernel[COLUMN]; x++)
			at[count++] = x * g->dilation[COLUMN] +
				      y * g->dilation[ROW] * m->size[COLUMN];
	ops_vec->plane->taps(sum, plane, at, weight, count, bias, m->count);
}

static void store_plane(const struct ops_conv *v, const struct geometry *m,
			const float *sum, uint8_t *to, float *line)
{
	const struct ops_product *p = &v->product;
	const struct ops_finish end = { 1, 1, p->least, p->most };
	const struct ops_window *g = &v->g;
	bool plain = p->out_column == 1 &&
		     p->store == ops_vec->store[OPS_F][VNPU_DT_F32];
	int64_t n = g->out[COLUMN], y;

	for (y = 0; y < g->out[ROW]; y++, to += v->out_space[ROW]) {
		const float *from = sum + y * g->stride[ROW] * m->size[COLUMN];

		if (g->stride[COLUMN] != 1) {
			ops_vec->load[VNPU_DT_F32][OPS_F](line, from,
							  g->stride[COLUMN], n);
			from = line;
		}
		ops_vec->gemm[OPS_F].finish(&end, NULL, false, from,
					    plain ? (void *)to : line, n);
		if (!plain)
			p->store(to, p->out_column, line, n);
	}
}

void ops_conv_run_planes(const struct vnpu_op_job *job,
			 const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	const struct vnpu_op_launch *l = &job->launch;
	const struct ops_product *p = &v->product;
	struct geometry m;
	float *plane = w->scratch, *sum, *weight, *line, bias;
	int64_t at, end, k;

	measure(&v->g, &m);
	sum = plane + m.size[ROW] * m.size[COLUMN];
	weight = sum + m.count;
	line = weight + OPS_CONV_ELEMENTS;
	ops_share(w, v->batches * v->groups, 1, &at, &end);
	for (; at < end; at++) {
		int64_t batch = at / v->groups, group = at % v->groups;

		load_plane(v, &m, ops_data(&l->tensor[0]) +
			   batch * v->in_batch + group * v->in_channel, plane);
		for (k = 0; k < v->out_channels; k++) {
			int64_t channel = group * v->out_channels + k;

			bias = 0;
			if (p->bias_load)
				p->bias_load(&bias, ops_data(&l->tensor[2]) +
					     channel * p->bias_row, 1, 1);
			load_window(v, ops_data(&l->tensor[1]) +
				    channel * v->weight_out, weight);
			sum_planes(v, &m, plane, weight, bias, sum);
			store_plane(v, &m, sum, ops_data(ops_out(l, 0)) +
				    batch * v->out_batch +
				    channel * v->out_channel, line);
		}
	}
}
