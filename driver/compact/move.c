// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves of an object's pages to other pages of the arena.
 *
 * While an object is being moved, its pages are not in use, and other tasks
 * read its list of pages only under the device's lock.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "base/client.h"
#include "base/device.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "move.h"

/**
 * vnpu_emptied_init() - initialise an empty list
 * @emptied: the list
 * @room: number of extents that the list can hold
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_emptied_init(struct vnpu_emptied *emptied, u32 room)
{
	emptied->items = kvmalloc_array(room, sizeof(*emptied->items),
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	emptied->nr = 0;
	emptied->room = room;
	return emptied->items ? 0 : -ENOMEM;
}

/**
 * vnpu_emptied_fini() - free the memory of a list
 * @emptied: the list, which is empty
 */
void vnpu_emptied_fini(struct vnpu_emptied *emptied)
{
	kvfree(emptied->items);
}

/**
 * vnpu_emptied_add() - add an extent
 * @emptied: the list
 * @ext: allocated pages that belong to no object
 * @dirty: true if the pages may have been written
 *
 * Return: 0, or -EAGAIN if the list is full; the caller then keeps the extent.
 */
int vnpu_emptied_add(struct vnpu_emptied *emptied, struct vnpu_extent ext,
		     bool dirty)
{
	if (emptied->nr == emptied->room)
		return -EAGAIN;
	emptied->items[emptied->nr++] = (struct vnpu_emptied_item){ ext, dirty };
	return 0;
}

/* Free the pages of an item or, if @kept, only record that they are dirty. */
static void vnpu_emptied_end_item_locked(struct vnpu_device *dev,
					 const struct vnpu_emptied_item *item,
					 bool kept)
{
	if (kept && !item->dirty)
		return;
	vnpu_pages_free_locked(dev, item->ext, item->dirty);
	/* The free has recorded the dirty state; allocate the pages again. */
	if (kept)
		WARN_ON_ONCE(vnpu_allocator_claim(dev->allocator, item->ext));
}

static void vnpu_emptied_end(struct vnpu_emptied *emptied,
			     struct vnpu_device *dev, bool kept)
{
	const struct vnpu_emptied_item *item;
	unsigned int i;

	while (emptied->nr) {
		spin_lock(&dev->lock);
		for (i = 0; emptied->nr && !vnpu_pages_is_batch_over(dev, i); i++) {
			item = &emptied->items[--emptied->nr];
			vnpu_emptied_end_item_locked(dev, item, kept);
		}
		spin_unlock(&dev->lock);
		cond_resched();
	}
}

/**
 * vnpu_emptied_free() - free all pages of a list
 * @emptied: the list; empty on return
 * @dev: the device
 *
 * Frees the pages in batches; between two, other tasks may allocate memory.
 */
void vnpu_emptied_free(struct vnpu_emptied *emptied, struct vnpu_device *dev)
{
	vnpu_emptied_end(emptied, dev, false);
}

/* Free the parts of an item that are outside of @in. */
static void vnpu_emptied_cut(struct vnpu_device *dev,
			     const struct vnpu_emptied_item *item,
			     struct vnpu_extent in)
{
	u32 end = item->ext.start + item->ext.count;

	if (!in.count)
		in.start = end;
	spin_lock(&dev->lock);
	vnpu_pages_free_locked(dev, (struct vnpu_extent){
		item->ext.start, in.start - item->ext.start }, item->dirty);
	in.start += in.count;
	vnpu_pages_free_locked(dev, (struct vnpu_extent){
		in.start, end - in.start }, item->dirty);
	spin_unlock(&dev->lock);
}

/**
 * vnpu_emptied_trim() - free all pages of a list that are outside of a window
 * @emptied: the list, which keeps the pages inside of the window
 * @dev: the device
 * @window: the window
 *
 * Return: the number of pages that are left in the list.
 */
u32 vnpu_emptied_trim(struct vnpu_emptied *emptied, struct vnpu_device *dev,
		      struct vnpu_extent window)
{
	u32 pages = 0, kept = 0, i;

	for (i = 0; i < emptied->nr; i++) {
		struct vnpu_emptied_item item = emptied->items[i];
		struct vnpu_extent in = vnpu_extent_intersect(item.ext, window);

		if (in.count != item.ext.count)
			vnpu_emptied_cut(dev, &item, in);
		if (in.count)
			emptied->items[kept++] = (struct vnpu_emptied_item){
				in, item.dirty };
		pages += in.count;
		cond_resched();
	}
	emptied->nr = kept;
	return pages;
}

