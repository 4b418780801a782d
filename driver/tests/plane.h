/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Naive compaction planner, with which the real one is compared: a byte per
 * page, and every position is tried.
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

/* Make the blocks from @page; adjacent ones are split at random. */
void plane_set_blocks(struct plane *p);

/*
 * Put a large page into the given percentage of the frames that can hold one.
 */
void plane_add_large(struct plane *p, u32 percent);

/* Check that emptying the chosen frames has the cost that the plan gives. */
bool plane_is_choice(const struct plane *p,
		     const struct vnpu_compact_plan *plan,
		     const struct vnpu_extent *chosen);

/* Find the best window; false if there is none. */
bool plane_plan(const struct plane *p, const struct vnpu_compact_req *req,
		struct vnpu_compact_plan *plan);

#endif
