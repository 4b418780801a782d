// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: fill the model from the driver's answers.
 *
 * Attributes that a newer driver adds are ignored.  Strings may be missing;
 * numbers may not, since there is no default for them.
 */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "collect.h"
#include "session.h"

static const struct nla_policy dev_policy[VNPU_A_DEV_MAX + 1] = {
	[VNPU_A_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_DEV_NAME] = { .type = NLA_STRING },
	[VNPU_A_DEV_UUID] = { .minlen = VNPU_DEVICE_UUID_LEN },
	[VNPU_A_DEV_BUS_ID] = { .type = NLA_STRING },
	[VNPU_A_DEV_HEALTH] = { .type = NLA_U32 },
	[VNPU_A_DEV_MEM_TOTAL] = { .type = NLA_U64 },
	[VNPU_A_DEV_MEM_USED] = { .type = NLA_U64 },
	[VNPU_A_DEV_MEM_FREE] = { .type = NLA_U64 },
	[VNPU_A_DEV_MEM_LARGEST_FREE] = { .type = NLA_U64 },
	[VNPU_A_DEV_CLIENTS] = { .type = NLA_U32 },
	[VNPU_A_DEV_STREAMS] = { .type = NLA_U32 },
	[VNPU_A_DEV_TIME] = { .type = NLA_U64 },
	[VNPU_A_DEV_RESETS] = { .type = NLA_U64 },
	[VNPU_A_DEV_HANGS] = { .type = NLA_U64 },
	[VNPU_A_DEV_ECC_CORRECTED] = { .type = NLA_U64 },
	[VNPU_A_DEV_ECC_UNCORRECTED] = { .type = NLA_U64 },
	[VNPU_A_DEV_SOC] = { .type = NLA_STRING },
	[VNPU_A_DEV_AI_CORES] = { .type = NLA_U32 },
};

static const struct nla_policy mem_policy[VNPU_A_MEM_MAX + 1] = {
	[VNPU_A_MEM_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_MEM_CLASS] = { .type = NLA_NESTED },
};

static const struct nla_policy mem_class_policy[VNPU_A_MEM_CLASS_MAX + 1] = {
	[VNPU_A_MEM_CLASS_PAGE_SIZE] = { .type = NLA_U64 },
	[VNPU_A_MEM_CLASS_USED] = { .type = NLA_U64 },
};

static const struct nla_policy client_policy[VNPU_A_CLIENT_MAX + 1] = {
	[VNPU_A_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_CLIENT_PID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_NAME] = { .type = NLA_STRING },
	[VNPU_A_CLIENT_UID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_USAGE] = { .type = NLA_NESTED },
};

static const struct nla_policy client_usage_policy[VNPU_A_CLIENT_USAGE_MAX + 1] = {
	[VNPU_A_CLIENT_USAGE_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_CLIENT_USAGE_MEM_USED] = { .type = NLA_U64 },
};

static const struct nla_policy engines_policy[VNPU_A_DEV_ENGINES_MAX + 1] = {
	[VNPU_A_DEV_ENGINES_CLASS] = { .type = NLA_U32 },
	[VNPU_A_DEV_ENGINES_COUNT] = { .type = NLA_U32 },
	[VNPU_A_DEV_ENGINES_BUSY] = { .type = NLA_U64 },
};

static void format_uuid(char *text, const uint8_t *uuid)
{
	int i;

	for (i = 0; i < VNPU_DEVICE_UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		text += sprintf(text, "%02x", uuid[i]);
	}
}

static enum smi_exit take_engines(struct device *d, struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_DEV_ENGINES_MAX + 1];
	uint32_t class;

	if (nla_parse_nested(tb, VNPU_A_DEV_ENGINES_MAX, attr,
			     engines_policy) ||
	    !HAS_ALL(tb, VNPU_A_DEV_ENGINES_CLASS, VNPU_A_DEV_ENGINES_COUNT,
		     VNPU_A_DEV_ENGINES_BUSY))
		return fail_answer("engines");
	class = nla_get_u32(tb[VNPU_A_DEV_ENGINES_CLASS]);
	if (class < ENGINE_CLASSES)
		d->engines[class] = (struct engine_class){
			.count = nla_get_u32(tb[VNPU_A_DEV_ENGINES_COUNT]),
			.busy_ns = nla_get_u64(tb[VNPU_A_DEV_ENGINES_BUSY]),
		};
	return SMI_OK;
}

