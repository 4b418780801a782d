// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: a snapshot of the driver's present answers.
 */
#include <stdlib.h>

#include "answer.h"
#include "session.h"
#include "snapshot.h"

const struct snapshot_table snapshot_tables[SNAPSHOT_KINDS] = {
	[SNAPSHOT_DEVICES] = { "devices", "device", false, {
		{ "device", SNAPSHOT_KEY, VNPU_CMD_DEV_GET, VNPU_A_DEV_ID },
		{ "total_bytes", SNAPSHOT_FACT, VNPU_CMD_DEV_GET,
		  VNPU_A_DEV_MEM_TOTAL },
		{ "memory_bytes", SNAPSHOT_HELD, VNPU_CMD_DEV_GET,
		  VNPU_A_DEV_MEM_USED },
		{ "objects", SNAPSHOT_HELD, VNPU_CMD_MEM_GET,
		  VNPU_A_MEM_OBJECTS },
		{ "streams", SNAPSHOT_HELD, VNPU_CMD_DEV_GET,
		  VNPU_A_DEV_STREAMS },
		{ "hangs", SNAPSHOT_COUNTER, VNPU_CMD_DEV_GET,
		  VNPU_A_DEV_HANGS },
		{ "resets", SNAPSHOT_COUNTER, VNPU_CMD_DEV_GET,
		  VNPU_A_DEV_RESETS },
		{ "compactions", SNAPSHOT_COUNTER, VNPU_CMD_MEM_GET,
		  VNPU_A_MEM_COMPACTIONS },
		{ "moved_bytes", SNAPSHOT_COUNTER, VNPU_CMD_MEM_GET,
		  VNPU_A_MEM_MOVED },
		{ 0 } } },
	[SNAPSHOT_CLIENTS] = { "clients", "client", true, {
		{ "client", SNAPSHOT_KEY, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_ID },
		/* A client of the module's next life has the same number. */
		{ "opened_ns", SNAPSHOT_KEY, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_OPENED },
		{ "pid", SNAPSHOT_FACT, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_PID },
		{ "bindings", SNAPSHOT_HELD, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_BINDINGS },
		{ "streams", SNAPSHOT_HELD, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_STREAMS },
		{ "busy_ns", SNAPSHOT_COUNTER, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_BUSY },
		{ 0 } } },
	[SNAPSHOT_USAGE] = { "usage", "usage", true, {
		{ "device", SNAPSHOT_KEY, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_USAGE_DEV_ID },
		{ "client", SNAPSHOT_KEY, 0, VNPU_A_CLIENT_ID },
		{ "opened_ns", SNAPSHOT_KEY, 0, VNPU_A_CLIENT_OPENED },
		{ "pid", SNAPSHOT_FACT, 0, VNPU_A_CLIENT_PID },
		{ "memory_bytes", SNAPSHOT_HELD, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_USAGE_MEM_USED },
		{ "objects", SNAPSHOT_HELD, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_USAGE_MEM_OBJECTS },
		{ "memory_peak_bytes", SNAPSHOT_COUNTER, VNPU_CMD_CLIENT_GET,
		  VNPU_A_CLIENT_USAGE_MEM_PEAK },
		{ 0 } } },
};

/* Set the values that @source has for @row; false if one is missing. */
static bool set_values(struct snapshot_row *row, enum snapshot_kind kind,
		       int source, struct nlattr **tb)
{
	const struct snapshot_field *field = snapshot_tables[kind].fields;
	size_t i;

	for (i = 0; field[i].key; i++) {
		const struct nlattr *attr = tb[field[i].attr];

		if (field[i].source != source)
			continue;
		if (attr && nla_len(attr) == sizeof(uint64_t))
			row->values[i] = nla_get_u64(attr);
		else if (attr && nla_len(attr) == sizeof(uint32_t))
			row->values[i] = nla_get_u32(attr);
		else
			return false;
	}
	return true;
}

static struct snapshot_row *add_row(struct snapshot *s, enum snapshot_kind kind)
{
	struct snapshot_list *list = &s->lists[kind];

	return LIST_ADD(list->rows, list->count);
}

