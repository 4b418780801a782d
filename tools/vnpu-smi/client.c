// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the clients of the driver, including those that have ended.
 */
#include <stdlib.h>

#include "answer.h"
#include "client.h"

static const struct nla_policy policy[VNPU_A_CLIENT_MAX + 1] = {
	[VNPU_A_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_CLIENT_PID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_NAME] = { .type = NLA_STRING },
	[VNPU_A_CLIENT_UID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_USAGE] = { .type = NLA_NESTED },
	[VNPU_A_CLIENT_STREAMS] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_BUSY] = { .type = NLA_U64 },
	[VNPU_A_CLIENT_HOST_PID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_NS_PID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_OPENED] = { .type = NLA_U64 },
	[VNPU_A_CLIENT_CLOSED] = { .type = NLA_U64 },
};

static const struct nla_policy usage_policy[VNPU_A_CLIENT_USAGE_MAX + 1] = {
	[VNPU_A_CLIENT_USAGE_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_USAGE_MEM_USED] = { .type = NLA_U64 },
	[VNPU_A_CLIENT_USAGE_MEM_PEAK] = { .type = NLA_U64 },
};

/* A dump of clients: its destination, and the previous contents. */
struct run {
	struct client_list *list;
	const struct client_filter *filter;
	size_t start;
};

static enum smi_exit take_usage(struct client *c, struct nlattr *attr,
				const struct client_filter *filter)
{
	struct nlattr *tb[VNPU_A_CLIENT_USAGE_MAX + 1];
	uint32_t device;

	if (nla_parse_nested(tb, VNPU_A_CLIENT_USAGE_MAX, attr,
			     usage_policy) ||
	    !HAS_ALL(tb, VNPU_A_CLIENT_USAGE_DEV_ID,
		     VNPU_A_CLIENT_USAGE_MEM_USED,
		     VNPU_A_CLIENT_USAGE_MEM_PEAK))
		return fail_answer("a client's memory");
	device = nla_get_u32(tb[VNPU_A_CLIENT_USAGE_DEV_ID]);
	if (device >= VNPU_MAX_DEVICES ||
	    (filter->has_device && device != filter->device))
		return SMI_OK;
	c->devices |= UINT64_C(1) << device;
	c->mem_used += nla_get_u64(tb[VNPU_A_CLIENT_USAGE_MEM_USED]);
	c->mem_peak += nla_get_u64(tb[VNPU_A_CLIENT_USAGE_MEM_PEAK]);
	return SMI_OK;
}

static enum smi_exit take_facts(struct client *c, struct nlmsghdr *msg)
{
	struct nlattr *tb[VNPU_A_CLIENT_MAX + 1];

	if (genlmsg_parse(msg, 0, tb, VNPU_A_CLIENT_MAX, policy) ||
	    !HAS_ALL(tb, VNPU_A_CLIENT_ID, VNPU_A_CLIENT_PID,
		     VNPU_A_CLIENT_UID, VNPU_A_CLIENT_STREAMS,
		     VNPU_A_CLIENT_BUSY, VNPU_A_CLIENT_OPENED))
		return fail_answer("a client");
	*c = (struct client){
		.id = nla_get_u64(tb[VNPU_A_CLIENT_ID]),
		.pid = nla_get_u32(tb[VNPU_A_CLIENT_PID]),
		.uid = nla_get_u32(tb[VNPU_A_CLIENT_UID]),
		.streams = nla_get_u32(tb[VNPU_A_CLIENT_STREAMS]),
		.busy_ns = nla_get_u64(tb[VNPU_A_CLIENT_BUSY]),
		.opened_ns = nla_get_u64(tb[VNPU_A_CLIENT_OPENED]),
	};
	if (tb[VNPU_A_CLIENT_NAME])
		nla_strlcpy(c->name, tb[VNPU_A_CLIENT_NAME], sizeof(c->name));
	if (tb[VNPU_A_CLIENT_HOST_PID])
		c->host_pid = nla_get_u32(tb[VNPU_A_CLIENT_HOST_PID]);
	if (tb[VNPU_A_CLIENT_NS_PID])
		c->own_pid = nla_get_u32(tb[VNPU_A_CLIENT_NS_PID]);
	c->is_gone = tb[VNPU_A_CLIENT_CLOSED];
	if (c->is_gone)
		c->closed_ns = nla_get_u64(tb[VNPU_A_CLIENT_CLOSED]);
	return SMI_OK;
}

