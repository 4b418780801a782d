/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: wait for events of the driver.
 */
#ifndef VNPU_SMI_LISTEN_H
#define VNPU_SMI_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "session.h"

/* An event is one small message. */
#define LISTEN_BYTES	8192

/* No time limit. */
#define LISTEN_FOREVER	UINT64_MAX

/**
 * struct listener - a receiver of events
 * @session: its socket; queries need another one, as events arrive in between
 * @is_stopped: it receives no further events
 * @message: the last event
 */
struct listener {
	struct session session;
	bool is_stopped;
	union {
		struct nlmsghdr message;
		char bytes[LISTEN_BYTES];
	};
};

enum listen_result {
	LISTEN_EVENT,	/* the listener has an event */
	LISTEN_LOST,	/* events arrived faster than they were read */
	LISTEN_TIMEOUT,
	LISTEN_FAILED,	/* the error was reported to the user */
};

enum smi_exit listen_open(struct listener *l);

/*
 * Wait until @deadline_ns in CLOCK_MONOTONIC.  Events that arrived by then stay
 * unread, so that the call ends even if events arrive faster than they are
 * read.
 */
enum listen_result listen_next(struct listener *l, uint64_t deadline_ns);

/*
 * Stop receiving.  Then listen_next() returns the events that have arrived,
 * whatever the time, and LISTEN_TIMEOUT after the last one.
 */
void listen_stop(struct listener *l);
void listen_close(struct listener *l);

/* Get CLOCK_MONOTONIC. */
uint64_t clock_ns(void);

#endif /* VNPU_SMI_LISTEN_H */
