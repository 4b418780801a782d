// SPDX-License-Identifier: MIT
/*
 * Queues, see queue.h; the protocol is in linux/vnpu_task.h.
 *
 * The kernel may write to the ring's page at any time, so this file reads it by
 * atomic loads.
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "io/io_stream.h"
#include "capture.h"
#include "queue_submit.h"

/* Time for which a waiter polls the ring before it sleeps in the kernel. */
#define SPIN_NS		20000
#define SPIN_STEP	16

uint64_t vnpu_queue_deadline(int64_t timeout_ms)
{
	if (timeout_ms < 0)
		return VNPU_IO_FOREVER;
	return vnpu_now_ns() + timeout_ms * 1000000ULL;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void vnpu_queue_init(struct vnpu_queue *queue, struct vnpu_lock *lock,
		     const struct vnpu_io_new_stream *stream,
		     vnpu_queue_reuse_fn reuse)
{
	queue->lock = lock;
	queue->id = stream->id;
	queue->map_offset = stream->map_offset;
	queue->map_size = stream->map_size;
	queue->reuse = reuse;
	queue->room = 0;
	atomic_init(&queue->lane, NULL);
	atomic_init(&queue->ring, NULL);
	atomic_init(&queue->last, 0);
	atomic_init(&queue->is_closed, false);
	atomic_init(&queue->is_gone, false);
}

void vnpu_queue_close(struct vnpu_queue *queue)
{
	atomic_store(&queue->is_closed, true);
	vnpu_io_stream_destroy(queue->id);
	atomic_store(&queue->is_gone, true);
}

void vnpu_queue_fini(struct vnpu_queue *queue)
{
	struct vnpu_ring *ring = atomic_load(&queue->ring);

	if (ring)
		vnpu_io_stream_unmap(ring, queue->map_size);
}

static struct vnpu_ring *ring_of(const struct vnpu_queue *queue)
{
	return atomic_load_explicit(&queue->ring, memory_order_acquire);
}

static uint64_t ring_completed(const struct vnpu_ring *ring)
{
	return __atomic_load_n(&ring->completed, __ATOMIC_ACQUIRE);
}

uint64_t vnpu_queue_completed(const struct vnpu_queue *queue)
{
	const struct vnpu_ring *ring = ring_of(queue);

	return ring ? ring_completed(ring) : 0;
}

bool vnpu_queue_is_done(const struct vnpu_queue *queue, uint64_t seq)
{
	const struct vnpu_ring *ring;

	if (!seq || atomic_load_explicit(&queue->is_gone, memory_order_relaxed))
		return true;
	ring = ring_of(queue);
	return ring && ring_completed(ring) >= seq;
}

/* Check if an engine can run on another processor meanwhile. */
static bool is_worth_spinning(void)
{
	static _Atomic long cpus;
	long found = atomic_load_explicit(&cpus, memory_order_relaxed);

	if (!found) {
		found = sysconf(_SC_NPROCESSORS_ONLN);
		atomic_store_explicit(&cpus, found, memory_order_relaxed);
	}
	return found != 1;
}

/* Poll the ring for a while.  Returns true if the task is complete. */
static bool spin(const struct vnpu_queue *queue, uint64_t seq)
{
	uint64_t end = 0;

	for (unsigned int i = 1; !vnpu_queue_is_done(queue, seq); i++) {
		relax();
		if (i % SPIN_STEP)
			continue;
		if (!end)
			end = vnpu_now_ns() + SPIN_NS;
		else if (vnpu_now_ns() >= end)
			return false;
	}
	return true;
}

static int wait_until(struct vnpu_queue *queue, uint64_t seq, uint64_t deadline)
{
	const struct vnpu_io_point point = { .id = queue->id, .value = seq };

	if (is_worth_spinning() && spin(queue, seq))
		return 0;
	return vnpu_io_wait(&point, 1, false, deadline, NULL);
}

int vnpu_queue_wait(struct vnpu_queue *queue, uint64_t seq, int64_t timeout_ms)
{
	if (vnpu_queue_is_done(queue, seq))
		return 0;
	return wait_until(queue, seq, vnpu_queue_deadline(timeout_ms));
}

/* Read the layout of the ring.  Returns false for an unknown one. */
static bool read_shape(struct vnpu_queue *queue, struct vnpu_ring *ring)
{
	char *start = (char *)ring;

	if (ring->version != VNPU_RING_VERSION ||
	    ring->task_size != sizeof(struct vnpu_task) ||
	    ring->failure_size != sizeof(struct vnpu_task_failure) ||
	    ring->ring_tasks < VNPU_QUEUE_BATCH ||
	    ring->ring_failures < ring->ring_tasks)
		return false;
	queue->slots = (struct vnpu_task *)(start + ring->tasks_offset);
	queue->tasks = ring->ring_tasks;
	queue->failures = (struct vnpu_task_failure *)
			  (start + ring->failures_offset);
	queue->records = ring->ring_failures;
	return true;
}

/* Get the ring, and map it for the first task; the caller holds the lock. */
static int ring_get(struct vnpu_queue *queue, struct vnpu_ring **ring)
{
	int ret;

	*ring = ring_of(queue);
	if (*ring)
		return 0;
	ret = vnpu_io_stream_map(queue->map_offset, queue->map_size, ring);
	if (ret)
		return ret;
	if (!read_shape(queue, *ring)) {
		vnpu_io_stream_unmap(*ring, queue->map_size);
		return -EPROTO;
	}
	atomic_store_explicit(&queue->ring, *ring, memory_order_release);
	return 0;
}

int vnpu_queue_make_room(struct vnpu_queue *queue, uint64_t seq)
{
	struct vnpu_ring *ring;
	int ret = ring_get(queue, &ring);
	uint64_t done;

	if (ret)
		return ret;
	done = seq > queue->tasks ? seq - queue->tasks : 0;
	if (ring_completed(ring) < done) {
		ret = wait_until(queue, done, VNPU_IO_FOREVER);
		if (ret)
			return ret;
		if (atomic_load(&queue->is_closed))
			return -ENOENT;
	}
	queue->room = queue->reuse(queue, done) + queue->tasks;
	return 0;
}

int vnpu_queue_capture(struct vnpu_queue *queue, const struct vnpu_task *tasks,
		       unsigned int count)
{
	struct vnpu_lane *lane = atomic_load(&queue->lane);
	int ret;

	if (!lane)
		return -ENOENT;
	ret = vnpu_lane_add(lane, tasks, count, VNPU_CAPTURED_TASK);
	return ret ? ret : VNPU_QUEUE_STORED;
}

int vnpu_queue_look_at_state(struct vnpu_queue *queue, uint32_t state)
{
	if (state & VNPU_RING_BROKEN)
		return -EIO;
	if (state & VNPU_RING_NEED_DOORBELL)
		return vnpu_io_stream_doorbell(queue->id);
	return 0;
}

int vnpu_queue_submit(struct vnpu_queue *queue, const struct vnpu_task *tasks,
		      unsigned int count, uint64_t *seq)
{
	int ret;

	vnpu_lock(queue->lock);
	ret = vnpu_queue_submit_locked(queue, tasks, count);
	if (seq)
		*seq = ret == VNPU_QUEUE_STORED ? 0 : vnpu_queue_last(queue);
	vnpu_unlock(queue->lock);
	return ret == VNPU_QUEUE_STORED ? 0 : ret;
}

void vnpu_queue_status(const struct vnpu_queue *queue,
		       struct vnpu_queue_status *status)
{
	const struct vnpu_ring *ring = ring_of(queue);

	*status = (struct vnpu_queue_status){ 0 };
	if (!ring)
		return;
	status->state = __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE);
	status->errors = __atomic_load_n(&ring->errors, __ATOMIC_ACQUIRE);
	status->cancelled = __atomic_load_n(&ring->cancelled, __ATOMIC_ACQUIRE);
	status->error = __atomic_load_n(&ring->error, __ATOMIC_ACQUIRE);
	status->error_seq = __atomic_load_n(&ring->error_seq, __ATOMIC_ACQUIRE);
}

