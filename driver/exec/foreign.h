/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that use memory of other drivers through dma-bufs, see foreign.c. */
#ifndef VNPU_FOREIGN_H
#define VNPU_FOREIGN_H

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "base/client.h"

struct task_struct;
struct vnpu_mem;
struct vnpu_stream;

/* The maximum per task: a reduction of four arrays into a fifth. */
#define VNPU_FOREIGN_MAX	5

/**
 * struct vnpu_foreign_task - accesses to dma-bufs by the current task of a
 * stream
 * @begun: memory with an access in progress, each with a reference, or NULL.
 *	This and all fields up to @cb belong to the engine or thread that has
 *	the stream.
 * @next: index of the entry in @begun that the next access replaces
 * @wanted: memory that the task needs access to, with a reference, or NULL
 * @va: device address at which the task needs @wanted
 * @error: -errno of the failed access to @wanted, or 0
 * @fence: fence that the stream is parked for, with a reference, or NULL
 * @cb: callback in @fence
 * @link: entry in vnpu_foreign.queue or .parked; empty while the thread handles
 *	the stream
 * @is_parked: true if @link is in vnpu_foreign.parked
 * @is_recalled: true if the thread must give the stream back without an access
 */
struct vnpu_foreign_task {
	struct vnpu_mem *begun[VNPU_FOREIGN_MAX];
	u32 next;
	struct vnpu_mem *wanted;
	u64 va;
	int error;
	struct dma_fence *fence;
	struct dma_fence_cb cb;

	struct list_head link;
	bool is_parked;
	bool is_recalled;
};

void vnpu_foreign_init(struct vnpu_foreign *foreign);
void vnpu_foreign_stop(struct vnpu_foreign *foreign);
void vnpu_foreign_fini(struct vnpu_foreign *foreign);

bool vnpu_foreign_has(const struct vnpu_stream *stream,
		      const struct vnpu_mem *mem);
bool vnpu_foreign_has_any(const struct vnpu_stream *stream);
void vnpu_foreign_want(struct vnpu_stream *stream, struct vnpu_mem *mem, u64 va);
void vnpu_foreign_end_all(struct vnpu_stream *stream);

#endif
