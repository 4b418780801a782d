// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gradients. Those of linear operators A are checked by the definition of the
 * adjoint: the product of A(x) and g is that of x and the gradient, for random x
 * and g. Other tests compare with plain loops.
 */
#include <errno.h>
#include <math.h>

#include "ops_test.h"

static struct vnpu_tensor wide_view(unsigned int rank, const int64_t *dims)
{
	struct vnpu_tensor t = view(below(2) ? VNPU_DT_F32 : VNPU_DT_F64,
				    below(LAYOUTS), rank, dims);

	fill(&t, -3, 3);
	return t;
}
#define WIDE(...)							\
	wide_view(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t),	\
		  (int64_t[]){ __VA_ARGS__ })

/* The product of two tensors of one shape, and that of their sizes. */
static double dot(const struct vnpu_tensor *a, const struct vnpu_tensor *b,
		  double *size)
{
	double sum = 0;
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(a); i++) {
		sum += get(a, i) * get(b, i);
		*size += fabs(get(a, i) * get(b, i));
	}
	return sum;
}

/* Check whether <made, g> is <x, grad>. */
static bool is_adjoint(const struct vnpu_tensor *made,
		       const struct vnpu_tensor *g, const struct vnpu_tensor *x,
		       const struct vnpu_tensor *grad)
{
	double size = 1, a = dot(made, g, &size), b = dot(x, grad, &size);

	if (fabs(a - b) <= 2e-6 * size)
		return true;
	note("%g, but %g", a, b);
	return false;
}

static bool test_conv_gradient(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		unsigned int space = 1 + below(3), d;
		int64_t groups = 1 + below(2), ci = 1 + below(3), co = 1 + below(4);
		int64_t in[5] = { 1 + below(3), ci * groups }, more[3];
		int64_t wd[5] = { co * groups, ci }, stride[3], pad[3], dil[3];
		struct vnpu_tensor x, w, out, g;
		bool transposed = below(2);
		struct vnpu_op_launch l, b;

		for (d = 0; d < space; d++) {
			in[2 + d] = 1 + below(round % 30 ? 7 : space > 1 ? 80 : 6000);
			wd[2 + d] = 1 + below(3);
			stride[d] = 1 + below(2);
			dil[d] = 1 + below(2);
			pad[d] = below(2);
		}
		if (round % 30 == 0 && space == 3)
			in[4] = 5;
		x = wide_view(2 + space, in);
		w = wide_view(2 + space, wd);
		launch(&l, VNPU_OP_CONVOLUTION, 2, 1, &x, &w, NULL);
		vnpu_op_set_ints(&l, 0, stride, space);
		vnpu_op_set_ints(&l, 1, pad, space);
		vnpu_op_set_ints(&l, 2, dil, space);
		vnpu_op_set_int(&l, 5, groups);
		if (vnpu_op_infer(&l, NULL))
			continue;	/* the window is larger than the input */
		l.tensor[2].dtype = VNPU_DT_NONE;
		EXPECT(make_outputs(&l) && !vnpu_op_compute(&l, NULL));
		out = l.tensor[2];
		g = wide_view(out.rank, out.dims);

		launch(&b, VNPU_OP_CONVOLUTION_WEIGHT_BACKWARD, 2, 1, &g, &x,
		       NULL);
		vnpu_op_set_ints(&b, 0, stride, space);
		vnpu_op_set_ints(&b, 1, pad, space);
		vnpu_op_set_ints(&b, 2, dil, space);
		vnpu_op_set_ints(&b, 3, wd + 2, space);
		vnpu_op_set_int(&b, 4, groups);
		EXPECT(make_outputs(&b) && run(&b));
		EXPECT(is_adjoint(&out, &g, &w, &b.tensor[2]));

		/* The input: the transposed convolution, of the same size. */
		for (d = 0; d < space; d++)
			more[d] = in[2 + d] - ((out.dims[2 + d] - 1) * stride[d] -
				  2 * pad[d] + dil[d] * (wd[2 + d] - 1) + 1);
		launch(&b, VNPU_OP_CONVOLUTION, 2, 1, &g, &w, NULL);
		vnpu_op_set_ints(&b, 0, stride, space);
		vnpu_op_set_ints(&b, 1, pad, space);
		vnpu_op_set_ints(&b, 2, dil, space);
		vnpu_op_set_int(&b, 3, 1);
		vnpu_op_set_ints(&b, 4, more, space);
		vnpu_op_set_int(&b, 5, groups);
		EXPECT(make_outputs(&b) && run(&b));
		EXPECT(is_adjoint(&out, &g, &x, &b.tensor[2]));
		if (!transposed)
			continue;
		/* A transposed one from g to x, of which x is the gradient. */
		out = b.tensor[2];
		launch(&b, VNPU_OP_CONVOLUTION_WEIGHT_BACKWARD, 2, 1, &g, &x,
		       NULL);
		vnpu_op_set_ints(&b, 0, stride, space);
		vnpu_op_set_ints(&b, 1, pad, space);
		vnpu_op_set_ints(&b, 2, dil, space);
		vnpu_op_set_ints(&b, 3, wd + 2, space);
		vnpu_op_set_int(&b, 4, groups);
		EXPECT(make_outputs(&b) && !vnpu_op_compute(&b, NULL));
		EXPECT(is_adjoint(&out, &x, &w, &b.tensor[2]));
	}
	return true;
}

