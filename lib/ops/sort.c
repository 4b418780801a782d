// SPDX-License-Identifier: MIT
/*
 * Sorting along a dimension: all of a line, or its largest or smallest elements.
 * It is stable: of equal elements, the first stays first. NaN is larger than all
 * numbers.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "families.h"
#include "line_iter.h"
#include "sort.h"
#include "vec/vec.h"

static unsigned int dim_of(const struct vnpu_op_job *job)
{
	int64_t dim = JOB_INT(job, 0);
	unsigned int rank = job->launch.tensor[0].rank;

	return dim < 0 ? dim + (rank ? rank : 1) : dim;
}

int ops_sort_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int dim;
	int64_t k;
	int err;

	err = ops_need_dim(c, "dim", CALL_INT(c, 0), self->rank, &dim);
	if (err)
		return err;
	ops_like(&c->out[0], self);
	if (c->l->op == VNPU_OP_TOPK) {
		k = CALL_INT(c, 2);
		if (k < 0 || k > ops_line_size(self, dim))
			return ops_fail(c, -1, -EINVAL,
					"k: expected 0 to %lld, given %lld",
					(long long)ops_line_size(self, dim),
					(long long)k);
		c->out[0].dims[dim] = k;
	}
	c->out[1] = c->out[0];
	c->out[1].dtype = VNPU_DT_I64;
	c->out[1].castable = true;
	if (c->l->op == VNPU_OP_ARGSORT)
		c->out[0] = c->out[1];
	return 0;
}

void ops_sort_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	int64_t n = ops_line_size(self, dim_of(job));

	job->scratch = vnpu_tensor_elements(self) ?
		n * (2 * sizeof(struct ops_item) + 8) : 0;
	job->parts = ops_parts(vnpu_tensor_elements(self) * 64.0,
			       ops_line_count(self, dim_of(job)));
}

/* Keys that ascend as numbers do; all NaN are equal. */
static uint64_t key_of_double(double x)
{
	uint64_t bits;

	if (x != x)
		return OPS_KEY_NAN;
	x += 0.0;	/* -0 becomes 0 */
	memcpy(&bits, &x, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t key_of_integer(int64_t x)
{
	return (uint64_t)x ^ (uint64_t)1 << 63;
}

uint64_t ops_sort_key(const uint8_t *element, unsigned int dtype)
{
	union {
		double d;
		int64_t l;
	} v;

	if (vnpu_dtype_is_float(dtype)) {
		ops_vec->load[dtype][OPS_D](&v, element, 1, 1);
		return key_of_double(v.d);
	}
	ops_vec->load[dtype][OPS_L](&v, element, 1, 1);
	return key_of_integer(v.l);
}

static void insert(struct ops_item *x, int64_t n)
{
	int64_t i, k;

	for (i = 1; i < n; i++) {
		struct ops_item keep = x[i];

		for (k = i; k && x[k - 1].key > keep.key; k--)
			x[k] = x[k - 1];
		x[k] = keep;
	}
}

static void merge(struct ops_item *to, const struct ops_item *from,
		  int64_t middle, int64_t n)
{
	int64_t a = 0, b = middle, i;

	for (i = 0; i < n; i++)
		to[i] = b >= n || (a < middle && from[a].key <= from[b].key) ?
			from[a++] : from[b++];
}

/* Merge runs of 16, which are sorted by insertion. */
struct ops_item *ops_sort_items(struct ops_item *x, struct ops_item *spare,
				int64_t n)
{
	struct ops_item *keep;
	int64_t width = 16, i;

	for (i = 0; i < n; i += width)
		insert(x + i, n - i < width ? n - i : width);
	for (; width < n; width *= 2) {
		for (i = 0; i < n; i += 2 * width) {
			int64_t rest = n - i;

			merge(spare + i, x + i, rest < width ? rest : width,
			      rest < 2 * width ? rest : 2 * width);
		}
		keep = x;
		x = spare;
		spare = keep;
	}
	return x;
}

static void store_values(const struct vnpu_tensor *out, unsigned int dim,
			 int64_t line, const uint8_t *from,
			 const struct ops_item *x, int64_t k)
{
	int64_t size = ops_size(out->dtype), i;
	uint8_t *to = ops_line_start(out, dim, line);

	for (i = 0; i < k; i++)
		memcpy(to + i * ops_line_step(out, dim) * size,
		       from + x[i].index * size, size);
}

static void store_indices(const struct vnpu_tensor *out, unsigned int dim,
			  int64_t line, const struct ops_item *x, int64_t k)
{
	uint8_t *to = ops_line_start(out, dim, line);
	int64_t i;

	for (i = 0; i < k; i++)
		ops_vec->store[OPS_L][out->dtype](to + i *
			ops_line_step(out, dim) * ops_size(out->dtype), 1,
			&x[i].index, 1);
}

int ops_sort_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0];
	const struct vnpu_tensor *values = l->op == VNPU_OP_ARGSORT ?
						   NULL : ops_out(l, 0);
	const struct vnpu_tensor *indices = ops_out(l, l->op != VNPU_OP_ARGSORT);
	unsigned int dim = dim_of(job);
	int64_t n = ops_line_size(self, dim), size = ops_size(self->dtype);
	int64_t k = l->op == VNPU_OP_TOPK ? JOB_INT(job, 2) : n;
	struct ops_item *x = w->scratch, *sorted;
	uint8_t *copy = (uint8_t *)(x + 2 * n);
	bool descending = JOB_INT(job, 1);
	int64_t line, end, i;

	if (!n)
		return 0;
	ops_share(w, ops_line_count(self, dim), 1, &line, &end);
	for (; line < end; line++) {
		const uint8_t *from = ops_line_start(self, dim, line);
		int64_t step = ops_line_step(self, dim) * size;

		for (i = 0; i < n; i++) {
			/* A copy, as the output may be the input. */
			memcpy(copy + i * size, from + i * step, size);
			x[i].key = ops_sort_key(copy + i * size, self->dtype);
			if (descending)
				x[i].key = ~x[i].key;
			x[i].index = i;
		}
		sorted = ops_sort_items(x, x + n, n);
		if (values)
			store_values(values, dim, line, copy, sorted, k);
		if (indices)
			store_indices(indices, dim, line, sorted, k);
	}
	return 0;
}
