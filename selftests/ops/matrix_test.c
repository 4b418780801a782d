// SPDX-License-Identifier: GPL-2.0-only
/* Inverses, determinants and factors of matrices, by their definitions. */
#include <math.h>
#include <stdlib.h>

#include "ops_test.h"

/* Sum over the inner dimension of a product of element @i, @j of batch @at. */
static double product(const struct vnpu_tensor *a, const struct vnpu_tensor *b,
		      int64_t at, int64_t i, int64_t j)
{
	int64_t m = a->dims[1], k = a->dims[2], n = b->dims[2], e;
	double sum = 0;

	for (e = 0; e < k; e++)
		sum += get(a, (at * m + i) * k + e) *
		       get(b, (at * k + e) * n + j);
	return sum;
}

/* A matrix whose rows exchange places, so that pivots are needed. */
static struct vnpu_tensor square(int64_t n, double *determinant)
{
	struct vnpu_tensor t = VIEW(VNPU_DT_F64, below(LAYOUTS - 1), 2, n, n);
	int64_t i, batch;

	fill(&t, -0.4, 0.4);
	for (batch = 0; batch < 2; batch++) {
		/* Rows of a triangle, the last ones first. */
		determinant[batch] = n / 2 % 2 ? -1 : 1;
		for (i = 0; i < n * n; i++) {
			int64_t row = n - 1 - i / n, column = i % n;
			double x = row == column ? 1 + below(3) : 0;

			if (row == column && below(2))
				x = -x;
			if (row == column)
				determinant[batch] *= x;
			if (row >= column)
				set(&t, batch * n * n + i, x);
		}
	}
	return t;
}

static bool test_inverse(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t n = 1 + below(7), i, batch;
		double determinant[2], sum;
		struct vnpu_tensor a = square(n, determinant);
		struct vnpu_op_launch l;

		launch(&l, VNPU_OP_INVERSE, 1, 1, &a, NULL);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < 2 * n * n; i++) {
			sum = product(&a, &l.tensor[1], i / n / n, i / n % n,
				      i % n);
			EXPECT(fabs(sum - (i / n % n == i % n)) < 1e-9);
		}
		launch(&l, VNPU_OP_SLOGDET, 1, 2, &a, NULL, NULL);
		EXPECT(make_outputs(&l) && run(&l));
		for (batch = 0; batch < 2; batch++) {
			EXPECT(get(&l.tensor[1], batch) ==
			       copysign(1, determinant[batch]));
			EXPECT(fabs(get(&l.tensor[2], batch) -
				    log(fabs(determinant[batch]))) < 1e-9);
		}
	}
	return true;
}

/* Both matrices are singular; the second has a row of zeros. */
static bool test_singular(void)
{
	struct vnpu_tensor a = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 2, 2);
	static const double values[] = { 1, 2, 2, 4, 3, 5, 0, 0 };
	struct vnpu_op_launch l;
	int64_t i;

	for (i = 0; i < 8; i++)
		set(&a, i, values[i]);
	launch(&l, VNPU_OP_INVERSE, 1, 1, &a, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	for (i = 0; i < 8; i++)
		EXPECT(isnan(get(&l.tensor[1], i)));
	launch(&l, VNPU_OP_SLOGDET, 1, 2, &a, NULL, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	for (i = 0; i < 2; i++)
		EXPECT(get(&l.tensor[1], i) == 0 &&
		       get(&l.tensor[2], i) == -INFINITY);
	set(&a, 0, NAN);
	EXPECT(run(&l));
	EXPECT(isnan(get(&l.tensor[1], 0)) && isnan(get(&l.tensor[2], 0)));
	/* Empty matrices. */
	a = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 0, 0);
	launch(&l, VNPU_OP_INVERSE, 1, 1, &a, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	launch(&l, VNPU_OP_SLOGDET, 1, 2, &a, NULL, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	for (i = 0; i < 2; i++)
		EXPECT(get(&l.tensor[1], i) == 1 && get(&l.tensor[2], i) == 0);
	return true;
}

/* Memory grows with the results, and not with the square of the rows. */
static bool test_tall_qr(void)
{
	struct vnpu_tensor a = VIEW(VNPU_DT_F32, CONTIGUOUS, 30000, 2);
	struct vnpu_op_job *job = malloc(sizeof(*job));
	struct vnpu_op_launch l;
	bool ok;

	launch(&l, VNPU_OP_QR, 1, 2, &a, NULL, NULL);
	ok = make_outputs(&l) &&
	     !vnpu_op_prepare(job, &l, l.size, NULL, NULL) &&
	     job->scratch < 1 << 20;
	/* A stride of 0 needs no memory for any number of rows. */
	a.strides[0] = 0;
	a.dims[0] = VNPU_TENSOR_MAX / 8;
	launch(&l, VNPU_OP_QR, 1, 1, &a, NULL);
	ok = ok && make_outputs(&l) &&
	     !vnpu_op_prepare(job, &l, l.size, NULL, NULL) &&
	     job->scratch > (size_t)a.dims[0];
	free(job);
	return ok;
}

static bool test_qr(void)
{
	unsigned int round;

	for (round = 0; round < 150; round++) {
		int64_t m = below(7), n = below(7), i, j, e, k;
		struct vnpu_tensor a = VIEW(VNPU_DT_F64, below(LAYOUTS), 2, m, n);
		bool complete = below(2);
		struct vnpu_op_launch l;
		const struct vnpu_tensor *q = &l.tensor[2], *r = &l.tensor[1];
		double sum;

		fill(&a, -2, 2);
		launch(&l, VNPU_OP_QR, 1, 2, &a, NULL, NULL);
		vnpu_op_set_int(&l, 0, complete);
		EXPECT(make_outputs(&l) && run(&l));
		k = q->dims[2];
		EXPECT(k == (complete || m < n ? m : n));
		for (i = 0; i < 2 * m * n; i++)
			EXPECT(fabs(product(q, r, i / n / m, i / n % m, i % n) -
				    get(&a, i)) < 1e-9);
		for (i = 0; i < 2 * k * n; i++)
			EXPECT(i / n % k <= i % n || get(r, i) == 0);
		for (i = 0; i < k; i++)
			for (j = 0; j < k; j++) {
				for (sum = 0, e = 0; e < m; e++)
					sum += get(q, e * k + i) *
					       get(q, e * k + j);
				EXPECT(fabs(sum - (i == j)) < 1e-9);
			}
	}
	return true;
}

const struct test matrix_tests[] = {
	{ "inverse", test_inverse },
	{ "singular", test_singular },
	{ "qr", test_qr },
	{ "qr_tall", test_tall_qr },
	{ }
};
