// SPDX-License-Identifier: MIT
/*
 * Searches for one peak after the other, until the plan is good enough or the
 * budget is used up.
 *
 * A search of all boxes alternates with one of the fewer boxes that are left
 * after mergers, if these leave few.  The budget only determines when this ends:
 * with a larger one, the best plan is never worse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "search.h"

/* The first attempt at the wanted peak, and its ratio to those at others. */
#define FIRST_NODES	50000
#define FIRST_SHARE	8

/* The first bisection ends at this part of the wanted peak. */
#define FIRST_PARTS	256

/* Mergers are of use only if at most one of this number of boxes is left. */
#define MERGED_SHARE	2

/* The ratio of mergers to nodes of the search of the boxes that are left. */
#define MERGED_WORK	4

/* With mergers, all boxes are searched with at least this many nodes for each. */
#define ALL_NODES	8

/* With more boxes, no mergers are tried. */
#define MERGED_BOXES	65536

/* A problem that is searched: all boxes, or those that mergers left. */
struct field {
	struct search search;
	uint64_t *at;		/* offsets of its boxes */
	bool is_left;
};

/* The state of the minimization. */
struct quest {
	const struct plan_problem *p;
	struct plan_budget *budget;
	uint64_t *offset, *try;
	struct field *all;	/* NULL if these are too many */
	struct plan_merge *merge;	/* or NULL */
	uint64_t low;		/* no lower peak is to be found */
	uint64_t high;		/* best peak found so far */
	uint64_t enough;	/* the peak that is looked for */
	bool is_open;		/* no capacity: the least peak is looked for */
};

/* Keep the offsets in @try if their peak is the best so far. */
static void keep_try(struct quest *q)
{
	uint64_t peak = plan_peak(q->p, q->try);

	if (peak >= q->high)
		return;
	memcpy(q->offset, q->try, q->p->boxes * sizeof(*q->offset));
	q->high = peak;
}

/* Try one capacity, with at most @nodes nodes. */
static int attempt(struct quest *q, struct field *f, uint64_t capacity,
		   uint64_t nodes)
{
	int found = plan_search(&f->search, capacity, nodes, q->budget, f->at);

	if (found == 1) {
		if (f->is_left && !plan_merge_expand(q->merge, f->at, q->try))
			return -ENOMEM;
		keep_try(q);
	} else if (!found && !f->is_left) {
		q->low = capacity + 1;
		/* Without a capacity, the least possible peak is wanted. */
		if (q->is_open && q->enough < q->low)
			q->enough = q->low;
	}
	return found == -ENOMEM ? found : 0;
}

static bool is_done(const struct quest *q)
{
	return q->high <= q->enough || q->low > q->enough ||
	       q->low >= q->high || plan_is_spent(q->budget, 0);
}

/* Bisect between the wanted and the best peak, down to @least bytes. */
static int bisect(struct quest *q, struct field *f, uint64_t nodes,
		  uint64_t least)
{
	uint64_t low = q->enough + 1;
	int err = 0;

	while (!err && !is_done(q) && low + least <= q->high - 1) {
		uint64_t middle = low + (q->high - 1 - low) / 2;

		err = attempt(q, f, middle, nodes);
		if (middle < q->high)
			low = middle + 1;
	}
	return err;
}

/* Search a plan for the boxes that are left. */
static int search_left(struct quest *q, const struct plan_problem *left,
		       uint64_t *at, uint64_t nodes, uint64_t least)
{
	struct field f = { .at = at, .is_left = true };
	int err = search_init(&f.search, left);

	if (err)
		return err == -E2BIG ? 0 : err;
	err = attempt(q, &f, q->enough, nodes);
	err = err ? err : bisect(q, &f, nodes / FIRST_SHARE, least);
	search_fini(&f.search);
	return err;
}

