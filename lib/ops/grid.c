// SPDX-License-Identifier: MIT
/*
 * Images and volumes at places that a grid names. The input is [N, C, (D,) H, W],
 * and the grid [N, (D,) H, W, 2 or 3] has coordinates from -1 to 1, that of the last
 * dimension first.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "grid.h"
#include "vec/vec.h"

enum { MODE, PADDING, CORNERS };

void ops_grid_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		   unsigned int self, struct ops_grid *g)
{
	const struct vnpu_tensor *in = &l->tensor[self], *grid = in + 1;
	unsigned int i;

	g->space = in->rank - 2;
	for (i = 0; i < OPS_GRID_SPACE; i++)
		g->in[i] = g->out[i] = 1;
	for (i = 0; i < g->space; i++) {
		g->in[OPS_GRID_SPACE - 1 - i] = in->dims[in->rank - 1 - i];
		g->out[OPS_GRID_SPACE - 1 - i] = grid->dims[g->space - i];
	}
	g->mode = ops_int(op, l, MODE);
	g->padding = ops_int(op, l, PADDING);
	g->corners = ops_int(op, l, CORNERS);
}

int ops_grid_check(struct ops_call *c, unsigned int self)
{
	const struct vnpu_tensor *in = &c->l->tensor[self], *grid = in + 1;
	int64_t mode = CALL_INT(c, MODE), padding = CALL_INT(c, PADDING);
	unsigned int i;
	int err;

	err = ops_need_rank(c, self, 4, 5);
	if (!err)
		err = ops_need_rank(c, self + 1, in->rank, in->rank);
	for (i = self; !err && i < self + 2; i++)
		err = ops_need_float(c, i);
	if (err)
		return err;
	if (grid->dims[0] != in->dims[0] ||
	    grid->dims[grid->rank - 1] != in->rank - 2)
		return ops_fail(c, self + 1, -EINVAL,
				"expected %lld batches of %u coordinates, given shape %s",
				(long long)in->dims[0], in->rank - 2,
				OPS_TDIMS(grid));
	if (mode < 0 || mode > (in->rank == 4 ? 2 : 1))
		return ops_fail(c, -1, -EINVAL, "mode: expected 0 to %d, given %lld",
				in->rank == 4 ? 2 : 1, (long long)mode);
	if (padding < 0 || padding > 2)
		return ops_fail(c, -1, -EINVAL,
				"padding: expected 0 to 2, given %lld",
				(long long)padding);
	for (i = 2; i < in->rank; i++)
		if (!in->dims[i] || in->dims[i] >= (int64_t)1 << 31)
			return ops_fail(c, self, -EINVAL,
					"a size of %lld is not possible",
					(long long)in->dims[i]);
	return 0;
}

int ops_grid_infer(struct ops_call *c)
{
	const struct vnpu_tensor *in = &c->l->tensor[0], *grid = in + 1;
	unsigned int i;
	int err;

	err = ops_grid_check(c, 0);
	if (err)
		return err;
	ops_like(&c->out[0], in);
	c->out[0].castable = true;
	for (i = 2; i < in->rank; i++)
		c->out[0].dims[i] = grid->dims[i - 1];
	return 0;
}

void ops_grid_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *in = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct ops_grid g;

	if (!vnpu_tensor_elements(out))
		return;
	ops_grid_read(job->op, &job->launch, 0, &g);
	job->scratch = (ops_grid_volume(g.in) +
			ops_grid_volume(g.out) * (g.space + 1)) * sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(out) * 64.0,
			       in->dims[0] * in->dims[1]);
}

/* Call the loads or stores of the rows of volume @number: [N, C, (D,) H, W]. */
static uint8_t *row_at(const struct ops_grid *g, const struct vnpu_tensor *t,
		       int64_t number, int64_t row)
{
	int64_t at = number / t->dims[1] * t->strides[0] +
		     number % t->dims[1] * t->strides[1];
	unsigned int last = t->rank - 1;
	int64_t height = t->dims[last - 1];

	at += row % height * t->strides[last - 1];
	if (g->space == 3)
		at += row / height * t->strides[2];
	return ops_data(t) + at * ops_size(t->dtype);
}

