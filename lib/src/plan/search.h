/* SPDX-License-Identifier: MIT */
/*
 * The search, inside: see search.c for the tree, search_state.c for a node, and
 * search_init.c for what they stand on.
 *
 * Boxes are placed from below.  A column is a section of time that no other has
 * all boxes of: a plan that holds in all columns holds.  Of each box that is not
 * placed yet the lowest offset is known that it can have above those that are,
 * and of each column the lowest offset of a box in it: what is to be placed in
 * the column has to fit between that and the capacity.
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
	uint64_t real;		/* what of it counts at the top */
	uint64_t align;
	uint64_t fixed;
	uint32_t l, r;		/* columns, from its first to its last */
	uint32_t span, spans;
	uint32_t next, nexts;	/* those it shares a column with */
	uint32_t rank;		/* which to try first */
};

struct search_column {
	uint64_t floor;		/* lowest offset of a box in it */
	uint64_t total;		/* sizes of boxes that are not placed */
	uint32_t lowest;	/* how many boxes can lie at the floor */
	uint32_t boxes;		/* how many are not placed */
	uint32_t cross;		/* those that the column before has, too */
	uint32_t first;		/* in search.member */
	uint64_t hash;		/* of boxes that begin here and are not placed */
};

struct search_undo {
	uint64_t value;
	uint32_t index;
	uint32_t kind;
};

/* On the way from the root: a box is placed, and columns are being solved. */
struct search_node {
	uint64_t state;
	uint32_t lo, hi;	/* columns */
	uint32_t next;		/* where the next part of them begins */
	uint32_t column;	/* that was asked */
	uint32_t box;		/* its answer */
	uint32_t before, mark;	/* of undo: before all answers, and this one */
};

/* Which column to ask; see choose(). */
enum search_rule {
	SEARCH_FEWEST,		/* with the fewest answers */
	SEARCH_LOWEST,		/* with only one, or else the lowest floor */
	SEARCH_PRODUCT,		/* with few answers and little to spare */
	SEARCH_RULES,
};

struct search {
	const struct plan_problem *p;
	uint32_t boxes, columns;
	struct search_box *box;
	struct search_span *span;
	uint32_t *next;		/* neighbours */
	uint32_t *member;	/* boxes of columns; those not placed come first */
	uint32_t *place;	/* where in member a box is, by span and column */
	struct search_column *column;
	uint64_t *low;		/* lowest offset of a box, or its offset */
	bool *is_placed;

	struct search_undo *undo;
	uint32_t undos, undo_room;
	struct search_node *path;
	uint32_t depth;
	uint32_t *dirty;	/* columns to look at again */
	uint32_t dirties;
	bool *is_dirty;

	uint64_t capacity;
	uint64_t ceiling;	/* capacity in whole units */
	uint64_t step;		/* all offsets are multiples of it */
	bool is_exact;		/* what is not found is not there */
	bool has_gaps;		/* boxes of more than one span */
	bool no_memory;

	uint64_t *failed;	/* hashes of states that have no solution */
	uint32_t failed_bits;	/* log2 of how many */
	enum search_rule rule;
	struct plan_budget *budget;
	uint64_t nodes;		/* left before the next restart */
	uint64_t unreported;
};

/* Return: 0, -E2BIG where it is too large to be searched, -ENOMEM. */
int search_init(struct search *s, const struct plan_problem *p);
void search_fini(struct search *s);

/* Back to no box placed.  False where that cannot be within @capacity. */
bool search_begin(struct search *s, uint64_t capacity);

/* False where it leads to no solution; search_undo() is up to the caller. */
bool search_place(struct search *s, uint32_t box);
bool search_raise(struct search *s, uint32_t box, uint64_t low);

void search_undo(struct search *s, uint32_t mark);

/*
 * Place all boxes within @capacity.  Return: 1, and their offsets in @offset; 0
 * if that cannot be; -EAGAIN if @budget is spent, or the search is not exact;
 * -ENOMEM.
 */
int plan_search(struct search *s, uint64_t capacity,
		struct plan_budget *budget, uint64_t *offset);

#endif /* VNPU_LIB_PLAN_SEARCH_H */
