// SPDX-License-Identifier: GPL-2.0-only
/* Selection by masks, unique elements and counts, compared with plain loops. */
#include <errno.h>
#include <math.h>

#include "ops_test.h"

/* Elements of which some are 0, and some are NaN. */
static struct vnpu_tensor sparse_view(unsigned int rank, int64_t most)
{
	struct vnpu_tensor t = any_view(all_types[below(10)], rank, most,
					LAYOUTS);
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(&t); i++)
		if (below(2))
			set_int(&t, i, 0);
		else if (vnpu_dtype_is_float(t.dtype) && !below(9))
			set(&t, i, NAN);
	return t;
}

static bool test_nonzero(void)
{
	unsigned int round;

	for (round = 0; round < 120; round++) {
		unsigned int rank = round % 10 ? below(5) : 1, d;
		struct vnpu_tensor x = sparse_view(rank, round % 10 ? 5 : 700);
		struct vnpu_op_launch l;
		int64_t i, count = 0, index[8];

		launch(&l, VNPU_OP_NONZERO, 1, 2, &x, NULL, NULL);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < vnpu_tensor_elements(&x); i++) {
			if (get(&x, i) == 0)
				continue;
			split_number(&x, i, index);
			for (d = 0; d < rank; d++)
				EXPECT(get_int(&l.tensor[1], count * rank + d) ==
				       index[d]);
			count++;
		}
		EXPECT(get_int(&l.tensor[2], 0) == count);
	}
	return true;
}

static bool test_masked_select(void)
{
	unsigned int round;

	for (round = 0; round < 120; round++) {
		int64_t dims[3] = { 1 + below(4), 1 + below(4),
				    1 + below(round % 10 ? 9 : 600) };
		struct vnpu_tensor x = RANDOM(dims[1], dims[2]), mask;
		int64_t i, count = 0, total = dims[0] * dims[1] * dims[2];
		struct vnpu_op_launch l;

		if (below(2))
			x = RANDOM(dims[1], 1);
		mask = view(below(2) ? VNPU_DT_BOOL : VNPU_DT_I32,
			    below(LAYOUTS), 3, dims);
		fill(&mask, 0, 1);
		launch(&l, VNPU_OP_MASKED_SELECT, 2, 2, &x, &mask, NULL, NULL);
		EXPECT(make_outputs(&l) && run(&l));
		EXPECT(l.tensor[2].dims[0] == total);
		for (i = 0; i < total; i++)
			if (get_int(&mask, i)) {
				EXPECT(get(&l.tensor[2], count++) ==
				       get(&x, broadcast_number(&x, 3, dims, i)));
			}
		EXPECT(get_int(&l.tensor[3], 0) == count);
	}
	return true;
}

static bool test_masked_scatter(void)
{
	unsigned int round;

	for (round = 0; round < 120; round++) {
		int64_t dims[2] = { 1 + below(5), 1 + below(60) }, i, count = 0;
		unsigned int dtype = all_types[below(10)];
		struct vnpu_tensor out = view(dtype, below(OUT_LAYOUTS), 2, dims);
		struct vnpu_tensor old = view(dtype, CONTIGUOUS, 2, dims);
		struct vnpu_tensor source, mask;
		struct vnpu_op_launch l;

		mask = VIEW(VNPU_DT_BOOL, below(LAYOUTS), below(2) ? 1 : dims[0],
			    dims[1]);
		source = VIEW(dtype, below(LAYOUTS), dims[0], dims[1]);
		fill(&out, 0, 100);
		fill(&source, 0, 100);
		fill(&mask, 0, 1);
		for (i = 0; i < dims[0] * dims[1]; i++)
			set(&old, i, get(&out, i));
		launch(&l, VNPU_OP_MASKED_SCATTER, 2, 1, &mask, &source, &out);
		EXPECT(run(&l));
		for (i = 0; i < dims[0] * dims[1]; i++) {
			bool is_set = get_int(&mask, broadcast_number(&mask, 2,
								      dims, i));

			EXPECT(get(&out, i) == (is_set ? get(&source, count) :
							 get(&old, i)));
			count += is_set;
		}
		source = VIEW(dtype, CONTIGUOUS, 0);
		launch(&l, VNPU_OP_MASKED_SCATTER, 2, 1, &mask, &source, &out);
		EXPECT(vnpu_op_compute(&l, NULL) == (count ? -ERANGE : 0));
	}
	return true;
}

static bool is_same(const struct vnpu_tensor *t, int64_t a, int64_t b)
{
	return vnpu_dtype_is_float(t->dtype) ? get(t, a) == get(t, b) :
					       get_int(t, a) == get_int(t, b);
}

