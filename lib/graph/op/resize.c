// SPDX-License-Identifier: MIT
/*
 * Resizing. Each dimension is resized by itself: nearest neighbours are selected
 * by indices, and other elements are products with a matrix of weights.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS
/* Largest matrix of weights, in elements. */
#define MOST (1 << 24)

/**
 * struct axis - a dimension that is resized
 * @in: its size
 * @out: the new size
 * @scale: their ratio, which need not be exact
 * @start: begin of the region of interest, from 0 to 1
 * @end: its end
 */
struct axis {
	int64_t in;
	int64_t out;
	double scale;
	double start;
	double end;
};

/**
 * struct resize - attributes
 * @place: coordinate_transformation_mode
 * @nearest: nearest_mode
 * @mode: mode
 * @a: cubic_coeff_a
 * @inside: weights outside of the input are 0
 * @outside: element for positions outside of the region
 * @axes: the dimensions
 */
struct resize {
	const char *place;
	const char *nearest;
	const char *mode;
	double a;
	bool inside;
	double outside;
	struct axis axes[DIMS];
};

/* Get the position in the input for one in the output. */
static double source_of(const struct resize *r, const struct axis *x, double i)
{
	double length = x->scale * x->in;

	if (!strcmp(r->place, "asymmetric"))
		return i / x->scale;
	if (!strcmp(r->place, "align_corners"))
		return length == 1 ? 0 : i * (x->in - 1) / (length - 1);
	if (!strcmp(r->place, "tf_half_pixel_for_nn"))
		return (i + 0.5) / x->scale;
	if (!strcmp(r->place, "tf_crop_and_resize"))
		return length == 1 ? (x->end - x->start) * (x->in - 1) / 2 :
			x->start * (x->in - 1) + i * (x->end - x->start) *
			(x->in - 1) / (length - 1);
	if (!strcmp(r->place, "pytorch_half_pixel") && length == 1)
		return -0.5;
	return (i + 0.5) / x->scale - 0.5;
}

static int64_t nearest(const struct resize *r, double at)
{
	if (!strcmp(r->nearest, "floor"))
		return floor(at);
	if (!strcmp(r->nearest, "ceil"))
		return ceil(at);
	if (!strcmp(r->nearest, "round_prefer_ceil"))
		return floor(at + 0.5);
	return ceil(at - 0.5);
}

