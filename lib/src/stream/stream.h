/* SPDX-License-Identifier: MIT */
/*
 * Streams.
 *
 * A stream is found by its handle without a lock, and stays until its reference
 * is put.  The runtime lock protects the list of a context's streams.  All
 * other members are constant, atomic, or have their own lock.
 */
#ifndef VNPU_LIB_STREAM_H
#define VNPU_LIB_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/token.h"
#include "kernel/book.h"
#include "runtime/context.h"
#include "queue.h"
#include "reslimit.h"

struct vnpu_io_limits;

/* Streams that the host never waits for. */
#define VNPU_STREAM_UNWAITED	(ACL_STREAM_PERSISTENT | \
				 ACL_STREAM_DEVICE_USE_ONLY | \
				 ACL_STREAM_CPU_SCHEDULE)

struct vnpu_stream {
	struct vnpu_stream *next;	/* list of the context */
	struct vnpu_context *context;	/* holds a reference */
	uint64_t handle;
	uint32_t number;		/* the driver's, on the device */
	uint32_t flags;
	struct vnpu_queue queue;
	struct vnpu_book book;		/* own lock */
	atomic_bool ran_graph;		/* it ran a graph with launches */

	_Atomic uint32_t priority;
	_Atomic uint32_t overflow_check;
	_Atomic uint32_t custom_tag;
	_Atomic uint32_t cache_op_info;
	struct vnpu_reslimit reslimit;

	_Atomic uint32_t aborts;	/* number of aborts */
	_Atomic uint32_t cancelled;	/* cancelled tasks at the last abort */
	atomic_bool was_stopped;	/* at that time; see stream_sync.c */
	_Atomic uint32_t errors;	/* failed tasks that were reported */
	_Atomic uint32_t failures;	/* those that failure.c has seen */
	uint64_t looked;		/* checked up to this task; own lock */
	uint64_t recorded;		/* and up to this record; own lock */

	struct vnpu_lock left_lock;	/* protects left */
	struct vnpu_event *left;	/* see vnpu_event_end_left() */

	/* Protected by the lock of stream_share.c: */
	bool is_shared;
	struct vnpu_token token;
};

/* Convert a -errno of the driver for the creation of a context or a stream. */
aclError vnpu_stream_code(int err);

/* For context.c and device.c; the runtime lock is held. */

/* Create a stream; returns ACL_SUCCESS or a code without a message. */
aclError vnpu_stream_create_locked(struct vnpu_context *context,
				   uint32_t priority, uint32_t flags,
				   struct vnpu_stream **stream);

/* Report why the creation failed; without the lock.  Returns the code. */
aclError vnpu_stream_create_error(uint32_t device, int32_t user_device,
				  aclError code);

/* Destroy a stream; cancels its incomplete work. */
void vnpu_stream_destroy(struct vnpu_stream *stream);

/* Query how many streams and events the current device has left. */
aclError vnpu_stream_limits(struct vnpu_io_limits *limits);

/* Convert the priority that a program requests. */
uint32_t vnpu_stream_priority(uint32_t priority);

/**
 * vnpu_stream_get() - get a reference to the stream of a handle
 * @handle: a stream, or NULL for the current context's default stream
 * @any_context: accept a stream of another context
 * @stream: set to it, with a reference; NULL on failure
 *
 * Needs a current context, and takes no lock.
 *
 * Return: ACL_SUCCESS, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, or an error of vnpu_context_current().
 */
aclError vnpu_stream_get(aclrtStream handle, bool any_context,
			 struct vnpu_stream **stream);

/* Drop a reference. */
void vnpu_stream_put(struct vnpu_stream *stream);

/* Take another reference; the caller has one already. */
void vnpu_stream_ref(struct vnpu_stream *stream);

/**
 * vnpu_stream_submit() - append tasks
 * @stream: the stream
 * @tasks: see vnpu_queue_submit()
 * @count: number of tasks
 * @seq: set to the number of the last one, or 0 if the stream is being captured;
 *	may be NULL
 *
 * The last one becomes the thread's last task.
 *
 * Return: ACL_SUCCESS, ACL_ERROR_RT_INVALID_HANDLE if the stream was destroyed
 * during the call, the failure that stopped the context, or the code of an
 * error of the driver.
 */
aclError vnpu_stream_submit(struct vnpu_stream *stream,
			    const struct vnpu_task *tasks, unsigned int count,
			    uint64_t *seq);

/* Report why tasks were not submitted; @err is of vnpu_queue_submit(). */
aclError vnpu_stream_submit_error(int err, const struct vnpu_stream *stream);

/* vnpu_stream_get(), submit one task, and vnpu_stream_put(). */
aclError vnpu_stream_submit_to(aclrtStream handle,
			       const struct vnpu_task *task);

/* See stream_sync.c. */

/* Get the name of a task's operation. */
const char *vnpu_stream_op_name(uint32_t op);

/**
 * vnpu_stream_wait() - wait for the tasks that were submitted to a stream
 * @stream: the stream
 * @timeout: milliseconds, or -1
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
 * ACL_ERROR_RT_STREAM_ABORT if it was aborted during the wait; the code of a
 * failed task, unless that was reported before.
 */
aclError vnpu_stream_wait(struct vnpu_stream *stream, int32_t timeout);

/* Call vnpu_stream_waited after a wait of the program. */
void vnpu_stream_note_waited(void);

/* Wait for all streams of the current context. */
aclError vnpu_stream_wait_all(int32_t timeout);

/* Wait for the streams of a context; returns the first failure. */
aclError vnpu_stream_wait_context(struct vnpu_context *context,
				  int32_t timeout);

/* Wait for the streams of a context, ignoring failures of tasks. */
void vnpu_stream_drain(struct vnpu_context *context);

/* Drop the incomplete work of a stream, and clear its error.  0 or -errno. */
int vnpu_stream_drop_work(struct vnpu_stream *stream);

struct vnpu_stream_config {
	uint32_t priority;
	uint32_t flags;
};

/* Read a description of a stream, if it exists. */
aclError vnpu_stream_config_get(const aclrtStreamConfigHandle *handle,
				struct vnpu_stream_config *config);

#endif /* VNPU_LIB_STREAM_H */
