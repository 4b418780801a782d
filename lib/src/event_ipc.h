/* SPDX-License-Identifier: MIT */
/*
 * Events that several processes have, see event_ipc.c.
 */
#ifndef VNPU_LIB_EVENT_IPC_H
#define VNPU_LIB_EVENT_IPC_H

#include <stdbool.h>

#include "event.h"
#include "event_page.h"
#include "io_stream.h"
#include "token.h"

struct vnpu_event_ipc {
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

/*
 * What to wait for until the record that is the latest now is complete; its id
 * is 0 if for nothing.
 */
aclError vnpu_event_ipc_latest(const char *call, struct vnpu_event_ipc *ipc,
			       struct vnpu_io_point *point);

#endif /* VNPU_LIB_EVENT_IPC_H */
