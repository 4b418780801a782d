// SPDX-License-Identifier: GPL-2.0-only
/* Softmax, normalisations and cross entropy, compared with plain loops. */
#include <math.h>

#include "ops_test.h"

static bool test_softmax(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		int64_t n[3] = { 1 + below(5), 1 + below(round % 10 ? 9 : 99),
				 1 + below(6) };
		unsigned int op = VNPU_OP_SOFTMAX + below(4);
		bool backward = op >= VNPU_OP_SOFTMAX_BACKWARD;
		struct vnpu_tensor x = random_view(3, n), y;
		struct vnpu_op_launch l;
		int64_t i, j, k;

		y = view(x.dtype, below(LAYOUTS), 3, n);
		fill(&y, -1, 1);
		launch(&l, op, 1 + backward, 1, &x, &y, NULL);
		vnpu_op_set_int(&l, 0, below(2) ? 1 : -2);
		if (!backward)
			l.tensor[1].dtype = VNPU_DT_NONE;
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < n[0]; i++)
			for (k = 0; k < n[2]; k++) {
				double most = -INFINITY, sum = 0, want = 0, scale;
#define AT(j)	((i * n[1] + (j)) * n[2] + k)
				for (j = 0; j < n[1]; j++)
					most = fmax(most, get(&x, AT(j)));
				for (j = 0; j < n[1]; j++) {
					if (op == VNPU_OP_SOFTMAX_BACKWARD)
						sum += get(&x, AT(j)) *
						       get(&y, AT(j));
					else if (backward)
						sum += get(&x, AT(j));
					else
						sum += exp(get(&x, AT(j)) - most);
				}
				scale = backward ? 10 + fabs(sum) * 3 : 1;
				for (j = 0; j < n[1]; j++) {
					double a = get(&x, AT(j));
					double b = backward ? get(&y, AT(j)) : 0;

					switch (op) {
					case VNPU_OP_SOFTMAX:
						want = exp(a - most) / sum;
						break;
					case VNPU_OP_LOG_SOFTMAX:
						want = a - most - log(sum);
						break;
					case VNPU_OP_SOFTMAX_BACKWARD:
						want = (a - sum) * b;
						break;
					default:
						want = a - exp(b) * sum;
					}
					EXPECT(is_near(&l.tensor[l.inputs], AT(j),
						       want, scale));
				}
#undef AT
			}
	}
	return true;
}

/* Layers and their gradients: lines are the last two dimensions. */
static bool test_norm(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		int64_t rows = 1 + below(4), a = 1 + below(5), b = 1 + below(9);
		int64_t n = a * b, i, j, dims[3] = { rows, a, b };
		bool rms = below(2), adds = rms && below(2), weighted = below(2);
		unsigned int op = adds ? VNPU_OP_ADD_RMS_NORM :
				  rms ? VNPU_OP_RMS_NORM : VNPU_OP_LAYER_NORM;
		struct vnpu_tensor x = random_view(3, dims), y = RANDOM(rows, a, b);
		struct vnpu_tensor w = RANDOM(a, b), bias = RANDOM(a, b);
		const struct vnpu_tensor *out;
		double eps = 0.01;
		struct vnpu_op_launch l;

		if (n < 3)
			continue;
		if (adds)
			launch(&l, op, 3, 3, &x, &y, weighted ? &w : NULL, NULL,
			       NULL, NULL);
		else if (rms)
			launch(&l, op, 2, 2, &x, weighted ? &w : NULL, NULL, NULL);
		else
			launch(&l, op, 3, 3, &x, weighted ? &w : NULL, &bias,
			       NULL, NULL, NULL);
		vnpu_op_set_float(&l, 0, eps);
		vnpu_op_set_int(&l, 1, 2);
		EXPECT(make_outputs(&l) && run(&l));
		out = &l.tensor[l.inputs];
		for (i = 0; i < rows; i++) {
			double mean = 0, square = 0, rstd;

			for (j = 0; j < n && !rms; j++)
				mean += get(&x, i * n + j) / n;
			for (j = 0; j < n; j++) {
				double v = get(&x, i * n + j) - mean +
					   (adds ? get(&y, i * n + j) : 0);

				square += v * v / n;
			}
			rstd = 1 / sqrt(square + eps);
			EXPECT(is_near(&out[rms ? 1 : 2], i, rstd, 1));
			for (j = 0; j < n; j++) {
				double v = get(&x, i * n + j) - mean +
					   (adds ? get(&y, i * n + j) : 0);

				v = v * rstd * (weighted ? get(&w, j) : 1) +
				    (rms ? 0 : get(&bias, j));
				EXPECT(is_near(out, i * n + j, v, 10));
			}
		}
	}
	return true;
}

static bool test_group_norm(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t n = 1 + below(3), groups = 1 + below(3);
		int64_t each = 1 + below(3), space = 2 + below(9), i, j;
		struct vnpu_tensor x = RANDOM(n, groups * each, space, 2);
		struct vnpu_tensor w = RANDOM(groups * each);
		struct vnpu_tensor b = RANDOM(groups * each);
		int64_t length = each * space * 2;
		struct vnpu_op_launch l;

		launch(&l, VNPU_OP_GROUP_NORM, 3, 3, &x, &w, &b, NULL, NULL,
		       NULL);
		vnpu_op_set_int(&l, 1, groups);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < n * groups; i++) {
			double mean = 0, square = 0;

			for (j = 0; j < length; j++)
				mean += get(&x, i * length + j) / length;
			for (j = 0; j < length; j++)
				square += pow(get(&x, i * length + j) - mean, 2) /
					  length;
			EXPECT(is_near(&l.tensor[4], i, mean, 1));
			for (j = 0; j < length; j++) {
				int64_t channel = i % groups * each +
						  j / (space * 2);
				double want = (get(&x, i * length + j) - mean) /
					      sqrt(square + 1e-5) *
					      get(&w, channel) + get(&b, channel);

				EXPECT(is_near(&l.tensor[3], i * length + j, want,
					       20));
			}
		}
	}
	return true;
}

