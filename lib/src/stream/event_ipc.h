/* SPDX-License-Identifier: MIT */
/*
 * Events that several processes share, see event_ipc.c.
 */
#ifndef VNPU_LIB_EVENT_IPC_H
#define VNPU_LIB_EVENT_IPC_H

#include <stdbool.h>

#include "io/io_stream.h"
#include "ipc/token.h"
#include "event.h"
#include "event_page.h"

struct vnpu_event_ipc {
	struct vnpu_event_page *page;
	int file;			/* of the page; -1 if it was opened */
	bool is_exported;		/* protected by the event's lock */
	struct vnpu_token token;	/* protected by the event's lock */
};

/* Create the shared part of an event; 0 or -errno. */
int vnpu_event_ipc_create(struct vnpu_event_ipc **ipc);

/* Free the shared part; its handle becomes invalid. */
void vnpu_event_ipc_free(struct vnpu_event_ipc *ipc);

/* Record the event; its order lock is held. */
aclError vnpu_event_ipc_record(struct vnpu_event_ipc *ipc,
			       struct vnpu_stream *stream);

/*
 * Get the task to wait for until the latest record is complete; its id is 0 if
 * there is nothing to wait for.
 */
aclError vnpu_event_ipc_latest(struct vnpu_event_ipc *ipc,
			       struct vnpu_io_point *point);

#endif /* VNPU_LIB_EVENT_IPC_H */
