// SPDX-License-Identifier: MIT
/* From a launch to a job that runs. See ops.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"

static int check_window(const struct vnpu_op_launch *l,
			const struct vnpu_op_window *window,
			struct vnpu_op_error *error)
{
	struct ops_call c;
	unsigned int i;

	ops_call_init(&c, l, ops_get(l->op), error);
	for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[i];

		if (!t->dtype || t->flags & VNPU_TENSOR_F_IMMEDIATE ||
		    !vnpu_tensor_elements(t))
			continue;
		if (t->data < window->start || t->data > window->end ||
		    t->bytes > window->end - t->data)
			return ops_fail(&c, i, -EFAULT,
					"address %#llx is not memory of the device",
					(unsigned long long)t->data);
	}
	return 0;
}

/*
 * No element depends on the stride of a dimension of size 1, so it may be
 * anything. Replace it by that of a view without a gap, which can be added to an
 * address.
 */
static void simplify_strides(struct vnpu_tensor *t)
{
	bool is_empty = !vnpu_tensor_elements(t);
	int64_t stride = 1;
	unsigned int i;

	if (is_empty)
		t->offset = 0;
	for (i = t->rank; i--;) {
		if (is_empty || t->dims[i] == 1)
			t->strides[i] = stride;
		stride = t->strides[i] * t->dims[i];
	}
}

int vnpu_op_prepare(struct vnpu_op_job *job, const void *launch, size_t size,
		    const struct vnpu_op_window *window,
		    struct vnpu_op_error *error)
{
	struct vnpu_op_launch *l = &job->launch;
	size_t head = offsetof(struct vnpu_op_launch, tensor), tensors, i;
	struct ops_call c;
	int err;

	ops_call_init(&c, l, NULL, error);
	if (size < head || size > sizeof(*l))
		return ops_fail(&c, -1, -EINVAL, "has a size of %zu bytes",
				size);
	memcpy(l, launch, size);
	tensors = (size - head) / sizeof(*l->tensor);
	if (l->size != size ||
	    head + tensors * sizeof(*l->tensor) != size ||
	    (size_t)l->inputs + l->outputs != tensors)
		return ops_fail(&c, -1, -EINVAL,
				"size and number of tensors do not match");

	job->phases = 1;
	job->parts = 1;
	job->scratch = 0;
	job->shared = 0;
	if (ops_plain_prepare(job, window))
		return 0;
	err = vnpu_op_check(l, error);
	if (!err && window)
		err = check_window(l, window, error);
	if (err)
		return err;
	for (i = 0; i < tensors; i++)
		if (l->tensor[i].dtype)
			simplify_strides(&l->tensor[i]);
	job->op = ops_get(l->op);
	job->op->plan(job);
	return 0;
}

int vnpu_op_run(const struct vnpu_op_job *job, const struct vnpu_op_work *work)
{
	return job->op->run(job, work);
}

int vnpu_op_compute(const struct vnpu_op_launch *l, struct vnpu_op_error *error)
{
	struct vnpu_op_work work = { .parts = 1 };
	struct vnpu_op_job job;
	int err, result = 0;

	err = vnpu_op_prepare(&job, l, l->size, NULL, error);
	if (err)
		return err;
	if (job.scratch)
		work.scratch = aligned_alloc(64, (job.scratch + 63) / 64 * 64);
	if (job.shared)
		work.shared = aligned_alloc(64, (job.shared + 63) / 64 * 64);
	if ((job.scratch && !work.scratch) || (job.shared && !work.shared))
		result = -ENOMEM;
	for (; !result && work.phase < job.phases; work.phase++)
		result = vnpu_op_run(&job, &work);
	free(work.scratch);
	free(work.shared);
	return result;
}
