/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Naive model of an arena, with which the extent allocator is compared: a byte
 * per page, and every query scans all pages.
 */
#ifndef VNPU_TESTS_MODEL_H
#define VNPU_TESTS_MODEL_H

#include "../core/allocator.h"

#define MODEL_PRESENT	1
#define MODEL_FREE	2
#define MODEL_DIRTY	4
/* The page is the first of a segment. */
#define MODEL_BORDER	8
/* The page was dirty when it was freed, and has been free and dirty since. */
#define MODEL_TO_CLEAR	16

struct model {
	u8 *page;
	u32 pages;
	/* The allocated extents, in no particular order. */
	struct vnpu_extent *live;
	u32 nr_live;
	u32 max_live;
};

/* False if out of memory; fini must be called in that case, too. */
bool model_init(struct model *m, const struct vnpu_extent *segs, u32 nr,
		bool dirty);
void model_fini(struct model *m);

/* Return the first maximal free run that starts at or after @from. */
bool model_next_run(const struct model *m, u32 from, struct vnpu_extent *run);

/*
 * Find the best fit for an aligned run: the lowest or, if @high, the highest of
 * the shortest runs that can hold it. False if there is none.
 */
bool model_best(const struct model *m, u32 pages, u32 align, bool high,
		struct vnpu_extent *run);

/* Return the length of the longest run of whole granules. */
u32 model_largest(const struct model *m, u32 order);

void model_stats(const struct model *m, struct vnpu_allocator_stats *s);

/* Check that @ext is inside one segment; is also all free; all allocated. */
bool model_is_inside(const struct model *m, struct vnpu_extent ext);
bool model_all_free(const struct model *m, struct vnpu_extent ext);
bool model_may_free(const struct model *m, struct vnpu_extent ext);

/* Return false if @ext is invalid. */
bool model_take(struct model *m, struct vnpu_extent ext);
void model_give(struct model *m, struct vnpu_extent ext, bool dirty);
void model_clean(struct model *m, struct vnpu_extent ext);
bool model_next_dirty(const struct model *m, struct vnpu_extent ext,
		      struct vnpu_extent *out);

/* Check that all pages of @ext are dirty; that no page has to be cleared. */
bool model_all_dirty(const struct model *m, struct vnpu_extent ext);
bool model_none_to_clear(const struct model *m);

#endif
