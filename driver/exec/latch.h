/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fence-eligible tasks: tasks that a dma_fence may represent.
 *
 * A thread may wait for a dma_fence under any lock, including in memory
 * reclaim. So the fence must be signalled in bounded time, without help from
 * such a thread. For a task this has three consequences.
 *
 * First, neither the task nor any earlier task of its stream may wait for an
 * event that may never happen. A task of another stream is such an event: the
 * driver does not examine that stream. It checks this once, when the task is
 * exported. To keep the result true, it latches these tasks: from then on,
 * engines run copies in kernel memory, and changes of the ring have no effect.
 *
 * Second, the execution of the task does not sleep for memory. The engine
 * allocates nothing, and takes no mutex. It takes vnpu_client.map_lock, under
 * which no thread allocates, instead of vnpu_client.lock, under which page
 * faults allocate page tables. It accesses memory through kernel addresses of
 * pages that are allocated or pinned for as long as they are bound, so there
 * are no faults and no use of mmap_lock. During the access it holds map_lock
 * instead of a reference, so the thread that unbinds the memory is the one that
 * frees it. vnpu_task_run() has lockdep check all this.
 *
 * Third, the engine refuses memory for which another driver decides when it can
 * be used.
 *
 * The task may still fail, because the bindings at the time of its execution
 * count. All remaining delays are covered by the time limit of the fence. The
 * engine retries a task while compaction, which may have to allocate, moves its
 * memory, and while another thread changes the client's bindings. Engines are
 * also shared with other clients. Their tasks never make an engine wait for
 * another driver either (foreign.c).
 */
#ifndef VNPU_LATCH_H
#define VNPU_LATCH_H

#include <linux/types.h>

struct vnpu_stream;

int vnpu_stream_latch(struct vnpu_stream *stream, u64 value);

#endif
