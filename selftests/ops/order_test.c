// SPDX-License-Identifier: GPL-2.0-only
/* Remapped copies, sequences, scans and sorting, compared with plain loops. */
#include <math.h>
#include <stdlib.h>

#include "ops_test.h"

static int64_t wrap(int64_t x, int64_t n)
{
	return (x % n + n) % n;
}

/* roll, repeat, repeat_interleave, pad and nearest, by index arithmetic. */
static bool test_remap(void)
{
	unsigned int round, d;

	for (round = 0; round < 600; round++) {
		struct vnpu_tensor self = any_view(all_types[below(10)],
						   1 + below(4), 6, LAYOUTS);
		unsigned int op = VNPU_OP_PAD + below(5), mode = below(4);
		unsigned int dim = below(self.rank);
		bool exact = false;
		int64_t a[8] = { 0 }, b[8] = { 0 }, at[8], i, x;
		struct vnpu_op_launch l;

		launch(&l, op, 1, 1, &self, NULL);
		for (d = 0; d < self.rank; d++) {
			int64_t n = self.dims[self.rank - 1 - d];

			a[d] = op == VNPU_OP_PAD ? below(n) :
			       op == VNPU_OP_ROLL ? below(20) - 10 : 1 + below(3);
			b[d] = op == VNPU_OP_ROLL ? (int64_t)d : below(n);
			if (op == VNPU_OP_PAD && !mode && n > 1 && below(2))
				a[d] = -1;
		}
		vnpu_op_set_ints(&l, 0, a, self.rank);
		vnpu_op_set_ints(&l, 1, b, self.rank);
		if (op == VNPU_OP_REPEAT_INTERLEAVE) {
			vnpu_op_set_int(&l, 0, dim);
			vnpu_op_set_int(&l, 1, 3);
		}
		if (op == VNPU_OP_UPSAMPLE_NEAREST) {
			if (self.rank < 2)
				continue;
			for (d = 0; d < self.rank; d++)
				a[d] = 1 + below(9);
			vnpu_op_set_ints(&l, 0, a, self.rank - 1);
			exact = below(2);
			vnpu_op_set_int(&l, 1, exact);
		}
		vnpu_op_set_int(&l, 2, mode);
		vnpu_op_set_float(&l, 3, 1);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < vnpu_tensor_elements(&l.tensor[1]); i++) {
			bool outside = false;

			split_number(&l.tensor[1], i, at);
			for (d = 0; d < self.rank; d++) {
				int64_t n = self.dims[d], m = l.tensor[1].dims[d];

				x = at[d];
				if (op == VNPU_OP_ROLL) {
					x = wrap(x - a[d], n);
				} else if (op == VNPU_OP_REPEAT) {
					x %= n;
				} else if (op == VNPU_OP_REPEAT_INTERLEAVE) {
					x = d == dim ? x / 3 : x;
				} else if (op == VNPU_OP_UPSAMPLE_NEAREST) {
					float ratio = (float)n / m;

					x = exact ? floorf((x + 0.5) * ratio) :
						    floorf(x * ratio);
					x = x < n ? x : n - 1;
				} else {
					x -= a[self.rank - 1 - d];
					if (x >= 0 && x < n)
						;
					else if (mode == 0)
						outside = true;
					else if (mode == 1)
						x = x < 0 ? -x : 2 * n - 2 - x;
					else if (mode == 2)
						x = x < 0 ? 0 : n - 1;
					else
						x = wrap(x, n);
				}
				at[d] = x;
			}
			EXPECT(get(&l.tensor[1], i) ==
			       (outside ? 1 : get(&self, join_number(&self, at))));
		}
	}
	return true;
}

static bool test_tri(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		struct vnpu_tensor self = any_view(all_types[below(10)],
						   2 + below(3), 7, LAYOUTS);
		int64_t diagonal = below(20) - 10, i, at[8], side;
		unsigned int op = below(2) ? VNPU_OP_TRIL : VNPU_OP_TRIU;
		struct vnpu_op_launch l;

		launch(&l, op, 1, 1, &self, NULL);
		vnpu_op_set_int(&l, 0, below(20) ? diagonal :
				(diagonal = below(2) ? INT64_MAX : INT64_MIN));
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < vnpu_tensor_elements(&self); i++) {
			split_number(&self, i, at);
			side = at[self.rank - 1] - at[self.rank - 2];
			EXPECT(get(&l.tensor[1], i) ==
			       ((op == VNPU_OP_TRIL ? side <= diagonal :
						      side >= diagonal) ?
				get(&self, i) : 0));
		}
	}
	return true;
}

