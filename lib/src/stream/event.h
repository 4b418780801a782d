/* SPDX-License-Identifier: MIT */
/*
 * Events, which store a task of a stream, see event.c.
 *
 * An event is found by its handle without a lock, and stays until its reference
 * is put.  The list of a context's events is protected by the runtime lock.
 */
#ifndef VNPU_LIB_EVENT_H
#define VNPU_LIB_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "stamp.h"
#include "stream.h"

struct vnpu_event_ipc;

/* A task that waits for an event. */
struct vnpu_event_wait {
	struct vnpu_stream *stream;	/* holds a reference */
	uint64_t seq;
};

/* A captured record: the task of a model. */
struct vnpu_event_point {
	uint64_t model;			/* its handle; 0 for none */
	uint32_t lane;
	uint32_t index;
};

struct vnpu_event {
	struct vnpu_event *next;	/* in the list of the context */
	struct vnpu_event **link;	/* the pointer to this event */
	uint64_t handle;		/* constant, like the following */
	uint32_t flags;
	bool is_new;			/* of aclrtCreateEventExWithFlag() */
	uint32_t device;
	struct vnpu_stamp *stamp;	/* with ACL_EVENT_TIME_LINE */
	uint64_t stamp_va;
	struct vnpu_event_ipc *ipc;	/* with ACL_EVENT_IPC, else NULL */
	uint64_t counter;		/* with ACL_EVENT_EXTERNAL: 1 from a
					 * record to a reset; else 0 */

	/*
	 * Held during the submission of a record, which waits while the stream
	 * is full; taken before @lock.
	 */
	pthread_mutex_t order;

	pthread_mutex_t lock;		/* protects the rest; only held for
					 * short times */
	struct vnpu_stream *stream;	/* of the latest record, or NULL */
	uint64_t seq;			/* the task of the latest record */
	uint64_t cookie;		/* of the stamp */
	struct vnpu_event_point captured;	/* if that is later */
	uint64_t timeline;		/* see event_wait.c; or 0 */
	uint64_t records;		/* number of records; written under both
					 * locks */
	struct vnpu_stream *reset;	/* the stream that resets it, or NULL */
	uint64_t reset_seq;		/* the reset is done with this task */
	uint32_t number;
	bool has_number;
	struct vnpu_event_wait *waits;	/* waits that may not be complete */
	unsigned int nr_waits;
	unsigned int nr_coming;		/* waits that are being submitted */
};

/* Internal flag, unknown to CANN: an event of aclrtCreateEvent(). */
#define VNPU_EVENT_PLAIN	0x4U

/*
 * Check whether an event was recorded and no stream has reached a reset since.
 */
static inline bool
vnpu_event_is_recorded_locked(const struct vnpu_event *event)
{
	return event->stream &&
	       !(event->reset &&
		 vnpu_queue_is_done(&event->reset->queue, event->reset_seq));
}

/* Check whether the latest record is complete. */
static inline bool vnpu_event_is_done_locked(const struct vnpu_event *event)
{
	return !vnpu_event_is_recorded_locked(event) ||
	       vnpu_queue_is_done(&event->stream->queue, event->seq);
}

/* Get a reference to the event of a handle. */
aclError vnpu_event_get(aclrtEvent handle, struct vnpu_event **event);
void vnpu_event_put(struct vnpu_event *event);

/* Record an event in a stream, and let a stream wait for it. */
aclError vnpu_event_record(struct vnpu_event *event,
			   struct vnpu_stream *stream);
aclError vnpu_event_wait(struct vnpu_event *event, struct vnpu_stream *stream,
			 uint32_t timeout_ms);

/* Create an event from one of another process; takes ownership of it. */
aclError vnpu_event_adopt(struct vnpu_event_ipc *ipc, aclrtEvent *event);

/*
 * End each destroyed event if @stream has reached its latest record by now.
 * They were kept because other streams may wait for these records.  Once
 * @stream has ended, it has reached all of them.
 */
void vnpu_event_end_left(struct vnpu_stream *stream);

/* End all events of a context; the runtime lock is held. */
void vnpu_event_destroy_all(struct vnpu_context *context);

#endif /* VNPU_LIB_EVENT_H */
