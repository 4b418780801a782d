/* SPDX-License-Identifier: MIT */
/*
 * Queues: the user's end of a stream's ring.
 *
 * Any number of threads may use a queue.  A thread holds the queue's lock while
 * it submits tasks, so tasks run in the order in which the lock was taken.  A
 * submission calls the kernel only to map the ring for the first task, if the
 * ring is full, and if no engine polls it.  The lock is that of the slot of the
 * stream's handle, so it is taken once for the look-up and the submission.
 */
#ifndef VNPU_LIB_QUEUE_H
#define VNPU_LIB_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/vnpu_task.h>

#include "base/lock.h"

/* Maximum number of tasks in one submission. */
#define VNPU_QUEUE_BATCH	1024

struct vnpu_io_new_stream;
struct vnpu_lane;
struct vnpu_queue;

/*
 * Called with the queue's lock held, before slots are reused.  Tasks up to
 * @done are complete, although the ring may report this a moment later.
 * Returns the number of this task or of a later one: failure records of tasks
 * up to it are not needed any more.
 */
typedef uint64_t (*vnpu_queue_reuse_fn)(struct vnpu_queue *queue,
					uint64_t done);

struct vnpu_queue {
	struct vnpu_lock *lock;		/* constant */
	uint64_t id;			/* of the stream and its timeline */
	vnpu_queue_reuse_fn reuse;	/* constant */
	uint64_t map_offset;		/* of the ring; constant */
	uint64_t map_size;		/* constant */
	uint64_t room;			/* tasks up to this number may be
					 * written; under the lock */
	_Atomic(struct vnpu_lane *) lane;	/* stores tasks during a capture,
					 * see capture.h; else NULL */
	/* These four are constant once the ring is mapped. */
	struct vnpu_task *slots;	/* in the ring */
	uint64_t tasks;			/* number of slots, a power of two */
	struct vnpu_task_failure *failures;	/* in the ring */
	uint64_t records;		/* number of failure records, likewise */
	_Atomic(struct vnpu_ring *) ring;	/* written under the lock */
	_Atomic uint64_t last;		/* written under the lock */
	atomic_bool is_closed;
	atomic_bool is_gone;		/* all tasks count as complete */
};

/* Initialise the queue of a new stream; the first task maps the ring. */
void vnpu_queue_init(struct vnpu_queue *queue, struct vnpu_lock *lock,
		     const struct vnpu_io_new_stream *stream,
		     vnpu_queue_reuse_fn reuse);

/*
 * Destroy the stream, which cancels its remaining tasks.  Threads that wait for
 * these tasks are woken.  Submissions that wait for room, and all later ones,
 * fail with -ENOENT.
 */
void vnpu_queue_close(struct vnpu_queue *queue);

/* Free a closed queue that no thread uses any more. */
void vnpu_queue_fini(struct vnpu_queue *queue);

/**
 * vnpu_queue_submit() - append tasks
 * @queue: the queue
 * @tasks: the tasks, which no other thread's tasks come between
 * @count: 1 to VNPU_QUEUE_BATCH
 * @seq: set to the number of the last of them, or 0 if the stream is being
 *	captured; may be NULL
 *
 * Waits for room in the ring.
 *
 * Return: 0; -ENOENT if the queue was closed; -EIO if the stream is broken; the
 * error of mapping the ring, ringing the doorbell, or vnpu_lane_add().
 */
int vnpu_queue_submit(struct vnpu_queue *queue, const struct vnpu_task *tasks,
		      unsigned int count, uint64_t *seq);

/* Return the number of the last submitted task; 0 before the first. */
static inline uint64_t vnpu_queue_last(const struct vnpu_queue *queue)
{
	return atomic_load_explicit(&queue->last, memory_order_acquire);
}

/* Return the number of the last complete task. */
uint64_t vnpu_queue_completed(const struct vnpu_queue *queue);

/* Check if a task, and all before it, is complete. */
bool vnpu_queue_is_done(const struct vnpu_queue *queue, uint64_t seq);

/*
 * Wait until a task, and all before it, is complete; for ever if @timeout_ms is
 * negative.  Returns 0, also if the stream is destroyed; or -ETIMEDOUT.
 */
int vnpu_queue_wait(struct vnpu_queue *queue, uint64_t seq, int64_t timeout_ms);

/* The failures that the ring reports; all zero before the first task. */
struct vnpu_queue_status {
	uint32_t state;		/* VNPU_RING_* */
	uint32_t errors;
	uint32_t cancelled;
	uint32_t error;		/* positive errno of the last failed task */
	uint64_t error_seq;	/* its number */
};

void vnpu_queue_status(const struct vnpu_queue *queue,
		       struct vnpu_queue_status *status);

/* Return the number of the last failure record. */
uint64_t vnpu_queue_failures(const struct vnpu_queue *queue);

/* Return the number of the oldest record in the ring if @last is the newest. */
static inline uint64_t vnpu_queue_oldest_failure(const struct vnpu_queue *queue,
						 uint64_t last)
{
	return last > queue->records ? last - queue->records + 1 : 1;
}

/*
 * Copy a record.  Returns false if the record may have been replaced meanwhile.
 * Records of tasks after @looked are never replaced: vnpu_queue_make_room()
 * lets no more tasks follow that task than there are records.
 */
bool vnpu_queue_failure(const struct vnpu_queue *queue, uint64_t record,
			uint64_t looked, struct vnpu_task_failure *failure);

/*
 * Copy a task from its slot; false if another task may have the slot.  A task of a
 * record that vnpu_queue_failure() returns has its slot.
 */
bool vnpu_queue_task(const struct vnpu_queue *queue, uint64_t seq,
		     struct vnpu_task *task);

/* Return the time in @timeout_ms, or VNPU_IO_FOREVER if that is negative. */
uint64_t vnpu_queue_deadline(int64_t timeout_ms);

#endif /* VNPU_LIB_QUEUE_H */
