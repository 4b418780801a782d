// SPDX-License-Identifier: MIT
/*
 * Selection of methods: the fast heuristics first, then the search, until the
 * result is good enough or the budget is used up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan.h"

#define DEFAULT_EFFORT	1000000

uint64_t plan_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool plan_is_spent(struct plan_budget *budget, uint64_t nodes)
{
	budget->spent += nodes;
	budget->nodes -= nodes < budget->nodes ? nodes : budget->nodes;
	if (budget->deadline_ns && plan_now_ns() >= budget->deadline_ns)
		budget->is_late = true;
	return budget->is_late || !budget->nodes;
}

static int check_options(struct vnpu_plan *plan,
			 const struct vnpu_plan_options *options)
{
	uint32_t unknown = options->flags &
			   ~(VNPU_PLAN_GREEDY | VNPU_PLAN_REORDER |
			     VNPU_PLAN_LIMITED);

	if (unknown)
		return plan_fail(plan, -EINVAL, "options: unknown flags %#x",
				 unknown);
	if (options->reserved)
		return plan_fail(plan, -EINVAL,
				 "options: the reserved field is not 0");
	return 0;
}

static void set_sequence(struct vnpu_plan *plan, const uint32_t *order)
{
	uint32_t i;

	for (i = 0; i < plan->ops; i++) {
		plan->sequence[i] = order[i];
		plan->op[order[i]].rank = i;
	}
}

/* Compute the bound for the current order of operators. */
static int bound_of(struct vnpu_plan *plan, uint64_t align, uint64_t *bound)
{
	struct plan_problem p;
	int err = plan_graph_live(plan);

	err = err ? err : plan_problem_init(&p, plan, align);
	if (err)
		return err;
	*bound = p.bound;
	plan_problem_fini(&p);
	return 0;
}

/* Keep another order of operators if it lowers the bound. */
static int reorder(struct vnpu_plan *plan, uint64_t align)
{
	size_t size = ((size_t)plan->ops + 1) * sizeof(uint32_t);
	uint32_t *old = malloc(size), *new = malloc(size);
	uint64_t before, after = UINT64_MAX;
	int err = old && new ? bound_of(plan, align, &before) : -ENOMEM;

	err = err ? err : plan_order(plan, new);
	if (!err) {
		/*
		 * Positions and lifetimes are those of the new order until
		 * later.
		 */
		plan_changed(plan);
		memcpy(old, plan->sequence, plan->ops * sizeof(*old));
		set_sequence(plan, new);
		err = bound_of(plan, align, &after);
		if (err || after >= before)
			set_sequence(plan, old);
	}
	free(new);
	free(old);
	return err == -E2BIG ? 0 : err;
}

static bool is_apart(const struct plan_problem *p, uint32_t box, uint32_t other)
{
	uint32_t i;

	/* The shorter list: a box may be apart from all others. */
	if (plan_aparts(p, other) < plan_aparts(p, box)) {
		i = box;
		box = other;
		other = i;
	}
	for (i = 0; i < plan_aparts(p, box); i++)
		if (p->apart[p->apart_at[box] + i] == other)
			return true;
	return false;
}

/* Check whether two boxes with fixed offsets overlap. */
static bool is_conflict(const struct plan_problem *p, uint32_t box,
			uint32_t other)
{
	const struct plan_box *a = &p->box[box], *b = &p->box[other];
	uint32_t i, k;

	if (is_apart(p, box, other) && a->fixed < b->fixed + b->size &&
	    b->fixed < a->fixed + a->size)
		return true;
	for (i = a->segment; i < a->segment + a->segments; i++) {
		const struct plan_segment *x = &p->segment[i];

		for (k = b->segment; k < b->segment + b->segments; k++) {
			const struct plan_segment *y = &p->segment[k];

			if (x->l < y->r && y->l < x->r &&
			    a->fixed + x->lo < b->fixed + y->hi &&
			    b->fixed + y->lo < a->fixed + x->hi)
				return true;
		}
	}
	return false;
}

/* Report which tensor the fixed tensor @i cannot be beside. */
static int fail_fixed(struct vnpu_plan *plan, const struct plan_problem *p,
		      uint32_t i)
{
	uint32_t box = p->box_of[i], k;

	for (k = 0; k < i; k++)
		if (p->box_of[k] != PLAN_NONE &&
		    plan->tensor[k].in.flags & VNPU_PLAN_FIXED &&
		    is_conflict(p, box, p->box_of[k]))
			break;
	return plan_fail(plan, -EINVAL,
			 "tensor %u: at its fixed offset %" PRIu64
			 " it overlaps with tensor %u, which is fixed%s", i,
			 p->box[box].fixed, k, p->guard ? ", or has no guard" : "");
}

/* Check that fixed boxes do not conflict; else there is no plan at all. */
static int check_fixed(struct vnpu_plan *plan, const struct plan_problem *p)
{
	struct plan_placer *placer = plan_placer_create(p);
	int err = placer ? 0 : -ENOMEM;
	uint32_t i;

	for (i = 0; i < plan->tensors && !err; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;
		uint32_t b = p->box_of[i];

		if (!(t->flags & VNPU_PLAN_FIXED) || b == PLAN_NONE)
			continue;
		if (!plan_placer_is_free(placer, &p->box[b], t->offset))
			err = fail_fixed(plan, p, i);
		else if (!plan_placer_add(placer, &p->box[b], t->offset))
			err = -ENOMEM;
	}
	plan_placer_destroy(placer);
	return err;
}

static uint64_t cost_of_reruns(const struct vnpu_plan *plan)
{
	uint64_t cost = 0;
	uint32_t i;

	for (i = 0; i < plan->reruns; i++)
		cost += plan->op[plan->rerun[i].op].cost;
	return cost;
}