static bool test_pool_gradient(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t in[4] = { 1 + below(2), 1 + below(3), 3 + below(7),
				  3 + below(7) };
		int64_t k[2] = { 1 + below(3), 1 + below(3) };
		int64_t stride[2] = { 1 + below(3), 1 + below(3) };
		int64_t pad[2] = { below(2) && k[0] > 1, below(2) && k[1] > 1 };
		bool is_max = below(2), include = below(2), ceil = below(2);
		struct vnpu_tensor x = wide_view(4, in), g;
		struct vnpu_op_launch l, b;
		struct vnpu_op_launch *both[] = { &l, &b };
		unsigned int i;

		launch(&l, is_max ? VNPU_OP_MAX_POOL2D : VNPU_OP_AVG_POOL2D, 1,
		       is_max ? 2 : 1, &x, NULL, NULL);
		launch(&b, VNPU_OP_AVG_POOL2D_BACKWARD, 1, 1, NULL, NULL);
		for (i = 0; i < 2; i++) {
			vnpu_op_set_ints(both[i], 0, k, 2);
			vnpu_op_set_ints(both[i], 1, stride, 2);
			vnpu_op_set_ints(both[i], 2, pad, 2);
			vnpu_op_set_int(both[i], 4, ceil);
			vnpu_op_set_int(both[i], 5, include);
		}
		vnpu_op_set_ints(&b, 7, in + 2, 2);
		EXPECT(make_outputs(&l) && !vnpu_op_compute(&l, NULL));
		g = wide_view(4, l.tensor[1].dims);
		if (is_max) {
			launch(&b, VNPU_OP_MAX_POOL2D_BACKWARD, 2, 1, &g,
			       &l.tensor[2], NULL);
			vnpu_op_set_ints(&b, 0, in + 2, 2);
		}
		b.tensor[0] = g;
		EXPECT(make_outputs(&b) && run(&b));
		EXPECT(is_adjoint(&l.tensor[1], &g, &x, &b.tensor[b.inputs]));
		if (!is_max)
			continue;
		set_int(&l.tensor[2], 0, in[2] * in[3]);
		b.tensor[1] = l.tensor[2];
		EXPECT(vnpu_op_compute(&b, NULL) == -ERANGE);
	}
	return true;
}

