// SPDX-License-Identifier: GPL-2.0-only
/* Operators with windows, and resizing, compared with plain loops. */
#include <math.h>
#include <stdlib.h>

#include "ops_test.h"

static bool test_conv(void)
{
	unsigned int round;

	for (round = 0; round < 250; round++) {
		unsigned int space = 1 + below(3), d;
		int64_t groups = 1 + below(4), batch = 1 + below(2);
		/* One channel in each group has a loop of its own. */
		int64_t ci = below(2) ? 1 : 1 + below(3), co = 1 + below(4);
		int64_t in[5] = { batch, ci * groups, 1, 1, 1 };
		int64_t wd[5] = { co * groups, ci, 1, 1, 1 }, more[3];
		int64_t stride[3], pad[3], dilation[3], i, total;
		bool transposed = below(2), biased = below(2), integers = !below(8);
		bool clamps = !integers && below(2), same = below(2);
		struct vnpu_tensor x, w, bias = RANDOM(co * groups);
		struct vnpu_op_launch l;
		double *want, *scale;
		const struct vnpu_tensor *out;

		for (d = 0; d < space; d++) {
			in[2 + d] = 1 + below(8);
			wd[2 + d] = 1 + below(3);
			stride[d] = 1 + below(3);
			dilation[d] = 1 + below(2);
			pad[d] = below(2);
			if (same) {	/* as many windows as elements */
				stride[d] = 1;
				pad[d] = (wd[2 + d] - 1) * dilation[d] / 2;
			}
			more[d] = transposed ? below(stride[d]) : 0;
		}
		if (transposed) {
			wd[0] = ci * groups;
			wd[1] = co;
		}
		/* More than vectors have. */
		if (space == 2 && !below(4))
			in[3] += below(70);
		x = view(integers ? VNPU_DT_I8 : float_types[below(4)],
			 below(LAYOUTS), 2 + space, in);
		w = view(x.dtype, below(LAYOUTS), 2 + space, wd);
		fill(&x, -3, 3);
		fill(&w, -3, 3);
		launch(&l, VNPU_OP_CONVOLUTION, 3, 1, &x, &w,
		       biased && !integers ? &bias : NULL, NULL);
		vnpu_op_set_ints(&l, 0, stride, space);
		vnpu_op_set_ints(&l, 1, pad, space);
		vnpu_op_set_ints(&l, 2, dilation, space);
		vnpu_op_set_int(&l, 3, transposed);
		vnpu_op_set_ints(&l, 4, more, space);
		vnpu_op_set_int(&l, 5, groups);
		if (clamps) {
			vnpu_op_set_float(&l, 6, -2);
			vnpu_op_set_float(&l, 7, 4);
		}
		if (vnpu_op_infer(&l, NULL))
			continue;	/* the window is larger than the input */
		l.tensor[3].dtype = VNPU_DT_NONE;
		EXPECT(make_outputs(&l));
		if (integers)
			l.tensor[3] = view(VNPU_DT_I32, below(OUT_LAYOUTS),
					   l.tensor[3].rank, l.tensor[3].dims);
		EXPECT(run(&l));
		out = &l.tensor[3];
		total = vnpu_tensor_elements(out);
		want = calloc(total, sizeof(*want));
		scale = calloc(total, sizeof(*scale));
		/* Each element of the input and each of the weight, added up. */
		for (i = 0; i < vnpu_tensor_elements(&x) * co; i++) {
			int64_t at = i / co, o = i % co, pos[5], k[5] = { 0 };
			int64_t c, g, rest = at, j, n = 1;

			for (d = 2 + space; d--;) {
				pos[d] = rest % in[d];
				rest /= in[d];
			}
			g = pos[1] / ci;
			c = pos[1] % ci;
			for (d = 0; d < space; d++)
				n *= wd[2 + d];
			for (j = 0; j < n; j++) {
				int64_t to = pos[0] * co * groups + g * co + o;
				int64_t of_w = transposed ? pos[1] * co + o :
							    (g * co + o) * ci + c;
				bool inside = true;
				double p;

				rest = j;
				for (d = space; d--;) {
					k[d] = rest % wd[2 + d];
					rest /= wd[2 + d];
				}
				for (d = 0; d < space; d++) {
					int64_t y;

					if (transposed) {
						y = pos[2 + d] * stride[d] -
						    pad[d] + k[d] * dilation[d];
					} else {
						y = pos[2 + d] + pad[d] -
						    k[d] * dilation[d];
						inside &= !(y % stride[d]);
						y = y < 0 ? -1 : y / stride[d];
					}
					inside &= y >= 0 && y < out->dims[2 + d];
					to = to * out->dims[2 + d] + y;
				}
				if (!inside)
					continue;
				p = get(&x, at) * get(&w, of_w * n + j);
				want[to] += p;
				scale[to] += fabs(p);
			}
		}
		for (i = 0; i < total; i++) {
			int64_t c = i;

			for (d = 0; d < space; d++)
				c /= out->dims[2 + d];
			if (biased && !integers)
				want[i] += get(&bias, c % (co * groups));
			if (clamps)
				want[i] = fmin(fmax(want[i], -2), 4);
			EXPECT(is_near(out, i, want[i], 2 * scale[i] + 3));
		}
		free(want);
		free(scale);
	}
	return true;
}