/* Convert offsets of boxes to offsets of tensors. */
static void publish(struct vnpu_plan *plan, const struct plan_problem *p,
		    const uint64_t *box_offset, uint64_t *offset)
{
	uint32_t i;

	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;

		if (p->box_of[i] != PLAN_NONE)
			offset[i] = box_offset[p->box_of[i]] + p->within[i];
		else if (t->flags & VNPU_PLAN_ON_CHIP)
			offset[i] = VNPU_PLAN_NO_OFFSET;
		else if (t->flags & VNPU_PLAN_FIXED)
			offset[i] = t->offset;
		else if (t->flags & VNPU_PLAN_VIEW)
			offset[i] = offset[t->of] + t->offset;
		else
			offset[i] = 0;
	}
}

/* Describe the largest tensors that are alive at the peak. */
static int does_not_fit(struct vnpu_plan *plan, uint64_t capacity,
			const struct vnpu_plan_result *result)
{
	size_t used;
	uint32_t i;

	plan_fail(plan, 0, "%s %" PRIu64 " bytes, %" PRIu64
		  " at least, of %" PRIu64 "; alive at %" PRIu64 ": tensors",
		  result->bound > capacity ? "tensors need" :
					     "the best plan found needs",
		  result->peak, result->bound, capacity, result->bound_time);
	for (i = 0; i < plan->peaks; i++) {
		used = strlen(plan->fault);
		if (used > sizeof(plan->fault) - 32) {
			strcat(plan->fault, " ...");
			break;
		}
		snprintf(plan->fault + used, sizeof(plan->fault) - used,
			 "%s %u", i ? "," : "", plan->peak[i]);
	}
	return -ENOSPC;
}

/* Every box includes a guard behind it, but the uppermost does not need it. */
static uint64_t with_guard(const struct plan_problem *p, uint64_t capacity)
{
	return !capacity || capacity > UINT64_MAX - p->guard ?
	       capacity : capacity + p->guard;
}

static void without_guard(const struct plan_problem *p,
			  struct vnpu_plan_result *result)
{
	result->peak -= p->guard;
	result->bound -= p->guard;
	result->greedy -= p->guard;
}

static int run(const struct plan_problem *p,
	       const struct vnpu_plan_options *options, uint64_t *offset,
	       struct vnpu_plan_result *result)
{
	struct plan_budget budget = {
		.nodes = options->effort ? options->effort :
			 options->time_limit_ns ? UINT64_MAX : DEFAULT_EFFORT,
	};
	uint64_t capacity = with_guard(p, options->capacity);
	uint64_t enough;
	int err = 0;

	/* A deadline that overflows is no deadline. */
	if (options->time_limit_ns &&
	    __builtin_add_overflow(plan_now_ns(), options->time_limit_ns,
				   &budget.deadline_ns))
		budget.deadline_ns = 0;
	result->bound = p->bound;
	result->bound_time = p->sections ? p->time[p->bound_section] : 0;
	if (!(options->flags & VNPU_PLAN_GREEDY))
		err = plan_apart_bound(p, &budget, &result->bound);
	if (err)
		return err;
	enough = capacity > result->bound ? capacity : result->bound;
	result->greedy = plan_greedy(p, enough, &budget, offset);
	if (!result->greedy && p->boxes)
		return -ENOMEM;
	result->peak = result->greedy;
	if (result->peak > enough && !(options->flags & VNPU_PLAN_GREEDY) &&
	    !plan_is_spent(&budget, 0))
		err = plan_minimize(p, capacity, &budget, offset, result);
	result->nodes = budget.spent;
	result->optimal = result->peak == result->bound;
	without_guard(p, result);
	return err;
}

int vnpu_plan_solve(struct vnpu_plan *plan,
		    const struct vnpu_plan_options *options,
		    struct vnpu_plan_result *result)
{
	static const struct vnpu_plan_options none;
	struct vnpu_plan_result own = { 0 };
	struct plan_problem p;
	uint64_t *box_offset, *offset;
	uint32_t *peak = NULL, peaks;
	int err;

	if (!plan)
		return -EINVAL;
	plan->fault[0] = '\0';
	options = options ? options : &none;
	err = check_options(plan, options);
	/* Reruns are described by the operators that they precede. */
	if (!err && options->flags & VNPU_PLAN_REORDER && !plan->reruns)
		err = reorder(plan, options->align);
	err = err ? err : plan_graph_live(plan);
	err = err ? err : plan_problem_init(&p, plan, options->align);
	if (err)
		return err;

	box_offset = calloc((size_t)p.boxes + 1, sizeof(*box_offset));
	offset = calloc((size_t)plan->tensors + 1, sizeof(*offset));
	err = box_offset && offset ? check_fixed(plan, &p) : -ENOMEM;
	err = err ? err : run(&p, options, box_offset, &own);
	own.reruns = plan->reruns;
	own.cost = cost_of_reruns(plan);
	if (!err) {
		peak = plan_problem_peak(&p, plan, &peaks);
		err = peak ? 0 : -ENOMEM;
	}
	if (!err) {
		publish(plan, &p, box_offset, offset);
		free(plan->offset);
		free(plan->peak);
		plan->offset = offset;
		plan->peak = peak;
		plan->peaks = peaks;
		offset = NULL;
		if (result)
			*result = own;
		if (plan_is_limited(options) && own.peak > options->capacity)
			err = does_not_fit(plan, options->capacity, &own);
	}
	free(offset);
	free(box_offset);
	plan_problem_fini(&p);
	return err;
}
