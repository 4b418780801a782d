// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timelines that stand for fences: at 0, and at 1 when the fence is signalled.
 *
 * A fence may be signalled in any context, while only threads change a
 * timeline: so a work item does it. Fences of this driver may depend on such a
 * timeline, hence a work queue with a rescuer.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>

#include "fence_import.h"
#include "timeline.h"

static struct workqueue_struct *vnpu_fence_wq;

/**
 * struct vnpu_fence_timeline - a timeline that stands for a fence
 * @timeline: the timeline
 * @fence: the fence, with a reference; constant
 * @cb: in the fence, with a reference to the timeline, until it is called or
 *	the timeline has no holder any more
 * @work: queued by @cb; takes over its reference
 */
struct vnpu_fence_timeline {
	struct vnpu_timeline timeline;
	struct dma_fence *fence;
	struct dma_fence_cb cb;
	struct work_struct work;
};

static struct vnpu_fence_timeline *
vnpu_fence_timeline_of(struct vnpu_timeline *timeline)
{
	return container_of(timeline, struct vnpu_fence_timeline, timeline);
}

static void vnpu_fence_timeline_release(struct vnpu_timeline *timeline)
{
	struct vnpu_fence_timeline *ft = vnpu_fence_timeline_of(timeline);

	dma_fence_put(ft->fence);
	kfree_rcu(ft, timeline.rcu);
}

static void vnpu_fence_timeline_unheld(struct vnpu_timeline *timeline)
{
	struct vnpu_fence_timeline *ft = vnpu_fence_timeline_of(timeline);

	if (dma_fence_remove_callback(ft->fence, &ft->cb))
		vnpu_timeline_put(timeline);
}

/* The reason of an error is known to the fence's driver only. */
static void vnpu_fence_timeline_advance(struct vnpu_fence_timeline *ft)
{
	int status = dma_fence_get_status(ft->fence);

	vnpu_timeline_reach(&ft->timeline, 1, status < 0 ? -EIO : 0);
}

static void vnpu_fence_timeline_work(struct work_struct *work)
{
	struct vnpu_fence_timeline *ft =
		container_of(work, struct vnpu_fence_timeline, work);
	bool cookie = dma_fence_begin_signalling();

	vnpu_fence_timeline_advance(ft);
	dma_fence_end_signalling(cookie);
	vnpu_timeline_put(&ft->timeline);
}

static void vnpu_fence_timeline_signalled(struct dma_fence *fence,
					  struct dma_fence_cb *cb)
{
	struct vnpu_fence_timeline *ft =
		container_of(cb, struct vnpu_fence_timeline, cb);

	queue_work(vnpu_fence_wq, &ft->work);
}

/**
 * vnpu_fence_import() - create a timeline that stands for a fence
 * @fence: the fence; the timeline takes a reference of its own
 *
 * Return: the timeline, held and with a reference, or ERR_PTR(-ENOMEM).
 */
struct vnpu_timeline *vnpu_fence_import(struct dma_fence *fence)
{
	struct vnpu_fence_timeline *ft;

	ft = kzalloc(sizeof(*ft), GFP_KERNEL_ACCOUNT);
	if (!ft)
		return ERR_PTR(-ENOMEM);
	vnpu_timeline_init(&ft->timeline, VNPU_TIMELINE_KIND_FENCE,
			   vnpu_fence_timeline_release);
	ft->timeline.unheld = vnpu_fence_timeline_unheld;
	ft->fence = dma_fence_get(fence);
	INIT_WORK(&ft->work, vnpu_fence_timeline_work);

	vnpu_timeline_hold(&ft->timeline);
	vnpu_timeline_get(&ft->timeline);
	if (dma_fence_add_callback(fence, &ft->cb,
				   vnpu_fence_timeline_signalled)) {
		vnpu_fence_timeline_advance(ft);
		vnpu_timeline_put(&ft->timeline);
	}
	return &ft->timeline;
}

/**
 * vnpu_fence_import_init() - create the work queue
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_fence_import_init(void)
{
	vnpu_fence_wq = alloc_workqueue("vnpu-fence",
					WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return vnpu_fence_wq ? 0 : -ENOMEM;
}

/**
 * vnpu_fence_import_fini() - destroy the work queue, when no timeline is held
 */
void vnpu_fence_import_fini(void)
{
	destroy_workqueue(vnpu_fence_wq);
}
