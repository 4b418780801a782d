// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t stream: the state of the streams of a device.
 */
#include <inttypes.h>
#include <string.h>

#include "info.h"

#define NS_PER_MS	1000000

static const char *state_word(const struct stream *s)
{
	if (s->is_broken)
		return "broken";
	return s->is_stopped ? "stopped" : stream_word(s->state);
}

static void print_stream(struct out *o, const struct stream *s)
{
	out_text(o, "\t%-6" PRIu32 " %-7" PRIu32 " %-4" PRIu32 " %-7s %6" PRIu64
		 " %9" PRIu64 " ", s->number, s->pid, s->priority,
		 state_word(s), s->submitted - s->completed, s->completed);
	if (s->task_seq)
		out_text(o, "%-12s %7" PRIu64, task_word(s->task_op),
			 s->task_ns / NS_PER_MS);
	else
		out_text(o, "%-12s %7s", "-", "-");
	out_text(o, " %6" PRIu32 "\n", s->errors);
}

static void out_task(struct out *o, const struct stream *s)
{
	if (!s->task_seq) {
		out_none(o, "task", NULL);
		return;
	}
	out_object(o, "task");
	out_uint(o, "seq", NULL, s->task_seq);
	out_string(o, "operation", NULL, task_word(s->task_op));
	out_uint(o, "running_ns", NULL, s->task_ns);
	out_object_end(o);
}

static void out_last_error(struct out *o, const struct stream *s)
{
	if (!s->error) {
		out_none(o, "last_error", NULL);
		return;
	}
	out_object(o, "last_error");
	out_uint(o, "errno", NULL, s->error);
	out_string(o, "operation", NULL, task_word(s->error_op));
	out_uint(o, "seq", NULL, s->error_seq);
	out_object_end(o);
}

static void out_stream(struct out *o, const struct stream *s)
{
	out_object(o, NULL);
	out_uint(o, "number", NULL, s->number);
	out_uint(o, "client", NULL, s->client);
	out_uint(o, "id", NULL, s->id);
	out_uint(o, "pid", NULL, s->pid);
	out_uint(o, "priority", NULL, s->priority);
	out_string(o, "state", NULL, stream_word(s->state));
	out_string(o, "engine_class", NULL, class_word(s->class));
	out_bool(o, "stopped", NULL, s->is_stopped);
	out_bool(o, "broken", NULL, s->is_broken);
	out_uint(o, "submitted", NULL, s->submitted);
	out_uint(o, "completed", NULL, s->completed);
	out_task(o, s);
	out_uint(o, "errors", NULL, s->errors);
	out_uint(o, "cancelled", NULL, s->cancelled);
	out_last_error(o, s);
	out_uint(o, "busy_ns", NULL, s->busy_ns);
	out_object_end(o);
}

void info_show_streams(struct out *o, const struct device *d)
{
	size_t i;

	if (d->stream_count)
		out_text(o, "\t%-6s %-7s %-4s %-7s %6s %9s %-12s %7s %6s\n",
			 "Stream", "Process", "Prio", "State", "Queued",
			 "Completed", "Task", "Time/ms", "Errors");
	else
		out_text(o, "\tNo stream in device.\n");
	out_list(o, "streams");
	for (i = 0; i < d->stream_count; i++) {
		if (o->is_data)
			out_stream(o, &d->streams[i]);
		else
			print_stream(o, &d->streams[i]);
	}
	out_list_end(o);
}

const struct csv_list info_stream_csv[] = {
	{ "devices.streams", "streams.",
	  "number,client,id,pid,priority,state,engine_class,stopped,broken,"
	  "submitted,completed,task.seq,task.operation,task.running_ns,errors,"
	  "cancelled,last_error.errno,last_error.operation,last_error.seq,"
	  "busy_ns" },
	{ "devices", "", "id,chip_count,chip_id" },
	{ 0 }
};
