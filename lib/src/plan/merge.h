/* SPDX-License-Identifier: MIT */
/*
 * Merging of boxes that fill a rectangle together.
 *
 * merge.c		the pieces that are left, and which of them fit together
 * merge_wheel.c	five pieces that fit together
 * merge_ruin.c		other mergers than the first ones
 * merge_problem.c	the problem that is left, and offsets from its solution
 */
#ifndef VNPU_LIB_PLAN_MERGE_H
#define VNPU_LIB_PLAN_MERGE_H

#include "plan.h"

/* The most pieces that are merged at once. */
#define MERGE_PARTS	5

enum merge_end {
	MERGE_BEGIN,
	MERGE_END,
};

/* A box, or several that were merged. */
struct merge_piece {
	uint64_t size, align;
	uint32_t l, r;		/* sections [l, r) */
	uint32_t parent;	/* the piece that has it, its own number if it is
				 * unused, or PLAN_NONE */
	uint32_t place;		/* in plan_merge.root, if it has no parent */
	uint32_t next[2], previous[2];	/* that begin, or end, at the same time */
};

struct merge_parts {
	uint32_t count;
	uint32_t piece[MERGE_PARTS];
	uint64_t within[MERGE_PARTS];	/* their offsets */
};

/* The pieces of a pinwheel, in the order in which they are looked for. */
enum merge_role {
	WHEEL_MIDDLE,
	WHEEL_BEFORE,		/* ends when the middle begins */
	WHEEL_AFTER,		/* begins when the middle begins */
	WHEEL_UNDER,		/* ends when the middle ends */
	WHEEL_OVER,		/* begins when the middle ends */
};

struct merge_wheel {
	uint32_t piece[MERGE_PARTS];	/* by role */
	enum merge_role role;	/* of piece @fixed, which has to be in it */
	uint32_t fixed;
	uint32_t looks;		/* left */
};

/* A merger that may follow, of pieces @a and @b or around piece @a. */
struct merge_proposal {
	uint64_t chance;	/* that it fits by chance: smaller is better */
	uint64_t number;	/* decides between equals */
	uint32_t a, b;
};

/* A merger that was made or dissolved. */
struct merge_step {
	bool is_made;
	uint32_t id;
	struct merge_parts parts;
	struct merge_piece piece;
};

struct plan_merge {
	const struct plan_problem *p;
	struct plan_budget *budget;	/* its time ends the first mergers */
	struct merge_piece *piece;	/* boxes first, then mergers */
	struct merge_parts *parts;	/* of mergers */
	uint32_t *unused;		/* numbers of pieces */
	uint32_t unuseds;
	uint32_t *root;			/* pieces without a parent */
	uint32_t roots;
	/* The boxes that begin or end at section i: from touch_at[i] on. */
	uint32_t *touch, *touch_at;
	uint32_t *first[2];		/* roots by section */
	uint32_t *count[2];
	struct merge_proposal *heap;
	uint32_t proposals, proposal_room;
	struct merge_step *step;	/* since the last accepted state */
	uint32_t steps, step_room;
	uint32_t *index;		/* in the problem that is left */
	uint64_t numbers;		/* of proposals so far */
	uint64_t unit;			/* divides all sizes */
	uint64_t turn;			/* determines the noise; the first has none */
	uint64_t random;
	uint64_t work;			/* mergers made and dissolved */
	bool no_memory;
};

/*
 * Merge the boxes of @p, which has no separations, until no more fit together or
 * the time of @budget is up.  NULL without memory.
 */
struct plan_merge *plan_merge_create(const struct plan_problem *p,
				     struct plan_budget *budget);
void plan_merge_destroy(struct plan_merge *m);

/*
 * Replace mergers by others, to have fewer pieces; within @work mergers, which the
 * budget is charged with.  False without memory.
 */
bool plan_merge_ruin(struct plan_merge *m, uint64_t work);

/*
 * Get the problem that is left.  It uses the times of the original one.  False
 * without memory.
 */
bool plan_merge_problem(struct plan_merge *m, struct plan_problem *left);
void plan_merge_release(struct plan_problem *left);

/*
 * Get the offsets of all boxes from those of the last problem that was left.
 * False without memory.
 */
bool plan_merge_expand(const struct plan_merge *m, const uint64_t *from,
		       uint64_t *offset);

/* Check whether a box has its full size for its whole life, and may move. */
bool merge_is_simple(const struct plan_problem *p, const struct plan_box *box);

static inline bool merge_is_box(const struct plan_merge *m, uint32_t i)
{
	return i < m->p->boxes;
}

static inline struct merge_parts *merge_parts_of(const struct plan_merge *m,
						 uint32_t i)
{
	return &m->parts[i - m->p->boxes];
}

/* Replace the parts of piece @i by it. */
void merge_compose(struct plan_merge *m, uint32_t i);

/* Replace piece @i by its parts. */
void merge_dissolve(struct plan_merge *m, uint32_t i);

/* Note a step; false without memory. */
bool merge_note(struct plan_merge *m, bool is_made, uint32_t i);

/*
 * Find a pinwheel around piece @middle, in which piece @fixed has @role, with
 * the looks that @w has left.
 */
bool merge_wheel_find(const struct plan_merge *m, struct merge_wheel *w,
		      uint32_t middle, enum merge_role role, uint32_t fixed);

/* Get the parts of a pinwheel, and the piece that they become. */
void merge_wheel_join(const struct plan_merge *m, const struct merge_wheel *w,
		      struct merge_parts *parts, struct merge_piece *whole);

/* Propose all mergers of piece @i. */
void merge_look(struct plan_merge *m, uint32_t i);

/* Follow the proposals until none is left. */
void merge_all(struct plan_merge *m);

#endif /* VNPU_LIB_PLAN_MERGE_H */
