// SPDX-License-Identifier: MIT
/*
 * Gradients of operators on planes: each element of the gradient is added to
 * those that it was made from. The sums of a plane are in double.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"

static unsigned int sizes_param(unsigned int op)
{
	return op == VNPU_OP_AVG_POOL2D_BACKWARD ? OPS_POOL_SIZES : 0;
}

static void read_axes(const struct ops_op *op, const struct vnpu_op_launch *l,
		      struct ops_axis *a)
{
	const union vnpu_op_word *sizes = ops_words(op, l, sizes_param(l->op));
	const struct vnpu_tensor *grad = &l->tensor[0];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ops_axis_read(op, l, i, sizes[1 + i].i, &a[i]);
		a[i].out = grad->dims[grad->rank - 2 + i];
	}
}

static int check_axis(struct ops_call *c, struct ops_axis *a)
{
	int64_t given = a->out;
	int err = 0;

	if (a->in < 1 || a->in > (int64_t)1 << 31 || a->out > (int64_t)1 << 31)
		return ops_fail(c, -1, -EINVAL,
				"sizes: a size of %lld is not possible",
				(long long)a->in);
	if (c->l->op != VNPU_OP_AVG_POOL2D_BACKWARD)
		return 0;
	err = ops_axis_check(c, a);
	if (!err && a->out != given)
		err = ops_fail(c, 0, -EINVAL,
			       "expected %lld positions, given shape %s",
			       (long long)a->out, OPS_TDIMS(&c->l->tensor[0]));
	return err;
}

int ops_plane_backward_infer(struct ops_call *c)
{
	const struct vnpu_tensor *grad = &c->l->tensor[0];
	unsigned int param = sizes_param(c->l->op), i;
	struct ops_axis a[2];
	int err;

	err = ops_need_planes(c);
	if (err)
		return err;
	if (CALL_INTS(c, param)->i != 2)
		return ops_fail(c, -1, -EINVAL,
				"sizes: expected 2 values, given %lld",
				(long long)CALL_INTS(c, param)->i);
	read_axes(c->op, c->l, a);
	ops_like(&c->out[0], grad);
	c->out[0].castable = true;
	for (i = 0; !err && i < 2; i++) {
		err = check_axis(c, &a[i]);
		c->out[0].dims[grad->rank - 2 + i] = a[i].in;
	}
	if (err || c->l->op != VNPU_OP_MAX_POOL2D_BACKWARD)
		return err;
	err = ops_need_index(c, 1);
	return err ? err : ops_need_shape(c, 1, grad->rank, grad->dims);
}

void ops_plane_backward_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *grad = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t pixels = out->dims[out->rank - 2] * out->dims[out->rank - 1];

	if (!vnpu_tensor_elements(out))
		return;
	job->scratch = pixels * sizeof(double) +
		       grad->dims[grad->rank - 1] * (sizeof(double) + 8);
	job->parts = ops_parts(vnpu_tensor_elements(grad) * 16.0 +
			       vnpu_tensor_elements(out), ops_plane_count(out));
}

/* Add a number to a rectangle. */
static void add(const struct ops_axis *a, double *plane, int64_t top,
		int64_t bottom, int64_t left, int64_t right, double x)
{
	int64_t r, s;

	for (r = top; r < bottom; r++)
		for (s = left; s < right; s++)
			plane[r * a[1].in + s] += x;
}

static void mean_row(const struct vnpu_op_job *job, const struct ops_axis *a,
		     double *plane, int64_t y, const double *grad)
{
	int64_t divisor = JOB_INT(job, OPS_POOL_DIVISOR), x, count;
	bool cut = !JOB_INT(job, OPS_POOL_INCLUDES);
	int64_t top, bottom, left, right;
	int64_t rows = ops_axis_range(&a[0], y, cut, &top, &bottom);

	for (x = 0; x < a[1].out; x++) {
		count = rows * ops_axis_range(&a[1], x, cut, &left, &right);
		add(a, plane, top, bottom, left, right,
		    grad[x] / (divisor ? divisor : count));
	}
}

static void adaptive_row(const struct ops_axis *a, double *plane, int64_t y,
			 const double *grad)
{
	int64_t top, bottom, left, right, x;

	ops_axis_share(&a[0], y, &top, &bottom);
	for (x = 0; x < a[1].out; x++) {
		ops_axis_share(&a[1], x, &left, &right);
		add(a, plane, top, bottom, left, right,
		    grad[x] / ((bottom - top) * (right - left)));
	}
}

