// SPDX-License-Identifier: GPL-2.0-only
/* Products of groups, compared with plain loops. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ops_test.h"

enum { GROUPS = 6, MOST = 48 };

/* Sizes of groups, some of them empty, whose sum is at most @whole. */
static void choose_sizes(int64_t *sizes, unsigned int count, int64_t whole)
{
	for (unsigned int i = 0; i < count; i++) {
		sizes[i] = below(3) ? below(whole + 1) : 0;
		whole -= sizes[i];
	}
}

/* Groups as a tensor; pairs take them in another order. */
static struct vnpu_tensor make_groups(const int64_t *sizes, unsigned int count,
				      unsigned int kind)
{
	unsigned int dtype = below(2) ? VNPU_DT_I64 : VNPU_DT_I32;
	struct vnpu_tensor t = kind == 2 ?
		VIEW(dtype, below(LAYOUTS - 1), count, 2) :
		VIEW(dtype, below(LAYOUTS - 1), count);
	int64_t end = 0;

	for (unsigned int i = 0; i < count; i++) {
		end += sizes[i];
		if (kind == 2) {
			set_int(&t, i * 2, (i + 1) % count);
			set_int(&t, i * 2 + 1, sizes[i]);
		} else {
			set_int(&t, i, kind ? sizes[i] : end);
		}
	}
	return t;
}

/* The group that has a row, or -1; pairs name it. */
static int64_t group_of(const int64_t *sizes, unsigned int count,
			unsigned int kind, int64_t row)
{
	for (unsigned int i = 0; i < count; i++) {
		if (row < sizes[i])
			return kind == 2 ? (i + 1) % count : i;
		row -= sizes[i];
	}
	return -1;
}

static bool test_rows(void)
{
	static const unsigned int types[] = {
		VNPU_DT_F16, VNPU_DT_BF16, VNPU_DT_F32, VNPU_DT_F64, VNPU_DT_I8,
	};

	for (unsigned int round = 0; round < 150; round++) {
		unsigned int count = 1 + below(GROUPS), kind = below(3);
		unsigned int dtype = types[below(ARRAY_SIZE(types))];
		int64_t m = 1 + below(MOST), k = below(70), n = 1 + below(40);
		int64_t first = below(2) ? below(count) : 0, sizes[GROUPS], j;
		int64_t held = 1 + below(count - first);
		bool is_whole = dtype == VNPU_DT_I8, biased = below(2);
		struct vnpu_tensor groups, bias, out, before;
		struct vnpu_tensor x = VIEW(dtype, below(LAYOUTS), m, k);
		struct vnpu_tensor w = VIEW(dtype, below(LAYOUTS), held, k, n);
		struct vnpu_op_launch l;

		choose_sizes(sizes, count, m);
		groups = make_groups(sizes, count, kind);
		fill(&x, is_whole ? -128 : -2, is_whole ? 127 : 2);
		fill(&w, is_whole ? -128 : -2, is_whole ? 127 : 2);
		bias = VIEW(is_whole ? VNPU_DT_I32 : VNPU_DT_F32, CONTIGUOUS,
			    held, n);
		fill(&bias, -3, 3);
		out = VIEW(is_whole ? VNPU_DT_I32 : dtype, below(OUT_LAYOUTS),
			   m, n);
		before = VIEW(VNPU_DT_F64, CONTIGUOUS, m, n);
		fill(&out, -100, 100);
		for (int64_t i = 0; i < m * n; i++)
			set(&before, i, get(&out, i));
		launch(&l, VNPU_OP_GROUPED_MATMUL, 6, 1, &x, &w, &groups, NULL,
		       NULL, biased ? &bias : NULL, &out);
		vnpu_op_set_int(&l, 1, kind);
		vnpu_op_set_int(&l, 2, first);
		EXPECT(run(&l));
		for (int64_t i = 0; i < m * n; i++) {
			int64_t at = group_of(sizes, count, kind, i / n) - first;
			double want = 0, size = 3;

			if (at + first < 0 || at < 0 || at >= held) {
				EXPECT(get(&out, i) == get(&before, i));
				continue;
			}
			if (biased)
				want = get(&bias, at * n + i % n);
			for (j = 0; j < k; j++) {
				double v = get(&x, i / n * k + j) *
					get(&w, (at * k + j) * n + i % n);

				want += v;
				size += fabs(v);
			}
			EXPECT(is_near(&out, i, want, 2 * size));
		}
	}
	return true;
}

