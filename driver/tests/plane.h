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

enum { PLANE_FREE, PLANE_MOVABLE, PLANE_FIXED, PLANE_STATES };

struct plane {
	u8 page[PLANE_PAGES];
	struct vnpu_extent seg[PLANE_SEGS];
	u32 nr_segs;
	struct vnpu_compact_block block[PLANE_PAGES];
	u32 nr;
};

/* The blocks of @page; those that touch are one or several, at random. */
void plane_set_blocks(struct plane *p);

/* The best window; false if there is none. */
bool plane_plan(const struct plane *p, const struct vnpu_compact_req *req,
		struct vnpu_compact_plan *plan);

#endif
