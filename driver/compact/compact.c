// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction: make a run of free memory by moving the objects in its way.
 *
 * A binding refers to a memory object and an offset in it, so the object's
 * pages can move without a change of any binding. But no user may access the
 * old pages during a move. So an object is moved only while it is not pinned,
 * new users wait for the end of the move (vnpu_mem_begin_move()), and the
 * pages are removed from the mappings of the host first; the next access faults
 * them in again.
 *
 * The plan is made from a snapshot, without the lock, and other allocations may
 * invalidate it. The migration notices this, and a few more plans are made.
 * The same applies if something in the way is in use at that moment.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <linux/vnpu.h>
#include <linux/vnpu_netlink.h>

#include "account/account.h"
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "core/compact.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "compact.h"
#include "migrate.h"
#include "snapshot.h"
#include "trace_mem.h"

/* Maximum number of plans for one run. */
#define VNPU_COMPACT_TRIES	4

/*
 * Pause in us between attempts if something in the way is in use, at first and
 * at last. It doubles each time, which adds up to 6 to 13 ms. Something may
 * stay in use forever, while other tasks wait for the compact_lock. So there
 * are fewer attempts if planning takes long.
 */
#define VNPU_COMPACT_PAUSE	50
#define VNPU_COMPACT_PAUSE_MAX	3200
#define VNPU_COMPACT_PATIENCE	(100 * NSEC_PER_MSEC)

static u32 vnpu_compact_count_blocks(const struct vnpu_compact_block *blocks,
				     u32 nr, struct vnpu_extent window)
{
	u32 count = 0, i;

	for (i = 0; i < nr; i++) {
		cond_resched();
		if (vnpu_extent_intersect(blocks[i].ext, window).count)
			count++;
	}
	return count;
}

/* Begin a compaction for @length bytes. The lock protects all its counters. */
static int vnpu_compaction_begin(struct vnpu_compaction *c, u64 length,
				 unsigned int page_shift)
{
	struct vnpu_device *dev = c->dev;

	if (mutex_lock_killable(&dev->compact_lock))
		return -EINTR;
	c->moved = dev->moved;
	c->nr_moves = dev->nr_moves;
	c->pause = VNPU_COMPACT_PAUSE;
	c->ns = ktime_get_ns();
	trace_vnpu_compact_begin(dev, c->client, length, page_shift);
	return 0;
}

/* End a compaction. For a client, report it only if it has moved something. */
static void vnpu_compaction_end(struct vnpu_compaction *c, int result)
{
	struct vnpu_device *dev = c->dev;

	c->moved = dev->moved - c->moved;
	c->nr_moves = dev->nr_moves - c->nr_moves;
	c->ns = ktime_get_ns() - c->ns;
	c->result = result;
	trace_vnpu_compact_end(dev, c->client, c->moved, result);
	mutex_unlock(&dev->compact_lock);
	if (c->moved || !c->client)
		vnpu_event_send_compact(c);
}

/* Make a plan, and allocate what is needed to execute it. */
static int vnpu_compact_plan_run(struct vnpu_device *dev,
				 const struct vnpu_compact_req *req,
				 unsigned int order,
				 const struct vnpu_pages *held,
				 struct vnpu_migration *e, bool *in_use)
{
	struct vnpu_compact_block *blocks;
	struct vnpu_compact_plan plan;
	u32 nr;
	int ret;

	blocks = vnpu_snapshot_take(dev, held, order, &nr, in_use,
				    e->runs ? &e->runs : NULL);
	if (!blocks)
		return -ENOMEM;
	ret = vnpu_compact_plan(dev->segs, dev->nr_segs, blocks, nr, req, &plan);
	if (ret)
		goto out;
	ret = vnpu_migration_init(e, &plan, order,
				  vnpu_compact_count_blocks(blocks, nr,
							    plan.window));
	if (ret)
		goto out;
	ret = vnpu_compact_choose(dev->segs, dev->nr_segs, blocks, nr,
				  req->large_order, &plan, e->targets);
	if (ret)
		vnpu_migration_fini(e);
out:
	kvfree(blocks);
	return ret;
}

