/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The naive arena that the allocator is compared with: a byte per page, and
 * every question answered by looking at all of them.
 */
#ifndef VNPU_TESTS_MODEL_H
#define VNPU_TESTS_MODEL_H

#include "../core/buddy.h"

#define MODEL_PRESENT	1
#define MODEL_FREE	2
#define MODEL_DIRTY	4
/* The first page of a segment. */
#define MODEL_BORDER	8
/* Dirty when it was freed, and free and dirty since then. */
#define MODEL_TO_CLEAR	16

struct model {
	u8 *page;
	u32 pages;
	/* What was allocated, in no order. */
	struct vnpu_extent *live;
	u32 nr_live;
	u32 max_live;
};

/* False if there is no memory for it; fini also then. */
bool model_init(struct model *m, const struct vnpu_extent *segs, u32 nr,
		bool dirty);
void model_fini(struct model *m);

/* The maximal free run that starts at or after @from. */
bool model_next_run(const struct model *m, u32 from, struct vnpu_extent *run);

/*
 * The best fit of an aligned run, the lowest or highest of the shortest runs
 * that hold it; false if none does.
 */
bool model_best(const struct model *m, u32 pages, u32 align, bool high,
		struct vnpu_extent *run);

/* The longest run of whole granules. */
u32 model_largest(const struct model *m, u32 order);

void model_stats(const struct model *m, struct vnpu_buddy_stats *s);

/* All of @ext in one segment; and free; and allocated. */
bool model_is_inside(const struct model *m, struct vnpu_extent ext);
bool model_all_free(const struct model *m, struct vnpu_extent ext);
bool model_may_free(const struct model *m, struct vnpu_extent ext);

/* False as well. */
bool model_take(struct model *m, struct vnpu_extent ext);
void model_give(struct model *m, struct vnpu_extent ext, bool dirty);
void model_clean(struct model *m, struct vnpu_extent ext);
bool model_next_dirty(const struct model *m, struct vnpu_extent ext,
		      struct vnpu_extent *out);

/* All of @ext; and no page at all. */
bool model_all_dirty(const struct model *m, struct vnpu_extent ext);
bool model_none_to_clear(const struct model *m);

#endif