static enum smi_exit take_device(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_DEV_MAX + 1];
	struct device_list *list = arg;
	enum smi_exit status;
	struct nlattr *attr;
	struct device *d;
	int rem;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_DEV_MAX, dev_policy) ||
	    !HAS_ALL(tb, VNPU_A_DEV_ID, VNPU_A_DEV_MEM_TOTAL,
		     VNPU_A_DEV_MEM_USED, VNPU_A_DEV_MEM_FREE,
		     VNPU_A_DEV_MEM_LARGEST_FREE, VNPU_A_DEV_CLIENTS,
		     VNPU_A_DEV_STREAMS, VNPU_A_DEV_RESETS, VNPU_A_DEV_HANGS))
		return fail_answer("a device");

	d = device_list_add(list);
	if (!d)
		return fail_memory();
	d->id = nla_get_u32(tb[VNPU_A_DEV_ID]);
	d->health = VNPU_HEALTH_UNKNOWN;
	if (tb[VNPU_A_DEV_HEALTH])
		d->health = nla_get_u32(tb[VNPU_A_DEV_HEALTH]);
	d->mem_total = nla_get_u64(tb[VNPU_A_DEV_MEM_TOTAL]);
	d->mem_used = nla_get_u64(tb[VNPU_A_DEV_MEM_USED]);
	d->mem_free = nla_get_u64(tb[VNPU_A_DEV_MEM_FREE]);
	d->mem_largest_free = nla_get_u64(tb[VNPU_A_DEV_MEM_LARGEST_FREE]);
	d->nr_clients = nla_get_u32(tb[VNPU_A_DEV_CLIENTS]);
	d->nr_streams = nla_get_u32(tb[VNPU_A_DEV_STREAMS]);
	d->resets = nla_get_u64(tb[VNPU_A_DEV_RESETS]);
	d->hangs = nla_get_u64(tb[VNPU_A_DEV_HANGS]);
	/* An older driver does not report it. */
	d->has_ecc = HAS_ALL(tb, VNPU_A_DEV_ECC_CORRECTED,
			     VNPU_A_DEV_ECC_UNCORRECTED);
	if (d->has_ecc) {
		d->ecc_corrected = nla_get_u64(tb[VNPU_A_DEV_ECC_CORRECTED]);
		d->ecc_uncorrected =
			nla_get_u64(tb[VNPU_A_DEV_ECC_UNCORRECTED]);
	}
	if (tb[VNPU_A_DEV_SOC])
		nla_strlcpy(d->soc, tb[VNPU_A_DEV_SOC], sizeof(d->soc));
	d->has_ai_cores = tb[VNPU_A_DEV_AI_CORES];
	if (d->has_ai_cores)
		d->ai_cores = nla_get_u32(tb[VNPU_A_DEV_AI_CORES]);
	if (tb[VNPU_A_DEV_NAME])
		nla_strlcpy(d->name, tb[VNPU_A_DEV_NAME], sizeof(d->name));
	if (tb[VNPU_A_DEV_BUS_ID])
		nla_strlcpy(d->bus_id, tb[VNPU_A_DEV_BUS_ID],
			    sizeof(d->bus_id));
	if (tb[VNPU_A_DEV_UUID])
		format_uuid(d->uuid, nla_data(tb[VNPU_A_DEV_UUID]));
	if (tb[VNPU_A_DEV_TIME])
		d->time_ns = nla_get_u64(tb[VNPU_A_DEV_TIME]);
	for_each_attr_of_type(attr, msg, VNPU_A_DEV_ENGINES, rem) {
		status = take_engines(d, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

static void forget_devices(void *arg)
{
	struct device_list *list = arg;

	list->count = 0;
}

static enum smi_exit take_memory_class(struct device *d, struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_MEM_CLASS_MAX + 1];

	if (nla_parse_nested(tb, VNPU_A_MEM_CLASS_MAX, attr,
			     mem_class_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_CLASS_PAGE_SIZE, VNPU_A_MEM_CLASS_USED))
		return fail_answer("a page class");
	if (nla_get_u64(tb[VNPU_A_MEM_CLASS_PAGE_SIZE]) == HUGE_PAGE_SIZE)
		d->huge_used = nla_get_u64(tb[VNPU_A_MEM_CLASS_USED]);
	return SMI_OK;
}

static enum smi_exit take_memory(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_MEM_MAX + 1];
	struct state *state = arg;
	enum smi_exit status;
	struct nlattr *attr;
	struct device *d;
	int rem;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_MEM_MAX, mem_policy) ||
	    !HAS_ALL(tb, VNPU_A_MEM_DEV_ID))
		return fail_answer("a device's memory");

	d = state_find_device(state, nla_get_u32(tb[VNPU_A_MEM_DEV_ID]));
	if (!d)
		return SMI_OK;
	for_each_attr_of_type(attr, msg, VNPU_A_MEM_CLASS, rem) {
		status = take_memory_class(d, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

static void forget_memory(void *arg)
{
	struct state *state = arg;
	size_t i;

	for (i = 0; i < state->devices.count; i++)
		state->devices.items[i].huge_used = 0;
}

static enum smi_exit take_usage(struct holding_list *list,
				const struct holding *client,
				struct nlattr *attr)
{
	struct nlattr *tb[VNPU_A_CLIENT_USAGE_MAX + 1];
	struct holding *h;

	if (nla_parse_nested(tb, VNPU_A_CLIENT_USAGE_MAX, attr,
			     client_usage_policy) ||
	    !HAS_ALL(tb, VNPU_A_CLIENT_USAGE_DEV_ID,
		     VNPU_A_CLIENT_USAGE_MEM_USED))
		return fail_answer("a client's memory");

	/* A process that has only opened the device does not use it. */
	if (!nla_get_u64(tb[VNPU_A_CLIENT_USAGE_MEM_USED]))
		return SMI_OK;
	h = holding_list_add(list);
	if (!h)
		return fail_memory();
	*h = *client;
	h->device = nla_get_u32(tb[VNPU_A_CLIENT_USAGE_DEV_ID]);
	h->process.mem_used = nla_get_u64(tb[VNPU_A_CLIENT_USAGE_MEM_USED]);
	return SMI_OK;
}

static enum smi_exit take_client(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_CLIENT_MAX + 1];
	struct holding_list *list = arg;
	struct holding client = { 0 };
	enum smi_exit status;
	struct nlattr *attr;
	int rem;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_CLIENT_MAX, client_policy) ||
	    !HAS_ALL(tb, VNPU_A_CLIENT_ID, VNPU_A_CLIENT_PID,
		     VNPU_A_CLIENT_UID))
		return fail_answer("a client");

	client.client = nla_get_u64(tb[VNPU_A_CLIENT_ID]);
	client.uid = nla_get_u32(tb[VNPU_A_CLIENT_UID]);
	client.process.pid = nla_get_u32(tb[VNPU_A_CLIENT_PID]);
	if (tb[VNPU_A_CLIENT_NAME])
		nla_strlcpy(client.process.name, tb[VNPU_A_CLIENT_NAME],
			    sizeof(client.process.name));
	for_each_attr_of_type(attr, msg, VNPU_A_CLIENT_USAGE, rem) {
		status = take_usage(list, &client, attr);
		if (status)
			return status;
	}
	return SMI_OK;
}

