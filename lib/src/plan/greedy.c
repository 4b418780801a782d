// SPDX-License-Identifier: MIT
/*
 * Places box after box where there is room.  The best order differs from plan
 * to plan, so several are tried, but fewer for large plans.  The first one,
 * large boxes first, is the best one for most plans.  If its time is up, the
 * rest is placed without looking for room.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* Placements in all orders together, after which no further order begins. */
#define MAX_PLACEMENTS	500000

/* Placements between two looks at the clock. */
#define CLOCK_PLACEMENTS	64

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

/* Memory that boxes of similar sizes use one after the other. */
struct lane {
	uint64_t offset, size;
	uint32_t next;		/* free one of the same class, or PLAN_NONE */
};

struct lanes {
	uint32_t *begin, *end;	/* boxes in order of these times */
	uint32_t *of;		/* lane by box */
	uint32_t *spare;
	uint64_t *key;
	struct lane *lane;
	uint32_t count;
	uint32_t free[64];	/* by the size, as a power of two */
	uint64_t top;		/* of all lanes */
};

static bool lanes_init(struct lanes *lanes, const struct plan_problem *p,
		       const uint32_t *order, uint32_t from, uint64_t top)
{
	size_t boxes = p->boxes, count = boxes - from, i;

	*lanes = (struct lanes){
		.begin = malloc(count * sizeof(*lanes->begin)),
		.end = malloc(count * sizeof(*lanes->end)),
		.of = malloc(boxes * sizeof(*lanes->of)),
		.spare = malloc(count * sizeof(*lanes->spare)),
		.key = calloc(boxes, sizeof(*lanes->key)),
		.lane = malloc(count * sizeof(*lanes->lane)),
		.top = top,
	};
	if (!lanes->begin || !lanes->end || !lanes->of || !lanes->spare ||
	    !lanes->key || !lanes->lane)
		return false;
	memset(lanes->free, 0xff, sizeof(lanes->free));
	memcpy(lanes->begin, order + from, count * sizeof(*order));
	memcpy(lanes->end, order + from, count * sizeof(*order));
	for (i = 0; i < boxes; i++)
		lanes->key[i] = p->box[i].l;
	plan_sort(lanes->begin, lanes->spare, (uint32_t)count, lanes->key);
	for (i = 0; i < boxes; i++)
		lanes->key[i] = p->box[i].r;
	plan_sort(lanes->end, lanes->spare, (uint32_t)count, lanes->key);
	return true;
}

static void lanes_fini(struct lanes *lanes)
{
	free(lanes->lane);
	free(lanes->key);
	free(lanes->spare);
	free(lanes->of);
	free(lanes->end);
	free(lanes->begin);
}

static uint32_t *class_of(struct lanes *lanes, const struct plan_box *box)
{
	return &lanes->free[63 - __builtin_clzll(box->size | 1)];
}

/*
 * Get the lane for a box: a free one that is suitable, or a new one.  One that
 * is apart from others always has its own.
 */
static uint32_t take_lane(struct lanes *lanes, const struct plan_box *box,
			  bool is_apart)
{
	uint32_t *head = class_of(lanes, box), found = *head;
	struct lane *lane;

	if (found != PLAN_NONE && !is_apart) {
		lane = &lanes->lane[found];
		if (lane->size >= box->size &&
		    lane->offset % box->align == 0) {
			*head = lane->next;
			return found;
		}
	}
	lane = &lanes->lane[lanes->count];
	lane->offset = plan_align_up(lanes->top, box->align);
	lane->size = box->size;
	lanes->top = lane->offset + lane->size;
	return lanes->count++;
}

/*
 * Place the boxes from index @from of @order on, without looking for holes:
 * when time is up, a plan is still needed.  All others end below @top.  Return:
 * the peak; 0 without memory.
 */
static uint64_t place_rest(const struct plan_problem *p, const uint32_t *order,
			   uint32_t from, uint64_t top, uint64_t *offset)
{
	uint32_t count = p->boxes - from, i, ended = 0;
	struct lanes lanes;
	bool ok = lanes_init(&lanes, p, order, from, top);

	for (i = 0; ok && i < count; i++) {
		uint32_t b = lanes.begin[i], lane;

		for (; p->box[lanes.end[ended]].r <= p->box[b].l; ended++) {
			uint32_t old = lanes.end[ended];
			uint32_t *head = class_of(&lanes, &p->box[old]);

			if (p->box[old].fixed != VNPU_PLAN_NO_OFFSET ||
			    plan_aparts(p, old))
				continue;
			lanes.lane[lanes.of[old]].next = *head;
			*head = lanes.of[old];
		}
		if (p->box[b].fixed != VNPU_PLAN_NO_OFFSET)
			continue;
		lane = take_lane(&lanes, &p->box[b], plan_aparts(p, b));
		lanes.of[b] = lane;
		offset[b] = lanes.lane[lane].offset;
	}
	lanes_fini(&lanes);
	return ok ? lanes.top : 0;
}

/*
 * Place every box, in the order of its index in @order, and at its offset if it
 * is fixed.  Return: the peak; UINT64_MAX as soon as it is not below @limit, or
 * when time is up, unless @limit is UINT64_MAX; 0 without memory.
 */
static uint64_t place_in_order(const struct plan_problem *p,
			       struct plan_placer *placer,
			       const uint32_t *order, enum plan_fit fit,
			       uint64_t limit, struct plan_budget *budget,
			       uint64_t *offset)
{
	/* The bound includes the ends of fixed boxes. */
	uint64_t peak = p->bound;
	uint32_t i;

	if (!place_fixed(p, placer, offset))
		return 0;
	for (i = 0; i < p->boxes; i++) {
		const struct plan_box *box = &p->box[order[i]];
		uint64_t at;

		if (box->fixed != VNPU_PLAN_NO_OFFSET)
			continue;
		if (i % CLOCK_PLACEMENTS == 0 && budget->deadline_ns &&
		    plan_is_spent(budget, 0))
			return limit == UINT64_MAX ?
			       place_rest(p, order, i, peak, offset) :
			       UINT64_MAX;
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
		if (k && (k + 1) * (uint64_t)p->boxes > MAX_PLACEMENTS)
			break;
		for (i = 0; i < p->boxes; i++)
			key[i] = orders[k].key(p, &p->box[i]);
		plan_sort(order, order + p->boxes, p->boxes, key);
		peak = place_in_order(p, placer, order, orders[k].fit, best,
				      budget, try);
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
