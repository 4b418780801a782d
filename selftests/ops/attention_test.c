// SPDX-License-Identifier: GPL-2.0-only
/* Attention, rotary embedding and quantised products, compared with plain loops. */
#include <math.h>

#include "ops_test.h"

static bool test_rope(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t b = 1 + below(3), s = 1 + below(4), h = 1 + below(3);
		int64_t d = 4 * (1 + below(8)), i, half;
		int mode = below(3);
		struct vnpu_tensor x = RANDOM(b, s, h, d);
		struct vnpu_tensor c = RANDOM(1, s, 1, d), sn = RANDOM(1, s, 1, d);
		struct vnpu_op_launch l;

		launch(&l, VNPU_OP_ROPE, 3, 1, &x, &c, &sn, NULL);
		vnpu_op_set_int(&l, 0, mode);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < b * s * h * d; i++) {
			int64_t at = i % d, row = i / d / h % s, other;
			double rotated;

			half = mode == 2 ? d / 4 : d / 2;
			if (mode == 1)
				other = at % 2 ? i - 1 : i + 1;
			else
				other = at % (2 * half) < half ? i + half : i - half;
			rotated = other > i ? -get(&x, other) : get(&x, other);
			EXPECT(is_near(&l.tensor[3], i, get(&x, i) *
				       get(&c, row * d + at) +
				       rotated * get(&sn, row * d + at), 10));
		}
	}
	return true;
}

static bool test_attention(void)
{
	unsigned int round;

	for (round = 0; round < 120; round++) {
		int64_t b = 1 + below(2), kv = 1 + below(2), group = 1 + below(2);
		int64_t h = kv * group, s = 1 + below(round % 20 ? 5 : 60);
		int64_t t = 1 + below(round % 20 ? 9 : 600), d = 1 + below(9);
		int64_t dv = 1 + below(9), i, j, e;
		struct vnpu_tensor q = RANDOM(b, h, s, d), k = RANDOM(b, kv, t, d);
		struct vnpu_tensor v = RANDOM(b, kv, t, dv);
		struct vnpu_tensor bias = RANDOM(b, 1, s, t);
		struct vnpu_tensor mask = VIEW(VNPU_DT_BOOL, below(LAYOUTS), s, t);
		bool biased = below(2), masked = below(2), causal = below(2);
		double scale = below(5) ? 0.5 : -0.5, logit[600];
		struct vnpu_op_launch l;

		/* More rows than a block has. */
		if (round == 7 || round == 8)
			s = 700;
		if (s == 700) {
			q = RANDOM(b, h, s, d);
			bias = RANDOM(b, 1, s, t);
			mask = VIEW(VNPU_DT_BOOL, below(LAYOUTS), s, t);
		}
		fill(&mask, 0, 1);
		launch(&l, VNPU_OP_ATTENTION, 5, 3, &q, &k, &v,
		       biased ? &bias : NULL, masked ? &mask : NULL, NULL, NULL,
		       NULL);
		vnpu_op_set_float(&l, 0, scale);
		vnpu_op_set_int(&l, 1, causal);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < b * h * s; i++) {
			int64_t row = i % s, head = i / s % h, batch = i / s / h;
			int64_t of_kv = batch * kv + head / group;
			double sum = 0, most = -INFINITY;

			for (j = 0; j < t; j++) {
				logit[j] = 0;
				for (e = 0; e < d; e++)
					logit[j] += scale * get(&q, i * d + e) *
						get(&k, (of_kv * t + j) * d + e);
				if (biased)
					logit[j] += get(&bias, (batch * s + row) *
							       t + j);
				if ((masked && get_int(&mask, row * t + j)) ||
				    (causal && j > row + t - s))
					logit[j] = -INFINITY;
				most = fmax(most, logit[j]);
			}
			for (j = 0; j < t; j++) {
				logit[j] = most == -INFINITY ? 0 :
					   exp(logit[j] - most);
				sum += logit[j];
			}
			EXPECT(is_near(&l.tensor[6], i, most, 40));
			EXPECT(is_near(&l.tensor[7], i, sum, 10 * t));
			for (e = 0; e < dv; e++) {
				double want = 0;

				for (j = 0; j < t; j++)
					want += sum ? logit[j] / sum *
						get(&v, (of_kv * t + j) * dv + e) : 0;
				EXPECT(is_near(&l.tensor[5], i * dv + e, want, 40));
			}
		}
	}
	return true;
}

