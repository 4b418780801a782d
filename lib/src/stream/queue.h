/* SPDX-License-Identifier: MIT */
/*
 * Queues: the user's end of a stream's ring.
 *
 * A queue may be used by any number of threads.  Submission is under the queue's
 * lock, in whose order tasks run, and calls the kernel only to map the ring at
 * the first time, where the ring is full, and where nobody looks at it.  The
 * lock is that of the slot of the stream's handle, so that one lock does for
 * finding the stream and for giving it a task.
 */
#ifndef VNPU_LIB_QUEUE_H
#define VNPU_LIB_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/vnpu_task.h>

#include "base/lock.h"

/* How many tasks can be submitted in one piece. */
#define VNPU_QUEUE_BATCH	1024

struct vnpu_io_new_stream;
struct vnpu_queue;

/*
 * Called before slots are written again, under the queue's lock.  Tasks up to
 * @done are complete, which the ring may report a moment later.  Returns the
 * number of a task, this or a later one: records of failures up to it are not
 * needed any more.
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
	struct vnpu_task *slots;	/* in the ring; constant once that is */
	uint64_t tasks;			/* there, as are their number, a power */
					/* of two, */
	struct vnpu_task_failure *failures;	/* and the same of records */
	uint64_t records;
	_Atomic(struct vnpu_ring *) ring;	/* written under the lock */
	_Atomic uint64_t last;		/* written under the lock */
	atomic_bool is_closed;
	atomic_bool is_gone;		/* so that all is done */
};

/* For a stream that has no tasks yet; the ring is made when there are some. */
void vnpu_queue_init(struct vnpu_queue *queue, struct vnpu_lock *lock,
		     const struct vnpu_io_new_stream *stream,
		     vnpu_queue_reuse_fn reuse);

/*
 * Destroy the stream, which cancels what it has not done.  Who waits for that is
 * woken; who waits for room gets -ENOENT, as all who submit later.
 */
void vnpu_queue_close(struct vnpu_queue *queue);

/* Nobody uses the queue any more; it was closed. */
void vnpu_queue_fini(struct vnpu_queue *queue);

/**
 * vnpu_queue_submit() - append tasks
 * @queue: the queue
 * @tasks: they stay together
 * @count: 1 to VNPU_QUEUE_BATCH
 * @seq: set to the number of the last of them; may be NULL
 *
 * Blocks while there is no room.
 *
 * Return: 0; -ENOENT if the queue was closed; -EIO if the stream is broken;
 * what mapping the ring or ringing the doorbell ended with.
 */
int vnpu_queue_submit(struct vnpu_queue *queue, const struct vnpu_task *tasks,
		      unsigned int count, uint64_t *seq);

/* The number of the last task that was submitted; 0 before the first. */
static inline uint64_t vnpu_queue_last(const struct vnpu_queue *queue)
{
	return atomic_load_explicit(&queue->last, memory_order_acquire);
}

/* The number of the last task that is complete. */
uint64_t vnpu_queue_completed(const struct vnpu_queue *queue);

/* Whether a task, and all before it, is complete. */
bool vnpu_queue_is_done(const struct vnpu_queue *queue, uint64_t seq);

/*
 * Wait for that, @timeout_ms, or for ever if that is negative.  -ETIMEDOUT; 0
 * too when the stream is destroyed.
 */
int vnpu_queue_wait(struct vnpu_queue *queue, uint64_t seq, int64_t timeout_ms);

/* What the kernel told last of failures; all zero before the first task. */
struct vnpu_queue_status {
	uint32_t state;		/* VNPU_RING_* */
	uint32_t errors;
	uint32_t cancelled;
	uint32_t error;		/* positive errno of the last that failed */
	uint64_t error_seq;	/* its number */
};

void vnpu_queue_status(const struct vnpu_queue *queue,
		       struct vnpu_queue_status *status);

/* The number of the last record of a task that failed or was cancelled. */
uint64_t vnpu_queue_failures(const struct vnpu_queue *queue);

/* The oldest record that is there, if the last is there. */
static inline uint64_t vnpu_queue_oldest_failure(const struct vnpu_queue *queue,
						 uint64_t last)
{
	return last > queue->records ? last - queue->records + 1 : 1;
}

/*
 * Copy a record.  Returns false if it was replaced meanwhile, or may have been,
 * which those of tasks after @looked are not: vnpu_queue_make_room() lets no more
 * tasks follow it than there are records.
 */
bool vnpu_queue_failure(const struct vnpu_queue *queue, uint64_t record,
			uint64_t looked, struct vnpu_task_failure *failure);

/* CLOCK_MONOTONIC after @timeout_ms, or VNPU_IO_FOREVER if that is negative. */
uint64_t vnpu_queue_deadline(int64_t timeout_ms);

#endif /* VNPU_LIB_QUEUE_H */