/*
 * Make a run of free memory, and add it to @held if that is not NULL. Pages of
 * classes above @order are not moved. Return -EBUSY if it may only be
 * impossible at this moment, because something in the way is in use.
 *
 * The first plans assume that there is a free run for each contiguous object in
 * the way, which is nearly always true. If there is none, or if these plans are
 * invalidated, the other plans do not move contiguous objects.
 */
static int vnpu_compact_make_run(struct vnpu_device *dev,
				 const struct vnpu_compact_req *req,
				 unsigned int order, struct vnpu_pages *held)
{
	unsigned int tries;
	bool runs = true;
	int ret;

	for (tries = 0; tries < VNPU_COMPACT_TRIES; tries++) {
		struct vnpu_migration e = { .dev = dev, .runs = runs };
		bool in_use;

		ret = vnpu_compact_plan_run(dev, req, order, held, &e, &in_use);
		if (ret == -ENOSPC && in_use)
			return -EBUSY;
		if (ret)
			return ret;
		ret = vnpu_migrate(&e, held);
		vnpu_migration_fini(&e);
		if (ret != -EAGAIN && !(ret == -ENOSPC && e.runs))
			return ret;
		runs = ret == -EAGAIN && tries + 1 < VNPU_COMPACT_TRIES / 2;
	}
	return -EBUSY;
}

static bool vnpu_compact_pause(struct vnpu_compaction *c)
{
	if (c->pause > VNPU_COMPACT_PAUSE_MAX ||
	    ktime_get_ns() - c->ns > VNPU_COMPACT_PATIENCE)
		return false;
	usleep_range(c->pause, 2 * c->pause);
	c->pause *= 2;
	return true;
}

/*
 * Make a run, and retry while something in the way is in use. Most uses are
 * short, such as those of a fault.
 */
static int vnpu_compact_wait_for_run(struct vnpu_compaction *c,
				     const struct vnpu_compact_req *req,
				     unsigned int order,
				     struct vnpu_pages *held)
{
	int ret;

	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = vnpu_compact_make_run(c->dev, req, order, held);
	} while (ret == -EBUSY && vnpu_compact_pause(c));
	return ret == -EBUSY ? -ENOSPC : ret;
}

/*
 * Allocate a batch of free pages of the class; true if no more is needed or
 * free.
 */
static bool vnpu_compact_take_some_locked(struct vnpu_device *dev,
					  const struct vnpu_pages_req *req,
					  struct vnpu_pages *held)
{
	struct vnpu_allocator_req next = {
		.pages = req->count - vnpu_pages_count(held),
		.granule_order = req->order,
	};
	struct vnpu_extent ext;
	unsigned int i;

	lockdep_assert_held(&dev->lock);
	for (i = 0; next.pages && !vnpu_pages_is_batch_over(dev, i); i++) {
		if (vnpu_allocator_alloc(dev->allocator, &next, &ext))
			return true;
		vnpu_pages_add(dev, held, ext);
		next.pages -= ext.count;
	}
	return !next.pages;
}

/*
 * Reserve memory for a request, and allocate the free pages of its class, which
 * need not be made. Check the quotas first, so that nothing is moved for a
 * client that may not have the memory.
 */
static int vnpu_compact_take_free(struct vnpu_account *account,
				  const struct vnpu_pages_req *req,
				  struct vnpu_pages *held,
				  struct vnpu_quota_state *refusal)
{
	struct vnpu_device *dev = account->dev;
	bool all = req->contiguous;
	int ret;

	spin_lock(&dev->lock);
	ret = vnpu_quota_check_locked(account, VNPU_QUOTA_RESOURCE_MEMORY,
				      (u64)req->count << VNPU_PAGE_SHIFT,
				      refusal);
	if (!ret && vnpu_pages_spare_locked(dev) < req->count)
		ret = -ENOSPC;
	/* Reserve the memory, so that other allocations are not promised it. */
	if (!ret)
		dev->reserved += req->count;
	spin_unlock(&dev->lock);
	while (!ret && !all) {
		spin_lock(&dev->lock);
		all = vnpu_compact_take_some_locked(dev, req, held);
		spin_unlock(&dev->lock);
		cond_resched();
	}
	return ret;
}