/* Gradients by the formulas of softmax and products, in double. */
static bool test_attention_gradient(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t kv = 1 + below(2), group = 1 + below(2), h = kv * group;
		int64_t b = 1 + below(2), s = 1 + below(round % 20 ? 5 : 40);
		int64_t t = 1 + below(round % 20 ? 9 : 300), d = 1 + below(9);
		int64_t m = 1 + below(9), i, j, e;
		struct vnpu_tensor q = RANDOM(b, h, s, d), k = RANDOM(b, kv, t, d);
		struct vnpu_tensor v = RANDOM(b, kv, t, m), g = RANDOM(b, h, s, m);
		struct vnpu_tensor bias = RANDOM(b, 1, s, t), want[3], *got;
		struct vnpu_tensor mask = VIEW(VNPU_DT_BOOL, below(LAYOUTS), s, t);
		bool biased = below(2), masked = below(2), causal = below(2);
		struct vnpu_op_launch f, l;

		fill(&mask, 0, 1);
		launch(&f, VNPU_OP_ATTENTION, 5, 3, &q, &k, &v,
		       biased ? &bias : NULL, masked ? &mask : NULL, NULL, NULL,
		       NULL);
		vnpu_op_set_float(&f, 0, 0.5);
		vnpu_op_set_int(&f, 1, causal);
		EXPECT(!vnpu_op_infer(&f, NULL));
		/* The result in f32, so that gradients are not those of others. */
		for (i = 5; i < 8; i++)
			f.tensor[i] = view(VNPU_DT_F32, below(OUT_LAYOUTS),
					   f.tensor[i].rank, f.tensor[i].dims);
		EXPECT(!vnpu_op_compute(&f, NULL));
		launch(&l, VNPU_OP_ATTENTION_BACKWARD, 9, 3, &g, &q, &k, &v,
		       &f.tensor[5], &f.tensor[6], &f.tensor[7],
		       biased ? &bias : NULL, masked ? &mask : NULL, NULL, NULL,
		       NULL);
		vnpu_op_set_float(&l, 0, 0.5);
		vnpu_op_set_int(&l, 1, causal);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < 3; i++) {
			const struct vnpu_tensor *x = &l.tensor[1 + i];

			want[i] = view(VNPU_DT_F64, CONTIGUOUS, 4, x->dims);
			fill(&want[i], 0, 0);
		}
		for (i = 0; i < b * h * s; i++) {
			int64_t row = i % s, batch = i / s / h;
			int64_t of_kv = (batch * kv + i / s % h / group) * t;
			double p[300], slope[300], sum = 0, all = 0;
			double most = -INFINITY;

			for (j = 0; j < t; j++) {
				p[j] = biased ? get(&bias, (batch * s + row) * t +
							   j) : 0;
				for (e = 0; e < d; e++)
					p[j] += 0.5 * get(&q, i * d + e) *
						get(&k, (of_kv + j) * d + e);
				if ((masked && get_int(&mask, row * t + j)) ||
				    (causal && j > row + t - s))
					p[j] = -INFINITY;
				most = fmax(most, p[j]);
			}
			if (most == -INFINITY)
				continue;
			for (j = 0; j < t; j++)
				sum += p[j] = exp(p[j] - most);
			for (j = 0; j < t; j++) {
				p[j] /= sum;
				slope[j] = 0;
				for (e = 0; e < m; e++)
					slope[j] += get(&g, i * m + e) *
						    get(&v, (of_kv + j) * m + e);
				all += p[j] * slope[j];
			}
			for (j = 0; j < t; j++) {
				double x = 0.5 * p[j] * (slope[j] - all);

				for (e = 0; e < d; e++) {
					int64_t at = (of_kv + j) * d + e;

					set(&want[0], i * d + e,
					    get(&want[0], i * d + e) +
					    x * get(&k, at));
					set(&want[1], at, get(&want[1], at) +
					    x * get(&q, i * d + e));
				}
				for (e = 0; e < m; e++) {
					int64_t at = (of_kv + j) * m + e;

					set(&want[2], at, get(&want[2], at) +
					    p[j] * get(&g, i * m + e));
				}
			}
		}
		for (i = 0; i < 3; i++) {
			got = &l.tensor[9 + i];
			for (j = 0; j < vnpu_tensor_elements(got); j++)
				EXPECT(is_near(got, j, get(&want[i], j), 1000));
		}
	}
	return true;
}