/**
 * vnpu_emptied_hand_over() - pass all pages of a list to the caller
 * @emptied: the list; empty on return
 * @dev: the device; on return, its allocator has recorded which pages are dirty
 *
 * The pages are never free in between, although other tasks may allocate memory
 * between two batches.
 */
void vnpu_emptied_hand_over(struct vnpu_emptied *emptied,
			    struct vnpu_device *dev)
{
	vnpu_emptied_end(emptied, dev, true);
}

static void vnpu_copy_pages(const struct vnpu_arena *arena, u32 to, u32 from,
			    u32 count)
{
	while (count) {
		u32 n = min3(count,
			     (u32)(VNPU_GRANULE_PAGES - to % VNPU_GRANULE_PAGES),
			     (u32)(VNPU_GRANULE_PAGES - from % VNPU_GRANULE_PAGES));

		memcpy(vnpu_arena_addr(arena, to), vnpu_arena_addr(arena, from),
		       (size_t)n << VNPU_PAGE_SHIFT);
		to += n;
		from += n;
		count -= n;
		cond_resched();
	}
}

static u32 vnpu_move_inside(const struct vnpu_devmem *devmem,
			    struct vnpu_extent window)
{
	u32 pages = 0, i;

	for (i = 0; i < devmem->pages.nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);

		pages += vnpu_extent_intersect(ext, window).count;
	}
	return pages;
}

/*
 * Return the next contiguous pages of a list, up to @count, and advance @page.
 */
static struct vnpu_extent vnpu_move_next(const struct vnpu_pages *list,
					 u32 *page, u32 count)
{
	u32 i = vnpu_pages_index(list, *page);
	u32 skip = *page - vnpu_pages_before(list, i);
	struct vnpu_extent ext = vnpu_pages_extent(list, i);

	ext.start += skip;
	ext.count = min(count, ext.count - skip);
	*page += ext.count;
	return ext;
}

/*
 * Build the list of pages after the move, and copy the pages inside of the
 * window if @copy is set. If the list has room for one extent, only count the
 * extents.
 */
static void vnpu_move_list(const struct vnpu_devmem *devmem,
			   struct vnpu_extent window,
			   const struct vnpu_pages *targets,
			   struct vnpu_pages *list, bool copy)
{
	const struct vnpu_device *dev = devmem->mem.dev;
	u32 page = 0, i;

	for (i = 0; i < devmem->pages.nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);
		struct vnpu_extent in = vnpu_extent_intersect(ext, window);
		u32 end = ext.start + ext.count;

		if (!in.count) {
			vnpu_pages_add(dev, list, ext);
			continue;
		}
		vnpu_pages_add(dev, list, (struct vnpu_extent){
			ext.start, in.start - ext.start });
		while (in.count) {
			struct vnpu_extent to =
				vnpu_move_next(targets, &page, in.count);

			if (copy)
				vnpu_copy_pages(&dev->arena, to.start, in.start,
						to.count);
			vnpu_pages_add(dev, list, to);
			in.start += to.count;
			in.count -= to.count;
		}
		vnpu_pages_add(dev, list, (struct vnpu_extent){
			in.start, end - in.start });
	}
}

/*
 * Add the object's pages in the window to @emptied; they still hold its data.
 */
static int vnpu_move_leave(const struct vnpu_devmem *devmem,
			   struct vnpu_extent window,
			   struct vnpu_emptied *emptied)
{
	u32 before = emptied->nr, i;

	for (i = 0; i < devmem->pages.nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);
		struct vnpu_extent in = vnpu_extent_intersect(ext, window);

		if (in.count && vnpu_emptied_add(emptied, in, true)) {
			emptied->nr = before;
			return -EAGAIN;
		}
	}
	return 0;
}

/* Mark the targets as clean: vnpu_devmem.written covers the copied data. */
static void vnpu_move_set_clean(struct vnpu_device *dev,
				const struct vnpu_pages *targets)
{
	struct vnpu_extent ext = { }, part;
	u32 i = 0, done;

	while (i < targets->nr || ext.count) {
		done = 0;
		spin_lock(&dev->lock);
		/* The cost of a part grows with its number of dirty runs. */
		while ((i < targets->nr || ext.count) &&
		       !vnpu_pages_is_batch_over(dev, done++)) {
			if (!ext.count)
				ext = vnpu_pages_extent(targets, i++);
			part = ext;
			part.count = min_t(u32, part.count, VNPU_GRANULE_PAGES);
			vnpu_allocator_set_clean(dev->allocator, part);
			ext.start += part.count;
			ext.count -= part.count;
		}
		spin_unlock(&dev->lock);
		cond_resched();
	}
}

