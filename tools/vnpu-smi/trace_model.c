// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: the conversion of events to spans.
 *
 * An engine reports a turn at its end, a stream reports a task at its beginning
 * and at its end.  Only one engine at a time runs a stream, so the tasks of the
 * stream during a turn are the work of that engine.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/vnpu_task.h>

#include "answer.h"
#include "model.h"
#include "trace.h"

static int compare_tracks(const void *a, const void *b)
{
	const struct trace_track *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct trace_track engine_of(const struct trace_event *e)
{
	return (struct trace_track){
		.kind = TRACE_TRACK_ENGINE,
		.owner = e->device,
		.id = (uint64_t)e->class << 32 | e->engine,
		.device = e->device,
		.class = e->class,
		.number = e->engine,
		.last = TRACE_NONE,
	};
}

static struct trace_track stream_of(const struct trace_event *e)
{
	return (struct trace_track){
		.kind = TRACE_TRACK_STREAM,
		.owner = e->client,
		.id = e->stream,
		.device = e->device,
		.number = e->number,
		.last = TRACE_NONE,
	};
}

static struct trace_track thread_of(const struct trace_event *e)
{
	return (struct trace_track){
		.kind = TRACE_TRACK_THREAD,
		.owner = e->client,
		.id = e->thread,
		.last = TRACE_NONE,
	};
}

/* Get the tracks of an event: one, or two for a turn. */
static size_t tracks_of(const struct trace_event *e,
			struct trace_track tracks[2])
{
	switch (e->kind) {
	case TRACE_TASK_START:
	case TRACE_TASK_FINISH:
		tracks[0] = stream_of(e);
		return 1;
	case TRACE_ENGINE_TURN:
		tracks[0] = engine_of(e);
		tracks[1] = stream_of(e);
		return 2;
	case TRACE_SIGNAL:
		/* It does not name the device of the stream. */
		if (e->stream)
			return 0;
		break;
	default:
		break;
	}
	tracks[0] = thread_of(e);
	return 1;
}

static enum smi_exit add_tracks(struct trace_model *m)
{
	const struct trace_log *log = m->log;
	size_t i, count = 0;

	m->tracks = calloc(2 * log->count + 1, sizeof(*m->tracks));
	if (!m->tracks)
		return fail_memory();
	for (i = 0; i < log->count; i++)
		count += tracks_of(&log->events[i], m->tracks + count);
	qsort(m->tracks, count, sizeof(*m->tracks), compare_tracks);
	for (i = 0; i < count; i++)
		if (!m->track_count ||
		    compare_tracks(&m->tracks[i],
				   &m->tracks[m->track_count - 1]))
			m->tracks[m->track_count++] = m->tracks[i];
	return SMI_OK;
}

static struct trace_track *find_track(struct trace_model *m,
				      struct trace_track key)
{
	if (!m->track_count)
		return NULL;
	return bsearch(&key, m->tracks, m->track_count, sizeof(key),
		       compare_tracks);
}

/* Append a span; NULL without memory. */
static struct trace_span *add_span(struct trace_model *m,
				   struct trace_track *track,
				   struct trace_span span)
{
	void *spans = trace_grow(m->spans, m->span_count, &m->span_room,
				 sizeof(*m->spans));

	if (!spans)
		return NULL;
	m->spans = spans;
	span.track = (size_t)(track - m->tracks);
	span.previous = track->last;
	if (span.kind != TRACE_SPAN_PART)
		track->last = m->span_count;
	m->spans[m->span_count] = span;
	return &m->spans[m->span_count++];
}

static bool add_signal(struct trace_model *m, struct trace_signal signal)
{
	void *signals = trace_grow(m->signals, m->signal_count,
				   &m->signal_room, sizeof(*m->signals));

	if (!signals)
		return false;
	m->signals = signals;
	m->signals[m->signal_count++] = signal;
	return true;
}

/* Convert to time since the start of the log; older times become 0. */
static uint64_t since_start(const struct trace_model *m, uint64_t ns)
{
	return ns > m->log->start_ns ? ns - m->log->start_ns : 0;
}

static struct trace_span *last_span(const struct trace_model *m,
				    const struct trace_track *track)
{
	return track->last == TRACE_NONE ? NULL : &m->spans[track->last];
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Begin a span of a task or a wait. */
static bool add_open(struct trace_model *m, struct trace_track *track,
		     enum trace_span_kind kind, size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	struct trace_span *last = last_span(m, track);
	uint64_t now = since_start(m, e->ns);
	bool is_known = kind == TRACE_SPAN_TASK || e->count == 1 || e->all;

	/* The event of its end was lost. */
	if (last && last->end > now)
		last->end = later(now, last->start);
	return add_span(m, track, (struct trace_span){
		.kind = kind,
		.is_open = true,
		.event = event,
		.start = now,
		.end = since_start(m, m->log->end_ns),
		.timeline = is_known ? e->timeline : 0,
		.value = e->value,
	});
}

/* End a span, if the event matches it. */
static bool close_span(struct trace_model *m, struct trace_track *track,
		       enum trace_span_kind kind, size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	struct trace_span *span = last_span(m, track);

	if (!span || !span->is_open || span->kind != kind)
		return false;
	if (kind == TRACE_SPAN_TASK && m->log->events[span->event].seq != e->seq)
		return false;
	span->is_open = false;
	span->event = event;
	span->end = since_start(m, e->ns);
	return true;
}

static bool finish_task(struct trace_model *m, size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	struct trace_track *track = find_track(m, stream_of(e));
	uint64_t now = since_start(m, e->ns), start;
	struct trace_span *last = last_span(m, track);

	if (!close_span(m, track, TRACE_SPAN_TASK, event)) {
		/* It began before the recording. */
		if (last || !e->took_ns)
			return true;
		start = since_start(m, e->ns - earlier(e->took_ns, e->ns));
		if (!add_span(m, track, (struct trace_span){
				.kind = TRACE_SPAN_TASK,
				.event = event,
				.start = start,
				.end = now,
			      }))
			return false;
	}
	/* A stream is also a timeline of its task numbers. */
	return add_signal(m, (struct trace_signal){
		.client = e->client,
		.timeline = e->stream,
		.ns = now,
		.value = e->seq,
		.is_advance = true,
		.span = track->last,
	});
}

/* Add the tasks of the stream during the turn, from the last to the first. */
static bool add_parts(struct trace_model *m, struct trace_track *engine,
		      const struct trace_track *stream, uint64_t start,
		      uint64_t end)
{
	size_t i = stream->last, previous;

	for (; i != TRACE_NONE; i = previous) {
		struct trace_span part = m->spans[i];

		previous = part.previous;
		if (!part.is_open && part.end <= start)
			break;
		part.kind = TRACE_SPAN_PART;
		part.start = later(part.start, start);
		part.end = earlier(part.end, end);
		part.timeline = 0;
		if (part.start < part.end && !add_span(m, engine, part))
			return false;
	}
	return true;
}

static bool add_turn(struct trace_model *m, size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	struct trace_track *engine = find_track(m, engine_of(e));
	const struct trace_span *last = last_span(m, engine);
	uint64_t end = since_start(m, e->ns);
	uint64_t start = since_start(m, e->ns - earlier(e->took_ns, e->ns));

	/* The event reports the span slightly after its end. */
	if (last)
		start = later(start, last->end);
	if (start >= end)
		return true;
	if (!add_span(m, engine, (struct trace_span){
			.kind = TRACE_SPAN_TURN,
			.event = event,
			.start = start,
			.end = end,
		      }))
		return false;
	return add_parts(m, engine, find_track(m, stream_of(e)), start, end);
}

static bool add_moment(struct trace_model *m, enum trace_span_kind kind,
		       size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	uint64_t now = since_start(m, e->ns);

	return add_span(m, find_track(m, thread_of(e)), (struct trace_span){
		.kind = kind,
		.event = event,
		.start = now,
		.end = now + 1,
	});
}

static bool add_signal_event(struct trace_model *m, size_t event)
{
	const struct trace_event *e = &m->log->events[event];
	const struct trace_track *track;

	if (!e->stream && !add_moment(m, TRACE_SPAN_SIGNAL, event))
		return false;
	track = find_track(m, e->stream ? stream_of(e) : thread_of(e));
	if (!track || track->last == TRACE_NONE)
		return true;
	return add_signal(m, (struct trace_signal){
		.client = e->client,
		.timeline = e->timeline,
		.ns = since_start(m, e->ns),
		.value = e->value,
		.is_advance = e->mode == VNPU_SIGNAL_ADVANCE,
		.span = track->last,
	});
}

/* Convert an event; false without memory. */
static bool add_event(struct trace_model *m, size_t event)
{
	const struct trace_event *e = &m->log->events[event];

	switch (e->kind) {
	case TRACE_TASK_START:
		return add_open(m, find_track(m, stream_of(e)),
				TRACE_SPAN_TASK, event);
	case TRACE_TASK_FINISH:
		return finish_task(m, event);
	case TRACE_ENGINE_TURN:
		return add_turn(m, event);
	case TRACE_DOORBELL:
		return add_moment(m, TRACE_SPAN_DOORBELL, event);
	case TRACE_SIGNAL:
		return add_signal_event(m, event);
	case TRACE_WAIT_BEGIN:
		return add_open(m, find_track(m, thread_of(e)),
				TRACE_SPAN_WAIT, event);
	case TRACE_WAIT_END:
		close_span(m, find_track(m, thread_of(e)), TRACE_SPAN_WAIT,
			   event);
		return true;
	case TRACE_KINDS:
		break;
	}
	return true;
}

enum smi_exit trace_model_init(struct trace_model *m,
			       const struct trace_log *log)
{
	enum smi_exit status;
	size_t i;

	*m = (struct trace_model){ .log = log };
	status = add_tracks(m);
	if (status)
		return status;
	for (i = 0; i < log->count; i++)
		if (!add_event(m, i))
			return fail_memory();
	return trace_model_add_flows(m);
}

void trace_model_fini(struct trace_model *m)
{
	free(m->tracks);
	free(m->spans);
	free(m->signals);
	free(m->flows);
}
