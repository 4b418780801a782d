// SPDX-License-Identifier: MIT
/*
 * The elements without repetitions: of all elements in ascending order, or of
 * runs of equal neighbours in the order of the elements. NaN is unequal to
 * itself. The outputs have room for all elements; see select.c.
 */
#include "families.h"
#include "sort.h"
#include "vec/vec.h"
#include "walk.h"

enum { VALUES, INVERSE, COUNTS, COUNT };

int ops_unique_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int i;

	for (i = VALUES; i <= COUNT; i++) {
		ops_like(&c->out[i], self);
		if (i == VALUES || i == COUNTS) {
			c->out[i].rank = 1;
			c->out[i].dims[0] = vnpu_tensor_elements(self);
		}
		if (i == COUNT)
			c->out[i].rank = 0;
		if (i != VALUES)
			c->out[i].dtype = VNPU_DT_I64;
		c->out[i].castable = i != VALUES;
	}
	return 0;
}

void ops_unique_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];

	job->scratch = vnpu_tensor_elements(self) *
		(2 * sizeof(struct ops_item) + ops_size(self->dtype));
}

static void store_number(const struct vnpu_tensor *t, int64_t at, int64_t value)
{
	if (t)
		ops_vec->store[OPS_L][t->dtype](ops_element(t, at), 1, &value,
						1);
}

int ops_unique_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0];
	const struct vnpu_tensor *values = ops_out(l, VALUES);
	int64_t n = vnpu_tensor_elements(self), size = ops_size(self->dtype);
	int64_t i, groups = 0, members = 0;
	struct ops_item *x = w->scratch;
	uint8_t *copy = (uint8_t *)(x + 2 * n);

	if (w->part)
		return 0;
	for (i = 0; i < n; i++) {
		/* A copy, as the elements may change while they are sorted. */
		memcpy(copy + i * size, ops_element(self, i), size);
		x[i].key = ops_sort_key(copy + i * size, self->dtype);
		x[i].index = i;
	}
	if (!JOB_INT(job, 0))
		x = ops_sort_items(x, x + n, n);
	for (i = 0; i < n; i++) {
		if (!i || x[i].key != x[i - 1].key ||
		    (vnpu_dtype_is_float(self->dtype) &&
		     x[i].key == OPS_KEY_NAN)) {
			memcpy(ops_element(values, groups++),
			       copy + x[i].index * size, size);
			members = 0;
		}
		store_number(ops_out(l, INVERSE), x[i].index, groups - 1);
		store_number(ops_out(l, COUNTS), groups - 1, ++members);
	}
	store_number(ops_out(l, COUNT), 0, groups);
	return 0;
}
