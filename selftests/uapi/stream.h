/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams for the tests: the ring, written directly, and a function for each
 * ioctl.
 */
#ifndef SELFTESTS_VNPU_STREAM_H
#define SELFTESTS_VNPU_STREAM_H

#include <time.h>

#include <linux/vnpu_task.h>

#include "client.h"

#define NO_TIMEOUT	(~0ULL)

struct stream {
	const struct client *c;
	__u64 id;
	__u32 number;
	__u32 tasks;		/* the size of the ring in tasks */
	__u64 map_offset;
	__u64 map_size;
	struct vnpu_ring *ring;	/* NULL until it is mapped */
	struct vnpu_task *slots;
	__u64 last;		/* number of the last written task */
};

static inline __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000000000ULL + (__u64)t.tv_nsec;
}

/* Convert to the timeout_ns of a wait. */
static inline __u64 in_ms(__u64 ms)
{
	return now_ns() + ms * 1000000;
}

static inline int context_create_as(const struct client *c, __u32 device,
				    __u32 weight, __u32 flags, __u32 *id)
{
	struct vnpu_context_create a = {
		.size = sizeof(a),
		.flags = flags,
		.device = device,
		.weight = weight,
	};
	int ret = call(c->fd, VNPU_IOCTL_CONTEXT_CREATE, &a);

	*id = a.out_id;
	return ret;
}

static inline int context_create(const struct client *c, __u32 device,
				 __u32 *id)
{
	return context_create_as(c, device, 0, 0, id);
}

static inline int context_destroy(const struct client *c, __u32 id)
{
	struct vnpu_context_destroy a = { .size = sizeof(a), .id = id };

	return call(c->fd, VNPU_IOCTL_CONTEXT_DESTROY, &a);
}

static inline int context_query(const struct client *c, __u32 id,
				struct vnpu_context_query *q)
{
	*q = (struct vnpu_context_query){ .size = sizeof(*q), .id = id };
	return call(c->fd, VNPU_IOCTL_CONTEXT_QUERY, q);
}

static inline int context_clear(const struct client *c, __u32 id)
{
	struct vnpu_context_set a = {
		.size = sizeof(a),
		.flags = VNPU_CONTEXT_SET_F_CLEAR_ERROR,
		.id = id,
	};

	return call(c->fd, VNPU_IOCTL_CONTEXT_SET, &a);
}

static inline int context_set(const struct client *c, __u32 id, __u32 flags,
			      __u32 weight)
{
	struct vnpu_context_set a = {
		.size = sizeof(a),
		.flags = flags,
		.id = id,
		.weight = weight,
	};

	return call(c->fd, VNPU_IOCTL_CONTEXT_SET, &a);
}

static inline int context_set_weight(const struct client *c, __u32 id,
				     __u32 weight)
{
	return context_set(c, id, VNPU_CONTEXT_SET_F_WEIGHT, weight);
}

/* @tasks: the requested size of the ring, or 0. */
static inline int stream_create_sized(struct stream *s, const struct client *c,
				      __u32 device, __u32 priority, __u32 context,
				      __u32 flags, __u32 tasks)
{
	struct vnpu_stream_create a = {
		.size = sizeof(a),
		.flags = flags,
		.device = device,
		.priority = priority,
		.context = context,
		.ring_tasks = tasks,
	};
	int ret = call(c->fd, VNPU_IOCTL_STREAM_CREATE, &a);

	memset(s, 0, sizeof(*s));
	if (ret)
		return ret;
	s->c = c;
	s->id = a.out_id;
	s->number = a.out_number;
	s->tasks = a.ring_tasks;
	s->map_offset = a.out_mmap_offset;
	s->map_size = a.out_map_size;
	return 0;
}

static inline int stream_create_only(struct stream *s, const struct client *c,
				     __u32 device, __u32 priority,
				     __u32 context, __u32 flags)
{
	return stream_create_sized(s, c, device, priority, context, flags, 0);
}

/* Map the ring, at any address. */
static inline void stream_find(struct stream *s, void *mapping)
{
	s->ring = mapping;
	s->slots = ptr(addr(mapping) + s->ring->tasks_offset);
}

static inline int stream_map(struct stream *s)
{
	void *p = mmap(NULL, s->map_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       s->c->fd, (off_t)s->map_offset);

	if (p == MAP_FAILED)
		return -errno;
	stream_find(s, p);
	return 0;
}

