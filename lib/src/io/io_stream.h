/* SPDX-License-Identifier: MIT */
/*
 * The interface to the kernel, continued from io.h: streams, timelines, events.
 *
 * Ids of streams, timelines and counters are never reused.  Like those of io.h,
 * all functions return 0 or -errno, see linux/vnpu.h.
 */
#ifndef VNPU_LIB_IO_STREAM_H
#define VNPU_LIB_IO_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define VNPU_IO_PRIORITIES	8	/* 0 is the highest */
#define VNPU_IO_WAIT_MAX	4096	/* points of one wait */
#define VNPU_IO_FOREVER		UINT64_MAX

struct vnpu_ring;

/* A value of a timeline. */
struct vnpu_io_point {
	uint64_t id;
	uint64_t value;
};

/* The progress of a stream. */
struct vnpu_io_stream {
	uint64_t completed;	/* number of the last task that is complete */
	uint64_t busy_ns;
	uint32_t errors;
	uint32_t cancelled;
	uint32_t error;		/* positive errno of the last failed task */
	uint32_t error_op;	/* its VNPU_TASK_* */
	uint64_t error_seq;	/* its number */
	uint64_t error_addr;	/* its device address, or 0 */
	uint32_t state;		/* VNPU_RING_* */
};

enum vnpu_io_timeline_kind {
	VNPU_IO_TIMELINE,
	VNPU_IO_COUNTER,
	VNPU_IO_STREAM,
};

/* The objects that a device has left for this process. */
struct vnpu_io_limits {
	uint32_t streams;
	uint32_t events;
	uint32_t counters;
};

enum vnpu_io_limit_kind {
	VNPU_IO_LIMIT_STREAMS,
	VNPU_IO_LIMIT_EVENTS,
	VNPU_IO_LIMIT_COUNTERS,
};

/*
 * The limit that this process has reached.  @scope: VNPU_IO_QUOTA_*, @id: of
 * the client, user or cgroup.
 */
struct vnpu_io_limit {
	uint32_t scope;
	uint64_t id;
	uint64_t limit;
	uint64_t used;
};

/* Create a context.  Its streams stop together.  -EAGAIN: there are no more. */
int vnpu_io_context_create(uint32_t device, uint32_t *id);
int vnpu_io_context_destroy(uint32_t id);

/* A new stream, and its ring. */
struct vnpu_io_new_stream {
	uint64_t id;
	uint32_t number;
	uint64_t map_offset;
	uint64_t map_size;
};

/*
 * Create a stream.  @context: of the same device, or 0. -EAGAIN: there are no
 * more; -EDQUOT: a limit of this process.
 */
int vnpu_io_stream_create(uint32_t device, uint32_t priority, uint32_t context,
			  bool stops, struct vnpu_io_new_stream *out);

/* Destroy a stream; cancels incomplete tasks. */
int vnpu_io_stream_destroy(uint64_t id);

/* Map the ring, which has the offset of the rest of its mapping. */
int vnpu_io_stream_map(uint64_t offset, uint64_t size, struct vnpu_ring **ring);
void vnpu_io_stream_unmap(struct vnpu_ring *ring, uint64_t size);

int vnpu_io_stream_doorbell(uint64_t id);

/* Cancel submitted tasks; all tasks up to @completed are complete then. */
int vnpu_io_stream_abort(uint64_t id, uint64_t *completed);

int vnpu_io_stream_set_priority(uint64_t id, uint32_t priority);
int vnpu_io_stream_set_stop(uint64_t id, bool stops);

int vnpu_io_stream_query(uint64_t id, struct vnpu_io_stream *out);

int vnpu_io_timeline_create(uint64_t value, uint64_t *id);
int vnpu_io_counter_create(uint32_t device, uint64_t value, uint64_t *id,
			   uint32_t *number);

/* Destroy a timeline or counter that was created above, or imported. */
int vnpu_io_timeline_destroy(uint64_t id);

int vnpu_io_timeline_query(uint64_t id, uint64_t *value);

/*
 * Signal a timeline.  @mode: VNPU_SIGNAL_*. Retries on failure, because another
 * stream might wait for ever.
 */
int vnpu_io_signal(uint64_t id, uint64_t value, uint32_t mode);

/*
 * Create a file; poll() returns POLLIN when the timeline has reached @value.
 * Without @can_signal, importers of the file can only wait.
 */
int vnpu_io_timeline_export(uint64_t id, uint64_t value, bool can_signal,
			    int *fd);
int vnpu_io_timeline_import(int fd, uint64_t *id,
			    enum vnpu_io_timeline_kind *kind);

/*
 * Wait for one of up to VNPU_IO_WAIT_MAX points, and return its index, or wait
 * for all.  @deadline_ns is in CLOCK_MONOTONIC, or VNPU_IO_FOREVER; 0 does not
 * wait.  Signals do not end the wait. -ETIMEDOUT.
 */
int vnpu_io_wait(const struct vnpu_io_point *points, uint32_t count, bool all,
		 uint64_t deadline_ns, uint32_t *index);

int vnpu_io_event_alloc(uint32_t device, uint32_t *number);
int vnpu_io_event_free(uint32_t device, uint32_t number);

int vnpu_io_limits(uint32_t device, struct vnpu_io_limits *out);
int vnpu_io_limit(uint32_t device, enum vnpu_io_limit_kind kind,
		  struct vnpu_io_limit *out);

#endif /* VNPU_LIB_IO_STREAM_H */
