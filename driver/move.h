/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving pages of an object to another place of the arena. */
#ifndef VNPU_MOVE_H
#define VNPU_MOVE_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "core/buddy.h"

struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

/**
 * struct vnpu_emptied - pages that are allocated to nobody
 * @items: in any order
 * @nr: how many there are
 * @room: how many there can be
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
 * struct vnpu_move - all that a move of an object takes
 * @targets: where what the object has in the window is to be
 * @list: where all of the object is then; still empty
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
