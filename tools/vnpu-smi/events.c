// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi events: print the events of the driver as they arrive.
 */
#include <string.h>
#include <time.h>

#include "event.h"
#include "listen.h"
#include "option.h"
#include "table.h"
#include "text.h"

static const char events_help[] =
"usage: vnpu-smi events [-f] [-n COUNT] [-t SECONDS] [-e KIND] [-i ID]\n"
"                       [OPTION...]\n"
"\n"
"Print events of the driver from now on: clients that come and go, requests that\n"
"fail for lack of memory or by a quota, tasks that fail at an address, hangs of\n"
"engines, resets, changes of health, completed compactions, and devices that are\n"
"added and removed.\n"
"\"lost\" reports that events arrived faster than they were read.\n"
"\n"
"  -f, --follow     do not end; without it, end after one event\n"
"  -n, --count N    end after N events\n"
"  -t, --timeout S  end after S seconds, with exit status 6 if not all awaited\n"
"                   events have arrived\n"
"  -e, --event KIND  only open, close, oom, quota, hang, reset, health, compact,\n"
"                   fault, add or remove\n"
"  -i, --id ID      only events of the device with this number\n"
TABLE_HELP
"  -h, --help       print this and exit\n"
"\n"
"JSON is one object per line.\n";

struct events_request {
	bool is_following;
	struct option_number count;
	struct option_seconds timeout;
	const char *kind;
	struct option_number id;
	struct table_options table;
};

static const struct column columns[] = {
	{ "time", "Time", -18, 0 },
	{ "event", "Event", -7, 0 },
	{ "device", "Dev", -3, 0 },
	{ "client", "Client", -7, 0 },
	{ "detail", "Detail", -20, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))
#define DETAIL		(COLUMN_COUNT - 1)
#define DETAIL_WIDTH	40	/* what is left of 80 columns */

static bool is_wanted(const struct events_request *r, const struct event *e)
{
	if (r->kind && strcmp(r->kind, e->name))
		return false;
	return !r->id.is_given ||
	       (e->has_device && e->device == r->id.value);
}

static void show_json(struct table *t, const struct event *e, const char *time)
{
	struct json *j = &t->json;

	json_open(j, NULL, '{');
	json_string(j, "time", time);
	json_string(j, "event", e->name);
	if (e->has_device)
		json_uint(j, "device", e->device);
	else
		json_null(j, "device");
	if (e->has_client)
		json_uint(j, "client", e->client);
	else
		json_null(j, "client");
	event_write(e, j);
	json_close(j, '}');
	fflush(t->f);
}

/*
 * Get the length of the text that goes into a line: up to the next space, and not more
 * elements, which commas end, than fit.
 */
static size_t line_length(const char *text)
{
	size_t length = 0, i;

	for (i = 0; !length || i < DETAIL_WIDTH; i++) {
		if (!text[i] || text[i] == ' ')
			return i;
		if (text[i] == ',')
			length = i + 1;
	}
	return length;
}

/* Show lists in lines of their own, below the details. */
static void show_lists(struct table *t, const struct event *e)
{
	char text[EVENT_DETAIL], line[EVENT_DETAIL];
	struct cell cells[COLUMN_COUNT];
	const char *at;
	size_t i, length;

	for (i = 0; i < COLUMN_COUNT; i++)
		cells[i] = cell_string("");
	for (i = 0; i < t->shown_count && t->shown[i] != DETAIL; i++)
		;
	if (i == t->shown_count)
		return;
	event_describe_lists(e, text);
	for (at = text; *at; at += length + (at[length] == ' ')) {
		length = line_length(at);
		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		cells[DETAIL] = cell_string(line);
		table_row(t, cells);
	}
}

/* Describe an event in one line, with its lists. */
static void describe_all(const struct event *e, char text[2 * EVENT_DETAIL])
{
	size_t used;

	event_describe(e, text);
	used = strlen(text);
	event_describe_lists(e, text + used + 1);
	if (text[used + 1])
		text[used] = ' ';
}