/* The padded plane of a window with such gaps has 2^62 elements. */
static bool test_conv_gaps(void)
{
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 1, 2, 1, 1);
	struct vnpu_tensor w = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 1, 3, 3);
	const int64_t gap[] = { 1 << 30, 1 << 30 };
	struct vnpu_op_launch l;
	int64_t i;

	fill(&x, 1, 2);
	fill(&w, 1, 2);
	launch(&l, VNPU_OP_CONVOLUTION, 2, 1, &x, &w, NULL);
	vnpu_op_set_ints(&l, 1, gap, 2);
	vnpu_op_set_ints(&l, 2, gap, 2);
	vnpu_op_set_int(&l, 5, 2);
	EXPECT(make_outputs(&l) && run(&l));
	/* Only the center of the window meets the element. */
	for (i = 0; i < 2; i++)
		EXPECT(is_near(&l.tensor[2], i, get(&x, i) * get(&w, 9 * i + 4),
			       2));
	return true;
}

static bool test_im2col(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t n = 1 + below(2), c = 1 + below(3), h = 3 + below(5);
		int64_t w = 3 + below(5), k[2] = { 1 + below(3), 1 + below(3) };
		int64_t stride[2] = { 1 + below(2), 1 + below(2) }, i;
		int64_t pad[2] = { below(2), below(2) }, ow;
		struct vnpu_tensor x = RANDOM(n, c, h, w);
		struct vnpu_op_launch l;
		const struct vnpu_tensor *out;

		launch(&l, VNPU_OP_IM2COL, 1, 1, &x, NULL);
		vnpu_op_set_ints(&l, 0, stride, 2);
		vnpu_op_set_ints(&l, 1, pad, 2);
		vnpu_op_set_ints(&l, 3, k, 2);
		EXPECT(make_outputs(&l) && run(&l));
		out = &l.tensor[1];
		ow = (w + 2 * pad[1] - k[1]) / stride[1] + 1;
		for (i = 0; i < vnpu_tensor_elements(out); i++) {
			int64_t p = i % out->dims[2], e = i / out->dims[2];
			int64_t y = p / ow * stride[0] - pad[0] + e / k[1] % k[0];
			int64_t z = p % ow * stride[1] - pad[1] + e % k[1];
			int64_t plane = e / k[1] / k[0];

			EXPECT(get(out, i) == (y < 0 || y >= h || z < 0 || z >= w ?
				0 : get(&x, (plane * h + y) * w + z)));
		}
	}
	return true;
}

