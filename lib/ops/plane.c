// SPDX-License-Identifier: MIT
/*
 * Operators on planes, the last two dimensions: pooling and bilinear resizing. A
 * plane is loaded as f32, and an output plane is made of it.
 */
#include <errno.h>
#include <math.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"

enum { KERNEL, STRIDE, PADDING, DILATION, CEIL };

static bool is_pool(unsigned int op)
{
	return op == VNPU_OP_MAX_POOL2D || op == VNPU_OP_AVG_POOL2D ||
	       op == VNPU_OP_AVG_POOL2D_BACKWARD;
}

static int64_t value_of(const union vnpu_op_word *list, unsigned int i,
			int64_t otherwise)
{
	return !list->i ? otherwise : list[1 + (i < list->i ? i : 0)].i;
}

void ops_axis_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		   unsigned int i, int64_t in, struct ops_axis *a)
{
	const union vnpu_op_word *pad;

	*a = (struct ops_axis){ .in = in };
	if (!is_pool(l->op)) {
		a->out = value_of(ops_words(op, l, 0), i, 0);
		return;
	}
	pad = ops_words(op, l, PADDING);
	a->kernel = value_of(ops_words(op, l, KERNEL), i, 0);
	a->stride = value_of(ops_words(op, l, STRIDE), i, a->kernel);
	a->dilation = value_of(ops_words(op, l, DILATION), i, 1);
	a->before = value_of(pad, i, 0);
	/* Two values, or four: top, left, bottom, right. */
	a->after = pad->i == 4 ? pad[3 + i].i : a->before;
}

int ops_axis_check(struct ops_call *c, struct ops_axis *a)
{
	const int64_t most = (int64_t)1 << 31;
	int64_t reach, room;

	if (!is_pool(c->l->op)) {
		if (a->out < 1 || !a->in || a->out > most || a->in > most)
			return ops_fail(c, -1, -EINVAL,
					"a size of %lld from %lld is not possible",
					(long long)a->out, (long long)a->in);
		return 0;
	}
	if (a->kernel < 1 || a->stride < 1 || a->dilation < 1 || a->before < 0 ||
	    a->after < 0 || a->kernel > most || a->stride > most ||
	    a->dilation > most || a->before > most || a->after > most ||
	    a->in > most)
		return ops_fail(c, -1, -EINVAL,
				"kernel %lld, stride %lld, padding %lld and dilation %lld are not possible",
				(long long)a->kernel, (long long)a->stride,
				(long long)a->before, (long long)a->dilation);
	reach = a->dilation * (a->kernel - 1) + 1;
	room = a->in + a->before + a->after - reach;
	if (room < 0 || a->before >= reach || a->after >= reach)
		return ops_fail(c, -1, -EINVAL,
				"a window of %lld does not fit into %lld",
				(long long)reach, (long long)a->in);
	a->out = room / a->stride + 1;
	/* A last, smaller window must begin before the padding behind. */
	if (CALL_INT(c, CEIL) && room % a->stride &&
	    a->out * a->stride < a->in + a->before)
		a->out++;
	return 0;
}

int ops_plane_infer(struct ops_call *c)
{
	const struct vnpu_tensor *in = &c->l->tensor[0];
	struct ops_axis a;
	unsigned int i;
	int err;

	err = ops_need_rank(c, 0, 2, 8);
	ops_like(&c->out[0], in);
	for (i = 0; !err && i < 2; i++) {
		ops_axis_read(c->op, c->l, i, in->dims[in->rank - 2 + i], &a);
		err = ops_axis_check(c, &a);
		c->out[0].dims[in->rank - 2 + i] = a.out;
	}
	c->out[0].castable = true;
	c->out[1] = c->out[0];
	c->out[1].dtype = VNPU_DT_I64;
	return err ? err : ops_need_float(c, 0);
}

static void plan_axes(const struct ops_op *op, const struct vnpu_op_launch *l,
		      struct ops_axis *a)
{
	const struct vnpu_tensor *in = &l->tensor[0], *out = ops_out(l, 0);
	unsigned int first = in->rank - 2, i;

	for (i = 0; i < 2; i++) {
		ops_axis_read(op, l, i, in->dims[first + i], &a[i]);
		a[i].out = out->dims[first + i];
	}
}