/* Return the record of a failure; they are numbered from 1. */
static inline const struct vnpu_task_failure *
stream_failure(const struct stream *s, __u64 record)
{
	return ptr(addr(s->ring) + s->ring->failures_offset +
		   (record - 1) % s->ring->ring_failures *
		   s->ring->failure_size);
}

static inline __u64 stream_failures(const struct stream *s)
{
	return __atomic_load_n(&s->ring->failures, __ATOMIC_ACQUIRE);
}

static inline int stream_create(struct stream *s, const struct client *c,
				__u32 device)
{
	int ret = stream_create_only(s, c, device, 0, 0, 0);

	return ret ? ret : stream_map(s);
}

static inline int stream_call(const struct stream *s, unsigned long nr)
{
	struct vnpu_stream_destroy a = {
		.size = sizeof(a),
		.id = s->id,
	};

	return call(s->c->fd, nr, &a);
}

static inline int stream_doorbell(const struct stream *s)
{
	return stream_call(s, VNPU_IOCTL_STREAM_DOORBELL);
}

static inline int stream_destroy(struct stream *s)
{
	int ret = stream_call(s, VNPU_IOCTL_STREAM_DESTROY);

	if (s->ring)
		munmap(s->ring, s->map_size);
	s->ring = NULL;
	return ret;
}

static inline int stream_abort(const struct stream *s, __u64 *completed)
{
	struct vnpu_stream_abort a = {
		.size = sizeof(a),
		.id = s->id,
	};
	int ret = call(s->c->fd, VNPU_IOCTL_STREAM_ABORT, &a);

	if (!ret && completed)
		*completed = a.out_completed;
	return ret;
}

static inline int stream_query(const struct stream *s,
			       struct vnpu_stream_query *q)
{
	memset(q, 0, sizeof(*q));
	q->size = sizeof(*q);
	q->id = s->id;
	return call(s->c->fd, VNPU_IOCTL_STREAM_QUERY, q);
}

static inline int stream_set(const struct stream *s, __u32 flags,
			     __u32 priority, __u32 stop, __u32 timeout_ms)
{
	struct vnpu_stream_set a = {
		.size = sizeof(a),
		.flags = flags,
		.id = s->id,
		.priority = priority,
		.stop = stop,
		.timeout_ms = timeout_ms,
	};

	return call(s->c->fd, VNPU_IOCTL_STREAM_SET, &a);
}

static inline __u64 stream_completed(const struct stream *s)
{
	return __atomic_load_n(&s->ring->completed, __ATOMIC_ACQUIRE);
}

static inline int wait_points(const struct client *c,
			      const struct vnpu_point *points, __u32 count,
			      __u32 flags, __u64 timeout_ns, __u32 *index)
{
	struct vnpu_wait a = {
		.size = sizeof(a),
		.flags = flags,
		.points = addr(points),
		.count = count,
		.timeout_ns = timeout_ns,
	};
	int ret = call(c->fd, VNPU_IOCTL_WAIT, &a);

	if (!ret && index)
		*index = a.out_index;
	return ret;
}

static inline int wait_point(const struct client *c, __u64 id, __u64 value,
			     __u64 timeout_ns)
{
	const struct vnpu_point point = { .id = id, .value = value };

	return wait_points(c, &point, 1, 0, timeout_ns, NULL);
}

/* Wait for ever, restarting after signals. */
static inline int wait_through(const struct client *c, __u64 id, __u64 value)
{
	int ret;

	do
		ret = wait_point(c, id, value, NO_TIMEOUT);
	while (ret == -EINTR);
	return ret;
}

/*
 * Write a task, which is not visible before stream_submit(). In a full ring,
 * wait until the oldest is complete.
 */
static inline __u64 stream_put(struct stream *s, struct vnpu_task task)
{
	if (s->last - stream_completed(s) >= s->tasks)
		wait_through(s->c, s->id, s->last + 1 - s->tasks);
	s->slots[s->last++ % s->tasks] = task;
	return s->last;
}

static inline int stream_submit(struct stream *s)
{
	__atomic_store_n(&s->ring->tail, s->last, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->ring->state, __ATOMIC_RELAXED) &
	    VNPU_RING_NEED_DOORBELL)
		return stream_doorbell(s);
	return 0;
}

/* Submit one task; return -errno of the doorbell. */
static inline int stream_run(struct stream *s, struct vnpu_task task)
{
	stream_put(s, task);
	return stream_submit(s);
}