static bool test_pool(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		/* Wide rows are computed in vectors, long windows are not. */
		bool wide = !below(3), long_windows = wide && !below(4);
		int64_t c = 1 + below(3), h = 3 + below(7), i;
		int64_t w = 3 + below(wide ? 90 : 7) + (long_windows ? 20 : 0);
		int64_t k[2] = { 1 + below(3),
				 1 + below(3) + (long_windows ? 16 : 0) };
		int64_t stride[2] = { 1 + below(3), 1 + below(3) };
		int64_t pad[2] = { below(2) && k[0] > 1, below(2) && k[1] > 1 };
		bool is_max = below(2), include = below(2), ceil = below(2);
		bool has_indices = is_max && below(2);
		struct vnpu_tensor x = RANDOM(2, c, h, w);
		const struct vnpu_tensor *out;
		struct vnpu_op_launch l;

		launch(&l, is_max ? VNPU_OP_MAX_POOL2D : VNPU_OP_AVG_POOL2D, 1,
		       has_indices ? 2 : 1, &x, NULL, NULL);
		vnpu_op_set_ints(&l, 0, k, 2);
		vnpu_op_set_ints(&l, 1, stride, 2);
		vnpu_op_set_ints(&l, 2, pad, 2);
		vnpu_op_set_int(&l, 4, ceil);
		vnpu_op_set_int(&l, 5, include);
		EXPECT(make_outputs(&l) && run(&l));
		out = &l.tensor[1];
		for (i = 0; i < vnpu_tensor_elements(out); i++) {
			int64_t z = i % out->dims[3], y = i / out->dims[3];
			int64_t plane = y / out->dims[2], r, s, n = 0, all = 0;
			double most = -INFINITY, sum = 0;

			y %= out->dims[2];
			for (r = y * stride[0] - pad[0];
			     r < y * stride[0] - pad[0] + k[0]; r++)
				for (s = z * stride[1] - pad[1];
				     s < z * stride[1] - pad[1] + k[1]; s++) {
					all += r < h + pad[0] && s < w + pad[1];
					if (r < 0 || s < 0 || r >= h || s >= w)
						continue;
					n++;
					sum += get(&x, (plane * h + r) * w + s);
					most = fmax(most, get(&x, (plane * h + r) *
							      w + s));
				}
			EXPECT(is_near(out, i, is_max ? (float)most :
				       sum / (include ? all : n), 3));
			if (has_indices)
				EXPECT((float)get(&x, plane * h * w +
						  get_int(&l.tensor[2], i)) ==
				       (float)most);
		}
	}
	return true;
}

/* Rows of all widths around those of vectors, a stride, gaps and a NaN. */
static bool test_pool_nan(void)
{
	int64_t w, i, s;

	for (w = 5; w < 80; w++) {
		int64_t stride[2] = { 1, 1 + below(3) }, pad[2] = { 0, below(3) };
		int64_t dilation[2] = { 1, 1 + below(2) }, k[2] = { 1, 3 };
		int64_t bad = below(w);
		struct vnpu_tensor x = VIEW(VNPU_DT_F32, below(OUT_LAYOUTS), 1, w);
		struct vnpu_op_launch l;

		fill(&x, -3, 3);
		set(&x, bad, NAN);
		launch(&l, VNPU_OP_MAX_POOL2D, 1, 1, &x, NULL);
		vnpu_op_set_ints(&l, 0, k, 2);
		vnpu_op_set_ints(&l, 1, stride, 2);
		vnpu_op_set_ints(&l, 2, pad, 2);
		vnpu_op_set_ints(&l, 3, dilation, 2);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < l.tensor[1].dims[1]; i++) {
			double most = -INFINITY, value = get(&l.tensor[1], i);
			bool has_bad = false;

			for (s = 0; s < 3; s++) {
				int64_t at = i * stride[1] - pad[1] +
					     s * dilation[1];

				has_bad |= at == bad;
				if (at >= 0 && at < w && at != bad)
					most = fmax(most, get(&x, at));
			}
			EXPECT(has_bad ? isnan(value) : value == most);
		}
	}
	return true;
}