/* Weights of the four neighbours of a position, the first one before it. */
static void weigh(const struct resize *r, double at, double *w)
{
	double t = at - floor(at), a = r->a;

	if (*r->mode == 'l') {
		w[0] = w[3] = 0;
		w[1] = 1 - t;
		w[2] = t;
		return;
	}
	w[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
	w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
	w[2] = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1;
	w[3] = ((a * (2 - t) - 5 * a) * (2 - t) + 8 * a) * (2 - t) - 4 * a;
}

static int64_t inside(int64_t at, int64_t size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static void fill_row(const struct resize *r, const struct axis *x, double at,
		     double *row)
{
	double w[4], sum = 0;
	int64_t k, first = (int64_t)floor(at) - 1;

	weigh(r, at, w);
	for (k = 0; k < 4; k++) {
		if (r->inside && (first + k < 0 || first + k >= x->in))
			w[k] = 0;
		sum += w[k];
	}
	for (k = 0; k < 4; k++)
		row[inside(first + k, x->in)] += r->inside ? w[k] / sum : w[k];
}

/* Multiply a dimension by its matrix of weights. */
static struct build_view by_weights(struct build *b, const struct resize *r,
				    struct build_view v, unsigned int d)
{
	const struct axis *x = &r->axes[d];
	int64_t sizes[] = { x->out, x->in };
	unsigned int last = v.t.rank - 1;
	struct build_view weights, y, flat;
	double *rows;
	int64_t i;

	rows = calloc(x->in * x->out, sizeof(*rows));
	if (!rows) {
		graph_fail(b->g, -ENOMEM, "there is no memory for weights");
		return v;
	}
	for (i = 0; i < x->out; i++)
		fill_row(r, x, source_of(r, x, i), rows + i * x->in);
	weights = op_const_floats(b, v.t.dtype, 2, sizes, rows);
	free(rows);
	view_swap(&weights, 0, 1);
	view_swap(&v, d, last);
	v.t.dims[last] = x->out;
	y = build_temp(b, v.t.dtype, v.t.rank, v.t.dims);
	v.t.dims[last] = x->in;
	flat = y;
	if (v.t.rank == 1) {
		view_insert(&v, 0, 1);
		view_insert(&flat, 0, 1);
	}
	build_op2(b, VNPU_OP_MATMUL, &v, &weights, &flat);
	view_swap(&y, d, last);
	return y;
}

static struct build_view by_index(struct build *b, const struct resize *r,
				  struct build_view v, unsigned int d)
{
	const struct axis *x = &r->axes[d];
	struct build_view index, y;
	int64_t *list, i;

	list = calloc(x->out, sizeof(*list));
	if (!list) {
		graph_fail(b->g, -ENOMEM, "there is no memory for indices");
		return v;
	}
	for (i = 0; i < x->out; i++)
		list[i] = inside(nearest(r, source_of(r, x, i)), x->in);
	index = build_const_ints(b, x->out, list);
	free(list);
	y = v;
	y.t.dims[d] = x->out;
	y = build_temp_like(b, &y);
	build_begin(b, VNPU_OP_TAKE);
	build_set_int(b, "dim", d);
	build_end(b, 2, 1, &v, &index, &y);
	return y;
}

/* Count positions from @i on that are outside of the input. */
static int64_t count_outside(const struct resize *r, const struct axis *x,
			     int64_t i)
{
	int64_t first = i;
	double at;

	for (; i < x->out; i++) {
		at = source_of(r, x, i);
		if (at >= 0 && at <= x->in - 1)
			break;
	}
	return i - first;
}

/* Elements with a position outside of the input get a value of their own. */
static void fill_outside(struct build *b, const struct resize *r,
			 const struct build_view *y)
{
	struct build_view value = view_number(r->outside), part;
	unsigned int d;
	int64_t i, n;

	if (strcmp(r->place, "tf_crop_and_resize"))
		return;
	for (d = 0; d < y->t.rank; d++) {
		for (i = 0; i < r->axes[d].out; i += n + 1) {
			n = count_outside(r, &r->axes[d], i);
			if (!n)
				continue;
			part = *y;
			view_slice(&part, d, i, n, 1);
			build_copy(b, &value, &part);
		}
	}
}

static int resize(struct build *b, const struct resize *r)
{
	struct build_view x = build_in(b, 0), y;
	int64_t dims[DIMS];
	unsigned int d;

	for (d = 0; d < x.t.rank; d++) {
		dims[d] = r->axes[d].out;
		if (dims[d] < 1 || x.t.dims[d] < 1 || dims[d] > MOST ||
		    dims[d] * x.t.dims[d] > MOST)
			return build_refuse(b, "a size of %lld from %lld is not supported",
					    (long long)dims[d],
					    (long long)x.t.dims[d]);
	}
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	if (build_infers(b))
		return b->g->err;
	for (d = 0; d < x.t.rank; d++) {
		bool same = dims[d] == x.t.dims[d] && r->axes[d].scale == 1 &&
			    strcmp(r->place, "tf_crop_and_resize");

		if (!same)
			x = *r->mode == 'n' ? by_index(b, r, x, d) :
					      by_weights(b, r, x, d);
	}
	build_copy(b, &x, &y);
	fill_outside(b, r, &y);
	return b->g->err;
}

/* Get numbers of an input or attribute for all dimensions; 0 if missing. */
static int get_floats(struct build *b, unsigned int in, const char *attr,
		      double *to, unsigned int count)
{
	const struct graph_attr *a = attr ? graph_attr(b->node, attr) : NULL;
	const struct graph_value *v;
	unsigned int i;

	if (!attr && (!build_has(b, in) || !graph_elements(b->node->in[in])))
		return 0;
	v = attr ? NULL : build_constant(b, in);
	if (!attr && !v)
		return b->g->err;
	if (attr ? !a || a->kind != GRAPH_FLOATS || a->count != count :
	    (v->dtype != VNPU_DT_F32 ||
	     (uint64_t)graph_elements(v) != count))
		return build_fail(b, "expected %u numbers of type f32 for scales or roi",
				  count);
	for (i = 0; i < count; i++)
		to[i] = attr ? a->floats[i] : ((const float *)v->data)[i];
	return count;
}

static int set_scales(struct build *b, struct resize *r, const double *scales,
		      const int64_t *sizes)
{
	const struct graph_value *x = b->node->in[0];
	unsigned int i;

	for (i = 0; i < x->rank; i++) {
		struct axis *a = &r->axes[i];

		a->in = x->dims[i];
		a->scale = sizes ? (double)sizes[i] / a->in : scales[i];
		if (!(a->scale > 0 && a->scale < MOST))
			return build_fail(b, "scale %g of dimension %u is not possible",
					  a->scale, i);
		a->out = sizes ? sizes[i] : (int64_t)floor(a->in * a->scale);
	}
	return 0;
}

int op_resize(struct build *b)
{
	bool old = b->node->opset < 11;
	struct resize r = {
		.place = build_attr_text(b, "coordinate_transformation_mode",
					 old ? "asymmetric" : "half_pixel"),
		.nearest = build_attr_text(b, "nearest_mode", old ? "floor" :
					   "round_prefer_floor"),
		.mode = build_attr_text(b, "mode", "nearest"),
		.a = build_attr_float(b, "cubic_coeff_a", -0.75f),
		.inside = build_attr_int(b, "exclude_outside", 0),
		.outside = build_attr_float(b, "extrapolation_value", 0),
	};
	unsigned int rank = b->node->in[0]->rank, i;
	double scales[DIMS], roi[2 * DIMS];
	int64_t sizes[DIMS];
	int count, given;

	count = get_floats(b, old ? 1 : 2, NULL, scales, rank);
	given = count || old ? 0 : build_known(b, 3, sizes, DIMS);
	if (count < 0 || given < 0)
		return b->g->err;
	if (!count && given != (int)rank)
		return build_fail(b, "expected scales or sizes of %u dimensions",
				  rank);
	if (set_scales(b, &r, scales, given ? sizes : NULL))
		return b->g->err;
	if (!strcmp(r.place, "tf_crop_and_resize")) {
		if (get_floats(b, 1, NULL, roi, 2 * rank) <= 0)
			return build_fail(b, "expected a region of interest");
		for (i = 0; i < rank; i++) {
			r.axes[i].start = roi[i];
			r.axes[i].end = roi[rank + i];
			if (!(fabs(roi[i]) < MOST && fabs(roi[rank + i]) < MOST))
				return build_fail(b, "a region from %g to %g is not possible",
						  roi[i], roi[rank + i]);
		}
	}
	return resize(b, &r);
}

int op_upsample(struct build *b)
{
	struct resize r = {
		.place = "asymmetric",
		.nearest = "floor",
		.mode = build_attr_text(b, "mode", "nearest"),
	};
	double scales[DIMS];

	if (get_floats(b, 1, b->node->opset < 9 ? "scales" : NULL, scales,
		       b->node->in[0]->rank) <= 0)
		return build_fail(b, "expected scales");
	if (set_scales(b, &r, scales, NULL))
		return b->g->err;
	return resize(b, &r);
}
