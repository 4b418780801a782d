/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the contents of the driver's events, as words and numbers.
 */
#ifndef VNPU_SMI_EVENT_H
#define VNPU_SMI_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "../common/json.h"
#include "cmd.h"

/* The longest line of facts in text. */
#define EVENT_DETAIL	256

struct event_kind;
struct nlattr;

/**
 * struct event - an event
 * @kind: NULL for an unknown kind
 * @msg: the message
 * @name: name of its kind
 * @has_device: and @has_client: whether it refers to one
 */
struct event {
	const struct event_kind *kind;
	struct nlmsghdr *msg;
	const char *name;
	bool has_device;
	bool has_client;
	uint32_t device;
	uint64_t client;
	struct nlattr *attrs[32];
};

/* Get the name of a kind of events, or NULL beyond the last. */
const char *event_kind_name(size_t index);

/* Parse a message; @e has pointers into it. */
enum smi_exit event_parse(struct event *e, struct nlmsghdr *msg);

/* Print the facts as text, without lists. */
void event_describe(const struct event *e, char text[EVENT_DETAIL]);

/* Print the lists as text, with a space between them; "" without any. */
void event_describe_lists(const struct event *e, char text[EVENT_DETAIL]);

/* Print all as members of a JSON object. */
void event_write(const struct event *e, struct json *j);

#endif /* VNPU_SMI_EVENT_H */