uint64_t vnpu_queue_failures(const struct vnpu_queue *queue)
{
	const struct vnpu_ring *ring = ring_of(queue);

	return ring ? __atomic_load_n(&ring->failures, __ATOMIC_ACQUIRE) : 0;
}

static uint64_t record_seq(const struct vnpu_queue *queue, uint64_t record)
{
	return __atomic_load_n(&queue->failures[(record - 1) &
						(queue->records - 1)].seq,
			       __ATOMIC_RELAXED);
}

bool vnpu_queue_failure(const struct vnpu_queue *queue, uint64_t record,
			uint64_t looked, struct vnpu_task_failure *failure)
{
	uint64_t newest;

	*failure = queue->failures[(record - 1) & (queue->records - 1)];
	failure->seq = record_seq(queue, record);
	/*
	 * Order the loads of the copy before that of the number of the newest
	 * record.  Pairs with smp_wmb() in vnpu_stream_record_failure().
	 */
	atomic_thread_fence(memory_order_acquire);
	newest = vnpu_queue_failures(queue);
	if (newest != record + queue->records - 1)
		return newest < record + queue->records - 1;
	/*
	 * The next record replaces this one, and may be half written.  Its task
	 * is later than that of the newest record.
	 */
	return failure->seq > looked && failure->seq < record_seq(queue, newest);
}

bool vnpu_queue_task(const struct vnpu_queue *queue, uint64_t seq,
		     struct vnpu_task *task)
{
	uint64_t last = vnpu_queue_last(queue);

	if (!ring_of(queue) || !seq || seq > last ||
	    last - seq >= queue->tasks)
		return false;
	*task = queue->slots[(seq - 1) & (queue->tasks - 1)];
	return true;
}