void ops_plane_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *in = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t pixels = in->dims[in->rank - 2] * in->dims[in->rank - 1];
	int64_t row = out->dims[out->rank - 1], planes;
	struct ops_axis a[2];

	if (!vnpu_tensor_elements(out))
		return;
	planes = vnpu_tensor_elements(out) / row / out->dims[out->rank - 2];
	plan_axes(job->op, &job->launch, a);
	job->scratch = row * (sizeof(float) + 2 * sizeof(double)) +
		       (ops_pool_room(&job->launch, a) + pixels) * sizeof(float);
	if (job->launch.op == VNPU_OP_UPSAMPLE_BICUBIC)
		job->scratch = (pixels + row) * sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(out) * 16.0, planes);
}

int64_t ops_axis_range(const struct ops_axis *a, int64_t position, bool cut,
		       int64_t *from, int64_t *to)
{
	int64_t count;

	*from = position * a->stride - a->before;
	*to = *from + a->kernel;
	if (*to > a->in + a->after)
		*to = a->in + a->after;
	count = *to - *from;
	*from = *from < 0 ? 0 : *from;
	*to = *to > a->in ? a->in : *to;
	return cut ? *to - *from : count;
}

static void adaptive_row(const struct ops_axis *a, const float *plane, int64_t y,
			 float *to)
{
	int64_t top, bottom, left, right, x, r, s;

	ops_axis_share(&a[0], y, &top, &bottom);
	for (x = 0; x < a[1].out; x++) {
		double sum = 0;

		ops_axis_share(&a[1], x, &left, &right);
		for (r = top; r < bottom; r++)
			for (s = left; s < right; s++)
				sum += plane[r * a[1].in + s];
		to[x] = sum / ((bottom - top) * (right - left));
	}
}

static void adaptive_max_row(const struct ops_axis *a, const float *plane,
			     int64_t y, float *to, int64_t *where)
{
	int64_t top, bottom, left, right, x, r, s;

	ops_axis_share(&a[0], y, &top, &bottom);
	for (x = 0; x < a[1].out; x++) {
		ops_axis_share(&a[1], x, &left, &right);
		where[x] = top * a[1].in + left;
		to[x] = plane[where[x]];
		for (r = top; r < bottom; r++)
			for (s = left; s < right; s++) {
				float v = plane[r * a[1].in + s];

				if (!(v > to[x] || (v != v && to[x] == to[x])))
					continue;
				to[x] = v;
				where[x] = r * a[1].in + s;
			}
	}
}

float ops_axis_neighbours(const struct ops_axis *a, int64_t position,
			  bool corners, int64_t *low, int64_t *high)
{
	float at;

	if (corners)
		at = a->out > 1 ? position * ((float)(a->in - 1) / (a->out - 1)) :
				  0;
	else
		at = (position + 0.5f) * ((float)a->in / a->out) - 0.5f;
	at = at < 0 ? 0 : at;
	*low = at;
	*low = *low < a->in ? *low : a->in - 1;
	*high = *low + 1 < a->in ? *low + 1 : *low;
	at -= *low;
	return at > 1 ? 1 : at;
}

static void bilinear_row(const struct ops_axis *a, const float *plane, int64_t y,
			 float *to, bool corners)
{
	int64_t top, bottom, left, right, x;
	float down = ops_axis_neighbours(&a[0], y, corners, &top, &bottom), along;

	for (x = 0; x < a[1].out; x++) {
		along = ops_axis_neighbours(&a[1], x, corners, &left, &right);
		to[x] = (1 - down) * ((1 - along) * plane[top * a[1].in + left] +
				      along * plane[top * a[1].in + right]) +
			down * ((1 - along) * plane[bottom * a[1].in + left] +
				along * plane[bottom * a[1].in + right]);
	}
}

static void bicubic_row(const struct ops_axis *a, const double *plane, int64_t y,
			double *to, bool corners)
{
	int64_t row[4], column[4], x;
	double down[4], along[4];
	int r, s;

	ops_axis_cubic(&a[0], y, corners, row, down);
	for (x = 0; x < a[1].out; x++) {
		double sum = 0;

		ops_axis_cubic(&a[1], x, corners, column, along);
		for (r = 0; r < 4; r++)
			for (s = 0; s < 4; s++)
				sum += down[r] * along[s] *
				       plane[row[r] * a[1].in + column[s]];
		to[x] = sum;
	}
}

int ops_need_planes(struct ops_call *c)
{
	int err = ops_need_rank(c, 0, 2, 8);

	return err ? err : ops_need_float(c, 0);
}

