// SPDX-License-Identifier: MIT
/* Windows, discrete Fourier transforms, and mel weights. See op.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS
#define PI 3.14159265358979323846
/* Longest window or transform. */
#define MOST 4096

/* Get an integer that must be known, from 1 to MOST. */
static int get_size(struct build *b, unsigned int in, int64_t *size)
{
	if (build_known(b, in, size, 1) != 1)
		return build_fail(b, "input %u must be one integer", in);
	if (*size < 1 || *size > MOST)
		return build_refuse(b, "input %u: a size of %lld is not supported, only 1 to %d",
				    in, (long long)*size, MOST);
	return 0;
}

int op_window(struct build *b)
{
	bool periodic = build_attr_int(b, "periodic", 1);
	const char *type = b->node->type;
	double a0, a1, a2 = 0, *values;
	struct build_view v, y;
	int64_t n, i;

	if (get_size(b, 0, &n))
		return b->g->err;
	if (build_attr_int(b, "output_datatype", 1) != 1)
		return build_refuse(b, "output_datatype: only 1, f32, is supported");
	a0 = !strncmp(type, "Hann", 4) ? 0.5 : 25.0 / 46;
	a1 = 1 - a0;
	if (!strncmp(type, "Blackman", 8)) {
		a0 = 0.42;
		a1 = 0.5;
		a2 = 0.08;
	}
	values = calloc(n, sizeof(*values));
	if (!values)
		return graph_fail(b->g, -ENOMEM, "there is no memory for a window");
	for (i = 0; i < n; i++) {
		double at = 2 * PI * i / (periodic ? n : n > 1 ? n - 1 : 1);

		values[i] = a0 - a1 * cos(at) + a2 * cos(2 * at);
	}
	v = op_const_floats(b, VNPU_DT_F32, 1, &n, values);
	free(values);
	y = build_out(b, 0, VNPU_DT_F32, 1, &n);
	return build_copy(b, &v, &y);
}

/* Make a matrix of cosines or sines: [length, bins]. */
static struct build_view waves(struct build *b, int64_t length, int64_t n,
			       int64_t bins, double (*wave)(double), double scale)
{
	int64_t dims[] = { length, bins }, i, k;
	struct build_view v = { .buffer = BUILD_NONE };
	double *values = calloc(length * bins, sizeof(*values));

	if (!values) {
		graph_fail(b->g, -ENOMEM, "there is no memory for a transform");
		return v;
	}
	for (i = 0; i < length; i++)
		for (k = 0; k < bins; k++)
			values[i * bins + k] = scale *
				wave(2 * PI * (i * k % n) / n);
	v = op_const_floats(b, VNPU_DT_F32, 2, dims, values);
	free(values);
	return v;
}

/* Transform lines of @re and @im into @y; @im may be missing. */
static void transform(struct build *b, const struct build_view *re,
		      const struct build_view *im, int64_t n, bool inverse,
		      const struct build_view *y)
{
	int64_t length = re->t.dims[re->t.rank - 1];
	int64_t bins = y->t.dims[y->t.rank - 2];
	double scale = inverse ? 1.0 / n : 1, sign = inverse ? scale : -scale;
	struct build_view c = waves(b, length, n, bins, cos, scale);
	struct build_view s = waves(b, length, n, bins, sin, sign);
	struct build_view to = *y, part;
	unsigned int last = y->t.rank - 1;

	/* (re + i im) (c + i s) */
	view_slice(&to, last, 0, 1, 1);
	view_remove(&to, last);
	build_op2(b, VNPU_OP_MATMUL, re, &c, &to);
	part = build_temp_like(b, &to);
	if (view_has(im)) {
		build_op2(b, VNPU_OP_MATMUL, im, &s, &part);
		build_op2(b, VNPU_OP_SUB, &to, &part, &to);
	}
	to = *y;
	view_slice(&to, last, 1, 1, 1);
	view_remove(&to, last);
	build_op2(b, VNPU_OP_MATMUL, re, &s, &to);
	if (view_has(im)) {
		build_op2(b, VNPU_OP_MATMUL, im, &c, &part);
		build_op2(b, VNPU_OP_ADD, &to, &part, &to);
	}
}

/* Take a part of complex numbers, the last dimension; none if it is missing. */
static struct build_view part_of(struct build_view x, unsigned int part)
{
	unsigned int last = x.t.rank - 1;

	if (part >= x.t.dims[last])
		return (struct build_view){ .buffer = BUILD_NONE };
	view_slice(&x, last, part, 1, 1);
	view_remove(&x, last);
	return x;
}

