// SPDX-License-Identifier: MIT
/*
 * The tensors of a plan, as they were added.  The contents of a plan are
 * consistent: inconsistent input is rejected here, with a description.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define TENSOR_FLAGS	(VNPU_PLAN_FIXED | VNPU_PLAN_ON_CHIP | \
			 VNPU_PLAN_VIEW | VNPU_PLAN_INPLACE | \
			 VNPU_PLAN_OF_OPS | VNPU_PLAN_KEEP | \
			 VNPU_PLAN_PINNED)

int plan_fail(struct vnpu_plan *plan, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(plan->fault, sizeof(plan->fault), fmt, args);
	va_end(args);
	return err;
}

bool plan_grow(void *array, uint32_t *room, uint32_t need, size_t element)
{
	uint32_t more = *room < 64 ? 64 : *room * 2;
	void *old, *new;

	if (need <= *room)
		return true;
	if (more < need)
		more = need;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, more * element);
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*room = more;
	return true;
}

int vnpu_plan_create(struct vnpu_plan **plan)
{
	if (!plan)
		return -EINVAL;
	*plan = calloc(1, sizeof(**plan));
	return *plan ? 0 : -ENOMEM;
}

void vnpu_plan_destroy(struct vnpu_plan *plan)
{
	if (!plan)
		return;
	free(plan->offset);
	free(plan->peak);
	free(plan->rerun);
	free(plan->sequence);
	free(plan->link);
	free(plan->op);
	free(plan->gap);
	free(plan->pair);
	free(plan->tensor);
	free(plan);
}

const char *vnpu_plan_fault(const struct vnpu_plan *plan)
{
	return plan ? plan->fault : "";
}

void plan_changed(struct vnpu_plan *plan)
{
	free(plan->offset);
	free(plan->peak);
	plan->offset = NULL;
	plan->peak = NULL;
}

static int check_flags(struct vnpu_plan *plan, const struct vnpu_plan_tensor *t)
{
	uint32_t how = t->flags & (VNPU_PLAN_FIXED | VNPU_PLAN_ON_CHIP |
				   VNPU_PLAN_VIEW);
	uint32_t i = plan->tensors;

	if (t->flags & ~TENSOR_FLAGS)
		return plan_fail(plan, -EINVAL, "tensor %u: unknown flags %#x",
				 i, t->flags & ~TENSOR_FLAGS);
	if (how & (how - 1) || (how && t->flags & VNPU_PLAN_INPLACE))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: flags exclude each other", i);
	if (t->flags & (VNPU_PLAN_KEEP | VNPU_PLAN_PINNED) &&
	    !(t->flags & VNPU_PLAN_OF_OPS))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: kept or pinned, but its lifetime is not set by operators",
				 i);
	if (t->flags & VNPU_PLAN_OF_OPS && (t->lower || t->upper))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: lifetime set both by operators and by times", i);
	if (t->offset && !(t->flags & (VNPU_PLAN_FIXED | VNPU_PLAN_VIEW)))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: has an offset, but is not fixed", i);
	if (t->of && !(t->flags & (VNPU_PLAN_VIEW | VNPU_PLAN_INPLACE)))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: refers to another tensor, but is neither a view nor in place", i);
	return 0;
}

/* Check that no number of the tensor, nor the sum of all, is too large. */
static int check_limits(struct vnpu_plan *plan,
			const struct vnpu_plan_tensor *t)
{
	uint64_t room = VNPU_PLAN_MAX_BYTES - plan->bytes;
	const char *what = NULL;
	uint64_t value = 0;

	if (t->size >= VNPU_PLAN_MAX_BYTES) {
		what = "size";
		value = t->size;
	} else if (t->align >= VNPU_PLAN_MAX_BYTES) {
		what = "alignment";
		value = t->align;
	} else if (t->flags & VNPU_PLAN_FIXED &&
		   t->offset >= VNPU_PLAN_MAX_BYTES) {
		what = "offset";
		value = t->offset;
	}
	if (what)
		return plan_fail(plan, -EOVERFLOW, "tensor %u: its %s %" PRIu64
				 " is not below 2^60", plan->tensors, what,
				 value);
	if (t->size >= room || t->align >= room - t->size)
		return plan_fail(plan, -EOVERFLOW,
				 "tensor %u: the sizes and alignments up to it add up to 2^60 or more",
				 plan->tensors);
	return 0;
}

