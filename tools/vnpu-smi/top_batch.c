// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top --batch: a line for each process or operator, repeatedly, without
 * a terminal. 'vnpu-smi info watch' does the same for devices.
 */
#include <time.h>

#include "text.h"
#include "top.h"

#define NS_PER_S	UINT64_C(1000000000)

/* The time that the first lines are for, as in 'info watch'. */
#define FIRST_NS	(NS_PER_S / 10)

static const struct column columns[] = {
	{ "time", NULL, -18, 0 },
	{ "pid", "Pid", -8, 0 },
	{ "uid", "Uid", -8, 0 },
	{ "devices", "Dev", -8, 0 },
	{ "memory_bytes", "Mem(MB)", 8, COLUMN_MIB },
	{ "memory_peak_bytes", "Peak(MB)", 8, COLUMN_MIB },
	{ "busy_percent", "Busy%", 6, 0 },
	{ "streams", "Streams", 7, 0 },
	{ "client", NULL, -7, 0 },
	{ "name", "Name", -15, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

static void show_process(struct table *t, const struct top_process *p,
			 const char *time)
{
	const struct client *c = &p->client;

	table_row(t, (const struct cell[COLUMN_COUNT]){
		cell_string(time),
		c->pid ? cell_uint(c->pid) : cell_none(),
		cell_uint(c->uid),
		cell_set(c->devices),
		cell_uint(c->mem_used),
		cell_uint(c->mem_peak),
		cell_uint(p->percent),
		cell_uint(c->streams),
		cell_uint(c->id),
		cell_string(*c->name ? c->name : NULL),
	});
}

static const struct column operator_columns[] = {
	{ "time", NULL, -18, 0 },
	{ "pid", "Pid", -8, 0 },
	{ "device", "Dev", 3, 0 },
	{ "operator", "Operator", -24, 0 },
	{ "launches", "Launches", 8, 0 },
	{ "busy_ns", "Time(ms)", 8, COLUMN_MS },
	{ "busy_percent", "Busy%", 6, 0 },
	{ "share_percent", "Share%", 6, 0 },
	{ "name", "Name", -10, 0 },
};

#define OPERATOR_COLUMN_COUNT						\
	(sizeof(operator_columns) / sizeof(operator_columns[0]))

static void show_operator(struct table *t, const struct top_operator *o,
			  const char *time)
{
	const struct kernel *k = &o->kernel;

	table_row(t, (const struct cell[OPERATOR_COLUMN_COUNT]){
		cell_string(time),
		cell_uint(k->pid),
		cell_uint(k->device),
		cell_string(*k->name ? k->name : NULL),
		cell_uint(k->launches),
		cell_uint(k->busy_ns),
		cell_uint(o->percent),
		cell_uint(o->share),
		cell_string(*o->process ? o->process : NULL),
	});
}

static enum smi_exit show_all(struct table *t, const struct top *top)
{
	char time[TIME_TEXT];
	size_t i;

	table_time(t, time);
	for (i = 0; top->shows_operators && i < top->operator_count; i++)
		show_operator(t, &top->operators[i], time);
	for (i = 0; !top->shows_operators && i < top->process_count; i++)
		show_process(t, &top->processes[i], time);
	return ferror(t->f) ? finish_output(t->f) : SMI_OK;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec until = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

enum smi_exit top_batch(struct top *top, const struct table_options *options,
			uint64_t delay_ns, uint32_t count)
{
	uint64_t wait_ns = FIRST_NS;
	enum smi_exit status;
	struct table table;
	uint32_t looks = 0;

	if (top->shows_operators)
		status = table_init(&table, operator_columns,
				    OPERATOR_COLUMN_COUNT, options, true);
	else
		status = table_init(&table, columns, COLUMN_COUNT, options,
				    true);
	if (!status)
		status = top_look(top);
	if (!status)
		table_start(&table, top->shows_operators ? "operators" :
							   "processes");
	while (!status) {
		sleep_until(top->looked_ns + wait_ns);
		status = top_look(top);
		if (!status)
			status = show_all(&table, top);
		if (status || ++looks == count)
			break;
		wait_ns = delay_ns;
	}
	return status ? status : table_end(&table);
}