static bool test_inner(void)
{
	for (unsigned int round = 0; round < 80; round++) {
		unsigned int count = 1 + below(GROUPS), kind = below(2);
		int64_t m = 1 + below(20), k = below(600), n = 1 + below(20);
		int64_t sizes[GROUPS], start = 0;
		struct vnpu_tensor x = RANDOM(m, k), w = RANDOM(k, n), groups;
		struct vnpu_op_launch l;
		bool is_same;

		choose_sizes(sizes, count, k);
		groups = make_groups(sizes, count, kind);
		/*
		 * Errors of different terms cancel out in part. Those of equal terms
		 * add up: the bound is that of n additions, n * 2^-24 of the sum. Below,
		 * 2 * size allows 64 * 2^-24 of it.
		 */
		is_same = !x.strides[1] && !w.strides[0];
		launch(&l, VNPU_OP_GROUPED_MATMUL, 3, 1, &x, &w, &groups, NULL);
		vnpu_op_set_int(&l, 0, 1);
		vnpu_op_set_int(&l, 1, kind);
		EXPECT(make_outputs(&l) && run(&l));
		for (unsigned int g = 0; g < count; start += sizes[g++])
			for (int64_t i = 0; i < m * n; i++) {
				double want = 0, size = 3;

				for (int64_t j = start; j < start + sizes[g];
				     j++) {
					double v = get(&x, i / n * k + j) *
						   get(&w, j * n + i % n);

					want += v;
					size += fabs(v);
				}
				if (is_same && sizes[g] > 64)
					size *= sizes[g] / 64.0;
				EXPECT(is_near(&l.tensor[3], g * m * n + i,
					       want, 2 * size));
			}
	}
	return true;
}

static bool test_quantised(void)
{
	for (unsigned int round = 0; round < 80; round++) {
		unsigned int count = 1 + below(GROUPS);
		int64_t m = 1 + below(MOST), n = 1 + below(20);
		int64_t parts = 1 + below(3), k = parts * (1 + below(20));
		int64_t sizes[GROUPS];
		bool shifted = below(2);
		struct vnpu_tensor x = RANDOM(m, k);
		struct vnpu_tensor w = VIEW(VNPU_DT_I8, below(LAYOUTS), count,
					    k, n);
		struct vnpu_tensor scale = RANDOM(count, parts, n);
		struct vnpu_tensor offset = RANDOM(count, parts, n), groups;
		struct vnpu_op_launch l;

		/* Rows of no group would have no value. */
		choose_sizes(sizes, count - 1, m);
		sizes[count - 1] = m;
		for (unsigned int g = 0; g + 1 < count; g++)
			sizes[count - 1] -= sizes[g];
		groups = make_groups(sizes, count, 1);
		fill(&w, -128, 127);
		launch(&l, VNPU_OP_GROUPED_MATMUL, 5, 1, &x, &w, &groups,
		       &scale, shifted ? &offset : NULL, NULL);
		vnpu_op_set_int(&l, 1, 1);
		EXPECT(make_outputs(&l) && run(&l));
		for (int64_t i = 0; i < m * n; i++) {
			int64_t at = group_of(sizes, count, 1, i / n);
			double want = 0, size = 3;

			for (int64_t j = 0; j < k; j++) {
				int64_t s = (at * parts + j / (k / parts)) * n +
					    i % n;
				double v = get(&w, (at * k + j) * n + i % n);

				v = (v + (shifted ? get(&offset, s) : 0)) *
				    get(&scale, s) * get(&x, i / n * k + j);
				want += v;
				size += fabs(v);
			}
			EXPECT(is_near(&l.tensor[5], i, want, 2 * size));
		}
	}
	return true;
}

static bool test_errors(void)
{
	static const int64_t bad[][3] = {
		{ 2, 1, 4 }, { 0, 2, 9 }, { -1, 2, 4 }, { 1, 2, INT64_MAX },
	};
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 4, 5);
	struct vnpu_tensor w = VIEW(VNPU_DT_F32, CONTIGUOUS, 3, 5, 2);
	struct vnpu_tensor few = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 4, 2);
	struct vnpu_tensor groups = VIEW(VNPU_DT_I64, CONTIGUOUS, 3);
	struct vnpu_tensor pairs = VIEW(VNPU_DT_I64, CONTIGUOUS, 3, 2);
	struct vnpu_op_error error;
	struct vnpu_op_launch l;

	fill(&x, -1, 1);
	fill(&w, -1, 1);
	launch(&l, VNPU_OP_GROUPED_MATMUL, 3, 1, &x, &w, &groups, NULL);
	EXPECT(make_outputs(&l));
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		for (unsigned int g = 0; g < 3; g++)
			set_int(&groups, g, bad[i][g]);
		EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	}
	for (unsigned int g = 0; g < 6; g++)
		set_int(&pairs, g, g == 4 ? 3 : 1);
	l.tensor[2] = pairs;
	vnpu_op_set_int(&l, 1, 2);
	EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
	l.tensor[2] = groups;
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "groups: expected shape [3, 2], given [3]"));
	vnpu_op_set_int(&l, 1, 3);
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "kind: expected 0 to 2, given 3"));
	vnpu_op_set_int(&l, 1, 0);
	vnpu_op_set_int(&l, 2, 1);
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "expected at least 3 groups from 1 on"));
	vnpu_op_set_int(&l, 2, 0);
	l.tensor[1] = few;
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "expected an inner dimension of 5"));
	l.tensor[1] = w;
	l.tensor[0].dtype = VNPU_DT_I4;
	EXPECT(vnpu_op_check(&l, &error) == -EINVAL);
	EXPECT(strstr(error.text, "type i4 is only possible for weights"));
	return true;
}

const struct test grouped_tests[] = {
	{ "grouped_rows", test_rows },
	{ "grouped_inner", test_inner },
	{ "grouped_quantised", test_quantised },
	{ "grouped_errors", test_errors },
	{ }
};
