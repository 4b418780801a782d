// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: the format of Chrome's trace viewer, which Perfetto reads.
 *
 * Processes of the format are devices and clients; its threads are engines,
 * streams and threads.  Times are in microseconds.
 */
#include "../common/json.h"

#include "trace.h"

/* The depth from which the fields of an event share a line. */
#define EVENT_DEPTH	3

/* Numbers of processes: devices first, clients from here on. */
#define CLIENT_BASE	1000

static uint64_t process_of(const struct trace_track *track)
{
	return track->kind == TRACE_TRACK_ENGINE ? track->owner + 1 :
	       CLIENT_BASE + track->owner;
}

static void put_place(struct json *j, const struct trace_model *m, size_t track)
{
	json_uint(j, "pid", process_of(&m->tracks[track]));
	json_uint(j, "tid", track + 1);
}

static void open_event(struct json *j, const char *phase, const char *name,
		       const struct trace_model *m, size_t track)
{
	json_open(j, NULL, '{');
	json_string(j, "ph", phase);
	json_string(j, "name", name);
	put_place(j, m, track);
}

static void put_name(struct json *j, const struct trace_model *m, size_t track,
		     const char *what, const char *name)
{
	open_event(j, "M", what, m, track);
	json_open(j, "args", '{');
	json_string(j, "name", name);
	json_close(j, '}');
	json_close(j, '}');
}

static void put_order(struct json *j, const struct trace_model *m, size_t track,
		      const char *what, uint64_t order)
{
	open_event(j, "M", what, m, track);
	json_open(j, "args", '{');
	json_uint(j, "sort_index", order);
	json_close(j, '}');
	json_close(j, '}');
}

static void put_tracks(struct json *j, const struct trace_model *m)
{
	char name[TRACE_TITLE_LEN];
	size_t i;

	for (i = 0; i < m->track_count; i++) {
		const struct trace_track *track = &m->tracks[i];

		if (!i || process_of(track) != process_of(track - 1)) {
			trace_name_owner(m, track, name);
			put_name(j, m, i, "process_name", name);
			put_order(j, m, i, "process_sort_index",
				  process_of(track));
		}
		trace_name_track(m, track, name);
		put_name(j, m, i, "thread_name", name);
		put_order(j, m, i, "thread_sort_index", i);
	}
}

static void put_result(struct json *j, const struct trace_event *e)
{
	int32_t result = (int32_t)e->result;

	json_uint(j, "errno", result < 0 ? (uint64_t)-(int64_t)result : 0);
}

static void put_args(struct json *j, const struct trace_model *m,
		     const struct trace_span *span)
{
	const struct trace_event *e = &m->log->events[span->event];

	json_open(j, "args", '{');
	switch (span->kind) {
	case TRACE_SPAN_TURN:
		json_uint(j, "client", e->client);
		break;
	case TRACE_SPAN_PART:
	case TRACE_SPAN_TASK:
		json_uint(j, "task", e->seq);
		json_uint(j, "length", e->length);
		break;
	case TRACE_SPAN_WAIT:
		break;
	case TRACE_SPAN_SIGNAL:
		json_uint(j, "timeline", e->timeline);
		json_uint(j, "value", e->value);
		break;
	case TRACE_SPAN_DOORBELL:
		json_uint(j, "stream", e->number);
		break;
	}
	if (span->timeline) {
		json_uint(j, "timeline", span->timeline);
		json_uint(j, "value", span->value);
	}
	if (span->is_open)
		json_bool(j, "unfinished", true);
	else if (span->kind == TRACE_SPAN_TASK || span->kind == TRACE_SPAN_WAIT)
		put_result(j, e);
	json_close(j, '}');
}

static const char *category(const struct trace_span *span)
{
	switch (span->kind) {
	case TRACE_SPAN_TURN:
		return "turn";
	case TRACE_SPAN_PART:
		return "part";
	case TRACE_SPAN_TASK:
		return "task";
	default:
		return "call";
	}
}

static void put_span(struct json *j, const struct trace_model *m,
		     const struct trace_span *span)
{
	char name[TRACE_TITLE_LEN];

	trace_name_span(m, span, name);
	open_event(j, "X", name, m, span->track);
	json_string(j, "cat", category(span));
	json_decimal(j, "ts", span->start, 3);
	json_decimal(j, "dur", span->end - span->start, 3);
	put_args(j, m, span);
	json_close(j, '}');
}

static void put_flow_end(struct json *j, const struct trace_model *m,
			 size_t span, const char *phase, uint64_t id,
			 uint64_t ns)
{
	open_event(j, phase, "signal", m, m->spans[span].track);
	json_string(j, "cat", "wait");
	json_uint(j, "id", id);
	json_decimal(j, "ts", ns, 3);
	/* Bind the arrow to the span around it, not to the next one. */
	if (*phase == 'f')
		json_string(j, "bp", "e");
	json_close(j, '}');
}

void trace_write_json(FILE *f, const struct trace_model *m)
{
	struct json j = { .f = f, .line_depth = EVENT_DEPTH };
	size_t i;

	json_open(&j, NULL, '{');
	json_string(&j, "displayTimeUnit", "ns");
	json_open(&j, "otherData", '{');
	json_string(&j, "producer", "vnpu-smi trace");
	json_uint(&j, "start_monotonic_ns", m->log->start_ns);
	json_uint(&j, "duration_ns", m->log->end_ns - m->log->start_ns);
	json_uint(&j, "lost_events", m->log->lost);
	json_close(&j, '}');

	json_open(&j, "traceEvents", '[');
	put_tracks(&j, m);
	for (i = 0; i < m->span_count; i++)
		put_span(&j, m, &m->spans[i]);
	for (i = 0; i < m->flow_count; i++) {
		const struct trace_flow *flow = &m->flows[i];

		put_flow_end(&j, m, flow->from, "s", i + 1, flow->from_ns);
		put_flow_end(&j, m, flow->to, "f", i + 1, flow->to_ns);
	}
	json_close(&j, ']');
	json_close(&j, '}');
}
