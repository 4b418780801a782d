// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fit check: whether an allocation would succeed, now or after compaction.
 *
 * The check runs the compaction planner on a snapshot and moves nothing. The
 * result may be out of date as soon as another allocation is made.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "base/device.h"
#include "compact/snapshot.h"
#include "core/compact.h"
#include "mem/pages.h"
#include "fit.h"

static void vnpu_fit_plan(struct vnpu_device *dev,
			  const struct vnpu_pages_req *req,
			  const struct vnpu_compact_block *blocks, u32 nr,
			  struct vnpu_fit *fit)
{
	const struct vnpu_compact_req run = {
		.pages = req->count,
		.align_order = max(req->order, req->align_order),
		.large_order = VNPU_PAGE_ORDER_2M,
	};
	struct vnpu_compact_plan plan;
	u32 largest;

	if (!req->contiguous) {
		largest = vnpu_compact_scattered(dev->segs, dev->nr_segs,
						 blocks, nr, req->order,
						 run.large_order);
		fit->fits_compacted |= req->count <= largest;
	} else {
		largest = vnpu_compact_largest(dev->segs, dev->nr_segs, blocks,
					       nr, req->order,
					       run.large_order);
		largest = round_down(largest, 1U << req->order);
		if (!fit->fits && !vnpu_compact_plan(dev->segs, dev->nr_segs,
						     blocks, nr, &run, &plan)) {
			fit->fits_compacted = true;
			fit->moved = plan.moved;
		}
	}
	fit->largest_compacted = max(fit->largest, largest);
}

/**
 * vnpu_fit_check() - check if an allocation would succeed
 * @dev: the device
 * @req: what is wanted
 * @moves_runs: contiguous objects move, too, as the first plans of a compaction
 *	have it: they count on a free run for each of them. The answer may
 *	promise too much where there are few long ones. Otherwise these objects
 *	stay.
 * @fit: the answer
 *
 * The caller holds the oom_lock or the look_lock, see vnpu_snapshot_take().
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_fit_check(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		   bool moves_runs, struct vnpu_fit *fit)
{
	struct vnpu_compact_block *blocks;
	unsigned int movable;
	bool has_runs;
	u32 nr;

	*fit = (struct vnpu_fit){ };
	spin_lock(&dev->lock);
	fit->largest = req->contiguous ?
		       vnpu_allocator_largest(dev->allocator, req->order) :
		       vnpu_allocator_free_pages(dev->allocator, req->order);
	fit->largest = vnpu_pages_limit_locked(dev, fit->largest, req->order);
	spin_unlock(&dev->lock);
	fit->fits = req->count <= fit->largest;
	fit->fits_compacted = fit->fits;

	/*
	 * As in compaction: moving a page of the requested class gains nothing.
	 */
	if (req->contiguous)
		movable = VNPU_PAGE_ORDER_2M;
	else
		movable = req->order ? req->order - 1 : 0;
	blocks = vnpu_snapshot_take(dev, NULL, movable, &nr, NULL,
				    moves_runs ? &has_runs : NULL);
	if (!blocks)
		return -ENOMEM;
	vnpu_fit_plan(dev, req, blocks, nr, fit);
	kvfree(blocks);
	return 0;
}
