// SPDX-License-Identifier: MIT
/*
 * search_sorted: for each value the number of elements of a sorted sequence that
 * are less than it, or with "right", not greater. Values are compared in the
 * common type. NaN is the greatest of all, as in PyTorch.
 */
#include <errno.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

enum { SEQUENCE, VALUES, SORTER };

/**
 * struct search - a search in one sequence
 * @sequence: a view of its elements
 * @sorter: a view of their order, or NULL
 * @first: number of the first element of the sequence
 * @n: number of elements
 * @class: in which they are compared
 * @right: see above
 */
struct search {
	const struct vnpu_tensor *sequence, *sorter;
	int64_t first, n;
	enum ops_class class;
	bool right;
};

/* An element: a number, or an integer. */
union scalar {
	double f;
	int64_t i;
};

static bool is_integer(enum ops_class class)
{
	return class == OPS_I || class == OPS_L;
}

static union scalar load(const struct vnpu_tensor *t, int64_t number,
			 enum ops_class class)
{
	union scalar value;
	float narrow;

	if (is_integer(class)) {
		ops_vec->load[t->dtype][OPS_L](&value.i, ops_element(t, number),
					       1, 1);
	} else if (class == OPS_F) {
		ops_vec->load[t->dtype][OPS_F](&narrow, ops_element(t, number),
					       1, 1);
		value.f = narrow;
	} else {
		ops_vec->load[t->dtype][OPS_D](&value.f, ops_element(t, number),
					       1, 1);
	}
	return value;
}

int ops_search_infer(struct ops_call *c)
{
	const struct vnpu_tensor *sequence = &c->l->tensor[SEQUENCE];
	const struct vnpu_tensor *values = &c->l->tensor[VALUES];
	unsigned int i;
	int err;

	err = ops_need_rank(c, SEQUENCE, 1, VNPU_TENSOR_DIMS);
	if (err)
		return err;
	if (sequence->rank > 1 && sequence->rank != values->rank)
		return ops_fail(c, VALUES, -EINVAL,
				"expected %u dimensions, as of the sequence, given shape %s",
				sequence->rank, OPS_TDIMS(values));
	for (i = 0; i + 1 < sequence->rank; i++)
		if (sequence->dims[i] != values->dims[i])
			return ops_fail(c, VALUES, -EINVAL,
					"shape %s does not match sequences of %s",
					OPS_TDIMS(values), OPS_TDIMS(sequence));
	ops_like(&c->out[0], values);
	c->out[0].dtype = VNPU_DT_I64;
	c->out[0].castable = true;
	if (!ops_in(c->l, SORTER))
		return 0;
	err = ops_need_index(c, SORTER);
	return err ? err : ops_need_shape(c, SORTER, sequence->rank,
					  sequence->dims);
}

void ops_search_plan(struct vnpu_op_job *job)
{
	int64_t count = vnpu_tensor_elements(&job->launch.tensor[VALUES]);

	job->parts = ops_parts(count * 64.0, count);
}

/* Whether element @at of the sequence stands before @value; false on error. */
static bool is_before(const struct search *s, int64_t at, union scalar value,
		      int *err)
{
	union scalar element, place = { .i = at };

	if (s->sorter) {
		place = load(s->sorter, s->first + at, OPS_L);
		if (place.i < 0 || place.i >= s->n) {
			*err = -ERANGE;
			return false;
		}
	}
	element = load(s->sequence, s->first + place.i, s->class);
	if (is_integer(s->class))
		return s->right ? element.i <= value.i : element.i < value.i;
	return s->right ? !(element.f > value.f) : !(element.f >= value.f);
}

static int64_t find(const struct search *s, union scalar value, int *err)
{
	int64_t low = 0, high = s->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (is_before(s, middle, value, err))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int ops_search_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *values = &job->launch.tensor[VALUES];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct search s = {
		.sequence = &job->launch.tensor[SEQUENCE],
		.sorter = ops_in(&job->launch, SORTER),
		.class = ops_class_of(ops_common(&job->launch,
						 1 << SEQUENCE | 1 << VALUES)),
		.right = JOB_INT(job, 0),
	};
	int64_t at, end, result, row = 1;
	int err = 0;

	s.n = s.sequence->dims[s.sequence->rank - 1];
	if (values->rank)
		row = values->dims[values->rank - 1];
	ops_share(w, vnpu_tensor_elements(values), 1, &at, &end);
	for (; at < end; at++) {
		if (s.sequence->rank > 1)
			s.first = at / row * s.n;
		result = find(&s, load(values, at, s.class), &err);
		ops_vec->store[OPS_L][out->dtype](ops_element(out, at), 1,
						  &result, 1);
	}
	return err;
}
