// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences: how the rest of the kernel waits for a task of a stream.
 *
 * A fence is signalled when the task is complete. It has an error if this task
 * has failed, or one before it that was not complete when the fence was
 * created. It is also signalled when the stream ends, and after a time limit,
 * since any thread may wait for it, and nothing can make it stop.
 *
 * A fence can outlive all that it stood for, but not this module, as it calls
 * the module's code to the end. So it holds a reference to the module.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "account/host_account.h"
#include "base/client.h"
#include "base/device.h"
#include "compat.h"
#include "fence.h"
#include "stream.h"

static unsigned int fence_timeout_ms = 10000;
module_param(fence_timeout_ms, uint, 0644);
MODULE_PARM_DESC(fence_timeout_ms, "Milliseconds after which the driver signals a sync_file with an error if its task is not complete, 1 to 60000 (default: 10000)");

#define VNPU_FENCE_TIMEOUT_MS_MAX	60000U

/* The number of fences that are signalled without a pause. */
#define VNPU_FENCES_BATCH	64

static struct vnpu_fence *vnpu_fence_of(struct dma_fence *base)
{
	return container_of(base, struct vnpu_fence, base);
}

static const char *vnpu_fence_driver_name(struct dma_fence *base)
{
	return KBUILD_MODNAME;
}

static const char *vnpu_fence_timeline_name(struct dma_fence *base)
{
	return vnpu_fence_of(base)->name;
}

static void vnpu_fence_free(struct rcu_head *rcu)
{
	struct vnpu_fence *fence = container_of(rcu, struct vnpu_fence,
						base.rcu);

	vnpu_host_account_put(fence->host_account);
	kfree(fence);
	module_put(THIS_MODULE);
}

/*
 * Free a fence, which may still be accessed under RCU. A program that releases
 * one fence and makes another is not charged for both until a grace period is
 * over.
 */
static void vnpu_fence_release(struct dma_fence *base)
{
	vnpu_host_account_uncharge(vnpu_fence_of(base)->host_account,
				   VNPU_HOST_SYNC_FILES, 1);
	call_rcu(&base->rcu, vnpu_fence_free);
}

static const struct dma_fence_ops vnpu_fence_ops = {
	.get_driver_name = vnpu_fence_driver_name,
	.get_timeline_name = vnpu_fence_timeline_name,
	.release = vnpu_fence_release,
};

static void vnpu_fence_signal(struct vnpu_fence *fence, int error)
{
	unsigned long flags;

	spin_lock_irqsave(&fence->lock, flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->base.flags)) {
		if (error)
			dma_fence_set_error(&fence->base, error);
		dma_fence_signal_locked(&fence->base);
	}
	spin_unlock_irqrestore(&fence->lock, flags);
}

static enum hrtimer_restart vnpu_fence_expire(struct hrtimer *timer)
{
	struct vnpu_fence *fence = container_of(timer, struct vnpu_fence,
						expiry);

	vnpu_fence_signal(fence, -ETIMEDOUT);
	dma_fence_put(&fence->base);
	return HRTIMER_NORESTART;
}

/* The timer may be about to expire: then it drops its own reference. */
static void vnpu_fence_stop_timer(struct vnpu_fence *fence)
{
	if (hrtimer_try_to_cancel(&fence->expiry) > 0)
		dma_fence_put(&fence->base);
}

/*
 * The stream remembers the last task that failed or was cancelled, with those
 * right before it that also did. Before it remembers another, it wakes the
 * waiters for which none of these tasks is new. Many may have been cancelled
 * between the request for a fence and its creation.
 */
static int vnpu_fence_last_error(const struct vnpu_fence *fence)
{
	const struct vnpu_stream *stream = fence->stream;
	/*
	 * Order the load of the number before the loads of the members
	 * that were written before it. Pairs with smp_store_release() in
	 * vnpu_stream_fail().
	 */
	u64 last = smp_load_acquire(&stream->bad_seq);
	u64 first = min(READ_ONCE(stream->bad_first), last);

	return last > fence->start && first <= fence->waiter.value ?
	       READ_ONCE(stream->bad_error) : 0;
}

static int vnpu_fence_error(const struct vnpu_fence *fence)
{
	struct vnpu_timeline *timeline = &fence->stream->timeline;
	int error = vnpu_fence_last_error(fence);

	if (error)
		return error;
	if (vnpu_timeline_error(timeline))
		return -EIO;
	return vnpu_timeline_value(timeline) == U64_MAX ? -ECANCELED : 0;
}

/* The fence does not wait any more. */
static void vnpu_fence_finish_locked(struct vnpu_fence *fence, int error)
{
	lockdep_assert_held(&fence->stream->timeline.lock);
	list_del_init(&fence->link);
	vnpu_fence_signal(fence, error);
	vnpu_fence_stop_timer(fence);
	dma_fence_put(&fence->base);
}