/* Properties that only one result has; each element is looked up. */
static bool test_unique(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		struct vnpu_tensor x = sparse_view(below(3), 12), *out;
		int64_t n = vnpu_tensor_elements(&x), i, count, last = -1;
		bool consecutive = below(2);
		struct vnpu_op_launch l;

		for (i = 0; i < n; i++)
			if (get(&x, i) > 2)
				set_int(&x, i, below(3));
		launch(&l, VNPU_OP_UNIQUE, 1, 4, &x, NULL, NULL, NULL, NULL);
		vnpu_op_set_int(&l, 0, consecutive);
		EXPECT(make_outputs(&l) && run(&l));
		out = &l.tensor[1];
		count = get_int(&out[3], 0);
		for (i = 0; i < n; i++) {
			int64_t at = get_int(&out[1], i), k, times = 0;
			double value = get(&x, i), found;

			EXPECT(at >= 0 && at < count);
			found = get(&out[0], at);
			EXPECT(found == value || (found != found &&
						  value != value));
			for (k = 0; k < n; k++)
				times += get_int(&out[1], k) == at;
			EXPECT(times == get_int(&out[2], at));
			EXPECT(value == value || times == 1);
			if (!consecutive)
				continue;
			EXPECT(at == last + !(i && is_same(&x, i, i - 1)));
			last = at;
		}
		for (i = 1; i < count && !consecutive; i++)
			EXPECT(!(get(&out[0], i) <= get(&out[0], i - 1)));
	}
	return true;
}

static bool test_one_hot(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		int64_t a = 1 + below(4), b = 1 + below(5), i, j, at;
		int64_t classes = 1 + below(round % 10 ? 6 : 600);
		struct vnpu_tensor index = VIEW(below(2) ? VNPU_DT_I32 :
							   VNPU_DT_I64,
						below(LAYOUTS), a, b);
		struct vnpu_op_launch l;
		int dim = below(3);

		fill(&index, -1, classes);
		launch(&l, VNPU_OP_ONE_HOT, 1, 1, &index, NULL);
		l.tensor[1].dtype = VNPU_DT_NONE;
		vnpu_op_set_int(&l, 0, classes);
		vnpu_op_set_int(&l, 1, below(2) ? dim : dim - 3);
		vnpu_op_set_float(&l, 2, 3);
		vnpu_op_set_float(&l, 3, 2);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < a * b; i++)
			for (j = 0; j < classes; j++) {
				at = dim == 0 ? j * a * b + i :
				     dim == 1 ? (i / b * classes + j) * b + i % b :
						i * classes + j;
				EXPECT(get(&l.tensor[1], at) ==
				       (get_int(&index, i) == j ? 3 : 2));
			}
	}
	return true;
}

static bool test_bincount(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t n = below(round % 6 ? 40 : 900), bins = 1 + below(20), i, k;
		struct vnpu_tensor x = VIEW(int_types[below(5)], below(LAYOUTS), n);
		struct vnpu_tensor w = RANDOM(n);
		bool weighted = below(2);
		struct vnpu_op_launch l;

		fill(&x, 0, bins - 1);
		launch(&l, VNPU_OP_BINCOUNT, 2, 1, &x, weighted ? &w : NULL, NULL);
		vnpu_op_set_int(&l, 0, bins);
		EXPECT(make_outputs(&l) && run(&l));
		for (k = 0; k < bins; k++) {
			double want = 0;

			for (i = 0; i < n; i++)
				if (get_int(&x, i) == k)
					want += weighted ? get(&w, i) : 1;
			EXPECT(is_close(&l.tensor[2], k, want, 0, 1));
		}
		vnpu_op_set_int(&l, 0, 0);
		l.tensor[2].dims[0] = 0;
		EXPECT(vnpu_op_compute(&l, NULL) == (n ? -ERANGE : 0));
	}
	return true;
}

static bool test_histc(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t n = 1 + below(round % 6 ? 40 : 900), i, k, inside = 0;
		int64_t bins = 1 + below(9), sum = 0;
		/* Counts are exact in these types. */
		struct vnpu_tensor x = VIEW(below(2) ? VNPU_DT_F16 : VNPU_DT_F32,
					    below(LAYOUTS), n);
		double low = -2, high = 2;
		bool given = below(2);
		struct vnpu_op_launch l;

		fill(&x, -3, 3);
		launch(&l, VNPU_OP_HISTC, 1, 1, &x, NULL);
		vnpu_op_set_int(&l, 0, bins);
		vnpu_op_set_float(&l, 1, given ? low : 0);
		vnpu_op_set_float(&l, 2, given ? high : 0);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < n && !given; i++) {
			low = i ? fmin(low, get(&x, i)) : get(&x, i);
			high = i ? fmax(high, get(&x, i)) : get(&x, i);
		}
		for (k = 0; k < bins; k++) {
			int64_t hits = 0;

			for (i = 0; i < n; i++) {
				float at = get(&x, i);

				at = (at - (float)low) * bins / ((float)high - (float)low);
				hits += get(&x, i) >= low && get(&x, i) <= high &&
					(k == (int64_t)at || (k == bins - 1 && at >= k));
			}
			sum += get(&l.tensor[1], k);
			if (low < high)
				EXPECT(get(&l.tensor[1], k) == hits);
		}
		for (i = 0; i < n; i++)
			inside += get(&x, i) >= low && get(&x, i) <= high;
		EXPECT(sum == inside);
	}
	return true;
}

const struct test select_tests[] = {
	{ "nonzero", test_nonzero },
	{ "masked_select", test_masked_select },
	{ "masked_scatter", test_masked_scatter },
	{ "unique", test_unique },
	{ "one_hot", test_one_hot },
	{ "bincount", test_bincount },
	{ "histc", test_histc },
	{ }
};
