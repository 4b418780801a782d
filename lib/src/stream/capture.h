/* SPDX-License-Identifier: MIT */
/*
 * Captures: the tasks of some streams, stored instead of being run.
 *
 * A stream that captures has a lane, which stores its tasks.  Streams join a
 * capture by events.  model/ begins and ends captures, and makes a graph of
 * their tasks.
 *
 * The capture lock protects all captures, and the references of events and
 * threads to them.  The tasks of a lane are protected by the lock of its stream's queue,
 * which nests inside; after the capture they belong to the model alone.
 */
#ifndef VNPU_LIB_CAPTURE_H
#define VNPU_LIB_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/vnpu_task.h>

#include "acl/acl_rt.h"

struct vnpu_chunk;
struct vnpu_event;
struct vnpu_function;
struct vnpu_stream;

#define VNPU_CAPTURED_CALL	40

enum vnpu_captured_kind {
	VNPU_CAPTURED_TASK,
	VNPU_CAPTURED_RECORD,
	VNPU_CAPTURED_WAIT,
	VNPU_CAPTURED_RESET,
};

/* The call that made a captured task, and its kind. */
struct vnpu_captured {
	char call[VNPU_CAPTURED_CALL];	/* the call that made it; may be cut */
	enum vnpu_captured_kind kind;
};

/* A reference of a launch: the arguments or a kernel; the other one is NULL. */
struct vnpu_kept {
	struct vnpu_chunk *chunk;
	struct vnpu_function *function;
};

/* The captured tasks of a stream. */
struct vnpu_lane {
	struct vnpu_capture *capture;	/* constant, like the next two */
	uint32_t index;
	uint32_t number;		/* of the stream, for messages */
	struct vnpu_stream *stream;	/* a reference until the capture ends */
	uint32_t joined;		/* a stream waits for the first that
					 * many tasks; capture lock */

	/* See above for their lock. */
	struct vnpu_task *tasks;
	struct vnpu_captured *infos;	/* one for each task */
	uint32_t count;
	uint32_t room;
	struct vnpu_kept *kept;
	uint32_t nr_kept;
	uint32_t kept_room;
};

/* A record or wait that connects a model to the outside. */
struct vnpu_outside {
	struct vnpu_event *event;	/* holds a reference */
	bool is_record;
	uint32_t timeout_ms;
};

/* An event whose counter a graph uses. */
struct vnpu_kept_event {
	struct vnpu_kept_event *next;
	struct vnpu_event *event;	/* holds a reference */
};

struct vnpu_capture {
	struct vnpu_capture *next;	/* of all captures; capture lock */
	uint64_t model;			/* its handle; constant, like these */
	uint64_t context;
	aclmdlRICaptureMode mode;
	pid_t thread;
	_Atomic aclmdlRICaptureStatus status;
	_Atomic uint32_t tasks;		/* of all lanes */
	struct vnpu_lane **lanes;	/* the first is that of the origin */
	uint32_t nr_lanes;
	struct vnpu_outside *outside;
	uint32_t nr_outside;
	struct vnpu_kept_event *events;
};

/* The number of captures that have begun and not ended. */
extern __attribute__((visibility("hidden"))) _Atomic uint32_t vnpu_captures;

/* Check whether any stream captures, without a lock. */
static inline bool vnpu_capture_is_on(void)
{
	return __builtin_expect(!!atomic_load_explicit(&vnpu_captures,
						       memory_order_relaxed),
				0);
}

/* For model/. */

/* Begin to capture a stream for a model. */
aclError vnpu_capture_begin(struct vnpu_stream *stream,
			    aclmdlRICaptureMode mode, uint64_t model,
			    struct vnpu_capture **capture);

/*
 * End a capture by its first stream.  If it is over, also after an error, @model is
 * set to the object of its model, with a reference; else to NULL.
 */
aclError vnpu_capture_end(struct vnpu_stream *stream, void **model);

/* End a capture whose context ends; false if it was over. */
bool vnpu_capture_abandon(struct vnpu_capture *capture);

/* Free a capture that is over; only its model uses it. */
void vnpu_capture_free(struct vnpu_capture *capture);

/* Get the status of a stream, and its model if that is active, else 0. */
aclmdlRICaptureStatus vnpu_capture_status(const struct vnpu_stream *stream,
					  uint64_t *model);

/* Exchange the mode of this thread. */
aclmdlRICaptureMode vnpu_capture_exchange(aclmdlRICaptureMode mode);

/* For calls that a capture forbids. */

/* Refuse a call that acts at once: ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT. */
aclError vnpu_capture_check_now(void);

/*
 * Wait for a stream before the host does a part of its work, unless captures
 * forbid that: ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC.
 */
aclError vnpu_capture_wait_now(struct vnpu_stream *stream);

/* Refuse a stream that captures: ACL_ERROR_RT_STREAM_CAPTURED. */
aclError vnpu_capture_refuse(const struct vnpu_stream *stream);

/* Refuse a captured event: ACL_ERROR_RT_EVENT_CAPTURED. */
aclError vnpu_capture_refuse_event(struct vnpu_event *event);

/* Refuse work that cannot be captured: ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
aclError vnpu_capture_refuse_work(const struct vnpu_stream *stream,
				  const char *work);

/*
 * For events.  Each function returns false if no capture is concerned, and the
 * result of the call in @ret otherwise.
 */
bool vnpu_capture_record(struct vnpu_event *event, struct vnpu_stream *stream,
			 bool is_external, aclError *ret);
bool vnpu_capture_wait(struct vnpu_event *event, struct vnpu_stream *stream,
		       uint32_t timeout_ms, bool is_external, aclError *ret);
bool vnpu_capture_reset(struct vnpu_event *event, struct vnpu_stream *stream,
			aclError *ret);

/*
 * Store tasks in a lane, with the lock of its queue held: 0; -ECANCELED if the
 * capture is invalid; -ENOSPC if it has too many tasks; -ENOMEM.
 */
int vnpu_lane_add(struct vnpu_lane *lane, const struct vnpu_task *tasks,
		  unsigned int count, enum vnpu_captured_kind kind);

/* Free a lane, and the arguments and kernels of its tasks. */
void vnpu_lane_free(struct vnpu_lane *lane);

#endif /* VNPU_LIB_CAPTURE_H */
