/* SPDX-License-Identifier: MIT */
/*
 * Internals of the planner.
 *
 * model.c	the tensors, as they were added
 * graph.c	operators, and lifetimes of tensors that follow from them
 * order.c	another order of operators
 * sort.c	sorting of numbers
 * problem.c	conversion of tensors to boxes in the plane of time and offset:
 *		tensors that share memory are one box, and times are numbered
 * place.c	boxes that have an offset, and the room between them
 * near.c	the same boxes in order of time
 * apart.c	boxes that never use the same bytes
 * greedy.c	placement of box after box, in several orders
 * search.c	search of all distinguishable placements
 * merge*.c	boxes that fill a rectangle together, see merge.h
 * minimize.c	searches for one peak after the other
 * solve.c	selection of these methods
 * check.c	verification; uses model.c only
 * recompute.c	operators that run again, to fit the capacity
 *
 * None of these uses the device, locks or prints.
 */
#ifndef VNPU_LIB_PLAN_H
#define VNPU_LIB_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"
#include "vnpu/plan.h"

#define PLAN_NONE	UINT32_MAX

/* A time in which a box takes the bytes [lo, hi) of its own. */
struct plan_segment {
	uint32_t l, r;		/* sections [l, r) */
	uint64_t lo, hi;
	bool is_part;		/* not the whole box */
};

struct plan_box {
	uint64_t size;		/* with the guard; offsets are multiples of align */
	uint64_t align;
	uint64_t fixed;		/* its offset, or VNPU_PLAN_NO_OFFSET */
	uint32_t l, r;		/* sections [l, r), from its first segment to its last */
	uint32_t segment;	/* the first of its segments, in order of time */
	uint32_t segments;
};

/*
 * A problem to be solved.  Time is divided into sections in which no tensor
 * begins or ends: section i begins at time[i].
 */
struct plan_problem {
	struct plan_box *box;
	struct plan_segment *segment;
	uint64_t *time;
	uint32_t *box_of;	/* box of a tensor, or PLAN_NONE */
	uint64_t *within;	/* offset of a tensor in its box */
	uint32_t boxes;
	uint32_t segments;
	uint32_t sections;
	uint64_t guard;		/* part of the size of every box; 0 if not
				 * needed */
	uint64_t unit;		/* every alignment is a multiple of it */
	uint64_t bound;
	uint32_t bound_section;	/* the section of the bound */
	/*
	 * The boxes that box i is separated from are those from apart_at[i] to
	 * apart_at[i + 1] in apart.  Both are NULL without separations.
	 */
	uint32_t *apart, *apart_at;
};

/* Get the number of boxes that box @b is separated from. */
static inline uint32_t plan_aparts(const struct plan_problem *p, uint32_t b)
{
	return p->apart ? p->apart_at[b + 1] - p->apart_at[b] : 0;
}

/* The boxes that have an offset in order of time, see near.c. */
struct plan_near;

struct plan_bytes {
	uint64_t from, to;
};

struct plan_near *plan_near_create(const struct plan_problem *p);
void plan_near_destroy(struct plan_near *near);
void plan_near_reset(struct plan_near *near);

/* Add a segment of a box at @offset; each one once after a reset. */
void plan_near_add(struct plan_near *near, const struct plan_segment *seg,
		   uint64_t offset);

/*
 * Count the segments that are alive in sections [@l, @r), whether their boxes
 * have offsets or not.
 */
uint32_t plan_near_count(const struct plan_near *near, uint32_t l, uint32_t r);

/*
 * Collect the bytes of those that have offsets, from the bottom.  Return: an
 * array that is valid until the next call; NULL without memory.
 */
const struct plan_bytes *plan_near_collect(struct plan_near *near, uint32_t l,
					   uint32_t r, uint32_t *count);

/* The boxes that have an offset, see place.c. */
struct plan_placer;

struct plan_placer *plan_placer_create(const struct plan_problem *p);
void plan_placer_destroy(struct plan_placer *placer);
void plan_placer_reset(struct plan_placer *placer);

/* Strategy to choose among places. */
enum plan_fit {
	PLAN_FIRST_FIT,
	PLAN_BEST_FIT,
};

/* Find a place for @box; VNPU_PLAN_NO_OFFSET without memory. */
uint64_t plan_placer_find(struct plan_placer *placer,
			  const struct plan_box *box, enum plan_fit fit);

/* Check whether @box could be at @offset. */
bool plan_placer_is_free(struct plan_placer *placer,
			 const struct plan_box *box, uint64_t offset);

/* Add a box at an offset.  Return: false without memory. */
bool plan_placer_add(struct plan_placer *placer, const struct plan_box *box,
		     uint64_t offset);

/* The remaining effort of a search. */
struct plan_budget {
	uint64_t nodes;		/* left */
	uint64_t spent;
	uint64_t deadline_ns;	/* CLOCK_MONOTONIC, or 0 */
	bool is_late;
};

struct plan_tensor {
	struct vnpu_plan_tensor in;
	uint32_t gap;		/* head of a list, or PLAN_NONE */
	uint32_t last_gap;
	uint32_t producer;	/* or PLAN_NONE; set with the lifetimes */
	uint32_t origin;	/* the tensor that it copies, or itself */
	uint64_t streams;	/* bits: where it is used; with the lifetimes */
	bool has_view;
	bool is_apart;		/* it is in a pair */
	bool is_contended;	/* it ends later than its last reader */
};

/* Tensors that never use the same bytes; neither is a view. */
struct plan_pair {
	uint32_t a, b;
};

struct plan_gap {
	struct vnpu_plan_gap in;
	uint32_t next;		/* in order of time */
};

