// SPDX-License-Identifier: GPL-2.0-only
/* Searches in sorted sequences and distances of rows, by plain loops. */
#include <errno.h>
#include <math.h>

#include "ops_test.h"

static const unsigned int types[] = {
	VNPU_DT_F16, VNPU_DT_F32, VNPU_DT_F64, VNPU_DT_I32, VNPU_DT_I64,
};

/* Sort each row of a view of few different numbers; put the order in a sorter. */
static void sort_rows(const struct vnpu_tensor *t, const struct vnpu_tensor *sorter)
{
	int64_t n = t->dims[t->rank - 1], rows, row, i, k;

	rows = n ? vnpu_tensor_elements(t) / n : 0;
	for (row = 0; row < rows; row++) {
		for (i = 0; i < n; i++) {
			set(t, row * n + i, below(7) - 3);
			set_int(sorter, row * n + i, i);
		}
		for (i = 1; i < n; i++)
			for (k = row * n + i; k > row * n; k--) {
				int64_t a = row * n + get_int(sorter, k - 1);
				int64_t b = row * n + get_int(sorter, k);

				if (get(t, a) <= get(t, b))
					break;
				set_int(sorter, k - 1, b - row * n);
				set_int(sorter, k, a - row * n);
			}
	}
}

static bool test_search(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		int64_t rows = 1 + below(3), n = below(9), m = below(9), i, k;
		bool is_flat = below(2), right = below(2);
		unsigned int type = types[below(5)];
		struct vnpu_tensor seq = is_flat ? VIEW(type, below(EXPANDED), n) :
			VIEW(type, below(EXPANDED), rows, n);
		struct vnpu_tensor sorter = is_flat ?
			VIEW(VNPU_DT_I64, below(EXPANDED), n) :
			VIEW(VNPU_DT_I64, below(EXPANDED), rows, n);
		struct vnpu_tensor x = VIEW(types[below(5)], below(LAYOUTS), rows,
					    m);
		struct vnpu_op_launch l;

		sort_rows(&seq, &sorter);
		fill(&x, -4, 4);
		launch(&l, VNPU_OP_SEARCH_SORTED, 3, 1, &seq, &x, &sorter, NULL);
		vnpu_op_set_int(&l, 0, right);
		EXPECT(make_outputs(&l) && run(&l));
		EXPECT(l.tensor[3].dtype == VNPU_DT_I64);
		for (i = 0; i < rows * m; i++) {
			int64_t before = 0, first = is_flat ? 0 : i / m * n;

			for (k = first; k < first + n; k++)
				before += get(&seq, k) < get(&x, i) ||
					  (right && get(&seq, k) == get(&x, i));
			EXPECT(get_int(&l.tensor[3], i) == before);
		}
		if (!n || !m)
			continue;
		set_int(&sorter, n / 2, n);
		/* The middle is the first that a search compares. */
		EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	}
	return true;
}

/* NaN is the last of all, and integers are compared as such. */
static bool test_search_special(void)
{
	struct vnpu_tensor seq = VIEW(VNPU_DT_F32, CONTIGUOUS, 3);
	struct vnpu_tensor wide = VIEW(VNPU_DT_I64, CONTIGUOUS, 2), value;
	struct vnpu_tensor rows = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 3);
	struct vnpu_tensor x = VIEW(VNPU_DT_I64, CONTIGUOUS, 1);
	struct vnpu_op_launch l;

	set(&seq, 0, 1);
	set(&seq, 1, INFINITY);
	set(&seq, 2, NAN);
	vnpu_tensor_set_f64(&value, NAN);
	launch(&l, VNPU_OP_SEARCH_SORTED, 2, 1, &seq, &value, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	EXPECT(get_int(&l.tensor[2], 0) == 3);
	vnpu_tensor_set_f64(&value, INFINITY);
	launch(&l, VNPU_OP_SEARCH_SORTED, 2, 1, &seq, &value, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	EXPECT(get_int(&l.tensor[2], 0) == 1);
	set_int(&wide, 0, (1LL << 60) + 1);
	set_int(&wide, 1, (1LL << 60) + 3);
	set_int(&x, 0, (1LL << 60) + 2);
	launch(&l, VNPU_OP_SEARCH_SORTED, 2, 1, &wide, &x, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	EXPECT(get_int(&l.tensor[2], 0) == 1);
	launch(&l, VNPU_OP_SEARCH_SORTED, 2, 1, &rows, &x, NULL);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	launch(&l, VNPU_OP_SEARCH_SORTED, 2, 1, &value, &x, NULL);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	return true;
}

static double norm(double p, double sum, double d)
{
	d = fabs(d);
	return !p ? sum + (d != 0) : isinf(p) ? fmax(sum, d) : sum + pow(d, p);
}

static bool test_cdist(void)
{
	static const double exponents[] = { 0, 1, 2, 3, 0.5, INFINITY };
	unsigned int round;

	for (round = 0; round < 200; round++) {
		int64_t n = below(5), m = below(5), size = below(9), i, k, j;
		int64_t batch = 1 + below(3);
		struct vnpu_tensor x = below(2) ? RANDOM(1, n, size) :
						  RANDOM(batch, n, size);
		struct vnpu_tensor y = below(2) ? RANDOM(m, size) :
						  RANDOM(batch, m, size);
		double p = exponents[below(6)], sum;
		struct vnpu_op_launch l;
		struct vnpu_tensor *out = &l.tensor[2];

		launch(&l, VNPU_OP_CDIST, 2, 1, &x, &y, NULL);
		vnpu_op_set_float(&l, 0, p);
		EXPECT(make_outputs(&l) && run(&l));
		EXPECT(out->rank == 3 && out->dims[1] == n && out->dims[2] == m);
		for (i = 0; i < vnpu_tensor_elements(out); i++) {
			int64_t from = i / m, to = i / m / n * m + i % m;

			from = x.dims[0] == 1 ? from % n : from;
			to = y.rank == 2 || y.dims[0] == 1 ? to % m : to;
			for (sum = 0, k = from * size, j = to * size;
			     k < (from + 1) * size; k++, j++)
				sum = norm(p, sum, get(&x, k) - get(&y, j));
			if (p && !isinf(p))
				sum = pow(sum, 1 / p);
			EXPECT(is_near(out, i, sum, sum));
		}
	}
	return true;
}

static bool test_cdist_errors(void)
{
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 3, 4);
	struct vnpu_tensor y = VIEW(VNPU_DT_F32, CONTIGUOUS, 3, 3, 4);
	struct vnpu_tensor z = VIEW(VNPU_DT_F32, CONTIGUOUS, 3, 5);
	struct vnpu_op_launch l;

	launch(&l, VNPU_OP_CDIST, 2, 1, &x, &y, NULL);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	launch(&l, VNPU_OP_CDIST, 2, 1, &x, &z, NULL);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	launch(&l, VNPU_OP_CDIST, 2, 1, &x, &x, NULL);
	vnpu_op_set_float(&l, 0, -1);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	vnpu_op_set_float(&l, 0, NAN);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	return true;
}

const struct test search_tests[] = {
	{ "search", test_search },
	{ "search_special", test_search_special },
	{ "cdist", test_cdist },
	{ "cdist_errors", test_cdist_errors },
	{ }
};