static enum smi_exit take_client(struct nlmsghdr *msg, void *arg)
{
	struct run *run = arg;
	enum smi_exit status;
	struct nlattr *attr;
	struct client c, *item;
	int rem;

	status = take_facts(&c, msg);
	if (status)
		return status;
	for_each_attr_of_type(attr, msg, VNPU_A_CLIENT_USAGE, rem) {
		status = take_usage(&c, attr, run->filter);
		if (status)
			return status;
	}
	/* A process that has only opened the device does not use it. */
	if (!c.devices)
		return SMI_OK;
	item = LIST_ADD(run->list->items, run->list->count);
	if (!item)
		return fail_memory();
	*item = c;
	return SMI_OK;
}

static void forget(void *arg)
{
	struct run *run = arg;

	run->list->count = run->start;
}

static enum smi_exit dump(struct client_list *list, struct session *s,
			  const struct client_filter *filter, uint8_t command)
{
	struct run run = {
		.list = list,
		.filter = filter,
		.start = list->count,
	};
	const struct dump clients = {
		.command = command,
		.record = take_client,
		.restart = forget,
		.arg = &run,
	};

	return session_dump(s, &clients);
}

/* For a client that ended during the dump, the driver's record of it counts. */
static void drop_gone(struct client_list *list, size_t gone)
{
	size_t i, j, kept = 0;

	for (i = 0; i < list->count; i++) {
		for (j = gone; i < gone && j < list->count; j++)
			if (list->items[j].id == list->items[i].id)
				break;
		if (i >= gone || j == list->count)
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

enum smi_exit client_list_collect(struct client_list *list, struct session *s,
				  const struct client_filter *filter)
{
	enum smi_exit status;
	size_t gone;

	*list = (struct client_list){ 0 };
	status = dump(list, s, filter, VNPU_CMD_CLIENT_GET);
	gone = list->count;
	if (!status && filter->with_gone)
		status = dump(list, s, filter, VNPU_CMD_HISTORY_GET);
	if (!status)
		drop_gone(list, gone);
	return status;
}

/* Processes that are not visible here may still differ in their host pid. */
static uint32_t process_of(const struct client *c)
{
	return c->host_pid ? c->host_pid : c->pid;
}

static int compare(const void *a, const void *b)
{
	const struct client *x = a, *y = b;
	uint32_t p = process_of(x), q = process_of(y);

	if (x->is_gone != y->is_gone)
		return x->is_gone - y->is_gone;
	if (!x->is_gone && p != q)
		return (p > q) - (p < q);
	return (x->id > y->id) - (x->id < y->id);
}

void client_list_join(struct client_list *list)
{
	struct client *last = NULL;
	size_t i, kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	for (i = 0; i < list->count; i++) {
		const struct client *c = &list->items[i];

		if (last && !c->is_gone && process_of(c) &&
		    process_of(c) == process_of(last)) {
			last->devices |= c->devices;
			last->mem_used += c->mem_used;
			last->mem_peak += c->mem_peak;
			last->busy_ns += c->busy_ns;
			last->streams += c->streams;
			continue;
		}
		list->items[kept] = *c;
		last = &list->items[kept++];
	}
	list->count = kept;
}

void client_list_fini(struct client_list *list)
{
	free(list->items);
	*list = (struct client_list){ 0 };
}