static enum smi_exit take_device(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_DEV_MAX + 1];
	struct snapshot_row *row = add_row(arg, SNAPSHOT_DEVICES);

	if (!row)
		return fail_memory();
	if (genlmsg_parse(msg, 0, tb, VNPU_A_DEV_MAX, NULL) ||
	    !set_values(row, SNAPSHOT_DEVICES, VNPU_CMD_DEV_GET, tb))
		return fail_answer("a device");
	return SMI_OK;
}

static void forget_devices(void *arg)
{
	struct snapshot *s = arg;

	s->lists[SNAPSHOT_DEVICES].count = 0;
}

/* A device that has come since the others were asked for is left out. */
static enum smi_exit take_memory(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_MEM_MAX + 1];
	struct snapshot *s = arg;
	struct snapshot_list *list = &s->lists[SNAPSHOT_DEVICES];
	size_t i;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_MEM_MAX, NULL) ||
	    !tb[VNPU_A_MEM_DEV_ID] ||
	    nla_len(tb[VNPU_A_MEM_DEV_ID]) != sizeof(uint32_t))
		return fail_answer("a device's memory");
	for (i = 0; i < list->count; i++)
		if (list->rows[i].values[0] ==
		    nla_get_u32(tb[VNPU_A_MEM_DEV_ID]) &&
		    !set_values(&list->rows[i], SNAPSHOT_DEVICES,
				VNPU_CMD_MEM_GET, tb))
			return fail_answer("a device's memory");
	return SMI_OK;
}

/* The next answer overwrites the last one. */
static void forget_nothing(void *arg)
{
	(void)arg;
}

static enum smi_exit take_usage(struct snapshot *s, struct nlattr *attr,
				struct nlattr **client, const char *name)
{
	struct nlattr *tb[VNPU_A_CLIENT_USAGE_MAX + 1];
	struct snapshot_row *row = add_row(s, SNAPSHOT_USAGE);

	if (!row)
		return fail_memory();
	if (nla_parse_nested(tb, VNPU_A_CLIENT_USAGE_MAX, attr, NULL) ||
	    !set_values(row, SNAPSHOT_USAGE, VNPU_CMD_CLIENT_GET, tb) ||
	    !set_values(row, SNAPSHOT_USAGE, 0, client))
		return fail_answer("a client's memory");
	memcpy(row->name, name, sizeof(row->name));
	return SMI_OK;
}

static enum smi_exit take_client(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_CLIENT_MAX + 1];
	struct snapshot_row *row = add_row(arg, SNAPSHOT_CLIENTS);
	enum smi_exit status;
	struct nlattr *attr;
	int rem;

	if (!row)
		return fail_memory();
	if (genlmsg_parse(msg, 0, tb, VNPU_A_CLIENT_MAX, NULL) ||
	    !set_values(row, SNAPSHOT_CLIENTS, VNPU_CMD_CLIENT_GET, tb))
		return fail_answer("a client");
	if (tb[VNPU_A_CLIENT_NAME])
		nla_strlcpy(row->name, tb[VNPU_A_CLIENT_NAME],
			    sizeof(row->name));
	for_each_attr_of_type(attr, msg, VNPU_A_CLIENT_USAGE, rem) {
		status = take_usage(arg, attr, tb, row->name);
		if (status)
			return status;
	}
	return SMI_OK;
}

static void forget_clients(void *arg)
{
	struct snapshot *s = arg;

	s->lists[SNAPSHOT_CLIENTS].count = 0;
	s->lists[SNAPSHOT_USAGE].count = 0;
}

enum smi_exit snapshot_collect(struct snapshot *s)
{
	const struct dump dumps[] = {
		{ VNPU_CMD_DEV_GET, take_device, forget_devices, s },
		{ VNPU_CMD_MEM_GET, take_memory, forget_nothing, s },
		{ VNPU_CMD_CLIENT_GET, take_client, forget_clients, s },
	};
	struct session session;
	enum smi_exit status;
	size_t i;

	*s = (struct snapshot){ 0 };
	status = session_open(&session);
	if (status)
		return status;
	for (i = 0; !status && i < sizeof(dumps) / sizeof(dumps[0]); i++)
		status = session_dump(&session, &dumps[i]);
	session_close(&session);
	snapshot_sort(s);
	return status;
}