static int check_size(struct vnpu_plan *plan, const struct vnpu_plan_tensor *t)
{
	uint32_t i = plan->tensors;
	int err;

	if (t->lower >= t->upper && !(t->flags & VNPU_PLAN_OF_OPS))
		return plan_fail(plan, -EINVAL, "tensor %u: its life [%" PRIu64
				 ", %" PRIu64 ") is empty", i, t->lower,
				 t->upper);
	err = check_limits(plan, t);
	if (err)
		return err;
	if (t->flags & VNPU_PLAN_FIXED && t->align && t->offset % t->align)
		return plan_fail(plan, -EINVAL, "tensor %u: its offset %" PRIu64
				 " is not aligned to %" PRIu64, i, t->offset,
				 t->align);
	return 0;
}

static int check_of(struct vnpu_plan *plan, const struct vnpu_plan_tensor *t)
{
	const struct plan_tensor *of;
	uint32_t i = plan->tensors;

	if (!(t->flags & (VNPU_PLAN_VIEW | VNPU_PLAN_INPLACE)))
		return 0;
	if (t->of >= i)
		return plan_fail(plan, -ENOENT,
				 "tensor %u: refers to tensor %u, which was not added before",
				 i, t->of);
	if (t->flags & VNPU_PLAN_INPLACE)
		return 0;
	of = &plan->tensor[t->of];
	if (of->gap != PLAN_NONE)
		return plan_fail(plan, -EINVAL,
				 "tensor %u: a view of tensor %u, which has gaps",
				 i, t->of);
	if (of->in.flags & VNPU_PLAN_ON_CHIP)
		return plan_fail(plan, -EINVAL,
				 "tensor %u: a view of tensor %u, which is on the chip",
				 i, t->of);
	if (t->size > of->in.size || t->offset > of->in.size - t->size)
		return plan_fail(plan, -ERANGE,
				 "tensor %u: not inside tensor %u, of which it is a view",
				 i, t->of);
	if (t->align > 1)
		return plan_fail(plan, -EINVAL,
				 "tensor %u: a view cannot have its own alignment",
				 i);
	return 0;
}

int vnpu_plan_add_tensor(struct vnpu_plan *plan,
			 const struct vnpu_plan_tensor *tensor)
{
	struct plan_tensor *t;
	int err;

	if (!plan || !tensor)
		return -EINVAL;
	plan->fault[0] = '\0';
	if (plan->tensors == VNPU_PLAN_MAX_TENSORS)
		return plan_fail(plan, -E2BIG, "more than %u tensors",
				 VNPU_PLAN_MAX_TENSORS);
	err = check_flags(plan, tensor);
	err = err ? err : check_size(plan, tensor);
	err = err ? err : check_of(plan, tensor);
	if (err)
		return err;
	if (!plan_grow(&plan->tensor, &plan->tensor_room, plan->tensors + 1,
		       sizeof(*plan->tensor)))
		return -ENOMEM;

	t = &plan->tensor[plan->tensors];
	*t = (struct plan_tensor){
		.in = *tensor, .gap = PLAN_NONE, .last_gap = PLAN_NONE,
		.producer = PLAN_NONE, .origin = plan->tensors++,
	};
	t->in.align = tensor->align ? tensor->align : 1;
	if (tensor->flags & VNPU_PLAN_VIEW)
		plan->tensor[tensor->of].has_view = true;
	plan->bytes += tensor->size + tensor->align;
	plan_changed(plan);
	return 0;
}

