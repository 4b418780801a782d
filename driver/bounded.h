/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that a dma_fence may stand for.
 *
 * Who waits for a dma_fence may hold whatever lock, and may be the kernel in
 * search of memory. So what is waited for has to be over in bounded time, by
 * itself. For a task this means three things.
 *
 * It waits for nothing that others may never do: neither itself, nor any task
 * before it, nor what these wait for. This is looked at once, when it is
 * exported; so that it stays true, these tasks are taken in: the kernel runs
 * copies of its own, whatever is written to the ring.
 *
 * Its execution does not sleep for memory. The engine that runs it allocates
 * nothing; it comes by vnpu_client.map_lock, under which nobody allocates, and not
 * vnpu_client.lock, which faults hold while they allocate page tables; of mutexes
 * it takes none. It touches memory by addresses of the kernel, of pages that
 * are allocated, or pinned, for as long as they are bound, so that there is no
 * fault, and no use of mmap_lock. It holds that lock rather than a reference
 * while it does: memory that is unbound meanwhile is freed by who unbinds it.
 * And it refuses memory of which other drivers say when it can be used.
 * vnpu_task_run() has lockdep watch all this.
 *
 * Whether it succeeds is another question: bindings count as they are when it is
 * run. A fence has a time limit for all the rest. A task comes back until a
 * compaction that moves its memory is over, which may have to allocate, and while
 * its client's bindings are changed, as often as it takes; and engines are shared.
 * What they run for others never waits for another driver either, see foreign.c.
 */
#ifndef VNPU_BOUNDED_H
#define VNPU_BOUNDED_H

#include <linux/types.h>

struct vnpu_stream;

int vnpu_bounded_take_in(struct vnpu_stream *stream, u64 value);

#endif
