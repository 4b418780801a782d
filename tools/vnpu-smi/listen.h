/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: wait for what the driver tells by itself.
 */
#ifndef VNPU_SMI_LISTEN_H
#define VNPU_SMI_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "session.h"

/* An event is one small message. */
#define LISTEN_BYTES	8192

/* Wait for as long as it takes. */
#define LISTEN_FOREVER	UINT64_MAX

/**
 * struct listener - a reader of the group of events
 * @session: its socket; questions need another, since events come in between
 * @is_stopped: no more come to it
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
	LISTEN_EVENT,	/* there is one in the listener */
	LISTEN_LOST,	/* some have come faster than they were read */
	LISTEN_TIMEOUT,
	LISTEN_FAILED,	/* and the user was told */
};

enum smi_exit listen_open(struct listener *l);

/*
 * Until @deadline_ns by CLOCK_MONOTONIC.  What has come by then and was not read
 * stays, so that there is an end even if more come than can be read.
 */
enum listen_result listen_next(struct listener *l, uint64_t deadline_ns);

/*
 * Have no more come.  Of a stopped listener listen_next() reads what has, whatever
 * the time, and then it is out.
 */
void listen_stop(struct listener *l);
void listen_close(struct listener *l);

/* CLOCK_MONOTONIC. */
uint64_t clock_ns(void);

#endif /* VNPU_SMI_LISTEN_H */