static int solve_left(struct quest *q, const struct plan_problem *left,
		      uint64_t nodes, uint64_t least)
{
	uint64_t *at = malloc(((size_t)left->boxes + 1) * sizeof(*at));
	int err = -ENOMEM;

	if (at && plan_greedy(left, q->enough, q->budget, at) &&
	    plan_merge_expand(q->merge, at, q->try)) {
		keep_try(q);
		err = is_done(q) ? 0 : search_left(q, left, at, nodes, least);
	}
	free(at);
	return err;
}

/* Improve the mergers by @work, and solve the problem that they leave. */
static int minimize_left(struct quest *q, uint64_t work, uint64_t nodes,
			 uint64_t least)
{
	struct plan_problem left;
	int err;

	if (!plan_merge_ruin(q->merge, work))
		return -ENOMEM;
	/* With a larger budget, the mergers would be others from here on. */
	if (plan_is_spent(q->budget, 0))
		return 0;
	if (!plan_merge_problem(q->merge, &left))
		return -ENOMEM;
	err = solve_left(q, &left, nodes, least);
	plan_merge_release(&left);
	return err;
}

/* Take a round: all boxes, or those that are left and then all, but shorter. */
static int take_round(struct quest *q, uint64_t nodes, uint64_t least)
{
	int err = 0;

	if (q->merge) {
		err = minimize_left(q, MERGED_WORK * nodes, nodes, least);
		nodes /= MERGED_WORK;
	}
	if (!q->all || (q->merge && q->p->boxes > nodes / ALL_NODES))
		return err;
	if (!err && !is_done(q))
		err = attempt(q, q->all, q->enough, nodes);
	return err ? err : bisect(q, q->all, nodes / FIRST_SHARE, least);
}

/*
 * Try the wanted peak, because most plans can reach it; then bisect between it
 * and the best one, and repeat with twice the effort.
 */
static int minimize(struct quest *q)
{
	uint64_t nodes = FIRST_NODES, least = q->enough / FIRST_PARTS;
	int err = 0;

	/* The first mergers are often good enough for the wanted peak. */
	if (q->merge)
		err = minimize_left(q, 0, nodes / FIRST_SHARE, q->enough);
	for (; !err && !is_done(q); nodes *= 2, least /= 2) {
		uint64_t spent = q->budget->spent;

		err = take_round(q, nodes, least);
		/* The mergers cannot change, and leave too many boxes. */
		if (!q->all && q->budget->spent == spent)
			break;
	}
	return err;
}

/* Merge boxes, unless too many are left. */
static int make_merge(struct quest *q)
{
	const struct plan_problem *p = q->p;

	if (p->apart || p->boxes > MERGED_BOXES)
		return 0;
	q->merge = plan_merge_create(p, q->budget);
	if (!q->merge)
		return -ENOMEM;
	if (plan_is_spent(q->budget, q->merge->work) ||
	    q->merge->roots > p->boxes / MERGED_SHARE) {
		plan_merge_destroy(q->merge);
		q->merge = NULL;
	}
	return 0;
}

/* Search with what is there: a field of all boxes, mergers, or both. */
static int run(struct quest *q)
{
	int err = make_merge(q);

	if (!err && (q->all || q->merge))
		err = minimize(q);
	plan_merge_destroy(q->merge);
	return err;
}

int plan_minimize(const struct plan_problem *p, uint64_t capacity,
		  struct plan_budget *budget, uint64_t *offset,
		  struct vnpu_plan_result *result)
{
	struct quest q = {
		.p = p, .budget = budget, .offset = offset,
		.low = result->bound, .high = result->peak,
		.enough = capacity > result->bound ? capacity : result->bound,
		.is_open = capacity <= result->bound,
	};
	struct field all = { 0 };
	int err = search_init(&all.search, p);

	if (err && err != -E2BIG)
		return err;
	q.all = err ? NULL : &all;
	q.try = malloc(((size_t)p->boxes + 1) * sizeof(*q.try));
	all.at = q.try;
	err = q.try ? run(&q) : -ENOMEM;
	result->peak = q.high;
	if (q.all && all.search.is_exact)
		result->bound = q.low < q.high ? q.low : q.high;
	free(q.try);
	if (q.all)
		search_fini(&all.search);
	return err;
}
