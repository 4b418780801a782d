/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: a conversation with the driver over generic netlink.
 */
#ifndef VNPU_SMI_SESSION_H
#define VNPU_SMI_SESSION_H

#include <stdint.h>

#include <netlink/netlink.h>

#include "cmd.h"

#define SESSION_WHY	128

struct session {
	struct nl_sock *sock;
	int family;
	uint32_t events;	/* number of the group of events */
	int seconds;
	char why[SESSION_WHY];	/* reason of a rejection, or empty */
};

/**
 * struct dump - a request that is answered by any number of records
 * @command: VNPU_CMD_*
 * @record: takes one record
 * @restart: drops the records so far, because the list changed during the read
 * @arg: passed to both
 */
struct dump {
	uint8_t command;
	enum smi_exit (*record)(struct nlmsghdr *msg, void *arg);
	void (*restart)(void *arg);
	void *arg;
};

/**
 * struct question - a request that is answered by one record
 * @command: VNPU_CMD_*
 * @put: adds the attributes, or returns a negative NLE_*
 * @record: takes the answer
 * @arg: passed to both
 * @not_found: the object that is missing for ENOENT, or NULL
 * @no_memory: the object that lacks memory for ENOMEM, or NULL
 */
struct question {
	uint8_t command;
	int (*put)(struct nl_msg *msg, const void *arg);
	enum smi_exit (*record)(struct nlmsghdr *msg, void *arg);
	void *arg;
	const char *not_found;
	const char *no_memory;
};

/* Each of these reports its errors to the user. */
enum smi_exit session_open(struct session *s);

/* Limit the wait for each answer; 5 seconds by default. */
enum smi_exit session_limit(struct session *s, int seconds);
enum smi_exit session_dump(struct session *s, const struct dump *dump);
enum smi_exit session_ask(struct session *s, const struct question *question);

/* Check whether a device exists. */
enum smi_exit session_check_device(struct session *s, uint32_t id);
void session_close(struct session *s);

#endif /* VNPU_SMI_SESSION_H */
