// SPDX-License-Identifier: MIT
/*
 * Gradients of sampling by a grid, of the input and of the coordinates. A part has
 * whole batches, as the coordinates serve all channels.
 */
#include <string.h>

#include "families.h"
#include "grid.h"

enum { GRAD, SELF, GRID };

int ops_grid_backward_infer(struct ops_call *c)
{
	const struct vnpu_tensor *in = &c->l->tensor[SELF], *grid = in + 1;
	int64_t dims[VNPU_TENSOR_DIMS];
	unsigned int i;
	int err;

	err = ops_grid_check(c, SELF);
	if (!err)
		err = ops_need_float(c, GRAD);
	if (err)
		return err;
	memcpy(dims, in->dims, sizeof(dims));
	for (i = 2; i < in->rank; i++)
		dims[i] = grid->dims[i - 1];
	ops_like(&c->out[0], in);
	ops_like(&c->out[1], grid);
	c->out[0].castable = c->out[1].castable = true;
	return ops_need_shape(c, GRAD, in->rank, dims);
}

void ops_grid_backward_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *grad = &job->launch.tensor[GRAD];
	const struct vnpu_tensor *in = &job->launch.tensor[SELF];
	struct ops_grid g;

	if (!in->dims[0])
		return;
	ops_grid_read(job->op, &job->launch, SELF, &g);
	job->scratch = (2 * ops_grid_volume(g.in) +
			ops_grid_volume(g.out) * (2 * g.space + 1)) *
		       sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(grad) * 128.0, in->dims[0]);
}

/* Add the shares of one position: to the elements, and to its coordinates. */
static void add(const struct ops_grid *g, const struct ops_taps *t,
		const double *volume, double grad, double *of_volume,
		double *of_place)
{
	int z, y, x;

	for (z = 0; z < t[0].count; z++)
		for (y = 0; y < t[1].count; y++)
			for (x = 0; x < t[2].count; x++) {
				int64_t at = (t[0].at[z] * g->in[1] +
					      t[1].at[y]) * g->in[2] + t[2].at[x];
				double value;

				if (t[0].at[z] < 0 || t[1].at[y] < 0 ||
				    t[2].at[x] < 0)
					continue;
				of_volume[at] += grad * t[0].weight[z] *
						 t[1].weight[y] * t[2].weight[x];
				value = grad * volume[at];
				of_place[0] += value * t[0].weight[z] *
					       t[1].weight[y] * t[2].slope[x];
				of_place[1] += value * t[0].weight[z] *
					       t[1].slope[y] * t[2].weight[x];
				if (g->space == 3)
					of_place[2] += value * t[0].slope[z] *
						       t[1].weight[y] *
						       t[2].weight[x];
			}
}

int ops_grid_backward_run(const struct vnpu_op_job *job,
			  const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[SELF];
	const struct vnpu_tensor *of_self = ops_out(l, 0), *of_grid = ops_out(l, 1);
	double *volume = w->scratch, *sum, *places, *of_places, *grad;
	int64_t batch, end, channel, i, count, size;
	struct ops_taps taps[OPS_GRID_SPACE];
	struct ops_grid g;

	if (!in->dims[0])
		return 0;
	ops_grid_read(job->op, l, SELF, &g);
	count = ops_grid_volume(g.out);
	size = ops_grid_volume(g.in);
	sum = volume + size;
	places = sum + size;
	of_places = places + count * g.space;
	grad = of_places + count * g.space;
	ops_share(w, in->dims[0], 1, &batch, &end);
	for (; batch < end; batch++) {
		ops_grid_load_places(&l->tensor[GRID], batch, places);
		memset(of_places, 0, count * g.space * sizeof(*of_places));
		for (channel = batch * in->dims[1];
		     channel < (batch + 1) * in->dims[1]; channel++) {
			ops_grid_load(&g, in, channel, volume);
			ops_grid_load(&g, &l->tensor[GRAD], channel, grad);
			memset(sum, 0, size * sizeof(*sum));
			for (i = 0; i < count; i++) {
				ops_grid_taps(&g, places + i * g.space, taps);
				add(&g, taps, volume, grad[i], sum,
				    of_places + i * g.space);
			}
			if (of_self)
				ops_grid_store(&g, of_self, channel, sum);
		}
		if (of_grid)
			ops_grid_store_places(of_grid, batch, of_places);
	}
	return 0;
}
