/* SPDX-License-Identifier: MIT */
/* The geometry of operators on planes, the last two dimensions. See plane.c. */
#ifndef VNPU_OPS_PLANE_H
#define VNPU_OPS_PLANE_H

#include <math.h>

#include "op.h"

/* Parameters of pooling that its gradient also needs. */
enum {
	OPS_POOL_INCLUDES = 5,
	OPS_POOL_DIVISOR,
	OPS_POOL_SIZES,
};

/**
 * struct ops_axis - one of the two dimensions
 * @in: size of the plane that is read
 * @out: size of the plane that is made
 * @kernel: size of the window; 0 without one, as the rest
 * @stride: distance of windows
 * @before: padding before the plane
 * @after: padding behind it
 * @dilation: distance of elements of a window
 */
struct ops_axis {
	int64_t in, out, kernel, stride, before, after, dilation;
};

/* Read the parameters of dimension @i, of which the input has size @in. */
void ops_axis_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		   unsigned int i, int64_t in, struct ops_axis *a);

/* Check them, and compute ops_axis.out; return 0 or the value of ops_fail(). */
int ops_axis_check(struct ops_call *c, struct ops_axis *a);

/*
 * Find the part of a window that is inside; return its number of elements, with
 * those of the padding unless @cut.
 */
int64_t ops_axis_range(const struct ops_axis *a, int64_t position, bool cut,
		       int64_t *from, int64_t *to);

/* Find the two neighbours of a position; return the weight of the second. */
float ops_axis_neighbours(const struct ops_axis *a, int64_t position,
			  bool corners, int64_t *low, int64_t *high);

/* Find the four elements that make a position, and their weights. */
void ops_axis_cubic(const struct ops_axis *a, int64_t position, bool corners,
		    int64_t at[4], double weight[4]);

/*
 * Set the four weights for a place from 0 to 1 between the second and third element,
 * or how they grow with the place.
 */
void ops_cubic_weights(double place, double weight[4]);
void ops_cubic_slopes(double place, double slope[4]);

/*
 * Find the element of @in that is nearest to a position of @out; @exact compares
 * the middles of elements. As PyTorch does: the ratio is rounded to float.
 */
static inline int64_t ops_axis_nearest(int64_t in, int64_t out, bool exact,
				       int64_t position)
{
	float ratio = (float)in / out;
	int64_t at = exact ? floorf((position + 0.5) * ratio) :
			     floorf(position * ratio);

	return at < in ? at : in - 1;
}

/* Find the elements of an adaptive window. */
static inline void ops_axis_share(const struct ops_axis *a, int64_t position,
				  int64_t *from, int64_t *to)
{
	*from = position * a->in / a->out;
	*to = ((position + 1) * a->in + a->out - 1) / a->out;
}

/* The first element of a plane. */
static inline uint8_t *ops_plane_at(const struct vnpu_tensor *t, int64_t number)
{
	int64_t at = 0;
	unsigned int i;

	for (i = t->rank - 2; i--;) {
		at += number % t->dims[i] * t->strides[i];
		number /= t->dims[i];
	}
	return ops_data(t) + at * ops_size(t->dtype);
}

/* The number of planes. */
static inline int64_t ops_plane_count(const struct vnpu_tensor *t)
{
	int64_t count = 1;
	unsigned int i;

	for (i = 0; i + 2 < t->rank; i++)
		count *= t->dims[i];
	return count;
}

/* Check that input 0 has planes of floats: 2 to 8 dimensions. */
int ops_need_planes(struct ops_call *c);

/* Load a plane as double, or store the rows of one, @width numbers apart. */
void ops_plane_load(const struct vnpu_tensor *t, int64_t number, double *to);
void ops_plane_store(const struct vnpu_tensor *t, int64_t number,
		     const double *from, int64_t width);

/* Floats behind a row that ops_pool_most() needs. */
int64_t ops_pool_room(const struct vnpu_op_launch *l, const struct ops_axis *a);

/*
 * Compute row @y of max pooling; @where has room for the positions, and becomes
 * these if the launch asks for them.
 */
void ops_pool_most(const struct vnpu_op_job *job, const struct ops_axis *a,
		   const float *plane, int64_t y, float *to, int64_t *where);

/* Set the elements that means divide by, but for the number of rows. */
void ops_pool_count(const struct vnpu_op_job *job, const struct ops_axis *a,
		    double *count);

/*
 * Compute row @y of average pooling; @sum has room for a row, and those counts behind
 * it.
 */
void ops_pool_mean(const struct vnpu_op_job *job, const struct ops_axis *a,
		   const float *plane, int64_t y, float *to, double *sum);

#endif
