// SPDX-License-Identifier: GPL-2.0-only
/* Products of matrices, compared with plain loops. */
#include <math.h>
#include <string.h>

#include "ops_test.h"

/* The dimension counted from the end. */
static int64_t size(const struct vnpu_tensor *t, unsigned int from_end)
{
	return from_end < t->rank ? t->dims[t->rank - 1 - from_end] : 1;
}

static bool check(const struct vnpu_op_launch *l, double alpha, double beta,
		  bool clamps)
{
	const struct vnpu_tensor *a = &l->tensor[0], *b = &l->tensor[1];
	const struct vnpu_tensor *bias = l->inputs > 2 ? &l->tensor[2] : NULL;
	const struct vnpu_tensor *out = &l->tensor[l->inputs];
	bool has_row = a->rank > 1, has_column = b->rank > 1;
	int64_t k = size(a, 0), n = has_column ? size(b, 0) : 1, i, j;
	int64_t m = has_row ? size(a, 1) : 1;

	for (i = 0; i < vnpu_tensor_elements(out); i++) {
		int64_t column = i % n, row = i / n % m, batch = i / n / m;
		int64_t of_a = 0, of_b = 0, size_a = 1, size_b = 1;
		double want = 0, scale = 0;
		unsigned int d;

		for (d = 2; d < out->rank + 2U - has_row - has_column; d++) {
			int64_t dim = size(out, d - 2 + has_row + has_column);

			if (d < a->rank) {
				of_a += size(a, d) > 1 ? batch % dim * size_a : 0;
				size_a *= size(a, d);
			}
			if (d < b->rank) {
				of_b += size(b, d) > 1 ? batch % dim * size_b : 0;
				size_b *= size(b, d);
			}
			batch /= dim;
		}
		for (j = 0; j < k; j++) {
			double x = get(a, (of_a * m + row) * k + j);
			double y = get(b, (of_b * k + j) * n + column);

			want += x * y;
			scale += fabs(x * y);
		}
		want *= alpha;
		scale *= fabs(alpha);
		if (bias && beta != 0)
			want += beta * get(bias, broadcast_number(bias,
						out->rank, out->dims, i));
		if (clamps)
			want = fmin(fmax(want, -1), 1.5);
		/*
		 * Each addition may round by half a unit of the scale, in f64
		 * also those of the plain loop.  All of them round the same way
		 * where a stride is 0 and so all products are equal.  Two units
		 * of f16 at 2^-15 of a number, and of bf16 at 2^-18, are 2^-24
		 * of it.
		 */
		if (!is_close(out, i, want, out->dtype == VNPU_DT_F32 ||
			      out->dtype == VNPU_DT_F64 ? scale + 1 :
			      (scale + 1) * k * (out->dtype ==
				VNPU_DT_F16 ? 0x1p-15 : 0x1p-18),
			      out->dtype == VNPU_DT_F32 ||
			      out->dtype == VNPU_DT_F64 ? 10 + k : 2)) {
			note("%s x %s -> %s, %lld x %lld x %lld: %.17g, expected %.17g",
			     vnpu_dtype_name(a->dtype), vnpu_dtype_name(b->dtype),
			     vnpu_dtype_name(out->dtype), (long long)m,
			     (long long)n, (long long)k, get(out, i), want);
			return false;
		}
	}
	return true;
}

