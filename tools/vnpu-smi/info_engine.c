// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t engine: the state of the engines and AI cores of a device.
 */
#include <inttypes.h>

#include <linux/vnpu_netlink.h>

#include "info.h"

#define NS_PER_MS	1000000

static const char *state_word(const struct engine *e)
{
	static const char *const words[] = {
		[VNPU_ENGINE_STATE_ASLEEP] = "asleep",
		[VNPU_ENGINE_STATE_POLLING] = "polling",
		[VNPU_ENGINE_STATE_RUNNING] = "running",
		[VNPU_ENGINE_STATE_STARTING] = "starting",
	};

	return e->state < sizeof(words) / sizeof(words[0]) ? words[e->state] :
							     "unknown";
}

static void print_count(struct out *o, bool is_known, uint64_t count)
{
	if (is_known)
		out_text(o, " %8" PRIu64, count);
	else
		out_text(o, " %8s", "-");
}

static void print_engine(struct out *o, const struct engine *e)
{
	out_text(o, "\t%-6s %-5" PRIu32 " %-8s", class_word(e->class), e->index,
		 state_word(e));
	print_count(o, e->client, e->client);
	print_count(o, e->has_stream, e->stream);
	print_count(o, true, e->tasks);
	print_count(o, e->is_core, e->failures);
	print_count(o, e->is_core, e->launches);
	print_count(o, e->is_core, e->waiting);
	out_text(o, " %10" PRIu64 "\n", e->busy_ns / NS_PER_MS);
}

static void out_count(struct out *o, const char *key, bool is_known,
		      uint64_t count)
{
	if (is_known)
		out_uint(o, key, NULL, count);
	else
		out_none(o, key, NULL);
}

static void out_engine(struct out *o, const struct engine *e)
{
	out_object(o, NULL);
	out_string(o, "engine_class", NULL, class_word(e->class));
	out_uint(o, "index", NULL, e->index);
	out_string(o, "state", NULL, state_word(e));
	out_count(o, "client", e->client, e->client);
	out_count(o, "stream", e->has_stream, e->stream);
	out_uint(o, "tasks", NULL, e->tasks);
	out_count(o, "failures", e->is_core, e->failures);
	out_count(o, "launches", e->is_core, e->launches);
	out_count(o, "waiting", e->is_core, e->waiting);
	out_uint(o, "busy_ns", NULL, e->busy_ns);
	out_object_end(o);
}

void info_show_engines(struct out *o, const struct device *d)
{
	size_t i;

	if (d->engine_count)
		out_text(o, "\t%-6s %-5s %-8s %8s %8s %8s %8s %8s %8s %10s\n",
			 "Class", "Index", "State", "Client", "Stream", "Tasks",
			 "Failures", "Launches", "Waiting", "Busy/ms");
	else
		out_text(o, "\tNo engine in device.\n");
	out_list(o, "engines");
	for (i = 0; i < d->engine_count; i++) {
		if (o->is_data)
			out_engine(o, &d->engine_list[i]);
		else
			print_engine(o, &d->engine_list[i]);
	}
	out_list_end(o);
}

const struct csv_list info_engine_csv[] = {
	{ "devices.engines", "engines.",
	  "engine_class,index,state,client,stream,tasks,failures,launches,"
	  "waiting,busy_ns" },
	{ "devices", "", "id,chip_count,chip_id" },
	{ 0 }
};
