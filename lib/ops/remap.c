// SPDX-License-Identifier: MIT
/*
 * Copies in which each index of the output determines an index of the input:
 * padding, repetition, rolling, nearest neighbours. Each dimension has a table
 * of distances in bytes, or OUTSIDE for elements that have no source.
 */
#include <errno.h>
#include <string.h>

#include "copy.h"
#include "families.h"
#include "plane.h"
#include "vec/vec.h"

#define OUTSIDE		INT64_MIN

enum pad_mode {
	PAD_CONSTANT,
	PAD_REFLECT,
	PAD_REPLICATE,
	PAD_CIRCULAR,
};

/* The lists of padding begin with the last dimension, as in PyTorch. */
static void find_padding(const struct vnpu_op_launch *l,
			 const struct ops_op *op, unsigned int from_end,
			 int64_t *before, int64_t *after)
{
	const union vnpu_op_word *left = ops_words(op, l, 0);
	const union vnpu_op_word *right = ops_words(op, l, 1);

	*before = from_end < left->i ? left[1 + from_end].i : 0;
	*after = from_end < right->i ? right[1 + from_end].i : 0;
}

static int infer_pad(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	int64_t mode = CALL_INT(c, 2), before, after, most;
	unsigned int i;

	if (mode < PAD_CONSTANT || mode > PAD_CIRCULAR)
		return ops_fail(c, -1, -EINVAL,
				"mode: expected 0 to 3, given %lld",
				(long long)mode);
	for (i = 0; i < VNPU_OP_LIST; i++) {
		int64_t dim = i < self->rank ? self->dims[self->rank - 1 - i] :
					       0;

		find_padding(c->l, c->op, i, &before, &after);
		if (!before && !after)
			continue;
		most = mode == PAD_REFLECT ? dim - 1 :
		       mode == PAD_CIRCULAR ? dim :
		       mode == PAD_REPLICATE && !dim ? 0 : VNPU_TENSOR_MAX;
		if (i >= self->rank || before > most || after > most ||
		    before < -dim || after < -dim ||
		    before + after < -dim)
			return ops_fail(c, -1, -EINVAL,
					"padding %lld, %lld is not possible for shape %s",
					(long long)before, (long long)after,
					OPS_TDIMS(self));
		c->out[0].dims[self->rank - 1 - i] += before + after;
	}
	return 0;
}

static int infer_repeat(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	const union vnpu_op_word *times = CALL_INTS(c, 0);
	struct ops_shape *out = &c->out[0];
	unsigned int i;

	if (times->i < self->rank)
		return ops_fail(c, -1, -EINVAL,
				"repeats: expected at least %u values, given %lld",
				self->rank, (long long)times->i);
	out->rank = times->i;
	for (i = 0; i < out->rank; i++) {
		unsigned int own = i + self->rank - out->rank;
		int64_t dim = i + self->rank >= out->rank ? self->dims[own] : 1;

		if (times[1 + i].i < 0 ||
		    __builtin_mul_overflow(dim, times[1 + i].i, &out->dims[i]))
			return ops_fail(c, -1, -EINVAL,
					"repeats: %lld is not possible",
					(long long)times[1 + i].i);
	}
	return 0;
}

static int infer_sizes(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	const union vnpu_op_word *sizes = CALL_INTS(c, 0);
	unsigned int i;

	if (sizes->i > self->rank || self->rank < 2)
		return ops_fail(c, 0, -EINVAL,
				"expected more than %lld dimensions, given shape %s",
				(long long)sizes->i, OPS_TDIMS(self));
	for (i = 0; i < sizes->i; i++) {
		unsigned int at = self->rank - sizes->i + i;

		if (sizes[1 + i].i < 1 || !self->dims[at])
			return ops_fail(c, -1, -EINVAL,
					"sizes: %lld is not possible",
					(long long)sizes[1 + i].i);
		c->out[0].dims[at] = sizes[1 + i].i;
	}
	return 0;
}

int ops_remap_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int mask, dim;
	int err;

	ops_like(&c->out[0], self);
	switch (c->l->op) {
	case VNPU_OP_PAD:
		return infer_pad(c);
	case VNPU_OP_REPEAT:
		return infer_repeat(c);
	case VNPU_OP_UPSAMPLE_NEAREST:
		return infer_sizes(c);
	case VNPU_OP_REPEAT_INTERLEAVE:
		err = ops_need_dim(c, "dim", CALL_INT(c, 0), self->rank, &dim);
		if (err)
			return err;
		if (CALL_INT(c, 1) < 1 || !self->rank ||
		    __builtin_mul_overflow(self->dims[dim], CALL_INT(c, 1),
					   &c->out[0].dims[dim]))
			return ops_fail(c, -1, -EINVAL,
					"repeats: %lld is not possible",
					(long long)CALL_INT(c, 1));
		return 0;
	default:	/* roll */
		if (CALL_INTS(c, 0)->i != CALL_INTS(c, 1)->i)
			return ops_fail(c, -1, -EINVAL,
					"expected as many shifts as dims");
		return ops_need_dims(c, 1, self->rank, &mask);
	}
}

void ops_remap_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t entries = 0, rows;
	unsigned int i;

	for (i = 0; i < out->rank; i++)
		entries += out->dims[i];
	job->scratch = vnpu_tensor_elements(out) ?
		(entries + 1) * sizeof(int64_t) : 0;
	rows = out->rank && out->dims[out->rank - 1] ?
		vnpu_tensor_elements(out) / out->dims[out->rank - 1] : 1;
	job->parts = ops_parts(vnpu_tensor_elements(out) * 4.0, rows);
}

