// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction: making a run of free memory by moving what is in its way.
 *
 * Bindings name a memory object and an offset in it, so an object's pages can
 * change place without any binding knowing. What must not happen is that
 * somebody uses the old place meanwhile. So an object is moved only while
 * nobody has pinned it, whoever wants to waits (vnpu_mem_begin_move()), and the
 * mappings of the host are taken away first, to be faulted in anew.
 *
 * The plan is made on a snapshot, without the lock, and may be overtaken by
 * others. Then what they did is seen when it is carried out, and another plan
 * is made, a few times.
 */
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "client.h"
#include "compact.h"
#include "core/compact.h"
#include "device.h"
#include "devmem.h"
#include "dmabuf.h"
#include "move.h"
#include "pages.h"
#include "quota.h"
#include "snapshot.h"
#include "usage.h"

/* How often a plan that others overtook is replaced by another. */
#define VNPU_COMPACT_TRIES	4

/**
 * struct vnpu_compaction - one attempt
 * @dev: the device; its compact_lock is held
 * @window: the run that is being made free
 * @order: pages of larger classes stay
 * @victims: the objects that have pages in it, each with a reference
 * @nr_victims: how many
 * @emptied: what in the window is allocated, but to nobody
 */
struct vnpu_compaction {
	struct vnpu_device *dev;
	struct vnpu_extent window;
	unsigned int order;
	struct vnpu_devmem **victims;
	u32 nr_victims;
	struct vnpu_emptied emptied;
};

static bool vnpu_compact_concerns(const struct vnpu_devmem *devmem,
				  struct vnpu_extent window)
{
	u32 i;

	for (i = 0; i < devmem->pages.nr; i++)
		if (vnpu_extent_intersect(devmem->pages.extents[i], window).count)
			return true;
	return false;
}

/* Nobody else gets what is free in the window from here on. */
static int vnpu_compact_isolate_locked(struct vnpu_compaction *c)
{
	u32 end = c->window.start + c->window.count;
	u32 from = c->window.start;
	struct vnpu_extent run;
	int ret = 0;

	while (!ret && from < end &&
	       vnpu_buddy_next_free_run(c->dev->buddy, from, &run)) {
		run = vnpu_extent_intersect(run, c->window);
		if (!run.count)
			break;
		from = run.start + run.count;
		ret = vnpu_buddy_claim(c->dev->buddy, run);
		if (ret)
			break;
		ret = vnpu_emptied_add(&c->emptied, run, false);
		/* What is not in the list is freed by nobody later. */
		if (ret)
			WARN_ON_ONCE(vnpu_buddy_free(c->dev->buddy, run,
						     false));
	}
	return ret;
}

static int vnpu_compact_find_victims_locked(struct vnpu_compaction *c, u32 room)
{
	struct vnpu_devmem *devmem;

	list_for_each_entry(devmem, &c->dev->mems, dev_link) {
		if (!vnpu_compact_concerns(devmem, c->window))
			continue;
		if (c->nr_victims == room)
			return -EAGAIN;
		/* It is on its way back; what it leaves is not isolated. */
		if (!kref_get_unless_zero(&devmem->mem.ref))
			return -EAGAIN;
		c->victims[c->nr_victims++] = devmem;
	}
	return 0;
}