void ops_plane_load(const struct vnpu_tensor *t, int64_t number, double *to)
{
	const uint8_t *from = ops_plane_at(t, number);
	unsigned int last = t->rank - 1;
	int64_t y;

	for (y = 0; y < t->dims[last - 1]; y++)
		ops_vec->load[t->dtype][OPS_D](to + y * t->dims[last],
			from + y * t->strides[last - 1] * ops_size(t->dtype),
			t->strides[last], t->dims[last]);
}

static void store_row(const struct vnpu_tensor *t, enum ops_class class,
		      int64_t plane, int64_t y, const void *row)
{
	unsigned int last = t->rank - 1;

	ops_vec->store[class][t->dtype](ops_plane_at(t, plane) +
		y * t->strides[last - 1] * ops_size(t->dtype),
		t->strides[last], row, t->dims[last]);
}

void ops_plane_store(const struct vnpu_tensor *t, int64_t number,
		     const double *from, int64_t width)
{
	int64_t y;

	for (y = 0; y < t->dims[t->rank - 2]; y++)
		store_row(t, OPS_D, number, y, from + y * width);
}

static void make_row(const struct vnpu_op_job *job, const struct ops_axis *a,
		     const float *plane, int64_t y, float *to, int64_t *where)
{
	switch (job->launch.op) {
	case VNPU_OP_MAX_POOL2D:
		ops_pool_most(job, a, plane, y, to, where);
		break;
	case VNPU_OP_AVG_POOL2D:
		ops_pool_mean(job, a, plane, y, to, (double *)where);
		break;
	case VNPU_OP_ADAPTIVE_AVG_POOL2D:
		adaptive_row(a, plane, y, to);
		break;
	case VNPU_OP_ADAPTIVE_MAX_POOL2D:
		adaptive_max_row(a, plane, y, to, where);
		break;
	default:
		bilinear_row(a, plane, y, to, JOB_INT(job, 1));
	}
}

/* Planes of any type, in double, as the weights are. */
static void bicubic_planes(const struct vnpu_op_job *job,
			   const struct ops_axis *a, int64_t number, int64_t end,
			   double *row)
{
	double *plane = row + a[1].out;

	for (; number < end; number++) {
		ops_plane_load(&job->launch.tensor[0], number, plane);
		for (int64_t y = 0; y < a[0].out; y++) {
			bicubic_row(a, plane, y, row, JOB_INT(job, 1));
			store_row(ops_out(&job->launch, 0), OPS_D, number, y,
				  row);
		}
	}
}

/* Load a plane to @room, unless it can be used where it is. */
static const float *find_plane(const struct vnpu_tensor *t, int64_t number,
			       float *room)
{
	const uint8_t *from = ops_plane_at(t, number);
	unsigned int last = t->rank - 1;
	int64_t width = t->dims[last], step = t->strides[last - 1], y;

	if (t->dtype == VNPU_DT_F32 && t->strides[last] == 1 && step == width)
		return (const float *)from;
	for (y = 0; y < t->dims[last - 1]; y++)
		ops_vec->load[t->dtype][OPS_F](room + y * width, from +
			y * step * ops_size(t->dtype), t->strides[last], width);
	return room;
}

int ops_plane_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[0], *out = ops_out(l, 0);
	const struct vnpu_tensor *indices = ops_out(l, 1);
	int64_t number, end, y;
	int64_t *where = w->scratch;
	struct ops_axis a[2];
	const float *plane;
	float *row, *room;

	if (!vnpu_tensor_elements(out))
		return 0;
	plan_axes(job->op, l, a);
	row = (float *)(where + 2 * a[1].out);
	room = row + a[1].out + ops_pool_room(l, a);
	ops_share(w, vnpu_tensor_elements(out) / a[0].out / a[1].out, 1, &number,
		  &end);
	if (l->op == VNPU_OP_UPSAMPLE_BICUBIC) {
		bicubic_planes(job, a, number, end, w->scratch);
		return 0;
	}
	if (l->op == VNPU_OP_AVG_POOL2D)
		ops_pool_count(job, a, (double *)where + a[1].out);
	for (; number < end; number++) {
		plane = find_plane(in, number, room);
		for (y = 0; y < a[0].out; y++) {
			make_row(job, a, plane, y, row, where);
			store_row(out, OPS_F, number, y, row);
			if (indices)
				store_row(indices, OPS_L, number, y, where);
		}
	}
	return 0;
}