static bool test_resize(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t h = 1 + below(7), w = 1 + below(7), i;
		int64_t size[2] = { 1 + below(9), 1 + below(9) };
		bool mean = below(2), corners = below(2);
		struct vnpu_tensor x = RANDOM(2, h, w);
		struct vnpu_op_launch l;

		launch(&l, mean ? VNPU_OP_ADAPTIVE_AVG_POOL2D :
				  VNPU_OP_UPSAMPLE_BILINEAR, 1, 1, &x, NULL);
		vnpu_op_set_ints(&l, 0, size, 2);
		vnpu_op_set_int(&l, 1, corners);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < 2 * size[0] * size[1]; i++) {
			int64_t z = i % size[1], y = i / size[1] % size[0];
			int64_t plane = i / size[1] / size[0], r, s;
			double want = 0, v, u, n = 0;

			for (r = 0; r < h; r++)
				for (s = 0; s < w; s++) {
					double at[2] = { y, z };
					double in[2] = { h, w };
					int d;

					if (mean) {
						u = r * size[0] < (y + 1) * h &&
						    (r + 1) * size[0] > y * h;
						v = s * size[1] < (z + 1) * w &&
						    (s + 1) * size[1] > z * w;
						n += u * v;
						want += u * v * get(&x,
							(plane * h + r) * w + s);
						continue;
					}
					for (d = 0; d < 2; d++) {
						at[d] = corners ?
							size[d] > 1 ? at[d] *
							(in[d] - 1) /
							(size[d] - 1) : 0 :
							(at[d] + 0.5) * in[d] /
							size[d] - 0.5;
						at[d] = fmin(fmax(at[d], 0),
							     in[d] - 1);
					}
					u = fmax(0, 1 - fabs(at[0] - r));
					v = fmax(0, 1 - fabs(at[1] - s));
					want += u * v * get(&x,
						(plane * h + r) * w + s);
				}
			EXPECT(is_near(&l.tensor[1], i, mean ? want / n : want, 6));
		}
	}
	return true;
}

/* Weight of an element at a distance: the kernel with a = -3/4. */
static double cubic(double x)
{
	x = fabs(x);
	return x < 1 ? (1.25 * x - 2.25) * x * x + 1 :
	       x < 2 ? ((-0.75 * x + 3.75) * x - 6) * x + 3 : 0;
}

/* As the sum over an unlimited plane whose edges repeat. */
static bool test_bicubic(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t in[2] = { 1 + below(7), 1 + below(7) }, i, r, s;
		int64_t size[2] = { 1 + below(9), 1 + below(9) };
		struct vnpu_tensor x = RANDOM(2, in[0], in[1]);
		bool corners = below(2);
		struct vnpu_op_launch l;

		launch(&l, VNPU_OP_UPSAMPLE_BICUBIC, 1, 1, &x, NULL);
		vnpu_op_set_ints(&l, 0, size, 2);
		vnpu_op_set_int(&l, 1, corners);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < 2 * size[0] * size[1]; i++) {
			int64_t plane = i / size[1] / size[0];
			double at[2] = { i / size[1] % size[0], i % size[1] };
			double want = 0;
			int d;

			for (d = 0; d < 2; d++)
				at[d] = !corners ? (at[d] + 0.5) * in[d] /
						   size[d] - 0.5 :
					size[d] > 1 ? at[d] * (in[d] - 1) /
						      (size[d] - 1) : 0;
			for (r = -4; r < in[0] + 4; r++)
				for (s = -4; s < in[1] + 4; s++) {
					int64_t y = fmin(fmax(r, 0), in[0] - 1);
					int64_t z = fmin(fmax(s, 0), in[1] - 1);

					want += cubic(at[0] - r) *
						cubic(at[1] - s) *
						get(&x, (plane * in[0] + y) *
							in[1] + z);
				}
			EXPECT(is_near(&l.tensor[1], i, want, 12));
			EXPECT(x.dtype != VNPU_DT_F64 ||
			       fabs(get(&l.tensor[1], i) - want) < 1e-12);
		}
	}
	return true;
}

const struct test window_tests[] = {
	{ "convolution", test_conv },
	{ "convolution_gaps", test_conv_gaps },
	{ "im2col", test_im2col },
	{ "pool", test_pool },
	{ "pool_nan", test_pool_nan },
	{ "resize", test_resize },
	{ "bicubic", test_bicubic },
	{ }
};
