/* SPDX-License-Identifier: MIT */
/*
 * Events that several processes have, see event_ipc.c.
 */
#ifndef VNPU_LIB_EVENT_IPC_H
#define VNPU_LIB_EVENT_IPC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "token.h"

/* What the processes have in common: a page of shared memory. */
struct vnpu_event_page {
	_Atomic uint64_t latest;	/* number of the latest record */
};

struct vnpu_event_ipc {
	uint64_t done;			/* timeline: records that are complete */
	struct vnpu_event_page *page;
	int file;			/* of the page; -1 if it was opened */
	bool is_exported;		/* under the event's lock, */
	struct vnpu_token token;	/* this too */
};

/* Make what an event shares; 0 or -errno. */
int vnpu_event_ipc_create(struct vnpu_event_ipc **ipc);

/* Give it up: the handle opens nothing any more. */
void vnpu_event_ipc_free(struct vnpu_event_ipc *ipc);

/* Record it; the lock of the event's order is held. */
aclError vnpu_event_ipc_record(const char *call, struct vnpu_event_ipc *ipc,
			       struct vnpu_stream *stream);

/* Let a stream wait for the record that is the latest now. */
aclError vnpu_event_ipc_wait(const char *call, struct vnpu_event_ipc *ipc,
			     struct vnpu_stream *stream, uint32_t timeout_ms);

/* Whether that is reached, or there is none; -errno. */
int vnpu_event_ipc_query(const struct vnpu_event_ipc *ipc, bool *is_done);

/* Wait for it, for ever if @timeout_ms is negative; 0, -ETIMEDOUT, -errno. */
int vnpu_event_ipc_synchronize(const struct vnpu_event_ipc *ipc,
			       int64_t timeout_ms);

#endif /* VNPU_LIB_EVENT_IPC_H */
