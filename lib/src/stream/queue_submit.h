/* SPDX-License-Identifier: MIT */
/*
 * Submission of tasks to a queue, inlined because each task needs it; see
 * queue.h.  The caller holds the lock of the queue.
 */
#ifndef VNPU_LIB_QUEUE_SUBMIT_H
#define VNPU_LIB_QUEUE_SUBMIT_H

#include <errno.h>

#include "queue.h"

/*
 * Check whether tasks up to @seq may be written, or wait until then.  Fails as
 * vnpu_queue_submit().
 */
int vnpu_queue_make_room(struct vnpu_queue *queue, uint64_t seq);

/* The tasks were stored, and have no number in the ring. */
#define VNPU_QUEUE_STORED	1

/*
 * Store tasks, as the stream has a lane: VNPU_QUEUE_STORED, or an error of
 * vnpu_lane_add().
 */
int vnpu_queue_capture(struct vnpu_queue *queue, const struct vnpu_task *tasks,
		       unsigned int count);

/* Handle a ring that is in error, or that no engine polls; as above. */
int vnpu_queue_look_at_state(struct vnpu_queue *queue, uint32_t state);

/* See vnpu_queue_submit(); VNPU_QUEUE_STORED if the stream has a lane. */
static inline int vnpu_queue_submit_locked(struct vnpu_queue *queue,
					   const struct vnpu_task *tasks,
					   unsigned int count)
{
	uint64_t last = atomic_load_explicit(&queue->last,
					     memory_order_relaxed);
	struct vnpu_task *slots;
	struct vnpu_ring *ring;
	uint64_t mask;
	uint32_t state;
	int ret;

	if (atomic_load_explicit(&queue->is_closed, memory_order_relaxed))
		return -ENOENT;
	if (__builtin_expect(last + count > queue->room, 0)) {
		/* A capture leaves no room. */
		if (atomic_load_explicit(&queue->lane, memory_order_relaxed))
			return vnpu_queue_capture(queue, tasks, count);
		ret = vnpu_queue_make_room(queue, last + count);
		if (ret)
			return ret;
	}

	ring = atomic_load_explicit(&queue->ring, memory_order_relaxed);
	slots = queue->slots;
	mask = queue->tasks - 1;
	while (count--)
		slots[last++ & mask] = *tasks++;
	__atomic_store_n(&ring->tail, last, __ATOMIC_RELEASE);
	atomic_store_explicit(&queue->last, last, memory_order_release);
	/*
	 * Order the store to the tail before the load of the state.  Pairs with
	 * smp_mb() in vnpu_engines_idle().
	 */
	atomic_thread_fence(memory_order_seq_cst);
	state = __atomic_load_n(&ring->state, __ATOMIC_RELAXED);
	return state & ~VNPU_RING_STOPPED ?
	       vnpu_queue_look_at_state(queue, state) : 0;
}

#endif /* VNPU_LIB_QUEUE_SUBMIT_H */