static void vnpu_fence_wake(struct vnpu_waiter *waiter)
{
	struct vnpu_fence *fence = container_of(waiter, struct vnpu_fence,
						waiter);

	vnpu_fence_finish_locked(fence, vnpu_fence_error(fence));
}

static void vnpu_fence_wait(struct vnpu_fence *fence, u64 value)
{
	struct vnpu_stream *stream = fence->stream;
	struct vnpu_timeline *timeline = &stream->timeline;
	bool waits = vnpu_waiter_add(&fence->waiter, timeline, value,
				     vnpu_fence_wake);

	spin_lock(&timeline->lock);
	if (!waits)
		vnpu_fence_wake(&fence->waiter);
	else if (vnpu_waiter_waits_locked(&fence->waiter))
		list_add_tail(&fence->link, &stream->fences);
	spin_unlock(&timeline->lock);
}

static ktime_t vnpu_fence_timeout(void)
{
	return ms_to_ktime(clamp(READ_ONCE(fence_timeout_ms), 1U,
				 VNPU_FENCE_TIMEOUT_MS_MAX));
}

/**
 * vnpu_fence_create() - create a fence for a task
 * @client: the client that requests it
 * @stream: the stream of the task, with a reference of the caller's
 * @value: the number of the task, which has to be latched before the fence is
 *	visible, see exec/latch.h
 *
 * The time limit of the fence begins now.
 *
 * Return: the fence with one reference, or ERR_PTR of -EDQUOT or -ENOMEM.
 */
struct vnpu_fence *vnpu_fence_create(struct vnpu_client *client,
				     struct vnpu_stream *stream, u64 value)
{
	struct vnpu_timeline *timeline = &stream->timeline;
	struct vnpu_fence *fence;
	int ret;

	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_SYNC_FILES, 1);
	if (ret)
		return ERR_PTR(ret);
	fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!fence) {
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_SYNC_FILES,
					   1);
		return ERR_PTR(-ENOMEM);
	}
	vnpu_host_account_get(client->host_account);
	fence->host_account = client->host_account;
	/* The caller has a file of the module open. */
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	snprintf(fence->name, sizeof(fence->name), "vnpu%u-stream%u",
		 stream->dev->index, stream->number);
	dma_fence_init(&fence->base, &vnpu_fence_ops, &fence->lock,
		       stream->fence_context, value);
	INIT_LIST_HEAD(&fence->link);
	fence->stream = stream;
	fence->start = min(vnpu_timeline_value(timeline), value - 1);
	vnpu_hrtimer_setup(&fence->expiry, vnpu_fence_expire, CLOCK_MONOTONIC,
			   HRTIMER_MODE_REL_SOFT);

	dma_fence_get(&fence->base);
	hrtimer_start(&fence->expiry, vnpu_fence_timeout(),
		      HRTIMER_MODE_REL_SOFT);
	dma_fence_get(&fence->base);
	vnpu_fence_wait(fence, value);
	return fence;
}

/**
 * vnpu_fence_cancel() - destroy a fence that was not published
 * @fence: the fence; its reference is dropped
 */
void vnpu_fence_cancel(struct vnpu_fence *fence)
{
	struct vnpu_timeline *timeline = &fence->stream->timeline;

	spin_lock(&timeline->lock);
	if (vnpu_waiter_remove_locked(&fence->waiter, timeline))
		vnpu_fence_finish_locked(fence, -ECANCELED);
	spin_unlock(&timeline->lock);
	dma_fence_put(&fence->base);
}

/* Returns true if there are more. */
static bool vnpu_fences_end_some(struct vnpu_stream *stream)
{
	struct vnpu_timeline *timeline = &stream->timeline;
	struct vnpu_fence *fence;
	unsigned int i;
	int error;

	spin_lock(&timeline->lock);
	for (i = 0; i < VNPU_FENCES_BATCH; i++) {
		fence = list_first_entry_or_null(&stream->fences,
						 struct vnpu_fence, link);
		if (!fence)
			break;
		vnpu_waiter_remove_locked(&fence->waiter, timeline);
		error = vnpu_fence_last_error(fence);
		if (!error && vnpu_timeline_value(timeline) < fence->waiter.value)
			error = -ECANCELED;
		vnpu_fence_finish_locked(fence, error);
	}
	spin_unlock(&timeline->lock);
	return i == VNPU_FENCES_BATCH;
}

/**
 * vnpu_fences_end() - signal all fences for tasks of a stream
 * @stream: the stream, which ends: its tasks are not run any further
 *
 * A part of a task may still be in progress: the fence has an error for that.
 */
void vnpu_fences_end(struct vnpu_stream *stream)
{
	while (vnpu_fences_end_some(stream))
		cond_resched();
}

/**
 * vnpu_fences_fini() - wait for all calls of this code, when the module is
 * unloaded
 */
void vnpu_fences_fini(void)
{
	rcu_barrier();
}