static int64_t modulo(int64_t x, int64_t n)
{
	x %= n;
	return x < 0 ? x + n : x;
}

static int64_t pad_source(int64_t x, int64_t n, int64_t mode)
{
	if (x >= 0 && x < n)
		return x;
	switch (mode) {
	case PAD_REFLECT:
		x = x < 0 ? -x : 2 * (n - 1) - x;
		return x >= 0 && x < n ? x : OUTSIDE;
	case PAD_REPLICATE:
		return x < 0 ? 0 : n - 1;
	case PAD_CIRCULAR:
		return modulo(x, n);
	default:
		return OUTSIDE;
	}
}

/* The index of the source for index @x of dimension @dim of the output. */
static int64_t source(const struct vnpu_op_job *job, unsigned int dim,
		      int64_t x, int64_t n, int64_t out_n)
{
	const struct vnpu_op_launch *l = &job->launch;
	const union vnpu_op_word *shifts, *dims;
	int64_t before, after, at, rank = l->tensor[1].rank;
	unsigned int i;

	switch (l->op) {
	case VNPU_OP_PAD:
		find_padding(l, job->op, rank - 1 - dim, &before, &after);
		return pad_source(x - before, n, JOB_INT(job, 2));
	case VNPU_OP_REPEAT:
		return x % n;
	case VNPU_OP_REPEAT_INTERLEAVE:
		at = JOB_INT(job, 0);
		at += at < 0 ? rank : 0;
		return dim == at ? x / JOB_INT(job, 1) : x;
	case VNPU_OP_UPSAMPLE_NEAREST:
		return ops_axis_nearest(n, out_n, JOB_INT(job, 1), x);
	default:	/* roll */
		shifts = JOB_INTS(job, 0);
		dims = JOB_INTS(job, 1);
		for (i = 0; i < shifts->i; i++) {
			at = dims[1 + i].i;
			at += at < 0 ? rank : 0;
			if (at == dim)
				return modulo(x - shifts[1 + i].i % n, n);
		}
		return x;
	}
}

static void fill_table(const struct vnpu_op_job *job, unsigned int dim,
		       int64_t *table)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int own = (int)dim + self->rank - out->rank;
	int64_t n = own >= 0 ? self->dims[own] : 1, x, from;

	for (x = 0; x < out->dims[dim]; x++) {
		from = source(job, dim, x, n, out->dims[dim]);
		if (from == OUTSIDE)
			table[x] = OUTSIDE;
		else
			table[x] = own >= 0 ? from * self->strides[own] *
					      ops_size(self->dtype) : 0;
	}
}

/* Copy a row by its table, in runs of elements that are equally far apart. */
static void copy_row(uint8_t *dst, int64_t to, const uint8_t *src,
		     const int64_t *table, int64_t n, int64_t size,
		     const uint64_t *value)
{
	int64_t i, run, step;

	for (i = 0; i < n; i += run, dst += run * to) {
		run = 1;
		if (table[i] == OUTSIDE) {
			while (i + run < n && table[i + run] == OUTSIDE)
				run++;
			ops_copy_row(dst, to, (const uint8_t *)value, 0, size,
				     run);
			continue;
		}
		step = i + 1 < n && table[i + 1] != OUTSIDE ?
			       table[i + 1] - table[i] : 0;
		while (i + run < n && table[i + run] != OUTSIDE &&
		       table[i + run] - table[i + run - 1] == step)
			run++;
		ops_copy_row(dst, to, src + table[i], step, size, run);
	}
}

int ops_remap_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t *table[VNPU_TENSOR_DIMS], *at = w->scratch, single = 0;
	int64_t size = ops_size(self->dtype), rows, row, end, i;
	unsigned int last = out->rank - 1, d;
	uint64_t value = 0;
	double number;

	if (!vnpu_tensor_elements(out))
		return 0;
	if (job->launch.op == VNPU_OP_PAD) {
		number = JOB_FLOAT(job, 3);
		ops_vec->store[OPS_D][self->dtype](&value, 1, &number, 1);
	}
	if (!out->rank) {
		ops_copy_row(ops_data(out), size, ops_data(self), single, size,
			     1);
		return 0;
	}
	for (d = 0; d < out->rank; d++) {
		table[d] = at;
		fill_table(job, d, at);
		at += out->dims[d];
	}
	rows = vnpu_tensor_elements(out) / out->dims[last];
	ops_share(w, rows, 1, &row, &end);
	for (; row < end; row++) {
		const uint8_t *src = ops_data(self);
		uint8_t *dst = ops_data(out);
		int64_t rest = row;

		for (d = last; d--;) {
			i = rest % out->dims[d];
			rest /= out->dims[d];
			dst += i * out->strides[d] * size;
			if (src)
				src = table[d][i] == OUTSIDE ? NULL :
							       src + table[d][i];
		}
		if (src)
			copy_row(dst, out->strides[last] * size, src,
				 table[last], out->dims[last], size, &value);
		else
			ops_copy_row(dst, out->strides[last] * size,
				     (const uint8_t *)&value, 0, size,
				     out->dims[last]);
	}
	return 0;
}
