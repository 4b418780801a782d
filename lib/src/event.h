/* SPDX-License-Identifier: MIT */
/*
 * Events: a task of a stream that is remembered, see event.c.
 *
 * An event is found by its handle without a lock, and then stays until it is
 * put.  The list of a context's events is under the runtime lock.
 */
#ifndef VNPU_LIB_EVENT_H
#define VNPU_LIB_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "context.h"
#include "stamp.h"
#include "stream.h"

struct vnpu_event_ipc;

/* A task that waits for an event. */
struct vnpu_event_wait {
	struct vnpu_stream *stream;	/* has a reference */
	uint64_t seq;
};

struct vnpu_event {
	struct vnpu_event *next;	/* of the context's events */
	struct vnpu_event **link;	/* to this one */
	uint64_t handle;		/* constant, as what follows */
	uint32_t flags;
	bool is_new;			/* of aclrtCreateEventExWithFlag() */
	uint32_t device;
	struct vnpu_stamp *stamp;	/* with ACL_EVENT_TIME_LINE */
	uint64_t stamp_va;
	struct vnpu_event_ipc *ipc;	/* with ACL_EVENT_IPC, else NULL */

	/*
	 * Held while a record is submitted, which may take as long as the
	 * stream has no room; outside the other lock.
	 */
	pthread_mutex_t order;

	pthread_mutex_t lock;		/* protects the rest; never held for long */
	struct vnpu_stream *stream;	/* of the latest record, or NULL */
	uint64_t seq;			/* the task that it remembers */
	uint64_t cookie;		/* of the stamp */
	uint64_t timeline;		/* see event_wait.c; or 0 */
	uint64_t records;		/* how often; written under both locks */
	struct vnpu_stream *reset;	/* that resets it, or NULL */
	uint64_t reset_seq;		/* when this task is done */
	uint32_t number;
	bool has_number;
	struct vnpu_event_wait *waits;	/* that may not be complete */
	unsigned int nr_waits;
	unsigned int nr_coming;		/* that are being submitted */
};

/* Not known to CANN: what aclrtCreateEvent() makes. */
#define VNPU_EVENT_PLAIN	0x4U

/* The event that a program means, with a reference. */
aclError vnpu_event_get(const char *call, aclrtEvent handle,
			struct vnpu_event **event);
void vnpu_event_put(struct vnpu_event *event);

/* Make an event of what another process shares, which this takes. */
aclError vnpu_event_adopt(const char *call, struct vnpu_event_ipc *ipc,
			  aclrtEvent *event);

/*
 * An event that is destroyed is left to the stream that has yet to come to its
 * latest record, if streams may wait for that.  Let those go that the stream
 * has come to, which are all once it has ended.
 */
void vnpu_event_end_left(struct vnpu_stream *stream);

/* End all events of a context; the runtime lock is held. */
void vnpu_event_destroy_all(struct vnpu_context *context);

#endif /* VNPU_LIB_EVENT_H */