int op_dft(struct build *b)
{
	bool inverse = build_attr_int(b, "inverse", 0);
	bool one_side = build_attr_int(b, "onesided", 0);
	struct build_view x = build_in(b, 0), y, re, im;
	int64_t dims[DIMS], n;
	unsigned int last;
	int axis;

	if (op_need_rank(b, 0, &x, 2, DIMS))
		return b->g->err;
	axis = build_axis(b, build_attr_int(b, "axis", 1), x.t.rank);
	if (axis < 0)
		return b->g->err;
	last = x.t.rank - 1;
	n = x.t.dims[axis];
	if (build_has(b, 1) && get_size(b, 1, &n))
		return b->g->err;
	if (axis == (int)last || n < 1 || n > MOST || x.t.dtype != VNPU_DT_F32 ||
	    x.t.dims[last] < 1 || x.t.dims[last] > 2)
		return build_refuse(b, "%lld elements along axis %d of type %s are not supported",
				    (long long)n, axis,
				    vnpu_dtype_name(x.t.dtype));
	memcpy(dims, x.t.dims, sizeof(dims));
	dims[axis] = one_side ? n / 2 + 1 : n;
	dims[last] = 2;
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	if (build_infers(b))
		return b->g->err;
	if (n < x.t.dims[axis])
		view_slice(&x, axis, 0, n, 1);
	re = part_of(x, 0);
	im = part_of(x, 1);
	view_swap(&re, axis, last - 1);
	if (view_has(&im))
		view_swap(&im, axis, last - 1);
	view_swap(&y, axis, last - 1);
	transform(b, &re, &im, n, inverse, &y);
	return b->g->err;
}

/* Frames are a view of the signal; each is multiplied by the window. */
int op_stft(struct build *b)
{
	struct build_view x = build_in(b, 0), window = build_in(b, 2), y, none;
	bool one_side = build_attr_int(b, "onesided", 1);
	int64_t step, n, count, dims[4];
	struct build_view frames, t;

	if (op_need_rank(b, 0, &x, 3, 3) || get_size(b, 1, &step))
		return b->g->err;
	n = view_has(&window) && window.t.rank == 1 ? window.t.dims[0] : 0;
	if (build_has(b, 3) && get_size(b, 3, &n))
		return b->g->err;
	if (x.t.dims[2] != 1 || x.t.dtype != VNPU_DT_F32 || n < 1 || n > MOST ||
	    n > x.t.dims[1])
		return build_refuse(b, "frames of %lld from a signal of %lld are not supported",
				    (long long)n, (long long)x.t.dims[1]);
	count = (x.t.dims[1] - n) / step + 1;
	dims[0] = x.t.dims[0];
	dims[1] = count;
	dims[2] = one_side ? n / 2 + 1 : n;
	dims[3] = 2;
	y = build_out(b, 0, x.t.dtype, 4, dims);
	if (build_infers(b))
		return b->g->err;
	frames = x;
	view_remove(&frames, 2);
	view_window(&frames, 1, count, step * frames.t.strides[1]);
	frames.t.dims[2] = n;
	t = build_temp_like(b, &frames);
	if (view_has(&window))
		build_op2(b, VNPU_OP_MUL, &frames, &window, &t);
	else
		build_copy(b, &frames, &t);
	none = (struct build_view){ .buffer = BUILD_NONE };
	transform(b, &t, &none, n, false, &y);
	return b->g->err;
}

static double mel_of(double hertz)
{
	return 2595 * log10(1 + hertz / 700);
}

/* Triangles between neighbours of frequencies that are evenly spaced in mel. */
static void fill_mel(double *values, int64_t bins, int64_t bands, int64_t n,
		     double rate, double low, double high)
{
	double step = (mel_of(high) - mel_of(low)) / (bands + 2);
	int64_t at[3], i, j, k;

	for (i = 0; i < bands; i++) {
		for (k = 0; k < 3; k++) {
			double f = mel_of(low) + (i + k) * step;

			f = 700 * (pow(10, f / 2595) - 1);
			at[k] = floor((n + 1) * f / rate);
			at[k] = at[k] < 0 ? 0 : at[k] > bins ? bins : at[k];
		}
		if (at[0] == at[1] && at[1] < bins)
			values[at[1] * bands + i] = 1;
		for (j = at[0]; at[0] < at[1] && j <= at[1] && j < bins; j++)
			values[j * bands + i] = (double)(j - at[0]) /
						(at[1] - at[0]);
		for (j = at[1]; at[1] < at[2] && j < at[2]; j++)
			values[j * bands + i] = (double)(at[2] - j) /
						(at[2] - at[1]);
	}
}

int op_mel_weights(struct build *b)
{
	int64_t bands, n, dims[2];
	double rate, low, high, *values;
	struct build_view v, y;

	if (get_size(b, 0, &bands) || get_size(b, 1, &n) ||
	    build_known_float(b, 2, &rate) || build_known_float(b, 3, &low) ||
	    build_known_float(b, 4, &high))
		return b->g->err;
	if (build_attr_int(b, "output_datatype", 1) != 1 || !(rate > 0) ||
	    !(low >= 0 && low < high && high < 1e9))
		return build_refuse(b, "%g to %g Hz at a rate of %g are not supported",
				    low, high, rate);
	dims[0] = n / 2 + 1;
	dims[1] = bands;
	values = calloc(dims[0] * dims[1], sizeof(*values));
	if (!values)
		return graph_fail(b->g, -ENOMEM, "there is no memory for weights");
	fill_mel(values, dims[0], bands, n, rate, low, high);
	v = op_const_floats(b, VNPU_DT_F32, 2, dims, values);
	free(values);
	y = build_out(b, 0, VNPU_DT_F32, 2, dims);
	return build_copy(b, &v, &y);
}