static int vnpu_compact_move_victims(struct vnpu_compaction *c)
{
	u32 i;
	int ret;

	for (i = 0; i < c->nr_victims; i++) {
		struct vnpu_devmem *devmem = c->victims[i];

		if (!vnpu_snapshot_is_movable(devmem, c->order) ||
		    !vnpu_mem_begin_move(&devmem->mem))
			return -EAGAIN;
		vnpu_bind_zap_mem(&devmem->mem);
		vnpu_dmabuf_zap(devmem);
		ret = vnpu_move_out(devmem, c->window, &c->emptied);
		vnpu_mem_end_move(&devmem->mem);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Gives back what the window had, and if all of it is there, takes it. */
static int vnpu_compact_finish(struct vnpu_compaction *c, int ret,
			       struct vnpu_pages *held)
{
	u32 i;

	mutex_lock(&c->dev->lock);
	vnpu_emptied_free_locked(&c->emptied, c->dev);
	if (!ret && held) {
		ret = vnpu_buddy_claim(c->dev->buddy, c->window);
		if (!ret)
			vnpu_pages_add(c->dev, held, c->window);
		else if (ret == -EBUSY)
			ret = -EAGAIN;
	}
	mutex_unlock(&c->dev->lock);

	for (i = 0; i < c->nr_victims; i++)
		vnpu_mem_put(&c->victims[i]->mem);
	return ret;
}

/*
 * Carries a plan out. Returns -EAGAIN if others overtook it, with some objects
 * moved and no harm done.
 */
static int vnpu_compact_window(struct vnpu_device *dev, struct vnpu_extent window,
			       unsigned int order, u32 blocks_in_window,
			       struct vnpu_pages *held)
{
	struct vnpu_compaction c = {
		.dev = dev,
		.window = window,
		.order = order,
	};
	/* Between and around the blocks there is free memory. */
	u32 room = 2 * blocks_in_window + 64;
	int ret;

	c.victims = kvmalloc_array(room, sizeof(*c.victims), GFP_KERNEL);
	if (!c.victims)
		return -ENOMEM;
	ret = vnpu_emptied_init(&c.emptied, room);
	if (ret)
		goto out;

	mutex_lock(&dev->lock);
	ret = vnpu_compact_isolate_locked(&c);
	if (!ret)
		ret = vnpu_compact_find_victims_locked(&c, room);
	mutex_unlock(&dev->lock);

	if (!ret)
		ret = vnpu_compact_move_victims(&c);
	ret = vnpu_compact_finish(&c, ret, held);
	vnpu_emptied_fini(&c.emptied);
out:
	kvfree(c.victims);
	return ret;
}

static u32 vnpu_compact_count_blocks(const struct vnpu_compact_block *blocks,
				     u32 nr, struct vnpu_extent window)
{
	u32 count = 0, i;

	for (i = 0; i < nr; i++)
		if (vnpu_extent_intersect(blocks[i].ext, window).count)
			count++;
	return count;
}

/* Makes a run of free memory, and adds it to @held if that is not NULL. */
static int vnpu_compact_make_run(struct vnpu_device *dev,
				 const struct vnpu_compact_req *req,
				 struct vnpu_pages *held)
{
	unsigned int order = min_t(unsigned int, req->align_order,
				   __ffs(req->pages));
	unsigned int tries;
	int ret = -ENOSPC;

	for (tries = 0; tries < VNPU_COMPACT_TRIES; tries++) {
		struct vnpu_compact_block *blocks;
		struct vnpu_compact_plan plan;
		u32 nr, in_window;

		blocks = vnpu_snapshot_take(dev, held, order, &nr);
		if (!blocks)
			return -ENOMEM;
		ret = vnpu_compact_plan(dev->segs, dev->nr_segs, blocks, nr,
					req, &plan);
		if (!ret)
			in_window = vnpu_compact_count_blocks(blocks, nr,
							      plan.window);
		kvfree(blocks);
		if (ret)
			return ret;
		ret = vnpu_compact_window(dev, plan.window, order, in_window,
					  held);
		if (ret != -EAGAIN)
			return ret;
	}
	return -ENOSPC;
}

/*
 * What is free in whole pages of the class is not to be made. Nothing is moved
 * for who may not have it.
 */
static int vnpu_compact_take_free(struct vnpu_usage *usage,
				  const struct vnpu_pages_req *req,
				  struct vnpu_pages *held,
				  struct vnpu_quota_state *refusal)
{
	struct vnpu_device *dev = usage->dev;
	struct vnpu_buddy_req next = {
		.pages = req->count,
		.granule_order = req->order,
	};
	struct vnpu_extent ext;
	int ret;

	mutex_lock(&dev->lock);
	ret = vnpu_quota_check_locked(usage, (u64)req->count << VNPU_PAGE_SHIFT,
				      refusal);
	if (!ret && vnpu_buddy_free_pages(dev->buddy, VNPU_BUDDY_ORDER_4K) <
		    req->count)
		ret = -ENOSPC;
	while (!ret && !req->contiguous && next.pages &&
	       !vnpu_buddy_alloc(dev->buddy, &next, &ext)) {
		vnpu_pages_add(dev, held, ext);
		next.pages -= ext.count;
	}
	mutex_unlock(&dev->lock);
	return ret;
}

/* Of a run that is longer than was wanted, the rest is free again. */
static void vnpu_compact_trim(struct vnpu_device *dev, struct vnpu_extent *run,
			      u32 count)
{
	struct vnpu_extent rest = { run->start + count, run->count - count };

	if (!rest.count)
		return;
	run->count = count;
	mutex_lock(&dev->lock);
	WARN_ON_ONCE(vnpu_buddy_free(dev->buddy, rest, false));
	mutex_unlock(&dev->lock);
}

static bool vnpu_compact_has_class(struct vnpu_device *dev, unsigned int class)
{
	bool has;

	mutex_lock(&dev->lock);
	has = dev->class_pages[class];
	mutex_unlock(&dev->lock);
	return has;
}

/*
 * The ends of a window must not cut large pages: where these are in the way
 * everywhere, a window that is made of whole ones can have them moved.
 */
static int vnpu_compact_make_contiguous(struct vnpu_device *dev,
					const struct vnpu_pages_req *req,
					struct vnpu_pages *held)
{
	static const u8 orders[] = {
		VNPU_BUDDY_ORDER_4K, VNPU_BUDDY_ORDER_2M, VNPU_BUDDY_ORDER_1G,
	};
	int ret = -ENOSPC;
	unsigned int i;

	for (i = 0; ret == -ENOSPC && i < ARRAY_SIZE(orders); i++) {
		struct vnpu_compact_req run = {
			.pages = round_up(req->count, 1U << orders[i]),
			.align_order = max(req->align_order, orders[i]),
		};

		if (!i || vnpu_compact_has_class(dev, i))
			ret = vnpu_compact_make_run(dev, &run, held);
	}
	if (!ret)
		vnpu_compact_trim(dev, held->extents, req->count);
	return ret;
}

/* What is still missing, in as few runs as can be made. */
static int vnpu_compact_make_runs(struct vnpu_device *dev,
				  const struct vnpu_pages_req *req,
				  struct vnpu_pages *held)
{
	u32 missing = req->count - vnpu_pages_count(held);
	struct vnpu_compact_req run = {
		.pages = missing,
		.align_order = req->order,
	};
	u32 page = 1U << req->order;

	while (missing) {
		int ret = vnpu_compact_make_run(dev, &run, held);

		if (!ret) {
			missing -= run.pages;
			run.pages = min(run.pages, missing);
		} else if (ret == -ENOSPC && run.pages > page) {
			run.pages = round_down(run.pages / 2, page);
		} else {
			return ret;
		}
	}
	return 0;
}

static int vnpu_compact_account(struct vnpu_devmem *devmem,
				struct vnpu_usage *usage,
				struct vnpu_quota_state *refusal)
{
	struct vnpu_device *dev = usage->dev;
	int ret;

	mutex_lock(&dev->lock);
	ret = vnpu_devmem_account_locked(devmem, usage, refusal);
	if (!ret)
		dev->nr_compactions++;
	mutex_unlock(&dev->lock);
	return ret;
}

/**
 * vnpu_compact_for() - find the pages of an object by moving others
 * @devmem: the object, which has none
 * @req: what it wants: contiguous, or of a page class that is not the smallest
 * @usage: who pays
 * @refusal: filled if that one may not have so much
 *
 * Return: 0; -ENOSPC if there is not enough memory, or what is in the way
 * cannot be moved; -EDQUOT, -ENOMEM or -EINTR.
 */
int vnpu_compact_for(struct vnpu_devmem *devmem,
		     const struct vnpu_pages_req *req, struct vnpu_usage *usage,
		     struct vnpu_quota_state *refusal)
{
	struct vnpu_pages *held = &devmem->pages;
	struct vnpu_device *dev = usage->dev;
	int ret;

	ret = vnpu_pages_init(held, req->contiguous ? 1 :
			      max(req->count >> req->order, 1U));
	if (ret)
		return ret;
	if (mutex_lock_killable(&dev->compact_lock)) {
		vnpu_pages_fini(held);
		return -EINTR;
	}
	ret = vnpu_compact_take_free(usage, req, held, refusal);
	if (!ret && req->contiguous)
		ret = vnpu_compact_make_contiguous(dev, req, held);
	else if (!ret)
		ret = vnpu_compact_make_runs(dev, req, held);
	if (!ret)
		ret = vnpu_compact_account(devmem, usage, refusal);
	if (ret)
		vnpu_pages_give_back(dev, held);
	mutex_unlock(&dev->compact_lock);
	return ret;
}

/**
 * vnpu_compact_device() - make the longest run of free memory that can be made
 * @dev: the device
 *
 * Return: 0, -ENOMEM or -EINTR.
 */
int vnpu_compact_device(struct vnpu_device *dev)
{
	struct vnpu_compact_req req = { };
	struct vnpu_compact_block *blocks;
	int ret = 0;
	u64 moved;
	u32 nr;

	if (mutex_lock_killable(&dev->compact_lock))
		return -EINTR;
	/* Written by holders of the compact_lock alone. */
	moved = dev->moved;
	blocks = vnpu_snapshot_take(dev, NULL, VNPU_BUDDY_ORDER_4K, &nr);
	if (blocks) {
		req.pages = vnpu_compact_largest(dev->segs, dev->nr_segs,
						 blocks, nr, 0);
		kvfree(blocks);
		if (req.pages)
			ret = vnpu_compact_make_run(dev, &req, NULL);
	} else {
		ret = -ENOMEM;
	}
	mutex_lock(&dev->lock);
	if (!ret && dev->moved != moved)
		dev->nr_compactions++;
	mutex_unlock(&dev->lock);
	mutex_unlock(&dev->compact_lock);
	/* Pinned in the meantime: what could be done was done. */
	return ret == -ENOSPC ? 0 : ret;
}
