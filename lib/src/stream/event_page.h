/* SPDX-License-Identifier: MIT */
/*
 * The page with the latest record of an event, which all processes that share
 * the event map; see event_page.c.
 */
#ifndef VNPU_LIB_EVENT_PAGE_H
#define VNPU_LIB_EVENT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/token.h"

/* The number of streams that a page can hold records of. */
#define VNPU_EVENT_PAGE_STREAMS	126

struct vnpu_event_page;

/* A task of a stream in any process. */
struct vnpu_event_record {
	struct vnpu_token stream;	/* see stream_share.h */
	uint64_t seq;
};

/* Create a file with a page; returns it, or -errno. */
int vnpu_event_page_create(void);

/* Map the page of a file; -ENOENT if it is not one, or another -errno. */
int vnpu_event_page_map(int file, struct vnpu_event_page **page);
void vnpu_event_page_unmap(struct vnpu_event_page *page);

/*
 * Make this the latest record.  0, or -ENOSPC if the event was recorded on too
 * many streams that live.
 */
int vnpu_event_page_put(struct vnpu_event_page *page,
			const struct vnpu_event_record *record);

/* Get the latest record; false if there is none, or it is complete. */
bool vnpu_event_page_get(struct vnpu_event_page *page,
			 struct vnpu_event_record *record);

#endif /* VNPU_LIB_EVENT_PAGE_H */