static void show(struct table *t, const struct event *e)
{
	char detail[2 * EVENT_DETAIL], time[TIME_TEXT];

	table_time(t, time);
	if (t->format == TABLE_JSON) {
		show_json(t, e, time);
		return;
	}
	if (t->format == TABLE_CSV)
		describe_all(e, detail);
	else
		event_describe(e, detail);
	table_row(t, (const struct cell[COLUMN_COUNT]){
		cell_string(time),
		cell_string(e->name),
		e->has_device ? cell_uint(e->device) : cell_none(),
		e->has_client ? cell_uint(e->client) : cell_none(),
		cell_string(detail),
	});
	if (t->format == TABLE_TEXT)
		show_lists(t, e);
}

/* *@left is the number of events to wait for, 0 for no end. */
static enum smi_exit show_next(struct listener *l, struct table *t,
			       const struct events_request *r,
			       uint64_t deadline, uint32_t *left)
{
	struct event event = { .name = "lost" };
	enum smi_exit status;

	switch (listen_next(l, deadline)) {
	case LISTEN_TIMEOUT:
		if (l->is_stopped)
			return SMI_TIMEOUT;
		/* Events that arrived in time count. */
		listen_stop(l);
		return l->is_stopped ? SMI_OK : SMI_TIMEOUT;
	case LISTEN_FAILED:
		return SMI_FAILED;
	case LISTEN_LOST:
		/*
		 * Any of the awaited events may have been among the lost ones.
		 */
		show(t, &event);
		return SMI_OK;
	case LISTEN_EVENT:
		break;
	}
	status = event_parse(&event, &l->message);
	if (status || !is_wanted(r, &event))
		return status;
	show(t, &event);
	if (*left && !--*left)
		return ferror(t->f) ? finish_output(t->f) : SMI_OK;
	return SMI_OK;
}

static enum smi_exit listen_and_show(const struct events_request *r,
				     struct table *t)
{
	uint32_t left = r->count.is_given ? r->count.value : !r->is_following;
	bool has_end = left;
	uint64_t deadline = LISTEN_FOREVER;
	struct listener listener;
	enum smi_exit status;

	status = listen_open(&listener);
	if (status)
		return status;
	if (r->timeout.is_given)
		deadline = clock_ns() + r->timeout.ns;
	table_start(t, "events");
	while (!status && (left || !has_end) && !ferror(t->f))
		status = show_next(&listener, t, r, deadline, &left);
	listen_close(&listener);
	if (status == SMI_TIMEOUT)
		status = has_end ? fail(SMI_TIMEOUT, "not all awaited events arrived in time") :
				   SMI_OK;
	return status ? status : finish_output(t->f);
}

static enum smi_exit check_request(const struct events_request *r)
{
	size_t i;

	if (r->count.is_given && !r->count.value)
		return fail(SMI_USAGE, "count 0 is invalid; use at least 1");
	if (!r->kind)
		return SMI_OK;
	for (i = 0; event_kind_name(i); i++)
		if (!strcmp(r->kind, event_kind_name(i)))
			return SMI_OK;
	return fail(SMI_USAGE,
		    "unknown event '%s'; see 'vnpu-smi events --help'", r->kind);
}

enum smi_exit cmd_events(int argc, char **argv)
{
	struct events_request request = { 0 };
	const struct smi_option options[] = {
		{ 'f', "follow", OPTION_FLAG, &request.is_following },
		{ 'n', "count", OPTION_NUMBER, &request.count },
		{ 't', "timeout", OPTION_SECONDS, &request.timeout },
		{ 'e', "event", OPTION_STRING, &request.kind },
		{ 'i', "id", OPTION_NUMBER, &request.id },
		TABLE_OPTIONS(&request.table),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("events", options, NULL, &wants_help, argc,
			       argv);
	if (!status && wants_help) {
		fputs(events_help, stdout);
		return finish_output(stdout);
	}
	if (!status)
		status = check_request(&request);
	if (!status)
		status = table_init(&table, columns, COLUMN_COUNT,
				    &request.table, true);
	return status ? status : listen_and_show(&request, &table);
}