static bool test_matmul(void)
{
	static const struct {
		unsigned int ranks[2];
		int64_t a[6], b[6];
	} shape[] = {
		{ { 2, 2 }, { 1, 1 }, { 1, 1 } },
		{ { 2, 2 }, { 7, 5 }, { 5, 33 } },
		{ { 2, 2 }, { 1, 300 }, { 300, 20 } },
		{ { 2, 2 }, { 130, 9 }, { 9, 17 } },
		{ { 2, 2 }, { 3, 600 }, { 600, 3 } },
		{ { 2, 2 }, { 2, 2100 }, { 2100, 7 } },
		{ { 2, 2 }, { 9, 2100 }, { 2100, 2 } },
		{ { 2, 2 }, { 3, 21 }, { 21, 600 } },
		{ { 2, 2 }, { 4, 0 }, { 0, 3 } },
		{ { 2, 2 }, { 0, 4 }, { 4, 3 } },
		{ { 1, 2 }, { 6 }, { 6, 4 } },
		{ { 2, 1 }, { 5, 6 }, { 6 } },
		{ { 1, 1 }, { 50 }, { 50 } },
		{ { 3, 3 }, { 3, 4, 5 }, { 3, 5, 2 } },
		{ { 3, 2 }, { 3, 4, 5 }, { 5, 20 } },
		{ { 4, 4 }, { 2, 1, 4, 5 }, { 1, 3, 5, 2 } },
		{ { 5, 4 }, { 2, 2, 3, 2, 5 }, { 2, 1, 5, 2 } },
		/* Blocks that share the left factor; takes long. */
		{ { 2, 2 }, { 5, 270 }, { 270, 520 } },
	};
	static const unsigned int types[] = {
		VNPU_DT_F16, VNPU_DT_BF16, VNPU_DT_F32, VNPU_DT_F64, VNPU_DT_I8,
		VNPU_DT_I32,
	};
	unsigned int s, round;

	for (s = 0; s < ARRAY_SIZE(shape); s++)
		for (round = s + 1 < ARRAY_SIZE(shape) ? 0 : 20; round < 25;
		     round++) {
			unsigned int x = types[below(6)], y = types[below(6)];
			unsigned int inputs = 2 + below(2);
			double alpha = below(2) ? 1 : 0.5, beta = below(3);
			bool clamps = below(2);
			struct vnpu_tensor a, b, bias;
			struct vnpu_op_launch l;
			int64_t dims[8];
			unsigned int d;

			if (below(2))
				y = x;
			if (!vnpu_dtype_is_float(x) && !vnpu_dtype_is_float(y))
				alpha = 1;
			a = view(x, below(LAYOUTS), shape[s].ranks[0], shape[s].a);
			b = view(y, below(LAYOUTS), shape[s].ranks[1], shape[s].b);
			fill(&a, -2, 2);
			fill(&b, -2, 2);
			vnpu_op_init(&l, VNPU_OP_MATMUL, inputs, 1);
			l.tensor[0] = a;
			l.tensor[1] = b;
			l.inputs = 2;
			EXPECT(!vnpu_op_infer(&l, NULL));
			l.inputs = inputs;
			l.tensor[inputs] = l.tensor[2];
			if (below(2) && vnpu_dtype_is_float(l.tensor[inputs].dtype))
				l.tensor[inputs].dtype = VNPU_DT_F32;
			/* Sums of i8 would saturate. */
			if (!vnpu_dtype_is_float(l.tensor[inputs].dtype))
				l.tensor[inputs].dtype = VNPU_DT_I32;
			l.tensor[inputs] = view(l.tensor[inputs].dtype,
						below(OUT_LAYOUTS),
						l.tensor[inputs].rank,
						l.tensor[inputs].dims);
			fill(&l.tensor[inputs], 0, 1);
			if (inputs == 3) {
				for (d = 0; d < l.tensor[3].rank; d++)
					dims[d] = below(2) ? 1 :
						  l.tensor[3].dims[d];
				d = below(l.tensor[3].rank + 1);
				bias = view(x, below(LAYOUTS),
					    l.tensor[3].rank - d, dims + d);
				fill(&bias, -2, 2);
				l.tensor[2] = bias;
			}
			vnpu_op_set_float(&l, 0, alpha);
			vnpu_op_set_float(&l, 1, beta);
			clamps &= vnpu_dtype_is_float(l.tensor[inputs].dtype);
			if (clamps) {
				vnpu_op_set_float(&l, 2, -1);
				vnpu_op_set_float(&l, 3, 1.5);
			}
			EXPECT(run(&l));
			if (!check(&l, alpha, beta, clamps))
				return false;
		}
	return true;
}

static bool test_solve(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t n = 1 + below(6), m = 1 + below(4), i, j, k;
		struct vnpu_tensor b = RANDOM(2, n, m);
		struct vnpu_tensor a = VIEW(VNPU_DT_F32, OUT_LAYOUTS - 1, 2, n, n);
		bool upper = below(2), transpose = below(2), unit = below(2);
		struct vnpu_op_launch l;

		fill(&a, 0.5, 1);
		for (i = 0; i < 2 * n; i++)
			set(&a, i * n + i % n, 3);
		launch(&l, VNPU_OP_TRIANGULAR_SOLVE, 2, 1, &b, &a, NULL);
		vnpu_op_set_int(&l, 0, upper);
		vnpu_op_set_int(&l, 1, transpose);
		vnpu_op_set_int(&l, 2, unit);
		EXPECT(make_outputs(&l));
		l.tensor[2] = view(VNPU_DT_F64, below(OUT_LAYOUTS), 3,
				   l.tensor[2].dims);
		EXPECT(run(&l));
		for (i = 0; i < 2 * n * m; i++) {
			int64_t row = i / m % n, batch = i / m / n;
			double sum = 0;

			for (j = 0; j < n; j++) {
				k = batch * n * n + (transpose ? j * n + row :
								 row * n + j);
				if (j == row)
					sum += (unit ? 1 : 3) * get(&l.tensor[2], i);
				else if ((upper != transpose) == (j > row))
					sum += get(&a, k) * get(&l.tensor[2],
						(batch * n + j) * m + i % m);
			}
			if (fabs(sum - get(&b, i)) > 1e-9) {
				note("%g, expected %g", sum, get(&b, i));
				return false;
			}
		}
	}
	return true;
}

const struct test matmul_tests[] = {
	{ "matmul", test_matmul },
	{ "triangular_solve", test_solve },
	{ }
};
