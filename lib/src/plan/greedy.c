// SPDX-License-Identifier: MIT
/*
 * Places box after box where there is room.  The best order differs from plan
 * to plan, so several are tried.  The first one, large boxes first, is the best
 * one for most plans.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/*
 * Sort descending by ascending keys; the bits of a non-negative double are in
 * order.
 */
static uint64_t descending(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return ~bits;
}

static double life(const struct plan_problem *p, const struct plan_box *box)
{
	return (double)(p->time[box->r] - p->time[box->l]);
}

static uint64_t key_size(const struct plan_problem *p,
			 const struct plan_box *box)
{
	(void)p;
	return ~box->size;
}

static uint64_t key_life(const struct plan_problem *p,
			 const struct plan_box *box)
{
	return descending(life(p, box));
}

static uint64_t key_area(const struct plan_problem *p,
			 const struct plan_box *box)
{
	return descending(life(p, box) * (double)box->size);
}

static uint64_t key_begin(const struct plan_problem *p,
			  const struct plan_box *box)
{
	(void)p;
	return box->l;
}

static uint64_t key_end(const struct plan_problem *p,
			const struct plan_box *box)
{
	(void)p;
	return ~(uint64_t)box->r;
}

/* Boxes with the same key stay in the previous order. */
static const struct order {
	uint64_t (*key)(const struct plan_problem *p,
			const struct plan_box *box);
	enum plan_fit fit;
} orders[] = {
	{ key_size, PLAN_FIRST_FIT },
	{ key_area, PLAN_FIRST_FIT },
	{ key_size, PLAN_BEST_FIT },
	{ key_begin, PLAN_BEST_FIT },
	{ key_size, PLAN_BEST_FIT },
	{ key_end, PLAN_BEST_FIT },
	{ key_size, PLAN_FIRST_FIT },
	{ key_life, PLAN_FIRST_FIT },
	{ key_life, PLAN_BEST_FIT },
};

static bool place_fixed(const struct plan_problem *p,
			struct plan_placer *placer, uint64_t *offset)
{
	uint32_t i;

	plan_placer_reset(placer);
	for (i = 0; i < p->boxes; i++) {
		if (p->box[i].fixed == VNPU_PLAN_NO_OFFSET)
			continue;
		offset[i] = p->box[i].fixed;
		if (!plan_placer_add(placer, &p->box[i], offset[i]))
			return false;
	}
	return true;
}

/*
 * Place every box, in the order of its index in @order, and at its offset if it
 * is fixed.  Return: the peak; UINT64_MAX as soon as it is not below @limit, 0
 * without memory.
 */
static uint64_t place_in_order(const struct plan_problem *p,
			       struct plan_placer *placer,
			       const uint32_t *order, enum plan_fit fit,
			       uint64_t limit, uint64_t *offset)
{
	uint64_t peak = p->bound;
	uint32_t i;

	if (!place_fixed(p, placer, offset))
		return 0;
	for (i = 0; i < p->boxes; i++) {
		const struct plan_box *box = &p->box[order[i]];
		uint64_t at;

		if (box->fixed != VNPU_PLAN_NO_OFFSET)
			continue;
		at = plan_placer_find(placer, box, fit);
		if (at == VNPU_PLAN_NO_OFFSET ||
		    !plan_placer_add(placer, box, at))
			return 0;
		offset[order[i]] = at;
		if (at + box->size > peak)
			peak = at + box->size;
		if (peak >= limit)
			return UINT64_MAX;
	}
	return peak;
}

uint64_t plan_greedy(const struct plan_problem *p, uint64_t enough,
		     struct plan_budget *budget, uint64_t *offset)
{
	struct plan_placer *placer = plan_placer_create(p);
	uint32_t *order = malloc(2 * ((size_t)p->boxes + 1) * sizeof(*order));
	uint64_t *key = malloc(((size_t)p->boxes + 1) * sizeof(*key));
	uint64_t *try = malloc(((size_t)p->boxes + 1) * sizeof(*try));
	uint64_t best = UINT64_MAX, peak = 0;
	uint32_t i;
	size_t k;

	if (!placer || !order || !key || !try)
		goto out;
	for (i = 0; i < p->boxes; i++)
		order[i] = i;
	for (k = 0; k < ARRAY_SIZE(orders); k++) {
		for (i = 0; i < p->boxes; i++)
			key[i] = orders[k].key(p, &p->box[i]);
		plan_sort(order, order + p->boxes, p->boxes, key);
		peak = place_in_order(p, placer, order, orders[k].fit, best,
				      try);
		if (!peak)
			goto out;
		if (peak < best) {
			best = peak;
			memcpy(offset, try, p->boxes * sizeof(*offset));
		}
		if (best <= enough || plan_is_spent(budget, 0))
			break;
	}
	peak = best;
out:
	free(try);
	free(key);
	free(order);
	plan_placer_destroy(placer);
	return peak;
}