/* Return the client that is charged for an object, with a reference. */
static struct vnpu_client *vnpu_move_get_owner(const struct vnpu_devmem *devmem)
{
	struct vnpu_device *dev = devmem->mem.dev;
	struct vnpu_client *owner;

	spin_lock(&dev->lock);
	owner = devmem->charged->client;
	vnpu_client_get(owner);
	spin_unlock(&dev->lock);
	return owner;
}

/*
 * Allocate the list of pages after the move, with room for exactly the extents
 * of the object. It is charged to the memory cgroup of the object's owner,
 * whichever process compacts. A cgroup at its limit may exceed it by this list;
 * otherwise its clients could prevent their memory from being moved. The
 * allocation makes one attempt at reclaim in the cgroup, and never invokes the
 * OOM killer there.
 */
static int vnpu_move_init_list(struct vnpu_move *move,
			       const struct vnpu_devmem *devmem,
			       struct vnpu_extent window)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_HIGH | __GFP_NORETRY |
			  __GFP_NOWARN;
	struct vnpu_client *owner = vnpu_move_get_owner(devmem);
	struct vnpu_pages counter = { .room = 1 };
	struct mem_cgroup *old;
	int ret;

	vnpu_move_list(devmem, window, &move->targets, &counter, false);
	old = set_active_memcg(owner->memcg);
	ret = vnpu_pages_init_gfp(&move->list, counter.nr, gfp);
	set_active_memcg(old);
	vnpu_client_put(owner);
	if (ret)
		vnpu_pages_give_back(devmem->mem.dev, &move->targets);
	return ret;
}

/**
 * vnpu_move_init_to() - prepare to move pages of an object to given pages
 * @move: the move
 * @devmem: the object, which only the caller moves
 * @window: the object's pages in this run are moved
 * @targets: the new location; taken over, and freed on failure
 *
 * While an object is being moved, users of it wait, and may hold locks that the
 * host's reclaim needs. So all memory is allocated before the move.
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_move_init_to(struct vnpu_move *move, const struct vnpu_devmem *devmem,
		      struct vnpu_extent window, struct vnpu_pages *targets)
{
	move->targets = *targets;
	return vnpu_move_init_list(move, devmem, window);
}

/**
 * vnpu_move_init_out() - prepare to move pages of an object out of a window
 * @move: the move
 * @devmem: the object, which only the caller moves; has pages in @window
 * @window: the run to empty, which has no free page
 *
 * Return: 0, -ENOMEM, or -EAGAIN if there is no free memory for the pages.
 */
int vnpu_move_init_out(struct vnpu_move *move, const struct vnpu_devmem *devmem,
		       struct vnpu_extent window)
{
	const struct vnpu_pages_req req = {
		.count = vnpu_move_inside(devmem, window),
		.order = vnpu_devmem_order(devmem),
	};
	int ret = vnpu_pages_find(devmem->mem.dev, &req, &move->targets, NULL,
				  NULL);

	if (ret)
		return ret == -ENOSPC ? -EAGAIN : ret;
	return vnpu_move_init_list(move, devmem, window);
}

/**
 * vnpu_move_fini() - cancel a move
 * @move: the move, prepared by vnpu_move_init_to() or vnpu_move_init_out()
 * @dev: the device
 */
void vnpu_move_fini(struct vnpu_move *move, struct vnpu_device *dev)
{
	vnpu_pages_fini(&move->list);
	vnpu_pages_give_back(dev, &move->targets);
}

/**
 * vnpu_move() - move an object's pages out of a window
 * @move: the prepared move, which is used up
 * @devmem: the object, being moved
 * @window: the run; it does not cut a page of the object's class
 * @emptied: list to which the object's old pages are added
 *
 * Return: 0, or -EAGAIN if @emptied is full; then nothing has changed.
 */
int vnpu_move(struct vnpu_move *move, struct vnpu_devmem *devmem,
	      struct vnpu_extent window, struct vnpu_emptied *emptied)
{
	struct vnpu_pages *targets = &move->targets;
	struct vnpu_device *dev = devmem->mem.dev;
	int ret = vnpu_move_leave(devmem, window, emptied);

	if (ret) {
		vnpu_move_fini(move, dev);
		return ret;
	}
	vnpu_move_set_clean(dev, targets);
	spin_lock(&dev->lock);
	dev->moved += vnpu_pages_to_bytes(vnpu_pages_count(targets));
	dev->nr_moves++;
	spin_unlock(&dev->lock);

	vnpu_move_list(devmem, window, targets, &move->list, true);
	vnpu_pages_fini(targets);
	vnpu_devmem_set_pages(devmem, &move->list);
	return 0;
}
