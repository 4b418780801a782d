// SPDX-License-Identifier: GPL-2.0-only
/* Indices, compared with plain loops. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"

static void fill_indices(const struct vnpu_tensor *t, int64_t n, bool negative)
{
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(t); i++)
		set_int(t, i, below(n) - (negative && below(2) ? n : 0));
}

static unsigned int index_type(void)
{
	return below(2) ? VNPU_DT_I32 : VNPU_DT_I64;
}

static bool test_take(void)
{
	unsigned int round, d;

	for (round = 0; round < 300; round++) {
		struct vnpu_tensor self = any_view(all_types[below(10)],
						   1 + below(4), 6, LAYOUTS);
		unsigned int dim = below(self.rank);
		struct vnpu_tensor index = any_view(index_type(), below(4),
						    4, LAYOUTS);
		struct vnpu_op_launch l;
		int64_t i, at[8], from[8];

		fill_indices(&index, self.dims[dim], true);
		launch(&l, VNPU_OP_TAKE, 2, 1, &self, &index, NULL);
		vnpu_op_set_int(&l, 0, dim);
		EXPECT(make_outputs(&l) && run(&l));
		for (i = 0; i < vnpu_tensor_elements(&l.tensor[2]); i++) {
			int64_t row;

			split_number(&l.tensor[2], i, at);
			row = get_int(&index, join_number(&index, at + dim));
			for (d = 0; d < self.rank; d++)
				from[d] = d < dim ? at[d] :
					  d == dim ? row + (row < 0 ?
							self.dims[dim] : 0) :
						     at[d - 1 + index.rank];
			EXPECT(get(&l.tensor[2], i) ==
			       get(&self, join_number(&self, from)));
		}
	}
	return true;
}

static bool test_put(void)
{
	unsigned int round;

	for (round = 0; round < 300; round++) {
		struct vnpu_tensor out = any_view(all_types[below(9)],
						  1 + below(3), 6,
						  OUT_LAYOUTS);
		unsigned int dim = below(out.rank);
		struct vnpu_tensor index = any_view(index_type(), 1, 8,
						    LAYOUTS), source;
		bool adds = below(2);
		struct vnpu_op_launch l;
		int64_t dims[8], i, at[8];
		double *want;

		memcpy(dims, out.dims, sizeof(dims));
		dims[dim] = index.dims[0];
		source = view(out.dtype, below(LAYOUTS), out.rank, dims);
		fill(&out, -20, 20);
		fill(&source, -4, 4);
		fill_indices(&index, out.dims[dim], false);
		want = calloc(vnpu_tensor_elements(&out), sizeof(*want));
		for (i = 0; i < vnpu_tensor_elements(&out); i++)
			want[i] = get(&out, i);
		for (i = 0; i < vnpu_tensor_elements(&source); i++) {
			struct vnpu_tensor one;
			uint64_t slot;
			int64_t to;

			split_number(&source, i, at);
			at[dim] = get_int(&index, at[dim]);
			to = join_number(&out, at);
			vnpu_tensor_init(&one, out.dtype, 0, NULL, &slot);
			set(&one, 0, adds ? want[to] + get(&source, i) :
					    get(&source, i));
			want[to] = get(&one, 0);
		}
		launch(&l, VNPU_OP_PUT, 2, 1, &index, &source, &out);
		vnpu_op_set_int(&l, 0, dim);
		vnpu_op_set_int(&l, 1, adds);
		EXPECT(run(&l));
		/* Sums round in the order of indices, as here. */
		for (i = 0; i < vnpu_tensor_elements(&out); i++)
			EXPECT(is_close(&out, i, want[i], 0, 0) ||
			       (adds && is_close(&out, i, want[i], 8, 4)));
		free(want);
	}
	return true;
}

