/* SPDX-License-Identifier: MIT */
/*
 * The page that all processes with an event map: which record of it is the
 * latest, see event_page.c.
 */
#ifndef VNPU_LIB_EVENT_PAGE_H
#define VNPU_LIB_EVENT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "token.h"

/* How many streams an event remembers. */
#define VNPU_EVENT_PAGE_STREAMS	126

struct vnpu_event_page;

/* A task of a stream, of whichever process. */
struct vnpu_event_record {
	struct vnpu_token stream;	/* see stream_share.h */
	uint64_t seq;
};

/* A file with a page, or -errno. */
int vnpu_event_page_create(void);

/* Map the page of such a file; -ENOENT if it is none, another -errno. */
int vnpu_event_page_map(int file, struct vnpu_event_page **page);
void vnpu_event_page_unmap(struct vnpu_event_page *page);

/*
 * Make this the latest record.  0, or -ENOSPC if the event was recorded on too
 * many streams that live.
 */
int vnpu_event_page_put(struct vnpu_event_page *page,
			const struct vnpu_event_record *record);

/* The latest record; false if there is none that may not be complete. */
bool vnpu_event_page_get(struct vnpu_event_page *page,
			 struct vnpu_event_record *record);

#endif /* VNPU_LIB_EVENT_PAGE_H */