/* Lists are in plan.link: inputs, then outputs, then waits. */
struct plan_op {
	uint32_t input, output, wait, end;
	uint32_t stream;
	uint32_t rank;		/* in the intended order */
	uint32_t origin;	/* the operator that it repeats, or itself */
	uint32_t position;	/* in the actual order */
	uint32_t clear;		/* all from this position on run after it */
	uint64_t cost;
};

struct vnpu_plan {
	struct plan_tensor *tensor;
	struct plan_gap *gap;
	uint32_t tensors, tensor_room;
	uint32_t gaps, gap_room;
	struct plan_pair *pair;
	uint32_t pairs, pair_room;
	struct plan_op *op;
	uint32_t *link;
	uint32_t *sequence;	/* operators by rank */
	struct vnpu_plan_rerun *rerun;
	uint32_t ops, op_room, sequence_room;
	uint32_t reruns, rerun_room;
	uint32_t links, link_room;
	uint64_t bytes;		/* limited by VNPU_PLAN_MAX_BYTES */
	uint64_t guard;

	/* The solution; offset is NULL without one. */
	uint64_t *offset;
	uint32_t *peak;
	uint32_t peaks;

	char fault[256];
};

/* Check whether there is a limit on the size of the pool. */
static inline bool plan_is_limited(const struct vnpu_plan_options *options)
{
	return options->capacity || options->flags & VNPU_PLAN_LIMITED;
}

/* Set the text of vnpu_plan_fault().  Return: @err. */
int plan_fail(struct vnpu_plan *plan, int err, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

/* Grow an array to at least @need elements; false without memory. */
bool plan_grow(void *array, uint32_t *room, uint32_t need, size_t element);

/* Add a separation.  Return: 0, -E2BIG, -ENOMEM. */
int plan_add_pair(struct vnpu_plan *plan, uint32_t a, uint32_t b);

/* Discard the solution. */
void plan_changed(struct vnpu_plan *plan);

/*
 * Set the lifetimes of tensors of operators.  Return: 0; -EINVAL, -EEXIST,
 * -ENOENT, -ELOOP for an invalid graph; -ENOMEM.
 */
int plan_graph_live(struct vnpu_plan *plan);

/*
 * Look for an order in which less memory is alive at a time, for operators with
 * tensors that have lifetimes.  Return: 0; -E2BIG for too many operators, or
 * less than two; -ENOMEM.
 */
int plan_order(const struct vnpu_plan *plan, uint32_t *order);

/* Check whether tensors on these streams have to be kept apart. */
static inline bool plan_is_guarded(uint64_t streams, uint64_t others)
{
	return streams != others || streams & (streams - 1);
}

/* Round up to any @align but 0; the caller excludes overflow. */
static inline uint64_t plan_align_up(uint64_t value, uint64_t align)
{
	uint64_t rest;

	if (!(align & (align - 1)))
		return vnpu_align_up(value, align);
	rest = value % align;
	return rest ? value + (align - rest) : value;
}

static inline uint64_t plan_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Sort @index[] by ascending @key[index[i]], stably.  @spare is as long as
 * @index.
 */
void plan_sort(uint32_t *index, uint32_t *spare, uint32_t count,
	       const uint64_t *key);

/* Return: 0; -EINVAL if @align conflicts with a fixed offset; -ENOMEM. */
int plan_problem_init(struct plan_problem *p, struct vnpu_plan *plan,
		      uint64_t align);
void plan_problem_fini(struct plan_problem *p);

/*
 * List the separations of each tensor, or of each number below @count if there
 * is one for each tensor; pairs with PLAN_NONE are left out.  Those of number i
 * are from @at[i] to @at[i + 1] in @list.  The caller frees both; they are left
 * as they are if there is no separation.  Return: 0, -ENOMEM.
 */
int plan_apart_list(const struct vnpu_plan *plan, const uint32_t *number,
		    uint32_t count, uint32_t **list, uint32_t **at);

/*
 * Raise @bound to the largest sum that is found of boxes of which no two may
 * use the same bytes: separated, or alive at the same time.  The search ends
 * after some work, or with the time of @budget.  Return: 0, -ENOMEM.
 */
int plan_apart_bound(const struct plan_problem *p, struct plan_budget *budget,
		     uint64_t *bound);

/* List the tensors of the bound, the largest first; NULL without memory. */
uint32_t *plan_problem_peak(const struct plan_problem *p,
			    const struct vnpu_plan *plan, uint32_t *count);

/* Get the peak of a placement of all boxes. */
uint64_t plan_peak(const struct plan_problem *p, const uint64_t *offset);

/* Get CLOCK_MONOTONIC. */
uint64_t plan_now_ns(void);

/* Check whether to stop; @nodes were used since the last call. */
bool plan_is_spent(struct plan_budget *budget, uint64_t nodes);

/*
 * Place all boxes in several orders.  Keeps the smallest peak in @offset and
 * returns it, as soon as one is at most @enough or @budget is used up.  There is
 * always a plan, if need be a poor one.  0 without memory.
 */
uint64_t plan_greedy(const struct plan_problem *p, uint64_t enough,
		     struct plan_budget *budget, uint64_t *offset);

/*
 * Search for a plan with a peak of @capacity, or the least one if it is not
 * above the bound.  @offset and @result have the best plan so far, and keep it.
 * Return: 0, -ENOMEM.
 */
int plan_minimize(const struct plan_problem *p, uint64_t capacity,
		  struct plan_budget *budget, uint64_t *offset,
		  struct vnpu_plan_result *result);

#endif /* VNPU_LIB_PLAN_H */