static bool test_gather(void)
{
	unsigned int round, d;

	for (round = 0; round < 300; round++) {
		struct vnpu_tensor self = any_view(all_types[below(9)],
						   1 + below(4), 6, LAYOUTS);
		unsigned int dim = below(self.rank);
		bool scatters = below(2);
		struct vnpu_tensor index, out, source;
		struct vnpu_op_launch l;
		int64_t dims[8], i, at[8];

		for (d = 0; d < self.rank; d++)
			dims[d] = d == dim ? 1 + below(6) :
				  1 + below(self.dims[d]);
		if (scatters)
			dims[dim] = 1;
		index = view(index_type(), below(LAYOUTS), self.rank, dims);
		fill_indices(&index, self.dims[dim], false);
		if (!scatters) {
			launch(&l, VNPU_OP_GATHER, 2, 1, &self, &index, NULL);
			vnpu_op_set_int(&l, 0, (int64_t)dim - self.rank);
			EXPECT(make_outputs(&l) && run(&l));
			for (i = 0; i < vnpu_tensor_elements(&index); i++) {
				split_number(&index, i, at);
				at[dim] = get_int(&index, i);
				EXPECT(get(&l.tensor[2], i) ==
				       get(&self, join_number(&self, at)));
			}
			continue;
		}
		out = view(self.dtype, below(OUT_LAYOUTS), self.rank, self.dims);
		fill(&out, 10, 20);
		source = view(self.dtype, below(LAYOUTS), self.rank, dims);
		fill(&source, 1, 5);
		launch(&l, VNPU_OP_SCATTER, 2, 1, &index, &source, &out);
		vnpu_op_set_int(&l, 0, dim);
		EXPECT(run(&l));
		for (i = 0; i < vnpu_tensor_elements(&index); i++) {
			split_number(&index, i, at);
			at[dim] = get_int(&index, i);
			EXPECT(get(&out, join_number(&out, at)) == get(&source, i));
		}
	}
	return true;
}

/* Of the sanitizer, whose headers not all compilers come with. */
int __sanitizer_install_malloc_and_free_hooks(
	void (*on_malloc)(const volatile void *memory, size_t size),
	void (*on_free)(const volatile void *memory));

static unsigned int allocations;

static void count_allocation(const volatile void *memory, size_t size)
{
	(void)memory;
	(void)size;
	allocations++;
}

static void ignore_free(const volatile void *memory)
{
	(void)memory;
}

/* Operators run where the heap must not be used. */
static bool test_no_heap(void)
{
	struct vnpu_tensor out = VIEW(VNPU_DT_F16, SLICED, 4, 5);
	struct vnpu_tensor index = VIEW(VNPU_DT_I64, CONTIGUOUS, 2);
	struct vnpu_tensor source = VIEW(VNPU_DT_F16, TRANSPOSED, 2, 5);
	struct vnpu_op_work work = { .parts = 1 };
	struct vnpu_op_launch l;
	struct vnpu_op_job job;

	__sanitizer_install_malloc_and_free_hooks(count_allocation,
						  ignore_free);
	fill(&out, 0, 3);
	fill(&source, 0, 3);
	fill_indices(&index, 4, true);
	launch(&l, VNPU_OP_PUT, 2, 1, &index, &source, &out);
	vnpu_op_set_int(&l, 1, 1);
	EXPECT(!vnpu_op_prepare(&job, &l, l.size, NULL, NULL) && !job.scratch);
	allocations = 0;
	EXPECT(!vnpu_op_run(&job, &work) && !allocations);
	launch(&l, VNPU_OP_INDEX_PUT, 2, 1, &source, &index, &out);
	vnpu_op_set_int(&l, 0, 1);
	EXPECT(!vnpu_op_prepare(&job, &l, l.size, NULL, NULL) && !job.scratch);
	allocations = 0;
	EXPECT(!vnpu_op_run(&job, &work) && !allocations);
	return true;
}

static int64_t wrap(int64_t x, int64_t n)
{
	return (x % n + n) % n;
}

