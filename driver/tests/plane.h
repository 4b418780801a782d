/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The naive planner that the planner of compaction is compared with: a byte
 * per page, and every place tried.
 */
#ifndef VNPU_TESTS_PLANE_H
#define VNPU_TESTS_PLANE_H

#include "../core/compact.h"

#define PLANE_PAGES	4096
#define PLANE_SEGS	4

enum { PLANE_FREE, PLANE_MOVABLE, PLANE_FIXED, PLANE_LARGE };

struct plane {
	u8 page[PLANE_PAGES];
	struct vnpu_extent seg[PLANE_SEGS];
	u32 nr_segs;
	u32 large_order;
	struct vnpu_compact_block block[PLANE_PAGES];
	u32 nr;
};

/* The blocks of @page; those that touch are one or several, at random. */
void plane_set_blocks(struct plane *p);

/* A large page where one can be, in some percent of the places. */
void plane_add_large(struct plane *p, u32 percent);

/* Whether these places, emptied, are what a plan says that they cost. */
bool plane_is_choice(const struct plane *p,
		     const struct vnpu_compact_plan *plan,
		     const struct vnpu_extent *chosen);

/* The best window; false if there is none. */
bool plane_plan(const struct plane *p, const struct vnpu_compact_req *req,
		struct vnpu_compact_plan *plan);

#endif
