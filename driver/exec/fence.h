/* SPDX-License-Identifier: GPL-2.0-only */
/* Fences of the kernel that stand for tasks of streams. */
#ifndef VNPU_FENCE_H
#define VNPU_FENCE_H

#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>

#include "sync/timeline.h"

struct vnpu_client;
struct vnpu_stream;
struct vnpu_host_account;

/**
 * struct vnpu_fence - a fence for a task
 * @base: the fence. One reference belongs to those that wait for the task, one
 *	to the timer as long as there is something to wait for.
 * @lock: the lock of @base
 * @host_account: the account that it is charged to, with a reference; constant
 * @stream: the stream of the task; valid while @waiter waits
 * @start: the number of the last task that was complete at the creation
 * @waiter: waits for the task
 * @link: in vnpu_stream.fences while it does, under the timeline's lock
 * @expiry: signals the fence at its time limit
 * @name: the name of the stream, for other drivers
 */
struct vnpu_fence {
	struct dma_fence base;
	spinlock_t lock;
	struct vnpu_host_account *host_account;
	struct vnpu_stream *stream;
	u64 start;
	struct vnpu_waiter waiter;
	struct list_head link;
	struct hrtimer expiry;
	char name[24];
};

struct vnpu_fence *vnpu_fence_create(struct vnpu_client *client,
				     struct vnpu_stream *stream, u64 value);
void vnpu_fence_cancel(struct vnpu_fence *fence);
void vnpu_fences_end(struct vnpu_stream *stream);
void vnpu_fences_fini(void);

#endif