/* Free the end of a run that is longer than requested. */
static void vnpu_compact_trim(struct vnpu_device *dev, struct vnpu_extent *run,
			      u32 count)
{
	struct vnpu_extent rest = { run->start + count, run->count - count };

	if (!rest.count)
		return;
	run->count = count;
	spin_lock(&dev->lock);
	vnpu_pages_free_locked(dev, rest, false);
	spin_unlock(&dev->lock);
}

/* Check if pages of the largest class (1 GiB) are allocated. */
static bool vnpu_compact_has_1g(struct vnpu_device *dev)
{
	bool has;

	spin_lock(&dev->lock);
	has = dev->class_pages[VNPU_PAGE_CLASSES - 1];
	spin_unlock(&dev->lock);
	return has;
}

/*
 * Make a contiguous run. A page of 1 GiB can only move to a free page of 1 GiB.
 * If such pages are in the way everywhere, try a window of whole 1 GiB pages.
 */
static int vnpu_compact_make_contiguous(struct vnpu_compaction *c,
					const struct vnpu_pages_req *req,
					struct vnpu_pages *held)
{
	struct vnpu_compact_req run = {
		.pages = req->count,
		.align_order = max_t(u8, req->align_order, req->order),
		.large_order = VNPU_PAGE_ORDER_2M,
	};
	int ret;

	ret = vnpu_compact_wait_for_run(c, &run, VNPU_PAGE_ORDER_2M, held);
	if (ret == -ENOSPC && vnpu_compact_has_1g(c->dev)) {
		run.pages = round_up(req->count, 1U << VNPU_PAGE_ORDER_1G);
		run.align_order = max_t(u8, run.align_order,
					VNPU_PAGE_ORDER_1G);
		ret = vnpu_compact_wait_for_run(c, &run, VNPU_PAGE_ORDER_1G,
						held);
	}
	if (!ret)
		vnpu_compact_trim(c->dev, &held->one, req->count);
	return ret;
}

/*
 * Make the missing pages, in as few runs as possible. Moving another page of
 * the class gains nothing.
 */
static int vnpu_compact_make_runs(struct vnpu_compaction *c,
				  const struct vnpu_pages_req *req,
				  struct vnpu_pages *held)
{
	u32 missing = req->count - vnpu_pages_count(held);
	struct vnpu_compact_req run = {
		.pages = missing,
		.align_order = req->order,
		.large_order = VNPU_PAGE_ORDER_2M,
	};
	u32 page = 1U << req->order;

	while (missing) {
		bool is_least = run.pages <= page;
		int ret;

		if (is_least)
			ret = vnpu_compact_wait_for_run(c, &run, req->order - 1,
							held);
		else
			ret = vnpu_compact_make_run(c->dev, &run,
						    req->order - 1, held);
		if (!ret) {
			missing -= run.pages;
			run.pages = min(run.pages, missing);
		} else if ((ret == -ENOSPC || ret == -EBUSY) && !is_least) {
			run.pages = round_down(run.pages / 2, page);
		} else {
			return ret;
		}
	}
	return 0;
}

/* End the reservation and charge the object; @ret is the result so far. */
static int vnpu_compact_account(struct vnpu_devmem *devmem,
				const struct vnpu_pages_req *req,
				struct vnpu_account *account,
				struct vnpu_quota_state *refusal, int ret)
{
	struct vnpu_device *dev = account->dev;

	spin_lock(&dev->lock);
	dev->reserved -= req->count;
	if (!ret)
		ret = vnpu_devmem_account_locked(devmem, account, refusal);
	if (!ret)
		dev->nr_compactions++;
	spin_unlock(&dev->lock);
	return ret;
}

/**
 * vnpu_compact_for() - allocate the pages of an object by moving other objects
 * @devmem: the object, which has no pages
 * @req: the request: contiguous, or of a class above the smallest
 * @account: the account to charge
 * @refusal: filled if a quota of the account refuses the allocation
 *
 * Return: 0; -ENOSPC if there is not enough memory, or what is in the way
 * cannot be moved, or is used for longer than this waits; -ENODEV if the device
 * is gone when the pages are charged; -EDQUOT, -ENOMEM or -EINTR.
 */
