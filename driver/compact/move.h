/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves of an object's pages to other pages of the arena. */
#ifndef VNPU_MOVE_H
#define VNPU_MOVE_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "core/allocator.h"

struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

/**
 * struct vnpu_emptied - allocated pages that belong to no object
 * @items: the extents, in any order
 * @nr: number of extents
 * @room: number of extents that @items can hold
 */
struct vnpu_emptied {
	struct vnpu_emptied_item {
		struct vnpu_extent ext;
		bool dirty;
	} *items;
	u32 nr;
	u32 room;
};

int vnpu_emptied_init(struct vnpu_emptied *emptied, u32 room);
void vnpu_emptied_fini(struct vnpu_emptied *emptied);
int vnpu_emptied_add(struct vnpu_emptied *emptied, struct vnpu_extent ext,
		     bool dirty);
void vnpu_emptied_free(struct vnpu_emptied *emptied, struct vnpu_device *dev);
u32 vnpu_emptied_trim(struct vnpu_emptied *emptied, struct vnpu_device *dev,
		      struct vnpu_extent window);
void vnpu_emptied_hand_over(struct vnpu_emptied *emptied,
			    struct vnpu_device *dev);

/**
 * struct vnpu_move - the memory that the move of an object needs
 * @targets: new location of the object's pages in the window
 * @list: all pages of the object after the move; empty until then
 */
struct vnpu_move {
	struct vnpu_pages targets;
	struct vnpu_pages list;
};

int vnpu_move_init_to(struct vnpu_move *move, const struct vnpu_devmem *devmem,
		      struct vnpu_extent window, struct vnpu_pages *targets);
int vnpu_move_init_out(struct vnpu_move *move, const struct vnpu_devmem *devmem,
		       struct vnpu_extent window);
void vnpu_move_fini(struct vnpu_move *move, struct vnpu_device *dev);
int vnpu_move(struct vnpu_move *move, struct vnpu_devmem *devmem,
	      struct vnpu_extent window, struct vnpu_emptied *emptied);

static inline struct vnpu_extent vnpu_extent_intersect(struct vnpu_extent a,
						       struct vnpu_extent b)
{
	u32 start = max(a.start, b.start);
	u32 end = min(a.start + a.count, b.start + b.count);

	return (struct vnpu_extent){ start, end > start ? end - start : 0 };
}

#endif
