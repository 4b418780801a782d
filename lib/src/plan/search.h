/* SPDX-License-Identifier: MIT */
/*
 * Internals of the search: search.c has the tree, search_state.c a node, and
 * search_init.c the data that they use.
 *
 * Boxes are placed from the bottom.  A column is a section of time.  No other
 * section has all its boxes: a placement that is valid in all columns is
 * valid.  For each unplaced box the search has the lowest offset above the
 * placed ones, and for each column the lowest offset of a box in it.  The
 * unplaced boxes of the column have to fit between that and the capacity.
 */
#ifndef VNPU_LIB_PLAN_SEARCH_H
#define VNPU_LIB_PLAN_SEARCH_H

#include "plan.h"

struct search_span {
	uint32_t l, r;		/* columns [l, r) */
	uint32_t at;		/* of its columns in search.place */
};

struct search_box {
	uint64_t size;		/* in whole units */
	uint64_t real;		/* the part that counts at the top */
	uint64_t align;
	uint64_t fixed;
	uint32_t l, r;		/* columns, from its first to its last */
	uint32_t span, spans;
	uint32_t next, nexts;	/* boxes that share a column, or are apart */
	uint32_t rank;		/* order in which boxes are tried */
};

struct search_column {
	uint64_t floor;		/* lowest offset of a box in it */
	uint64_t total;		/* sizes of boxes that are not placed */
	uint32_t lowest;	/* number of boxes that can be at the floor */
	uint32_t boxes;		/* number of unplaced boxes */
	uint32_t cross;		/* those also in the previous column, and
				 * pairs apart on both sides */
	uint32_t first;		/* in search.member */
	uint32_t weight;	/* contradictions found here, see merit() */
	uint64_t hash;		/* of unplaced boxes that begin here */
};

struct search_undo {
	uint64_t value;
	uint32_t index;
	uint32_t kind;
};

/* A node on the path: a box is placed, and columns are being solved. */
struct search_node {
	uint64_t state;
	uint32_t lo, hi;	/* columns */
	uint32_t rest_lo, rest_hi;	/* those that are not solved */
	uint32_t column;	/* that it branches on */
	uint32_t box;		/* its current candidate */
	uint32_t before, mark;	/* of undo: before all candidates, and this */
};

struct search {
	const struct plan_problem *p;
	uint32_t boxes, columns;
	struct search_box *box;
	struct search_span *span;
	uint32_t *next;		/* neighbours */
	uint32_t *member;	/* boxes of columns; unplaced ones first */
	uint32_t *place;	/* index of a box in member, by span and column */
	struct search_column *column;
	uint64_t *low;		/* lowest offset of a box, or its offset */
	bool *is_placed;

	struct search_undo *undo;
	uint32_t undos, undo_room;
	struct search_node *path;
	uint32_t depth;
	uint32_t *dirty;	/* columns to be updated */
	uint32_t dirties;
	bool *is_dirty;

	uint64_t capacity;
	uint64_t ceiling;	/* capacity in whole units */
	uint64_t step;		/* all offsets are multiples of it */
	bool is_exact;		/* a failed search proves that there is no solution */
	/* Neighbours need not share a column: gaps, or separations. */
	bool is_scattered;
	bool no_memory;

	uint64_t *failed;	/* hashes of states that have no solution */
	uint32_t failed_bits;	/* log2 of their number */
	bool is_backward;	/* prefer later columns to earlier ones */
	uint64_t turn;		/* number of restarts so far */
	struct plan_budget *budget;
	uint64_t nodes;		/* left before the next restart */
	uint64_t unreported;
};

/* Return: 0, -E2BIG if the problem is too large for a search, -ENOMEM. */
int search_init(struct search *s, const struct plan_problem *p);
void search_fini(struct search *s);

/* Remove all boxes.  False if the problem cannot fit into @capacity. */
bool search_begin(struct search *s, uint64_t capacity);

/*
 * Place a box; false on a contradiction, after which the caller calls
 * search_undo().
 */
bool search_place(struct search *s, uint32_t box);
bool search_raise(struct search *s, uint32_t box, uint64_t low);

void search_undo(struct search *s, uint32_t mark);

/*
 * Place all boxes within @capacity.  @nodes and @budget limit the effort.  A
 * further call goes on with other orders.  Return: 1, with their offsets in
 * @offset; 0 if it is not found by any effort, which proves that no plan exists
 * if the search is exact; -EAGAIN if a limit is reached; -ENOMEM.
 */
int plan_search(struct search *s, uint64_t capacity, uint64_t nodes,
		struct plan_budget *budget, uint64_t *offset);

#endif /* VNPU_LIB_PLAN_SEARCH_H */