static bool test_resize_gradient(void)
{
	static const unsigned int ops[5][2] = {
		{ VNPU_OP_ADAPTIVE_AVG_POOL2D,
		  VNPU_OP_ADAPTIVE_AVG_POOL2D_BACKWARD },
		{ VNPU_OP_UPSAMPLE_BILINEAR, VNPU_OP_UPSAMPLE_BILINEAR_BACKWARD },
		{ VNPU_OP_ADAPTIVE_MAX_POOL2D, VNPU_OP_MAX_POOL2D_BACKWARD },
		{ VNPU_OP_UPSAMPLE_BICUBIC, VNPU_OP_UPSAMPLE_BICUBIC_BACKWARD },
		{ VNPU_OP_UPSAMPLE_NEAREST, VNPU_OP_UPSAMPLE_NEAREST_BACKWARD },
	};
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t in[3] = { 1 + below(3), 1 + below(7), 1 + below(7) };
		int64_t size[2] = { 1 + below(9), 1 + below(9) }, i, r, s;
		struct vnpu_tensor x = wide_view(3, in), g;
		unsigned int kind = below(5);
		bool corners = below(2);
		struct vnpu_op_launch l, b;

		launch(&l, ops[kind][0], 1, 1 + (kind == 2), &x, NULL, NULL);
		vnpu_op_set_ints(&l, 0, size, 2);
		vnpu_op_set_int(&l, 1, corners);
		EXPECT(make_outputs(&l) && run(&l));
		g = wide_view(3, l.tensor[1].dims);
		launch(&b, ops[kind][1], 1 + (kind == 2), 1, &g,
		       kind == 2 ? &l.tensor[2] : NULL, NULL);
		vnpu_op_set_ints(&b, 0, in + 1, 2);
		vnpu_op_set_int(&b, 1, corners);
		EXPECT(make_outputs(&b) && run(&b));
		EXPECT(is_adjoint(&l.tensor[1], &g, &x, &b.tensor[b.inputs]));
		for (i = 0; kind == 2 && i < vnpu_tensor_elements(&g); i++) {
			int64_t z = i % size[1], y = i / size[1] % size[0];
			int64_t plane = i / size[1] / size[0];
			double most = -INFINITY;

			for (r = y * in[1] / size[0]; r * size[0] <
			     (y + 1) * in[1]; r++)
				for (s = z * in[2] / size[1]; s * size[1] <
				     (z + 1) * in[2]; s++)
					most = fmax(most, get(&x, (plane * in[1] +
							      r) * in[2] + s));
			EXPECT((float)get(&l.tensor[1], i) == (float)most);
		}
	}
	return true;
}

/* Group and batch norm, as layer norm of views of the same elements. */
static bool test_channel_norm_gradient(void)
{
	unsigned int round;

	for (round = 0; round < 80; round++) {
		int64_t n = 1 + below(3), groups = 1 + below(3), each = 1 + below(3);
		int64_t c = groups * each, s = 2 + below(9), i, lines;
		struct vnpu_tensor g = WIDE(n, c, s), x = WIDE(n, c, s), w = WIDE(c);
		struct vnpu_tensor gw, xc, mean, rstd, line;
		bool is_batch = below(2), weighted = below(2);
		struct vnpu_op_launch l, b;

		lines = is_batch ? c : n * groups;
		gw = VIEW(VNPU_DT_F64, CONTIGUOUS, lines, n * c * s / lines);
		xc = VIEW(VNPU_DT_F64, CONTIGUOUS, lines, n * c * s / lines);
		for (i = 0; i < n * c * s; i++) {
			int64_t channel = i / s % c;
			int64_t at = is_batch ? (channel * n + i / s / c) * s +
						i % s : i;

			set(&gw, at, get(&g, i) *
				     (weighted ? get(&w, channel) : 1));
			set(&xc, at, get(&x, i));
		}
		mean = is_batch ? WIDE(c) : WIDE(n, groups);
		rstd = is_batch ? WIDE(c) : WIDE(n, groups);
		launch(&l, is_batch ? VNPU_OP_BATCH_NORM_BACKWARD :
				      VNPU_OP_GROUP_NORM_BACKWARD, 5, 1, &g, &x,
		       &mean, &rstd, weighted ? &w : NULL, NULL);
		if (!is_batch)
			vnpu_op_set_int(&l, 1, groups);
		EXPECT(make_outputs(&l) && run(&l));
		line = VIEW(VNPU_DT_F64, CONTIGUOUS, lines, 1);
		for (i = 0; i < lines; i++)
			set(&line, i, get(&mean, i));
		mean = line;
		line = VIEW(VNPU_DT_F64, CONTIGUOUS, lines, 1);
		for (i = 0; i < lines; i++)
			set(&line, i, get(&rstd, i));
		launch(&b, VNPU_OP_LAYER_NORM_BACKWARD, 4, 1, &gw, &xc, &mean,
		       &line, NULL);
		EXPECT(make_outputs(&b) && !vnpu_op_compute(&b, NULL));
		for (i = 0; i < n * c * s; i++) {
			int64_t at = is_batch ? (i / s % c * n + i / s / c) * s +
						i % s : i;

			EXPECT(is_near(&l.tensor[5], i, get(&b.tensor[4], at),
				       300));
		}
	}
	return true;
}

