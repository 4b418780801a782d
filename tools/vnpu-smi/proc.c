// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi proc: the processes that use the devices, or did.
 */
#include "client.h"
#include "listen.h"
#include "option.h"
#include "table.h"

static const char proc_help[] =
"usage: vnpu-smi proc [-i ID] [-r] [OPTION...]\n"
"\n"
"List the processes that use the devices, and the last ones that did.\n"
"\n"
"  -i, --id ID      only processes that used the device with this number, with\n"
"                   their memory on it\n"
"  -r, --running    only processes that still run\n"
TABLE_HELP
"  -h, --help       print this and exit\n";

struct proc_request {
	struct option_number id;
	bool is_running;
	struct table_options table;
};

static const struct column columns[] = {
	{ "host_pid", "Host-Pid", -8, 0 },
	{ "own_pid", "Own-Pid", -7, 0 },
	{ "pid", NULL, -7, 0 },
	{ "state", "State", -7, 0 },
	{ "devices", "Dev", -4, 0 },
	{ "memory_bytes", "Mem(MB)", 7, COLUMN_MIB },
	{ "memory_peak_bytes", "Peak(MB)", 8, COLUMN_MIB },
	{ "busy_ns", "Busy(ms)", 8, COLUMN_MS },
	{ "streams", "Streams", 7, 0 },
	{ "uid", NULL, -7, 0 },
	{ "client", NULL, -7, 0 },
	{ "open_ns", NULL, 15, 0 },
	{ "closed_ago_ns", NULL, 15, 0 },
	{ "name", "Name", -15, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

static struct cell cell_pid(uint32_t pid)
{
	return pid ? cell_uint(pid) : cell_none();
}

static void show_client(struct table *t, const struct client *c, uint64_t now)
{
	uint64_t end = c->is_gone ? c->closed_ns : now;
	const struct cell cells[COLUMN_COUNT] = {
		cell_pid(c->host_pid),
		cell_pid(c->own_pid),
		cell_pid(c->pid),
		cell_string(c->is_gone ? "exited" : "running"),
		cell_set(c->devices),
		cell_uint(c->mem_used),
		cell_uint(c->mem_peak),
		cell_uint(c->busy_ns),
		cell_uint(c->streams),
		cell_uint(c->uid),
		cell_uint(c->id),
		/* A clock of another time namespace may be behind. */
		cell_uint(end > c->opened_ns ? end - c->opened_ns : 0),
		c->is_gone ? cell_uint(now > end ? now - end : 0) :
			     cell_none(),
		cell_string(*c->name ? c->name : NULL),
	};

	table_row(t, cells);
}

static enum smi_exit show_all(struct table *t, struct client_list *list)
{
	uint64_t now = clock_ns();
	size_t i;

	client_list_join(list);
	table_start(t, "processes");
	for (i = 0; i < list->count; i++)
		show_client(t, &list->items[i], now);
	return table_end(t);
}

static enum smi_exit collect_and_show(const struct proc_request *r,
				      struct table *t)
{
	const struct client_filter filter = {
		.has_device = r->id.is_given,
		.device = r->id.value,
		.with_gone = !r->is_running,
	};
	struct client_list list = { 0 };
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	if (r->id.is_given)
		status = session_check_device(&s, r->id.value);
	if (!status)
		status = client_list_collect(&list, &s, &filter);
	session_close(&s);
	if (!status)
		status = show_all(t, &list);
	client_list_fini(&list);
	return status;
}

enum smi_exit cmd_proc(int argc, char **argv)
{
	struct proc_request request = { 0 };
	const struct smi_option options[] = {
		{ 'i', "id", OPTION_NUMBER, &request.id },
		{ 'r', "running", OPTION_FLAG, &request.is_running },
		TABLE_OPTIONS(&request.table),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("proc", options, NULL, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(proc_help, stdout);
		return finish_output(stdout);
	}
	status = table_init(&table, columns, COLUMN_COUNT, &request.table,
			    false);
	return status ? status : collect_and_show(&request, &table);
}