int vnpu_compact_for(struct vnpu_devmem *devmem,
		     const struct vnpu_pages_req *req, struct vnpu_account *account,
		     struct vnpu_quota_state *refusal)
{
	struct vnpu_pages *held = &devmem->pages;
	struct vnpu_device *dev = account->dev;
	struct vnpu_compaction compaction = {
		.dev = dev,
		.client = account->client->id,
	};
	int ret;

	ret = vnpu_pages_init(held, req->contiguous ? 1 :
			      max(req->count >> req->order, 1U));
	if (ret)
		return ret;
	ret = vnpu_compaction_begin(&compaction, devmem->mem.length,
				    devmem->mem.page_shift);
	if (ret) {
		vnpu_pages_fini(held);
		return ret;
	}
	ret = vnpu_compact_take_free(account, req, held, refusal);
	if (!ret) {
		ret = req->contiguous ?
		      vnpu_compact_make_contiguous(&compaction, req, held) :
		      vnpu_compact_make_runs(&compaction, req, held);
		ret = vnpu_compact_account(devmem, req, account, refusal, ret);
	}
	if (ret)
		vnpu_pages_give_back(dev, held);
	vnpu_compaction_end(&compaction, ret);
	return ret;
}

/* Find the length of the longest run for which there is a plan. */
static int vnpu_compact_find_longest(struct vnpu_device *dev, bool *runs,
				     u32 *pages)
{
	struct vnpu_compact_block *blocks;
	u32 nr;

	blocks = vnpu_snapshot_take(dev, NULL, VNPU_PAGE_ORDER_2M, &nr, NULL,
				    runs);
	if (!blocks)
		return -ENOMEM;
	*pages = vnpu_compact_largest(dev->segs, dev->nr_segs, blocks, nr, 0,
				      VNPU_PAGE_ORDER_2M);
	kvfree(blocks);
	return 0;
}

/*
 * Make the longest run. A plan that moves contiguous objects assumes a free run
 * for each of them. If there are too few, it moves none of these objects; then
 * try shorter runs, down to the one that leaves these objects in place.
 */
static int vnpu_compact_make_longest(struct vnpu_compaction *c)
{
	struct vnpu_compact_req req = { .large_order = VNPU_PAGE_ORDER_2M };
	u32 least, most;
	bool runs;
	int ret;

	ret = vnpu_compact_find_longest(c->dev, NULL, &least);
	if (!ret)
		ret = vnpu_compact_find_longest(c->dev, &runs, &most);
	if (ret)
		return ret;
	while (most > least) {
		req.pages = most;
		ret = vnpu_compact_wait_for_run(c, &req, VNPU_PAGE_ORDER_2M,
						NULL);
		if (ret != -ENOSPC)
			return ret;
		if (ktime_get_ns() - c->ns > VNPU_COMPACT_PATIENCE)
			break;
		most = least + (most - least) / 2;
	}
	req.pages = least;
	return least ? vnpu_compact_wait_for_run(c, &req, VNPU_PAGE_ORDER_2M,
						 NULL) : 0;
}

/**
 * vnpu_compact_device() - make the longest possible run of free memory
 * @dev: the device
 *
 * Return: 0, even if the run could not be completed; -ENOMEM if nothing was
 * moved for lack of host memory; or -EINTR.
 */
int vnpu_compact_device(struct vnpu_device *dev)
{
	struct vnpu_compaction compaction = { .dev = dev };
	int ret;

	ret = vnpu_compaction_begin(&compaction, 0, VNPU_PAGE_SHIFT);
	if (ret)
		return ret;
	ret = vnpu_compact_make_longest(&compaction);
	spin_lock(&dev->lock);
	if (!ret && dev->moved != compaction.moved)
		dev->nr_compactions++;
	spin_unlock(&dev->lock);
	vnpu_compaction_end(&compaction, ret);
	/*
	 * Pinned objects stay, and so do those for which planning lacks memory.
	 */
	if (ret == -ENOSPC || (ret == -ENOMEM && compaction.moved))
		return 0;
	return ret;
}