static bool test_norm_weight(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t dims[3] = { 1 + below(5), 1 + below(5),
				    1 + below(round % 10 ? 9 : 600) };
		int64_t index[8], i, j, made[3], single[3], last;
		struct vnpu_tensor g = wide_view(3, dims), x = wide_view(3, dims);
		struct vnpu_tensor mean, rstd, out, bias;
		bool centered = below(2), has_bias = below(2);
		double weight[15000] = { 0 }, sum[15000] = { 0 }, size = 1;
		struct vnpu_op_launch l;
		unsigned int d, rank;

		for (d = 0; d < 3; d++) {
			made[d] = below(2) ? dims[d] : 1;
			single[d] = below(2) ? dims[d] : 1;
		}
		rank = made[0] == 1 ? 2 : 3;
		mean = wide_view(3, single);
		rstd = single[0] == 1 ? wide_view(2, single + 1) :
					wide_view(3, single);
		out = view(VNPU_DT_F32, below(OUT_LAYOUTS), rank, made + 3 - rank);
		bias = view(VNPU_DT_F64, below(OUT_LAYOUTS), rank,
			    made + 3 - rank);
		launch(&l, VNPU_OP_NORM_WEIGHT_BACKWARD, 4, 2, &g, &x, &rstd,
		       centered ? &mean : NULL, &out, has_bias ? &bias : NULL);
		EXPECT(run(&l));
		for (i = 0; i < vnpu_tensor_elements(&g); i++) {
			double v = get(&x, i);

			split_number(&g, i, index);
			for (d = 0, j = 0; d < 3; d++)
				j = j * made[d] + (made[d] == 1 ? 0 : index[d]);
			last = broadcast_number(&mean, 3, dims, i);
			v = get(&g, i) * (v - (centered ? get(&mean, last) : 0)) *
			    get(&rstd, broadcast_number(&rstd, 3, dims, i));
			weight[j] += v;
			size += fabs(v);
			sum[j] += get(&g, i);
		}
		for (j = 0; j < vnpu_tensor_elements(&out); j++) {
			EXPECT(is_near(&out, j, weight[j], 1e-3 * size));
			EXPECT(!has_bias || is_near(&bias, j, sum[j], 1));
		}
	}
	return true;
}