static void bilinear_row(const struct ops_axis *a, double *plane, int64_t y,
			 const double *grad, bool corners)
{
	int64_t top, bottom, left, right, x;
	double down = ops_axis_neighbours(&a[0], y, corners, &top, &bottom);

	for (x = 0; x < a[1].out; x++) {
		double along = ops_axis_neighbours(&a[1], x, corners, &left,
						   &right);

		plane[top * a[1].in + left] +=
			(1 - down) * (1 - along) * grad[x];
		plane[top * a[1].in + right] += (1 - down) * along * grad[x];
		plane[bottom * a[1].in + left] += down * (1 - along) * grad[x];
		plane[bottom * a[1].in + right] += down * along * grad[x];
	}
}

static void bicubic_row(const struct ops_axis *a, double *plane, int64_t y,
			const double *grad, bool corners)
{
	int64_t row[4], column[4], x;
	double down[4], along[4];
	int r, s;

	ops_axis_cubic(&a[0], y, corners, row, down);
	for (x = 0; x < a[1].out; x++) {
		ops_axis_cubic(&a[1], x, corners, column, along);
		for (r = 0; r < 4; r++)
			for (s = 0; s < 4; s++)
				plane[row[r] * a[1].in + column[s]] +=
					down[r] * along[s] * grad[x];
	}
}

static void nearest_row(const struct ops_axis *a, double *plane, int64_t y,
			const double *grad, bool exact)
{
	double *to = plane + ops_axis_nearest(a[0].in, a[0].out, exact, y) *
			     a[1].in;
	int64_t x;

	for (x = 0; x < a[1].out; x++)
		to[ops_axis_nearest(a[1].in, a[1].out, exact, x)] += grad[x];
}

static int max_row(const struct ops_axis *a, double *plane, const double *grad,
		   const int64_t *where)
{
	int64_t x;
	int err = 0;

	for (x = 0; x < a[1].out; x++) {
		if (where[x] < 0 || where[x] >= a[0].in * a[1].in)
			err = -ERANGE;
		else
			plane[where[x]] += grad[x];
	}
	return err;
}

/* Load row @y of plane @number. */
static void load_row(const struct vnpu_tensor *t, enum ops_class class,
		     int64_t number, int64_t y, void *row)
{
	unsigned int last = t->rank - 1;

	ops_vec->load[t->dtype][class](row, ops_plane_at(t, number) +
		y * t->strides[last - 1] * ops_size(t->dtype), t->strides[last],
		t->dims[last]);
}

static int add_row(const struct vnpu_op_job *job, const struct ops_axis *a,
		   double *plane, int64_t y, const double *grad,
		   const int64_t *where)
{
	switch (job->launch.op) {
	case VNPU_OP_MAX_POOL2D_BACKWARD:
		return max_row(a, plane, grad, where);
	case VNPU_OP_AVG_POOL2D_BACKWARD:
		mean_row(job, a, plane, y, grad);
		break;
	case VNPU_OP_ADAPTIVE_AVG_POOL2D_BACKWARD:
		adaptive_row(a, plane, y, grad);
		break;
	case VNPU_OP_UPSAMPLE_BICUBIC_BACKWARD:
		bicubic_row(a, plane, y, grad, JOB_INT(job, 1));
		break;
	case VNPU_OP_UPSAMPLE_NEAREST_BACKWARD:
		nearest_row(a, plane, y, grad, JOB_INT(job, 1));
		break;
	default:
		bilinear_row(a, plane, y, grad, JOB_INT(job, 1));
	}
	return 0;
}

int ops_plane_backward_run(const struct vnpu_op_job *job,
			   const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[0], *out = ops_out(l, 0);
	const struct vnpu_tensor *indices = ops_in(l, 1);
	double *plane = w->scratch, *grad;
	int64_t number, end, y, *where;
	struct ops_axis a[2];
	int err = 0;

	if (!vnpu_tensor_elements(out))
		return 0;
	read_axes(job->op, l, a);
	grad = plane + a[0].in * a[1].in;
	where = (int64_t *)(grad + a[1].out);
	ops_share(w, ops_plane_count(out), 1, &number, &end);
	for (; number < end; number++) {
		memset(plane, 0, a[0].in * a[1].in * sizeof(*plane));
		for (y = 0; y < a[0].out; y++) {
			load_row(in, OPS_D, number, y, grad);
			if (indices)
				load_row(indices, OPS_L, number, y, where);
			err |= add_row(job, a, plane, y, grad, where);
		}
		ops_plane_store(out, number, plane, a[1].in);
	}
	return err;
}
