// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi wait: wait until a device has room, or is idle.
 *
 * The driver reports clients that come and go, after which the condition is
 * most likely to have changed; memory that they free in between is polled.
 */
#include <stdlib.h>

#include "collect.h"
#include "listen.h"
#include "option.h"
#include "table.h"

/* Time between two polls without an event. */
#define LOOK_NS		200000000

/* Minimum time between two queries, as each event causes one. */
#define REST_NS		10000000

static const char wait_help[] =
"usage: vnpu-smi wait --free SIZE|--idle [-i ID|--all] [-t SECONDS] [OPTION...]\n"
"\n"
"Wait until a device meets a condition, and print the devices that do.\n"
"\n"
"  -f, --free SIZE  this much memory is free; a suffix K, M, G or T means KiB,\n"
"                   MiB, GiB or TiB\n"
"  -I, --idle       no process has memory of the device or a stream\n"
"  -i, --id ID      wait for the device with this number; without it, for any\n"
"  -a, --all        wait for all devices\n"
"  -t, --timeout S  wait at most S seconds; then the exit status is 6\n"
TABLE_HELP
"  -h, --help       print this and exit\n";

struct wait_request {
	uint64_t free;
	bool is_idle;
	bool is_all;
	struct option_number id;
	struct option_seconds timeout;
	struct table_options table;
};

static const struct column columns[] = {
	{ "id", "NPU", -5, 0 },
	{ "free_bytes", "Free(MB)", 10, COLUMN_MIB },
	{ "clients", "Clients", 8, 0 },
	{ "streams", "Streams", 8, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

static bool is_concerned(const struct wait_request *r, const struct device *d)
{
	return !r->id.is_given || d->id == r->id.value;
}

static bool is_as_wanted(const struct wait_request *r, const struct device *d)
{
	if (r->is_idle && (d->nr_clients || d->nr_streams))
		return false;
	return d->mem_free >= r->free;
}

/* Check the condition. */
static bool is_over(const struct wait_request *r, const struct state *state)
{
	size_t i, concerned = 0, good = 0;

	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (!is_concerned(r, d))
			continue;
		concerned++;
		good += is_as_wanted(r, d);
	}
	return r->is_all ? concerned && good == concerned : good;
}

static void show(const struct wait_request *r, const struct state *state,
		 struct table *t)
{
	size_t i;

	table_start(t, "devices");
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (is_concerned(r, d) && is_as_wanted(r, d))
			table_row(t, (const struct cell[COLUMN_COUNT]){
				cell_uint(d->id),
				cell_uint(d->mem_free),
				cell_uint(d->nr_clients),
				cell_uint(d->nr_streams),
			});
	}
}

/* Reject a size that no device will ever have. */
static enum smi_exit check_possible(const struct wait_request *r,
				    const struct state *state)
{
	size_t i, good = 0, concerned = 0;

	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (!is_concerned(r, d))
			continue;
		concerned++;
		good += d->mem_total >= r->free;
	}
	if (!concerned)
		return r->id.is_given ?
			fail(SMI_NO_DEVICE, "device %u does not exist",
			     r->id.value) :
			fail(SMI_NO_DEVICE, "there is no device");
	if (!good || (r->is_all && good < concerned))
		return fail(SMI_FAILED, "no device has this much memory");
	return SMI_OK;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Wait until a query is due.  A burst of events causes one query, and so do
 * lost events.
 */
static enum smi_exit rest(struct listener *l, uint64_t deadline)
{
	uint64_t now = clock_ns();
	enum listen_result result;

	if (now >= deadline)
		return fail(SMI_TIMEOUT, "the condition was not met in time");
	result = listen_next(l, min_u64(now + LOOK_NS, deadline));
	now = clock_ns();
	while (result != LISTEN_TIMEOUT && result != LISTEN_FAILED)
		result = listen_next(l, min_u64(now + REST_NS, deadline));
	return result == LISTEN_FAILED ? SMI_FAILED : SMI_OK;
}

static enum smi_exit wait_and_show(const struct wait_request *r,
				   struct table *t)
{
	uint64_t deadline = r->timeout.is_given ? clock_ns() + r->timeout.ns :
						  LISTEN_FOREVER;
	struct listener listener;
	enum smi_exit status;
	bool is_done = false;

	status = listen_open(&listener);
	if (status)
		return status;
	while (!status && !is_done) {
		struct state state;

		status = collect(&state, 0);
		if (!status)
			status = check_possible(r, &state);
		is_done = !status && is_over(r, &state);
		if (is_done)
			show(r, &state, t);
		state_fini(&state);
		if (!status && !is_done)
			status = rest(&listener, deadline);
	}
	listen_close(&listener);
	return status ? status : table_end(t);
}

static enum smi_exit check_request(const struct wait_request *r)
{
	if (!r->free == !r->is_idle)
		return fail(SMI_USAGE,
			    "one of '--free' and '--idle' is needed; see 'vnpu-smi wait --help'");
	if (r->id.is_given && r->is_all)
		return fail(SMI_USAGE,
			    "options '-i' and '-a' exclude each other");
	return SMI_OK;
}

enum smi_exit cmd_wait(int argc, char **argv)
{
	struct wait_request request = { 0 };
	const struct smi_option options[] = {
		{ 'f', "free", OPTION_SIZE, &request.free },
		{ 'I', "idle", OPTION_FLAG, &request.is_idle },
		{ 'i', "id", OPTION_NUMBER, &request.id },
		{ 'a', "all", OPTION_FLAG, &request.is_all },
		{ 't', "timeout", OPTION_SECONDS, &request.timeout },
		TABLE_OPTIONS(&request.table),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("wait", options, NULL, &wants_help, argc, argv);
	if (!status && wants_help) {
		fputs(wait_help, stdout);
		return finish_output(stdout);
	}
	if (!status)
		status = check_request(&request);
	if (!status)
		status = table_init(&table, columns, COLUMN_COUNT,
				    &request.table, false);
	return status ? status : wait_and_show(&request, &table);
}
