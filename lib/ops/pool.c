// SPDX-License-Identifier: MIT
/* Rows of pooling: the largest element of each window, or their mean. See plane.c. */
#include <math.h>

#include "plane.h"
#include "vec/vec.h"

/* The most elements of a window, in a dimension, that max_values() takes. */
#define MOST_KERNEL	16

/* Elements from the first to the last one of the windows of a dimension. */
static int64_t span_of(const struct ops_axis *a)
{
	return (a->out - 1) * a->stride + 1 + (a->kernel - 1) * a->dilation;
}

/* Check whether windows are small, and lie mostly in the plane. */
static bool has_values(const struct vnpu_op_launch *l, const struct ops_axis *a)
{
	return l->op == VNPU_OP_MAX_POOL2D && !ops_out(l, 1) &&
	       a[0].kernel <= MOST_KERNEL && a[1].kernel <= MOST_KERNEL &&
	       span_of(&a[1]) <= 4 * a[1].in + 64;
}

/* Set @n elements, of windows that are @step apart; see struct ops_plane. */
static void set_most(float *to, const float *from, const int64_t *at,
		     unsigned int count, int64_t step, int64_t n, float *room)
{
	const struct ops_plane *plane = ops_vec->plane;

	if (count && count <= 3) {
		/* The last one twice changes nothing. */
		plane->most3(to, from + at[0], from + at[count > 1],
			     from + at[count - 1], step, n);
	} else if (step == 1) {
		plane->most(to, from, at, count, n);
	} else {
		plane->most(room, from, at, count, (n - 1) * step + 1);
		ops_vec->load[VNPU_DT_F32][OPS_F](to, room, step, n);
	}
}

/*
 * Compute a row without positions: first the most of each column, with padding
 * around them, then of the window's columns. @columns has room for two such lines.
 */
static void max_values(const struct ops_axis *a, const float *plane, int64_t y,
		       float *to, float *columns)
{
	int64_t at[MOST_KERNEL], span = span_of(&a[1]), end, i, r;
	unsigned int count = 0;

	for (i = 0; i < a[0].kernel; i++) {
		r = y * a[0].stride - a[0].before + i * a[0].dilation;
		if (r >= 0 && r < a[0].in)
			at[count++] = r * a[1].in;
	}
	end = a[1].before + a[1].in < span ? a[1].before + a[1].in : span;
	for (i = 0; i < a[1].before && i < span; i++)
		columns[i] = -INFINITY;
	if (a[1].before < end)
		set_most(columns + a[1].before, plane, at, count, 1,
			 end - a[1].before, NULL);
	for (i = end; i < span; i++)
		columns[i] = -INFINITY;
	for (i = 0; i < a[1].kernel; i++)
		at[i] = i * a[1].dilation;
	set_most(to, columns, at, a[1].kernel, a[1].stride, a[1].out,
		 columns + span);
}

static void max_row(const struct ops_axis *a, const float *plane, int64_t y,
		    float *to, int64_t *where)
{
	int64_t x, i, k;

	for (x = 0; x < a[1].out; x++) {
		float most = -INFINITY;

		where[x] = -1;
		for (i = 0; i < a[0].kernel; i++) {
			int64_t r = y * a[0].stride - a[0].before +
				    i * a[0].dilation;

			if (r < 0 || r >= a[0].in)
				continue;
			for (k = 0; k < a[1].kernel; k++) {
				int64_t s = x * a[1].stride - a[1].before +
					    k * a[1].dilation;
				float v;

				if (s < 0 || s >= a[1].in)
					continue;
				v = plane[r * a[1].in + s];
				if (where[x] < 0 || v > most ||
				    (v != v && most == most)) {
					most = v;
					where[x] = r * a[1].in + s;
				}
			}
		}
		to[x] = most;
	}
}

int64_t ops_pool_room(const struct vnpu_op_launch *l, const struct ops_axis *a)
{
	return has_values(l, a) ? 2 * span_of(&a[1]) : 0;
}

void ops_pool_most(const struct vnpu_op_job *job, const struct ops_axis *a,
		   const float *plane, int64_t y, float *to, int64_t *where)
{
	if (has_values(&job->launch, a))
		max_values(a, plane, y, to, to + a[1].out);
	else
		max_row(a, plane, y, to, where);
}

/*
 * Find the windows that have their element @k in the plane: their positions are from
 * *@from to below *@end.  Return the place of this element for the first of them.
 */
static int64_t find_inside(const struct ops_axis *a, int64_t k, int64_t *from,
			   int64_t *end)
{
	int64_t first = k * a->dilation - a->before;

	*from = first < 0 ? (a->stride - 1 - first) / a->stride : 0;
	*end = first < a->in ? (a->in - 1 - first) / a->stride + 1 : 0;
	if (*end > a->out)
		*end = a->out;
	if (*end < *from)
		*end = *from;
	return first + *from * a->stride;
}

void ops_pool_count(const struct vnpu_op_job *job, const struct ops_axis *a,
		    double *count)
{
	int64_t divisor = JOB_INT(job, OPS_POOL_DIVISOR), x, left, right;
	bool cut = !JOB_INT(job, OPS_POOL_INCLUDES);

	for (x = 0; x < a[1].out; x++)
		count[x] = divisor ? divisor :
				     ops_axis_range(&a[1], x, cut, &left, &right);
}

/* Rows with fewer windows are summed window by window. */
#define WINDOWS	4

static void sum_windows(const struct ops_axis *a, const float *row, double *sum)
{
	int64_t x, s, left, right;

	for (x = 0; x < a[1].out; x++) {
		ops_axis_range(&a[1], x, true, &left, &right);
		for (s = left; s < right; s++)
			sum[x] += row[s];
	}
}

static void sum_row(const struct ops_axis *a, const float *row, double *sum)
{
	/* These windows have no gaps. */
	struct ops_axis dense = a[1];
	int64_t i, from, end, at;

	dense.dilation = 1;
	for (i = 0; i < dense.kernel; i++) {
		at = find_inside(&dense, i, &from, &end);
		if (from < end)
			ops_vec->plane->sum(sum + from, row + at, dense.stride,
					    end - from);
	}
}

/* The elements of a window are added one after the other. */
void ops_pool_mean(const struct vnpu_op_job *job, const struct ops_axis *a,
		   const float *plane, int64_t y, float *to, double *sum)
{
	bool cut = !JOB_INT(job, OPS_POOL_INCLUDES);
	int64_t x, r, top, bottom;
	int64_t rows = ops_axis_range(&a[0], y, cut, &top, &bottom);

	for (x = 0; x < a[1].out; x++)
		sum[x] = 0;
	for (r = top; r < bottom; r++) {
		if (a[1].out < WINDOWS)
			sum_windows(a, plane + r * a[1].in, sum);
		else
			sum_row(a, plane + r * a[1].in, sum);
	}
	if (JOB_INT(job, OPS_POOL_DIVISOR))
		rows = 1;
	ops_vec->plane->mean(to, sum, sum + a[1].out, rows, a[1].out);
}
