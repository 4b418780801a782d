/* SPDX-License-Identifier: MIT */
/*
 * Streams.
 *
 * A stream is found by its handle without a lock, and then stays until it is
 * put.  The list of a context's streams is under the runtime lock; the rest is
 * constant, atomic, or has a lock of its own.
 */
#ifndef VNPU_LIB_STREAM_H
#define VNPU_LIB_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "queue.h"
#include "reslimit.h"
#include "token.h"

/* Streams that are never waited for from the host. */
#define VNPU_STREAM_UNWAITED	(ACL_STREAM_PERSISTENT | \
				 ACL_STREAM_DEVICE_USE_ONLY | \
				 ACL_STREAM_CPU_SCHEDULE)

struct vnpu_stream {
	struct vnpu_stream *next;	/* of the context's streams */
	struct vnpu_context *context;	/* has a reference */
	uint64_t handle;
	uint32_t number;		/* the driver's, on the device */
	uint32_t flags;
	struct vnpu_queue queue;

	_Atomic uint32_t priority;
	_Atomic uint32_t overflow_check;
	_Atomic uint32_t custom_tag;
	_Atomic uint32_t cache_op_info;
	struct vnpu_reslimit reslimit;

	_Atomic uint32_t aborts;	/* how often it was aborted */
	_Atomic uint32_t cancelled;	/* of its tasks, when it was aborted */
	atomic_bool was_stopped;	/* then; see stream_sync.c */
	_Atomic uint32_t errors;	/* of its tasks, that were reported */
	_Atomic uint32_t failures;	/* that failure.c has seen, among those */
	uint64_t looked;		/* up to this task; under its lock */
	uint64_t recorded;		/* up to this record; likewise */

	struct vnpu_lock left_lock;	/* protects the next */
	struct vnpu_event *left;	/* see vnpu_event_end_left() */

	bool is_shared;			/* see stream_share.c, whose lock these */
	struct vnpu_token token;	/* are under */
};

/* What -errno of the driver means when it makes a context or a stream. */
aclError vnpu_stream_code(int err);

/* For context.c and device.c; the runtime lock is held. */

/* ACL_SUCCESS or a code without a message. */
aclError vnpu_stream_create(struct vnpu_context *context, uint32_t priority,
			    uint32_t flags, struct vnpu_stream **stream);

/* What was wrong then; without the lock.  Returns the code. */
aclError vnpu_stream_create_error(const char *call, uint32_t device,
				  int32_t user_device, aclError code);

/* Cancels what the stream has not done. */
void vnpu_stream_destroy(struct vnpu_stream *stream);

/* What counts for a priority that a program asks for. */
uint32_t vnpu_stream_priority(uint32_t priority);

/**
 * vnpu_stream_get() - the stream that a program means
 * @call: name of the AscendCL call
 * @handle: a stream, or NULL for the current context's default stream
 * @any_context: whether one of another context will do
 * @stream: set to it, with a reference; NULL on failure
 *
 * Needs a current context, and takes no lock.
 */
aclError vnpu_stream_get(const char *call, aclrtStream handle,
			 bool any_context, struct vnpu_stream **stream);

/* Drop a reference. */
void vnpu_stream_put(struct vnpu_stream *stream);

/* Another reference for who has one. */
void vnpu_stream_ref(struct vnpu_stream *stream);

/**
 * vnpu_stream_submit() - append tasks
 * @call: name of the AscendCL call
 * @stream: the stream
 * @tasks: see vnpu_queue_submit()
 * @count: of them
 * @seq: set to the number of the last; may be NULL
 *
 * The last becomes the thread's last task.
 */
aclError vnpu_stream_submit(const char *call, struct vnpu_stream *stream,
			    const struct vnpu_task *tasks, unsigned int count,
			    uint64_t *seq);

/* vnpu_stream_get(), submit one task, and vnpu_stream_put(). */
aclError vnpu_stream_submit_to(const char *call, aclrtStream handle,
			       const struct vnpu_task *task);

/* See stream_sync.c. */

/* What a task of an operation does. */
const char *vnpu_stream_op_name(uint32_t op);

/* ACL_ERROR_RT_PARAM_INVALID unless milliseconds, or -1 for ever. */
aclError vnpu_timeout_check(const char *call, int32_t timeout);

/**
 * vnpu_stream_wait() - wait for what was submitted to a stream
 * @call: name of the AscendCL call
 * @stream: the stream
 * @timeout: milliseconds, or -1
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
 * ACL_ERROR_RT_STREAM_ABORT if it was aborted meanwhile; the code of a task
 * that failed, unless that was reported before.
 */
aclError vnpu_stream_wait(const char *call, struct vnpu_stream *stream,
			  int32_t timeout);

/* The same for all streams of a context that is current. */
aclError vnpu_stream_wait_all(const char *call, int32_t timeout);

/* Wait for the streams of a context, whatever becomes of their tasks. */
void vnpu_stream_drain(struct vnpu_context *context);

/* Drop what a stream has not done; after that it has not failed.  0 or -errno. */
int vnpu_stream_abort(struct vnpu_stream *stream);

struct vnpu_stream_config {
	uint32_t priority;
	uint32_t flags;
};

/* Read a description of a stream, if it is one that lives. */
aclError vnpu_stream_config_get(const char *call,
				const aclrtStreamConfigHandle *handle,
				struct vnpu_stream_config *config);

#endif /* VNPU_LIB_STREAM_H */
