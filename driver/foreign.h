/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that use memory of other drivers, see foreign.c. */
#ifndef VNPU_FOREIGN_H
#define VNPU_FOREIGN_H

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct task_struct;
struct vnpu_mem;
struct vnpu_stream;

/* An indirect copy reads three values before it knows what it copies. */
#define VNPU_FOREIGN_MAX	3

/**
 * struct vnpu_foreign - the thread of a client that asks other drivers
 * @start_lock: protects the making of @thread
 * @thread: from the first import of the client to its end, else NULL
 * @wait: where the thread waits for streams
 * @lock: protects what follows, and vnpu_foreign_task.link and the two flags
 *	after it. Taken by callbacks of fences, with interrupts disabled; inside
 *	vnpu_engines.lock and the lock of a fence, and innermost but for signals.
 * @queue: streams that the thread is to look at, vnpu_foreign_task.link
 * @parked: streams that wait for a fence, likewise
 * @is_asking: the thread begins an access, and a signal ends its wait
 */
struct vnpu_foreign {
	struct mutex start_lock;
	struct task_struct *thread;
	wait_queue_head_t wait;

	spinlock_t lock;
	struct list_head queue;
	struct list_head parked;
	bool is_asking;
};

/**
 * struct vnpu_foreign_task - what a stream's task has of other drivers' memory
 * @begun: memory of which an access has begun, each with a reference, or NULL.
 *	This and what follows belongs to the engine or thread that has the
 *	stream.
 * @next: which of @begun the next access takes the place of
 * @wanted: memory that the task needs an access of, with a reference, or NULL
 * @va: the device address at which it does
 * @error: why that could not be had, -errno, or 0
 * @is_over: the accesses are to be ended, and then @result counts
 * @result: what the task has come to, as vnpu_task_run() says
 * @fence: what the stream is parked for, with a reference, or NULL
 * @cb: in @fence
 * @link: in vnpu_foreign.queue or .parked; empty while the thread is at it
 * @is_parked: in the latter
 * @is_recalled: the thread is to give the stream back without an access
 */
struct vnpu_foreign_task {
	struct vnpu_mem *begun[VNPU_FOREIGN_MAX];
	u32 next;
	struct vnpu_mem *wanted;
	u64 va;
	int error;
	bool is_over;
	int result;
	struct dma_fence *fence;
	struct dma_fence_cb cb;

	struct list_head link;
	bool is_parked;
	bool is_recalled;
};

void vnpu_foreign_init(struct vnpu_foreign *foreign);
int vnpu_foreign_start(struct vnpu_foreign *foreign);
void vnpu_foreign_stop(struct vnpu_foreign *foreign);
void vnpu_foreign_fini(struct vnpu_foreign *foreign);

bool vnpu_foreign_has(const struct vnpu_stream *stream,
		      const struct vnpu_mem *mem);
bool vnpu_foreign_has_any(const struct vnpu_stream *stream);
void vnpu_foreign_want(struct vnpu_stream *stream, struct vnpu_mem *mem, u64 va);
void vnpu_foreign_end_all(struct vnpu_stream *stream);

#endif