static int64_t rows_of(const struct ops_grid *g, const struct vnpu_tensor *t)
{
	return (g->space == 3 ? t->dims[2] : 1) * t->dims[t->rank - 2];
}

void ops_grid_load(const struct ops_grid *g, const struct vnpu_tensor *t,
		   int64_t number, double *to)
{
	unsigned int last = t->rank - 1;
	int64_t row, rows = rows_of(g, t);

	for (row = 0; row < rows; row++)
		ops_vec->load[t->dtype][OPS_D](to + row * t->dims[last],
			row_at(g, t, number, row), t->strides[last],
			t->dims[last]);
}

void ops_grid_store(const struct ops_grid *g, const struct vnpu_tensor *t,
		    int64_t number, const double *from)
{
	unsigned int last = t->rank - 1;
	int64_t row, rows = rows_of(g, t);

	for (row = 0; row < rows; row++)
		ops_vec->store[OPS_D][t->dtype](row_at(g, t, number, row),
			t->strides[last], from + row * t->dims[last],
			t->dims[last]);
}

/* The coordinates of position @at of a batch: [N, (D,) H, W, coordinates]. */
static uint8_t *place_at(const struct vnpu_tensor *t, int64_t batch, int64_t at)
{
	int64_t offset = batch * t->strides[0];
	unsigned int i;

	for (i = t->rank - 1; --i;) {
		offset += at % t->dims[i] * t->strides[i];
		at /= t->dims[i];
	}
	return ops_data(t) + offset * ops_size(t->dtype);
}

static int64_t places_of(const struct vnpu_tensor *t)
{
	int64_t count = 1;
	unsigned int i;

	for (i = 1; i + 1 < t->rank; i++)
		count *= t->dims[i];
	return count;
}

void ops_grid_load_places(const struct vnpu_tensor *t, int64_t batch, double *to)
{
	int64_t space = t->dims[t->rank - 1], i, count = places_of(t);

	for (i = 0; i < count; i++)
		ops_vec->load[t->dtype][OPS_D](to + i * space,
			place_at(t, batch, i), t->strides[t->rank - 1], space);
}

void ops_grid_store_places(const struct vnpu_tensor *t, int64_t batch,
			   const double *from)
{
	int64_t space = t->dims[t->rank - 1], i, count = places_of(t);

	for (i = 0; i < count; i++)
		ops_vec->store[OPS_D][t->dtype](place_at(t, batch, i),
			t->strides[t->rank - 1], from + i * space, space);
}

/* The weighted sum of the elements that a position selects. */
static double sample(const struct ops_grid *g, const struct ops_taps *t,
		     const double *volume)
{
	double sum = 0;
	int z, y, x;

	for (z = 0; z < t[0].count; z++)
		for (y = 0; y < t[1].count; y++)
			for (x = 0; x < t[2].count; x++)
				if (t[0].at[z] >= 0 && t[1].at[y] >= 0 &&
				    t[2].at[x] >= 0)
					sum += t[0].weight[z] *
					       t[1].weight[y] * t[2].weight[x] *
					       volume[(t[0].at[z] * g->in[1] +
						       t[1].at[y]) * g->in[2] +
						      t[2].at[x]];
	return sum;
}

int ops_grid_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[0], *out = ops_out(l, 0);
	int64_t number, end, i, count, loaded = -1;
	double *volume = w->scratch, *places, *made;
	struct ops_taps taps[OPS_GRID_SPACE];
	struct ops_grid g;

	if (!vnpu_tensor_elements(out))
		return 0;
	ops_grid_read(job->op, l, 0, &g);
	count = ops_grid_volume(g.out);
	places = volume + ops_grid_volume(g.in);
	made = places + count * g.space;
	ops_share(w, in->dims[0] * in->dims[1], 1, &number, &end);
	for (; number < end; number++) {
		if (number / in->dims[1] != loaded) {
			loaded = number / in->dims[1];
			ops_grid_load_places(&l->tensor[1], loaded, places);
		}
		ops_grid_load(&g, in, number, volume);
		for (i = 0; i < count; i++) {
			ops_grid_taps(&g, places + i * g.space, taps);
			made[i] = sample(&g, taps, volume);
		}
		ops_grid_store(&g, out, number, made);
	}
	return 0;
}
