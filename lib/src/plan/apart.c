// SPDX-License-Identifier: MIT
/*
 * Separations: pairs of tensors that never use the same bytes, even if they are
 * not alive at the same time.
 *
 * A separation is of whole boxes.  It makes two boxes neighbours, as if they
 * were alive at the same time, so all methods that place boxes respect it.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan.h"

/* Get the tensor that has the memory of a view. */
static uint32_t base_of(const struct vnpu_plan *plan, uint32_t t)
{
	while (plan->tensor[t].in.flags & VNPU_PLAN_VIEW)
		t = plan->tensor[t].in.of;
	return t;
}

int plan_add_pair(struct vnpu_plan *plan, uint32_t a, uint32_t b)
{
	if (plan->pairs == VNPU_PLAN_MAX_TENSORS)
		return plan_fail(plan, -E2BIG, "more than %u separations",
				 VNPU_PLAN_MAX_TENSORS);
	if (!plan_grow(&plan->pair, &plan->pair_room, plan->pairs + 1,
		       sizeof(*plan->pair)))
		return -ENOMEM;
	plan->pair[plan->pairs++] = (struct plan_pair){ a, b };
	plan->tensor[a].is_apart = true;
	plan->tensor[b].is_apart = true;
	plan_changed(plan);
	return 0;
}

int vnpu_plan_add_separation(struct vnpu_plan *plan, uint32_t tensor,
			     uint32_t other)
{
	if (!plan)
		return -EINVAL;
	plan->fault[0] = '\0';
	if (tensor >= plan->tensors || other >= plan->tensors)
		return plan_fail(plan, -ENOENT, "tensor %u: does not exist",
				 tensor >= plan->tensors ? tensor : other);
	if (base_of(plan, tensor) == base_of(plan, other))
		return plan_fail(plan, -EINVAL,
				 "tensor %u: has the memory of tensor %u, so it cannot be apart from it",
				 tensor, other);
	return plan_add_pair(plan, base_of(plan, tensor),
			     base_of(plan, other));
}

static uint32_t number_of(const uint32_t *number, uint32_t tensor)
{
	return number ? number[tensor] : tensor;
}

/* Count the pairs of each number, at the number that follows. */
static void count_pairs(const struct vnpu_plan *plan, const uint32_t *number,
			uint32_t *at)
{
	uint32_t i;

	for (i = 0; i < plan->pairs; i++) {
		uint32_t a = number_of(number, plan->pair[i].a);
		uint32_t b = number_of(number, plan->pair[i].b);

		if (a == PLAN_NONE || b == PLAN_NONE)
			continue;
		at[a + 1]++;
		at[b + 1]++;
	}
}

/* List them; each start is that of the next number afterwards. */
static void list_pairs(const struct vnpu_plan *plan, const uint32_t *number,
		       uint32_t *at, uint32_t *list)
{
	uint32_t i;

	for (i = 0; i < plan->pairs; i++) {
		uint32_t a = number_of(number, plan->pair[i].a);
		uint32_t b = number_of(number, plan->pair[i].b);

		if (a == PLAN_NONE || b == PLAN_NONE)
			continue;
		list[at[a]++] = b;
		list[at[b]++] = a;
	}
}

int plan_apart_list(const struct vnpu_plan *plan, const uint32_t *number,
		    uint32_t count, uint32_t **list, uint32_t **at)
{
	uint32_t i;

	if (!plan->pairs)
		return 0;
	*at = calloc((size_t)count + 2, sizeof(**at));
	*list = malloc(2 * (size_t)plan->pairs * sizeof(**list));
	if (!*at || !*list)
		return -ENOMEM;
	count_pairs(plan, number, *at);
	for (i = 0; i < count; i++)
		(*at)[i + 1] += (*at)[i];
	list_pairs(plan, number, *at, *list);
	for (i = count; i > 0; i--)
		(*at)[i] = (*at)[i - 1];
	(*at)[0] = 0;
	return 0;
}