static bool test_batch_norm(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t n = 1 + below(3), c = 1 + below(4), s = 2 + below(9), i, j;
		struct vnpu_tensor x = RANDOM(n, c, s), w = RANDOM(c), b = RANDOM(c);
		struct vnpu_op_launch l;

		launch(&l, VNPU_OP_BATCH_NORM, 3, 3, &x, &w, &b, NULL, NULL, NULL);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < c; i++) {
			double mean = 0, square = 0;

			for (j = 0; j < n * s; j++)
				mean += get(&x, (j / s * c + i) * s + j % s) /
					(n * s);
			for (j = 0; j < n * s; j++)
				square += pow(get(&x, (j / s * c + i) * s + j % s) -
					      mean, 2) / (n * s);
			EXPECT(is_near(&l.tensor[4], i, mean, 1));
			for (j = 0; j < n * s; j++) {
				int64_t at = (j / s * c + i) * s + j % s;

				EXPECT(is_near(&l.tensor[3], at, (get(&x, at) - mean) /
					       sqrt(square + 1e-5) * get(&w, i) +
					       get(&b, i), 20));
			}
		}
	}
	return true;
}

/* Gradients by differences of the sum of grad * norm(x). */
static bool test_norm_backward(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t n = 3 + below(8), i, j;
		bool rms = below(2);
		struct vnpu_tensor g = VIEW(VNPU_DT_F64, below(LAYOUTS), 1, n);
		struct vnpu_tensor x = VIEW(VNPU_DT_F64, CONTIGUOUS, 1, n);
		struct vnpu_tensor w = VIEW(VNPU_DT_F64, below(LAYOUTS), n);
		struct vnpu_tensor mean = VIEW(VNPU_DT_F64, CONTIGUOUS, 1, 1);
		struct vnpu_tensor rstd = VIEW(VNPU_DT_F64, CONTIGUOUS, 1, 1);
		struct vnpu_tensor out = VIEW(VNPU_DT_F64, CONTIGUOUS, 1, n);
		struct vnpu_op_launch l;

		fill(&g, -2, 2);
		fill(&x, -2, 2);
		fill(&w, -2, 2);
		for (i = -1; i < n; i++) {
			double sum[2], m, s, keep = i < 0 ? 0 : get(&x, i);
			int side;

			for (side = 0; side < 2; side++) {
				if (i >= 0)
					set(&x, i, keep + (side ? 1e-6 : -1e-6));
				m = s = sum[side] = 0;
				for (j = 0; j < n && !rms; j++)
					m += get(&x, j) / n;
				for (j = 0; j < n; j++)
					s += pow(get(&x, j) - m, 2) / n;
				for (j = 0; j < n; j++)
					sum[side] += get(&g, j) * get(&w, j) *
						     (get(&x, j) - m) / sqrt(s + 0.1);
			}
			if (i >= 0) {
				set(&x, i, keep);
				if (fabs(get(&out, i) - (sum[1] - sum[0]) / 2e-6) > 1e-4) {
					note("%g, expected %g", get(&out, i),
					     (sum[1] - sum[0]) / 2e-6);
					return false;
				}
				continue;
			}
			set(&mean, 0, m);
			set(&rstd, 0, 1 / sqrt(s + 0.1));
			if (rms)
				launch(&l, VNPU_OP_RMS_NORM_BACKWARD, 4, 1, &g,
				       &x, &rstd, &w, &out);
			else
				launch(&l, VNPU_OP_LAYER_NORM_BACKWARD, 5, 1, &g,
				       &x, &mean, &rstd, &w, &out);
			EXPECT(run(&l));
		}
	}
	return true;
}

static bool test_cross_entropy(void)
{
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, below(LAYOUTS), 4, 30), y;
	struct vnpu_tensor loss = VIEW(VNPU_DT_F32, CONTIGUOUS, 4), grad;
	struct vnpu_op_launch l;
	int i, k;

	y = VIEW(VNPU_DT_F32, below(LAYOUTS), 4, 30);
	grad = VIEW(VNPU_DT_F32, below(OUT_LAYOUTS), 4, 30);
	fill(&x, -5, 5);
	fill(&y, 0, 0.1);
	launch(&l, VNPU_OP_CROSS_ENTROPY, 2, 2, &x, &y, &loss, &grad);
	EXPECT(run(&l));
	for (i = 0; i < 4; i++) {
		double sum = 0, want = 0;

		for (k = 0; k < 30; k++)
			sum += exp(get(&x, i * 30 + k));
		for (k = 0; k < 30; k++) {
			double log_p = get(&x, i * 30 + k) - log(sum);

			want -= get(&y, i * 30 + k) * log_p;
			EXPECT(is_close(&grad, i * 30 + k, exp(log_p) -
					get(&y, i * 30 + k), 1, 4));
		}
		EXPECT(is_close(&loss, i, want, 10, 8));
	}
	return true;
}

const struct test norm_tests[] = {
	{ "softmax", test_softmax },
	{ "norm", test_norm },
	{ "group_norm", test_group_norm },
	{ "batch_norm", test_batch_norm },
	{ "norm_backward", test_norm_backward },
	{ "cross_entropy", test_cross_entropy },
	{ }
};
