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
#include <string.h>

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

/* The limit on the boxes that are compared for all cliques together. */
#define CLIQUE_WORK	(1U << 22)

/*
 * A clique: boxes of which no two may use the same bytes, so their sum is a
 * lower bound, also before the clique is complete.
 */
struct clique {
	const struct plan_problem *p;
	struct plan_budget *budget;
	uint32_t *hits;		/* by box: members that it conflicts with */
	uint32_t *seen;		/* by box: the last join that counted it */
	uint32_t members, joins;
	uint64_t sum, slack;
};

/* Check whether two boxes are alive as a whole at the same time. */
static bool is_together(const struct plan_problem *p, uint32_t box,
			uint32_t other)
{
	const struct plan_box *a = &p->box[box], *b = &p->box[other];
	uint32_t i, k;

	for (i = a->segment; i < a->segment + a->segments; i++) {
		const struct plan_segment *x = &p->segment[i];

		for (k = b->segment; k < b->segment + b->segments; k++) {
			const struct plan_segment *y = &p->segment[k];

			if (!x->is_part && !y->is_part && x->l < y->r &&
			    y->l < x->r)
				return true;
		}
	}
	return false;
}

/*
 * Add a box.  Return: the largest box that conflicts with all members, or
 * PLAN_NONE.
 */
static uint32_t join(struct clique *c, uint32_t box)
{
	const struct plan_problem *p = c->p;
	uint64_t size = plan_align_up(p->box[box].size, p->unit);
	uint32_t best = PLAN_NONE, i;

	c->sum += size;
	if (size - p->box[box].size > c->slack)
		c->slack = size - p->box[box].size;
	c->members++;
	c->joins++;
	c->seen[box] = c->joins;
	for (i = 0; i < plan_aparts(p, box); i++) {
		uint32_t other = p->apart[p->apart_at[box] + i];

		c->hits[other] += c->seen[other] != c->joins;
		c->seen[other] = c->joins;
	}
	for (i = 0; i < p->boxes; i++) {
		if (c->seen[i] != c->joins && is_together(p, box, i))
			c->hits[i]++;
		if (c->hits[i] == c->members &&
		    (best == PLAN_NONE || p->box[i].size > p->box[best].size))
			best = i;
	}
	return best;
}

/* Check whether to stop, because of the work or the time. */
static bool is_over(const struct clique *c)
{
	return c->joins > CLIQUE_WORK / c->p->boxes ||
	       plan_is_spent(c->budget, 0);
}

/*
 * Find the clique that @seed begins, with the largest boxes first, or a part of
 * it if the search is over before.
 */
static uint64_t clique_of(struct clique *c, uint32_t seed)
{
	uint32_t b = seed;

	memset(c->hits, 0, c->p->boxes * sizeof(*c->hits));
	c->members = 0;
	c->sum = 0;
	c->slack = 0;
	do
		b = join(c, b);
	while (b != PLAN_NONE && !is_over(c));
	return c->sum - c->slack;
}

int plan_apart_bound(const struct plan_problem *p, struct plan_budget *budget,
		     uint64_t *bound)
{
	struct clique c = { .p = p, .budget = budget };
	uint32_t b;

	if (!p->apart)
		return 0;
	c.hits = malloc(p->boxes * sizeof(*c.hits));
	c.seen = calloc(p->boxes, sizeof(*c.seen));
	for (b = 0; c.hits && c.seen && b < p->boxes; b++) {
		uint64_t sum;

		if (!plan_aparts(p, b) || is_over(&c))
			continue;
		sum = clique_of(&c, b);
		if (sum > *bound)
			*bound = sum;
	}
	free(c.seen);
	free(c.hits);
	return b < p->boxes ? -ENOMEM : 0;
}
