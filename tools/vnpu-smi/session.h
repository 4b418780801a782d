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
	char why[SESSION_WHY];	/* what the driver said of a refusal, or empty */
};

/**
 * struct dump - a question that is answered by any number of records
 * @command: VNPU_CMD_*
 * @record: takes one record
 * @restart: forget the records so far: the list changed while it was read
 * @arg: for both of them
 */
struct dump {
	uint8_t command;
	enum smi_exit (*record)(struct nlmsghdr *msg, void *arg);
	void (*restart)(void *arg);
	void *arg;
};

/**
 * struct question - a question that is answered by one record
 * @command: VNPU_CMD_*
 * @put: adds what is asked for, or returns a negative NLE_*
 * @record: takes the answer
 * @arg: for both of them
 * @not_found: what it is that ENOENT says is not there, or NULL
 * @no_memory: what it is that ENOMEM says there is no memory for, or NULL
 */
struct question {
	uint8_t command;
	int (*put)(struct nl_msg *msg, const void *arg);
	enum smi_exit (*record)(struct nlmsghdr *msg, void *arg);
	void *arg;
	const char *not_found;
	const char *no_memory;
};

/* Each of these has told the user what is wrong when it does not succeed. */
enum smi_exit session_open(struct session *s);

/* Wait this long for each answer; 5 seconds at first. */
enum smi_exit session_limit(struct session *s, int seconds);
enum smi_exit session_dump(struct session *s, const struct dump *dump);
enum smi_exit session_ask(struct session *s, const struct question *question);

/* Is there a device with this number? */
enum smi_exit session_check_device(struct session *s, uint32_t id);
void session_close(struct session *s);

#endif /* VNPU_SMI_SESSION_H */