static inline int stream_wait(const struct stream *s, __u64 ms)
{
	int ret = wait_point(s->c, s->id, s->last, in_ms(ms)), i;

	/* The ring shows it shortly after, if the stream has not ended. */
	for (i = 0; i < 1000 && !ret && stream_completed(s) < s->last; i++)
		usleep(1000);
	return ret;
}

/* Run one task, and return its result: 0 or -errno. */
static inline int stream_do(struct stream *s, struct vnpu_task task)
{
	__u32 errors = s->ring->errors, cancelled = s->ring->cancelled;
	int ret = stream_run(s, task);

	if (!ret)
		ret = stream_wait(s, 20000);
	if (!ret && s->ring->cancelled != cancelled)
		return -ECANCELED;
	if (!ret && s->ring->errors != errors)
		return -(int)s->ring->error;
	return ret;
}

static inline int timeline_create(const struct client *c, __u32 flags,
				  __u32 device, __u64 value, __u64 *id)
{
	struct vnpu_timeline_create a = {
		.size = sizeof(a),
		.flags = flags,
		.device = device,
		.value = value,
	};
	int ret = call(c->fd, VNPU_IOCTL_TIMELINE_CREATE, &a);

	if (!ret)
		*id = a.out_id;
	return ret;
}

static inline int timeline_destroy(const struct client *c, __u64 id)
{
	struct vnpu_timeline_destroy a = { .size = sizeof(a), .id = id };

	return call(c->fd, VNPU_IOCTL_TIMELINE_DESTROY, &a);
}

static inline int timeline_signal(const struct client *c, __u64 id,
				  __u64 value, __u32 mode)
{
	struct vnpu_signal a = {
		.size = sizeof(a),
		.id = id,
		.value = value,
		.mode = mode,
	};

	return call(c->fd, VNPU_IOCTL_SIGNAL, &a);
}

static inline int timeline_value(const struct client *c, __u64 id,
				 __u64 *value)
{
	struct vnpu_timeline_query a = { .size = sizeof(a), .id = id };
	int ret = call(c->fd, VNPU_IOCTL_TIMELINE_QUERY, &a);

	if (!ret)
		*value = a.out_value;
	return ret;
}

/* Return the file, or -errno. */
static inline int timeline_export_as(const struct client *c, __u64 id,
				     __u64 value, __u32 flags)
{
	struct vnpu_timeline_export a = {
		.size = sizeof(a),
		.flags = flags,
		.id = id,
		.value = value,
	};
	int ret = call(c->fd, VNPU_IOCTL_TIMELINE_EXPORT, &a);

	return ret ? ret : a.out_fd;
}

static inline int timeline_export(const struct client *c, __u64 id,
				  __u64 value)
{
	return timeline_export_as(c, id, value, 0);
}

static inline int timeline_import(const struct client *c, int fd, __u64 *id,
				  __u32 *kind)
{
	struct vnpu_timeline_import a = { .size = sizeof(a), .fd = fd };
	int ret = call(c->fd, VNPU_IOCTL_TIMELINE_IMPORT, &a);

	if (!ret) {
		*id = a.out_id;
		*kind = a.out_kind;
	}
	return ret;
}

static inline struct vnpu_task task_wait(__u64 id, __u64 value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_WAIT, .src = id, .arg0 = value,
	};
}

static inline struct vnpu_task task_signal(__u64 id, __u64 value, __u16 mode)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_SIGNAL, .dst = id, .arg0 = value, .mode = mode,
	};
}

static inline struct vnpu_task task_copy(__u64 dst, __u64 src, __u64 length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY, .dst = dst, .src = src, .length = length,
	};
}

static inline struct vnpu_task task_fill(__u64 dst, __u64 length, __u64 value,
					 __u16 bytes)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_FILL, .dst = dst, .length = length,
		.arg0 = value, .mode = bytes,
	};
}

/*
 * The initial state of tests with waits: a client with memory at the start of
 * its window, zero in the first page, with host access; two streams; a timeline
 * and a counter at 0.
 */
static inline int pair_open(struct client *c, __u64 length, struct stream *a,
			    struct stream *b, __u64 *id, __u64 *counter)
{
	int ret;

	ret = client_open_only(c) ?:
	      window_map(c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ?:
	      mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, length, c->base) ?:
	      stream_create(a, c, 0) ?:
	      stream_create(b, c, 0) ?:
	      timeline_create(c, 0, 0, 0, id) ?:
	      timeline_create(c, VNPU_TIMELINE_F_COUNTER, 0, 0, counter);
	if (!ret)
		memset(ptr(c->base), 0, PAGE);
	return ret;
}

#endif