static bool test_arange(void)
{
	unsigned int t;

	for (t = 0; t < 9; t++) {
		struct vnpu_tensor out = VIEW(all_types[t], below(OUT_LAYOUTS),
					      2, 600);
		struct vnpu_op_launch l;
		int64_t i;

		launch(&l, VNPU_OP_ARANGE, 0, 1, &out);
		vnpu_op_set_float(&l, 0, 3);
		vnpu_op_set_float(&l, 1, 0.0625);
		EXPECT(run(&l));
		for (i = 0; i < 1200; i++)
			EXPECT(is_close(&out, i,
					vnpu_dtype_is_float(out.dtype) ?
					3 + i * 0.0625 : floor(3 + i * 0.0625),
					0, 0.5));
	}
	return true;
}

static bool test_scan(void)
{
	unsigned int round;

	for (round = 0; round < 300; round++) {
		unsigned int op = VNPU_OP_CUMSUM + below(5);
		struct vnpu_tensor self = any_view(all_types[below(9)],
						   1 + below(3),
						   round % 50 ? 7 : 40,
						   LAYOUTS);
		unsigned int dim = below(self.rank);
		bool has_index = op == VNPU_OP_CUMMAX || op == VNPU_OP_CUMMIN;
		struct vnpu_op_launch l;
		int64_t i, k, at[8], n, found;
		double want = 0, x;

		fill(&self, -2, 2);
		launch(&l, op, 1, 1 + has_index, &self, NULL, NULL);
		vnpu_op_set_int(&l, 0, dim);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < vnpu_tensor_elements(&self); i++) {
			split_number(&self, i, at);
			n = at[dim];
			found = 0;
			for (k = 0; k <= n; k++) {
				at[dim] = k;
				x = get(&self, join_number(&self, at));
				if (op == VNPU_OP_LOGCUMSUMEXP)
					x = exp(x);
				if (!k)
					want = x;
				else if (op == VNPU_OP_CUMPROD)
					want *= x;
				else if (!has_index)
					want += x;
				else if (op == VNPU_OP_CUMMAX ? x >= want :
								x <= want)
					found = k, want = x;
			}
			if (op == VNPU_OP_LOGCUMSUMEXP)
				want = log(want);
			EXPECT(is_close(&l.tensor[1], i, want, 1,
					self.dtype == VNPU_DT_F64 ? 1000 : 1));
			if (has_index)
				EXPECT(get_int(&l.tensor[2], i) == found);
		}
	}
	return true;
}

static bool test_sort(void)
{
	unsigned int round;

	for (round = 0; round < 300; round++) {
		unsigned int op = VNPU_OP_SORT + below(3);
		struct vnpu_tensor self = any_view(all_types[below(10)],
						   1 + below(3),
						   round % 20 ? 20 : 100,
						   LAYOUTS);
		unsigned int dim = below(self.rank);
		const struct vnpu_tensor *values, *indices;
		int64_t n = self.dims[dim], k = n, i, j, at[8];
		bool descending = below(2);
		struct vnpu_op_launch l;

		for (i = 0; i < 3 && vnpu_dtype_is_float(self.dtype); i++)
			set(&self, below(vnpu_tensor_elements(&self)),
			    i ? INFINITY : NAN);
		launch(&l, op, 1, op == VNPU_OP_ARGSORT ? 1 : 2, &self, NULL,
		       NULL);
		vnpu_op_set_int(&l, 0, dim);
		vnpu_op_set_int(&l, 1, descending);
		if (op == VNPU_OP_TOPK) {
			k = below(n + 1);
			vnpu_op_set_int(&l, 2, k);
		}
		EXPECT(make_outputs(&l) && run(&l));
		values = &l.tensor[1];
		indices = &l.tensor[l.outputs];
		for (i = 0; i < vnpu_tensor_elements(indices); i++) {
			int64_t place, rank = 0, index = get_int(indices, i);
			double x, y;

			split_number(indices, i, at);
			place = at[dim];
			at[dim] = index;
			x = get(&self, join_number(&self, at));
			if (op != VNPU_OP_ARGSORT)
				EXPECT(get(values, i) == x || x != x);
			/* As many elements come before it as there should. */
			for (j = 0; j < n; j++) {
				bool before, equal;

				at[dim] = j;
				y = get(&self, join_number(&self, at));
				equal = x == y || (x != x && y != y);
				before = descending ? y > x || (y != y && x == x) :
						      y < x || (x != x && y == y);
				rank += before || (equal && j < index);
			}
			EXPECT(rank == place);
		}
	}
	return true;
}

const struct test order_tests[] = {
	{ "remap", test_remap },
	{ "tri", test_tri },
	{ "arange", test_arange },
	{ "scan", test_scan },
	{ "sort", test_sort },
	{ }
};