/* Weights of 4 bits: element @at of the storage. */
static int weight_i4(const struct vnpu_tensor *w, int64_t row, int64_t column)
{
	int64_t at = w->offset + row * w->strides[0] + column * w->strides[1];
	int value = ((const uint8_t *)(uintptr_t)w->data)[at / 2] >> at % 2 * 4 &
		    15;

	return value > 7 ? value - 16 : value;
}

static bool test_quant(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t m = 1 + below(9), n = 1 + below(40), i, j, groups;
		int64_t k = 1 + below(70), group = below(2) ? 0 : 1 + below(40);
		bool small = below(2), shifted = below(2), biased = below(2);
		struct vnpu_tensor x = RANDOM(m, k), w, scale, offset, bias;
		struct vnpu_op_launch l;

		if (small) {
			uint8_t *bytes;

			/* Transposed, as in files of weights; two in a byte. */
			w = VIEW(VNPU_DT_U8, CONTIGUOUS, (n * k + 1) / 2 + 1);
			bytes = (uint8_t *)(uintptr_t)w.data;
			for (i = 0; i < w.dims[0]; i++)
				bytes[i] = rnd();
			w.dtype = VNPU_DT_I4;
			w.rank = 2;
			w.offset = below(2);
			w.dims[0] = k;
			w.dims[1] = n;
			w.strides[0] = 1;
			w.strides[1] = k;
		} else {
			w = VIEW(VNPU_DT_I8, below(LAYOUTS), k, n);
			fill(&w, -128, 127);
		}
		groups = group ? (k + group - 1) / group : 1;
		scale = groups == 1 && below(2) ? RANDOM(n) : RANDOM(groups, n);
		offset = RANDOM(groups, n);
		bias = RANDOM(n);
		launch(&l, VNPU_OP_QUANT_MATMUL, 5, 1, &x, &w, &scale,
		       shifted ? &offset : NULL, biased ? &bias : NULL, NULL);
		vnpu_op_set_int(&l, 0, group);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < m * n; i++) {
			double want = biased ? get(&bias, i % n) : 0, size = 3;

			for (j = 0; j < k; j++) {
				int64_t at = (group ? j / group : 0) * n + i % n;
				double v = small ? weight_i4(&w, j, i % n) :
						   get(&w, j * n + i % n);

				v = (v + (shifted ? get(&offset, at) : 0)) *
				    get(&scale, at) * get(&x, i / n * k + j);
				want += v;
				size += fabs(v);
			}
			EXPECT(is_near(&l.tensor[5], i, want, 2 * size));
		}
	}
	return true;
}

const struct test attention_tests[] = {
	{ "rope", test_rope },
	{ "attention", test_attention },
	{ "attention_gradient", test_attention_gradient },
	{ "quant_matmul", test_quant },
	{ }
};