static int check_gap(struct vnpu_plan *plan, uint32_t i,
		     const struct vnpu_plan_gap *gap)
{
	const struct plan_tensor *t = &plan->tensor[i];

	if (t->in.flags & VNPU_PLAN_OF_OPS)
		return plan_fail(plan, -EINVAL,
				 "tensor %u: its lifetime is set by operators, so it cannot have a gap", i);
	if (t->in.flags & (VNPU_PLAN_VIEW | VNPU_PLAN_INPLACE) || t->has_view)
		return plan_fail(plan, -EINVAL,
				 "tensor %u: it shares memory with another tensor, so it cannot have gaps", i);
	if (gap->lower >= gap->upper || gap->from > gap->to)
		return plan_fail(plan, -EINVAL, "tensor %u: an empty gap", i);
	if (gap->lower < t->in.lower || gap->upper > t->in.upper ||
	    gap->to > t->in.size)
		return plan_fail(plan, -ERANGE,
				 "tensor %u: a gap is not inside the tensor", i);
	if (plan->gaps == VNPU_PLAN_MAX_TENSORS)
		return plan_fail(plan, -E2BIG, "more than %u gaps",
				 VNPU_PLAN_MAX_TENSORS);
	return 0;
}

int vnpu_plan_add_gap(struct vnpu_plan *plan, uint32_t tensor,
		      const struct vnpu_plan_gap *gap)
{
	uint32_t before = PLAN_NONE, next;
	int err;

	if (!plan || !gap)
		return -EINVAL;
	plan->fault[0] = '\0';
	if (tensor >= plan->tensors)
		return plan_fail(plan, -ENOENT, "tensor %u: does not exist",
				 tensor);
	err = check_gap(plan, tensor, gap);
	if (err)
		return err;

	/* Most gaps are added in order of time. */
	next = plan->tensor[tensor].last_gap;
	if (next == PLAN_NONE || plan->gap[next].in.upper > gap->lower)
		next = plan->tensor[tensor].gap;
	while (next != PLAN_NONE && plan->gap[next].in.upper <= gap->lower) {
		before = next;
		next = plan->gap[next].next;
	}
	if (next != PLAN_NONE && plan->gap[next].in.lower < gap->upper)
		return plan_fail(plan, -EEXIST,
				 "tensor %u: gaps overlap", tensor);
	if (!plan_grow(&plan->gap, &plan->gap_room, plan->gaps + 1,
		       sizeof(*plan->gap)))
		return -ENOMEM;

	plan->gap[plan->gaps] = (struct plan_gap){ *gap, next };
	if (before == PLAN_NONE)
		plan->tensor[tensor].gap = plan->gaps;
	else
		plan->gap[before].next = plan->gaps;
	if (next == PLAN_NONE)
		plan->tensor[tensor].last_gap = plan->gaps;
	plan->gaps++;
	plan_changed(plan);
	return 0;
}

int vnpu_plan_set_guard(struct vnpu_plan *plan, uint64_t bytes)
{
	if (!plan)
		return -EINVAL;
	plan->fault[0] = '\0';
	if (bytes > VNPU_PLAN_MAX_GUARD)
		return plan_fail(plan, -ERANGE, "the guard exceeds %" PRIu64
				 " bytes", VNPU_PLAN_MAX_GUARD);
	plan->guard = bytes;
	plan_changed(plan);
	return 0;
}

int vnpu_plan_get_offset(const struct vnpu_plan *plan, uint32_t tensor,
			 uint64_t *offset)
{
	if (!plan || !offset || !plan->offset)
		return -EINVAL;
	if (tensor >= plan->tensors)
		return -ENOENT;
	*offset = plan->offset[tensor];
	return 0;
}

int vnpu_plan_get_peak(const struct vnpu_plan *plan, uint32_t *tensors,
		       uint32_t *count)
{
	uint32_t room;

	if (!plan || !count || (*count && !tensors) || !plan->offset)
		return -EINVAL;
	room = *count;
	*count = plan->peaks;
	if (room > plan->peaks)
		room = plan->peaks;
	if (room)
		memcpy(tensors, plan->peak, room * sizeof(*tensors));
	return 0;
}
