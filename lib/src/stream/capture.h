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
struct vnpu_group;
struct vnpu_stream;

#define VNPU_CAPTURED_CALL	40

enum vnpu_captured_kind {
	VNPU_CAPTURED_TASK,
	VNPU_CAPTURED_RECORD,
	VNPU_CAPTURED_WAIT,
	VNPU_CAPTURED_RESET,
};

/*
 * The call that made a captured task, its flags, and its event if it has one.
 */
struct vnpu_captured {
	char call[VNPU_CAPTURED_CALL];	/* the call that made it; may be cut */
	enum vnpu_captured_kind kind;
	uint32_t event_flags;		/* with which the event was created */
	uint64_t event;			/* handle, maybe of a destroyed one */
	uint32_t flags;			/* of the call: ACL_EVENT_*_EXTERNAL */
};

/* A reference of a launch: the arguments, a kernel, or both; else NULL. */
struct vnpu_launch_ref {
	struct vnpu_chunk *chunk;
	struct vnpu_function *function;
};

/* The captured tasks of a stream. */
struct vnpu_lane {
	struct vnpu_capture *capture;	/* constant, like the next two */
	uint32_t index;
	uint32_t number;		/* of the stream, for messages */
	struct vnpu_stream *stream;	/* a reference until the capture ends,
					 * or until it is unbound */
	uint32_t joined;		/* a stream waits for the first that
					 * many tasks; capture lock */
	struct vnpu_group *open;	/* see vnpu_group_begin(); capture lock
					 * and that of the queue */
	bool is_head;			/* of a build: it begins with the model;
					 * constant */
	bool is_closed;			/* see vnpu_build_close(); capture lock */
	bool is_paused;			/* it takes no tasks; lock of the queue */

	/* See above for their lock. */
	struct vnpu_task *tasks;
	struct vnpu_captured *infos;	/* one for each task */
	uint32_t count;
	uint32_t room;
	struct vnpu_launch_ref *refs;
	uint32_t nr_refs;
	uint32_t refs_room;
};

/* A record or wait that connects a model to the outside. */
struct vnpu_outside {
	struct vnpu_event *event;	/* holds a reference */
	bool is_record;
	uint32_t timeout_ms;
	uint32_t lane;			/* of the task that stands for it */
	uint32_t index;
	bool is_off;			/* the task was replaced; lock of the
					 * model */
};

/* An event; a graph uses its counter. */
struct vnpu_event_ref {
	struct vnpu_event_ref *next;
	struct vnpu_event *event;	/* holds a reference */
};

/*
 * A capture, an update or a build (see build.h).  An update has one lane, with
 * the new tasks for a group of a model.
 */
struct vnpu_capture {
	struct vnpu_capture *next;	/* of all captures; capture lock */
	uint64_t model;			/* its handle; constant, like these */
	uint64_t context;
	struct vnpu_group *update;	/* the group to update; else NULL */
	bool is_build;
	bool is_ending;			/* see vnpu_build_pause(); capture lock */
	bool is_over;			/* a build that has ended; likewise */
	aclmdlRICaptureMode mode;
	pid_t thread;
	_Atomic aclmdlRICaptureStatus status;
	_Atomic uint32_t tasks;		/* of all lanes */
	struct vnpu_lane **lanes;	/* the first is that of the origin */
	uint32_t nr_lanes;
	struct vnpu_outside *outside;
	uint32_t nr_outside;
	struct vnpu_event_ref *events;
	struct vnpu_group *groups;	/* capture lock, and that of the model
					 * once it is over */
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
 * End a capture by its first stream.  If the capture is then over, even after
 * an error, @model is set to the object of its model, with a reference; else to
 * NULL.
 */
aclError vnpu_capture_end(struct vnpu_stream *stream, void **model);

/* End a capture that is not over, and the updates of its model. */
void vnpu_capture_abandon(struct vnpu_capture *capture);

/* Free a capture that is over; only its model uses it. */
void vnpu_capture_free(struct vnpu_capture *capture);

/* Get the status of a stream, and its model if that is active, else 0. */
aclmdlRICaptureStatus vnpu_capture_status(const struct vnpu_stream *stream,
					  uint64_t *model);

/* Exchange the mode of this thread. */
aclmdlRICaptureMode vnpu_capture_exchange(aclmdlRICaptureMode mode);

/* Get the handle of the model that a stream captures, or report an error. */
aclError vnpu_capture_model(const struct vnpu_stream *stream, uint64_t *model);

/* Capture tasks for this model, and get the place of the first. */
aclError vnpu_capture_add(const struct vnpu_stream *stream, uint64_t model,
			  const struct vnpu_task *tasks, unsigned int count,
			  struct vnpu_lane **lane, uint32_t *index);

/* Check whether a capture is not over. */
bool vnpu_capture_is_active(const struct vnpu_capture *capture);

/* For calls that a capture forbids. */

/* Refuse a call that acts at once: ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT. */
aclError vnpu_capture_check_now(void);

/*
 * Wait for a stream before the host does a part of its work, unless captures
 * forbid that: ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC.
 */
aclError vnpu_capture_wait_now(struct vnpu_stream *stream);

/*
 * Refuse a stream that captures: ACL_ERROR_RT_STREAM_CAPTURED; that updates a
 * group: ACL_ERROR_STREAM_TASK_GROUP_STATUS; or that is bound to a model:
 * ACL_ERROR_RT_STREAM_MODEL.
 */
aclError vnpu_capture_refuse(const struct vnpu_stream *stream);

/* Refuse a captured event: ACL_ERROR_RT_EVENT_CAPTURED. */
aclError vnpu_capture_refuse_event(struct vnpu_event *event);

/* Refuse work that cannot be captured: ACL_ERROR_RT_FEATURE_NOT_SUPPORT. */
aclError vnpu_capture_refuse_work(const struct vnpu_stream *stream,
				  const char *work);

/*
 * Get a reference to a stream of the current context, as vnpu_stream_get(), for
 * work that cannot be captured; no reference on failure.
 */
aclError vnpu_capture_stream_get(aclrtStream handle, const char *work,
				 struct vnpu_stream **stream);

/*
 * For events.  Each function returns false if the call concerns no capture.
 * Otherwise it returns true, and the result of the call in @ret.
 */
bool vnpu_capture_record(struct vnpu_event *event, struct vnpu_stream *stream,
			 bool is_external, aclError *ret);
bool vnpu_capture_wait(struct vnpu_event *event, struct vnpu_stream *stream,
		       uint32_t timeout_ms, bool is_external, aclError *ret);
bool vnpu_capture_reset(struct vnpu_event *event, struct vnpu_stream *stream,
			aclError *ret);

/*
 * Store tasks in a lane, with the lock of its queue held: 0; -EROFS if it takes
 * none; -ECANCELED if the capture is invalid; -ENOSPC if it has too many tasks;
 * -EPROTOTYPE if the task cannot be in a group; -ENOMEM.
 */
int vnpu_lane_add(struct vnpu_lane *lane, const struct vnpu_task *tasks,
		  unsigned int count, enum vnpu_captured_kind kind);

/* Drop a reference of a launch. */
void vnpu_launch_ref_put(const struct vnpu_launch_ref *ref);

/* Free a lane, and the arguments and kernels of its tasks. */
void vnpu_lane_free(struct vnpu_lane *lane);

#endif /* VNPU_LIB_CAPTURE_H */