static void forget_clients(void *arg)
{
	struct holding_list *list = arg;

	list->count = 0;
}

enum smi_exit collect_holdings(struct session *s, struct holding_list *list)
{
	const struct dump clients = {
		.command = VNPU_CMD_CLIENT_GET,
		.record = take_client,
		.restart = forget_clients,
		.arg = list,
	};

	return session_dump(s, &clients);
}

static enum smi_exit collect_processes(struct session *s, struct state *state)
{
	struct holding_list holdings = { 0 };
	enum smi_exit status = collect_holdings(s, &holdings);

	if (!status && !state_add_processes(state, &holdings))
		status = fail_memory();
	free(holdings.items);
	return status;
}

enum smi_exit collect(struct state *state, unsigned int what)
{
	const struct dump devices = {
		.command = VNPU_CMD_DEV_GET,
		.record = take_device,
		.restart = forget_devices,
		.arg = &state->devices,
	};
	const struct dump memory = {
		.command = VNPU_CMD_MEM_GET,
		.record = take_memory,
		.restart = forget_memory,
		.arg = state,
	};
	struct session session;
	enum smi_exit status;

	*state = (struct state){ 0 };
	status = session_open(&session);
	if (status)
		return status;
	status = session_dump(&session, &devices);
	if (!status && (what & COLLECT_USAGE))
		status = collect_usage(&session, &devices, state);
	state_sort_devices(state);
	if (!status && (what & COLLECT_MEMORY))
		status = session_dump(&session, &memory);
	if (!status && (what & COLLECT_PROCESSES))
		status = collect_processes(&session, state);
	if (!status && (what & COLLECT_FRAG))
		status = collect_frag(&session, state);
	if (!status && (what & COLLECT_QUOTA))
		status = collect_quota(&session, state);
	if (!status && (what & COLLECT_STREAMS))
		status = collect_streams(&session, state);
	if (!status && (what & COLLECT_ENGINES))
		status = collect_engines(&session, state);
	session_close(&session);
	return status;
}