/* Lists of indices: of the first two of three dimensions. */
static bool test_index_list(void)
{
	unsigned int round;

	for (round = 0; round < 200; round++) {
		int64_t n[3] = { 1 + below(5), 1 + below(5), 1 + below(4) };
		int64_t k = 1 + below(4), m = 1 + below(3), i, at[3];
		struct vnpu_tensor a = VIEW(index_type(), below(LAYOUTS), k, 1);
		struct vnpu_tensor b = VIEW(index_type(), below(LAYOUTS), m);
		struct vnpu_tensor self, values, want;
		bool gets = below(2), adds = below(2);
		struct vnpu_op_launch l;

		self = view(all_types[below(9)], below(gets ? LAYOUTS :
			    OUT_LAYOUTS), 3, n);
		fill(&self, 0, 3);
		fill_indices(&a, n[0], true);
		fill_indices(&b, n[1], true);
		if (gets) {
			launch(&l, VNPU_OP_INDEX, 3, 1, &self, &a, &b, NULL);
			EXPECT(make_outputs(&l) && run(&l));
			values = l.tensor[3];
		} else {
			values = VIEW(self.dtype, below(LAYOUTS), k, m, n[2]);
			fill(&values, 0, 3);
			want = VIEW(VNPU_DT_F64, CONTIGUOUS, n[0], n[1], n[2]);
			for (i = 0; i < vnpu_tensor_elements(&self); i++)
				set(&want, i, get(&self, i));
		}
		for (i = 0; i < k * m * n[2]; i++) {
			at[0] = wrap(get_int(&a, i / n[2] / m), n[0]);
			at[1] = wrap(get_int(&b, i / n[2] % m), n[1]);
			at[2] = i % n[2];
			if (gets)
				EXPECT(get(&values, i) ==
				       get(&self, join_number(&self, at)));
			else
				set(&want, join_number(&want, at), get(&values, i) +
				    (adds ? get(&want, join_number(&want, at)) : 0));
		}
		if (gets)
			continue;
		launch(&l, VNPU_OP_INDEX_PUT, 3, 1, &values, &a, &b, &self);
		vnpu_op_set_int(&l, 0, adds);
		EXPECT(run(&l));
		for (i = 0; i < vnpu_tensor_elements(&self); i++)
			EXPECT(is_close(&self, i, get(&want, i), 8, 16));
	}
	return true;
}

/* Indices out of range are reported, and nothing else is read. */
static bool test_range(void)
{
	static const unsigned int ops[] = {
		VNPU_OP_TAKE, VNPU_OP_GATHER, VNPU_OP_PUT, VNPU_OP_SCATTER,
	};
	static const int64_t bad[] = {
		4, -5, INT64_MAX, INT64_MIN, INT32_MAX, (int64_t)1 << 40,
	};
	unsigned int o, i;

	for (o = 0; o < ARRAY_SIZE(ops); o++)
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			struct vnpu_tensor self = VIEW(VNPU_DT_F32, CONTIGUOUS, 4);
			struct vnpu_tensor index = VIEW(VNPU_DT_I64, CONTIGUOUS, 2);
			struct vnpu_tensor out = VIEW(VNPU_DT_F32, CONTIGUOUS, 2);
			struct vnpu_op_launch l;

			fill(&self, 1, 2);
			set_int(&index, 0, bad[i]);
			set_int(&index, 1, 3);
			if (ops[o] == VNPU_OP_TAKE || ops[o] == VNPU_OP_GATHER)
				launch(&l, ops[o], 2, 1, &self, &index, &out);
			else
				launch(&l, ops[o], 2, 1, &index, &out, &self);
			EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
			EXPECT(ops[o] == VNPU_OP_PUT || ops[o] == VNPU_OP_SCATTER ||
			       get(&out, 1) == get(&self, 3));
			if (ops[o] != VNPU_OP_PUT)
				continue;
			set_int(&index, 0, -1);
			EXPECT(!vnpu_op_compute(&l, NULL));
			vnpu_op_set_int(&l, 2, 0);
			EXPECT(vnpu_op_compute(&l, NULL) == -ERANGE);
		}
	return true;
}

const struct test index_tests[] = {
	{ "take", test_take },
	{ "put", test_put },
	{ "gather_scatter", test_gather },
	{ "index_list", test_index_list },
	{ "index_range", test_range },
	{ "index_heap", test_no_heap },
	{ }
};