static bool test_embedding(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t a = below(4), b = 1 + below(30), rows = 1 + below(9), i, j, k;
		int64_t width = 1 + below(round % 10 ? 9 : 600), padding = -1;
		struct vnpu_tensor grad = RANDOM(a, b, width);
		struct vnpu_tensor index = VIEW(below(2) ? VNPU_DT_I32 :
							   VNPU_DT_I64,
						below(LAYOUTS), a, b);
		bool by_frequency = below(2);
		struct vnpu_op_launch l;

		if (below(2))
			padding = below(rows);
		fill(&index, 0, rows - 1);
		launch(&l, VNPU_OP_EMBEDDING_BACKWARD, 2, 1, &grad, &index, NULL);
		vnpu_op_set_int(&l, 0, rows);
		vnpu_op_set_int(&l, 1, padding);
		vnpu_op_set_int(&l, 2, by_frequency);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < rows; i++)
			for (j = 0; j < width; j++) {
				double want = 0;
				int64_t count = 0;

				for (k = 0; k < a * b; k++) {
					if (get_int(&index, k) != i || i == padding)
						continue;
					want += get(&grad, k * width + j);
					count++;
				}
				if (by_frequency && count)
					want /= count;
				EXPECT(is_close(&l.tensor[2], i * width + j, want,
						1, 1));
			}
		if (!a)
			continue;
		set_int(&index, 0, below(2) ? rows : -2);
		EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	}
	return true;
}

static bool test_nll(void)
{
	unsigned int round;

	for (round = 0; round < 120; round++) {
		int64_t n = 1 + below(5), c = 2 + below(6), s = 1 + below(4), i, k;
		struct vnpu_tensor x = WIDE(n, c, s), w = WIDE(c), g, out;
		struct vnpu_tensor target = VIEW(below(2) ? VNPU_DT_I32 :
							    VNPU_DT_I64,
						 below(LAYOUTS), n, s);
		bool weighted = below(2), ignores = false;
		double sum = 0, total = 0, size = 1;
		struct vnpu_op_launch l, b;
		int64_t reduction = below(3);

		fill(&w, 0.1, 2);
		fill(&target, 0, c - 1);
		if (n > 1 && below(2)) {
			set_int(&target, 0, -100);
			ignores = true;
		}
		launch(&l, VNPU_OP_NLL_LOSS, 3, 2, &x, &target,
		       weighted ? &w : NULL, NULL, NULL);
		vnpu_op_set_int(&l, 0, reduction);
		EXPECT(make_outputs(&l) && run(&l));
		out = l.tensor[3];
		for (i = 0; i < n * s; i++) {
			int64_t class = get_int(&target, i);
			double weight, loss;

			if (class == -100) {
				EXPECT(reduction || get(&out, i) == 0);
				continue;
			}
			weight = weighted ? get(&w, class) : 1;
			loss = -weight * get(&x, (i / s * c + class) * s + i % s);
			sum += loss;
			size += fabs(loss);
			total += weight;
			EXPECT(reduction || is_near(&out, i, loss, 1));
		}
		if (total == 0)
			continue;	/* all are ignored */
		EXPECT(is_near(&l.tensor[4], 0, total, 1));
		EXPECT(!reduction || is_near(&out, 0, reduction == 1 ?
					     sum / total : sum, size));

		g = wide_view(out.rank, out.dims);
		launch(&b, VNPU_OP_NLL_LOSS_BACKWARD, 5, 1, &g, &x, &target,
		       weighted ? &w : NULL, &l.tensor[4], NULL);
		vnpu_op_set_int(&b, 0, reduction);
		EXPECT(make_outputs(&b) && run(&b));
		for (i = 0; i < n * c * s; i++) {
			int64_t at = i / s / c * s + i % s;
			double want = 0;

			k = get_int(&target, at);
			if (k == i / s % c)
				want = -(weighted ? get(&w, k) : 1) *
				       get(&g, reduction ? 0 : at) /
				       (reduction == 1 ? total : 1);
			EXPECT(is_near(&b.tensor[5], i, want, 1));
		}
		if (ignores)
			set_int(&target, 0, c);
		else
			set_int(&target, 0, -1);
		EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
		EXPECT(vnpu_op_compute(&b, NULL) == -ERANGE);
	}
	return true;
}

const struct test gradient_tests[] = {
	{ "conv_gradient", test_conv_gradient },
	{ "pool_gradient", test_pool_gradient },
	{ "resize_gradient", test_resize_gradient },
	{ "channel_norm_gradient", test_channel_norm_gradient },
	{ "norm_weight", test_norm_weight },
	{ "embedding", test_embedding },
	{ "nll", test_nll },
	{ }
};
