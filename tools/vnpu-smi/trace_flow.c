// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: the signals that waits waited for, and names of tracks.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "answer.h"
#include "model.h"
#include "trace.h"

static int compare_keys(const struct trace_signal *x,
			const struct trace_signal *y)
{
	if (x->client != y->client)
		return x->client < y->client ? -1 : 1;
	if (x->timeline != y->timeline)
		return x->timeline < y->timeline ? -1 : 1;
	return 0;
}

static int compare_signals(const void *a, const void *b)
{
	const struct trace_signal *x = a, *y = b;
	int order = compare_keys(x, y);

	if (order)
		return order;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* A timeline keeps its value: compute the maximum reached so far. */
static void accumulate(struct trace_model *m)
{
	size_t i;

	for (i = 1; i < m->signal_count; i++) {
		const struct trace_signal *before = &m->signals[i - 1];
		struct trace_signal *s = &m->signals[i];

		if (s->is_advance && before->is_advance &&
		    !compare_keys(before, s) && before->value > s->value)
			s->value = before->value;
	}
}

/*
 * Check whether a signal is too early for the wait @key.  A wait for a timeline
 * ends with the first signal that reaches its value; for a counter, with the
 * last signal before the end of the wait.
 */
static bool is_before(const struct trace_signal *s,
		      const struct trace_signal *key, bool by_value)
{
	int order = compare_keys(s, key);

	if (order)
		return order < 0;
	return by_value ? s->value < key->value : s->ns <= key->ns;
}

/* Find the first signal that is not before @key; the count if all are. */
static size_t find_signal(const struct trace_model *m,
			  const struct trace_signal *key, bool by_value)
{
	size_t low = 0, high = m->signal_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(&m->signals[middle], key, by_value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct trace_signal *signal_for(const struct trace_model *m,
					     const struct trace_span *span)
{
	const struct trace_signal key = {
		.client = m->log->events[span->event].client,
		.timeline = span->timeline,
		.value = span->value,
		.ns = span->end,
	};
	size_t last = find_signal(m, &key, false), i;

	if (!last || compare_keys(&m->signals[last - 1], &key))
		return NULL;
	if (!m->signals[last - 1].is_advance)
		return &m->signals[last - 1];
	i = find_signal(m, &key, true);
	return i < last && !compare_keys(&m->signals[i], &key) ?
	       &m->signals[i] : NULL;
}

static bool add_flow(struct trace_model *m, size_t to,
		     const struct trace_signal *signal)
{
	const struct trace_span *from_span = &m->spans[signal->span];
	uint64_t ns = signal->ns;
	void *flows;

	/* The viewer expects the ends of arrows inside a span. */
	if (ns >= from_span->end && from_span->end > from_span->start)
		ns = from_span->end - 1;
	flows = trace_grow(m->flows, m->flow_count, &m->flow_room,
			   sizeof(*m->flows));
	if (!flows)
		return false;
	m->flows = flows;
	m->flows[m->flow_count++] = (struct trace_flow){
		.from = signal->span,
		.to = to,
		.from_ns = ns,
		.to_ns = ns > m->spans[to].start ? ns : m->spans[to].start,
	};
	return true;
}

enum smi_exit trace_model_add_flows(struct trace_model *m)
{
	size_t i;

	if (!m->signal_count)
		return SMI_OK;
	qsort(m->signals, m->signal_count, sizeof(*m->signals),
	      compare_signals);
	accumulate(m);
	for (i = 0; i < m->span_count; i++) {
		const struct trace_span *span = &m->spans[i];
		const struct trace_signal *signal = NULL;

		if (span->timeline && !span->is_open &&
		    !m->log->events[span->event].result)
			signal = signal_for(m, span);
		if (signal && signal->span != i && !add_flow(m, i, signal))
			return fail_memory();
	}
	return SMI_OK;
}

/* The name of a client is that of its first thread in the log. */
void trace_name_owner(const struct trace_model *m,
		      const struct trace_track *track, char *name)
{
	const char *thread = "";
	size_t i;

	if (track->kind == TRACE_TRACK_ENGINE) {
		snprintf(name, TRACE_TITLE_LEN, "vnpu%u engines",
			 track->device);
		return;
	}
	for (i = 0; i < m->track_count && !*thread; i++)
		if (m->tracks[i].kind == TRACE_TRACK_THREAD &&
		    m->tracks[i].owner == track->owner)
			thread = trace_log_thread_name(m->log,
						       (uint32_t)m->tracks[i].id);
	snprintf(name, TRACE_TITLE_LEN, "client %" PRIu64 "%s%s", track->owner,
		 *thread ? " " : "", thread);
}

void trace_name_track(const struct trace_model *m,
		      const struct trace_track *track, char *name)
{
	const char *thread;

	switch (track->kind) {
	case TRACE_TRACK_ENGINE:
		snprintf(name, TRACE_TITLE_LEN, "%s %u",
			 class_word(track->class), track->number);
		break;
	case TRACE_TRACK_STREAM:
		snprintf(name, TRACE_TITLE_LEN, "stream %u (vnpu%u)",
			 track->number, track->device);
		break;
	case TRACE_TRACK_THREAD:
		thread = trace_log_thread_name(m->log, (uint32_t)track->id);
		snprintf(name, TRACE_TITLE_LEN, "thread %" PRIu64 "%s%s",
			 track->id, *thread ? " " : "", thread);
		break;
	}
}

void trace_name_span(const struct trace_model *m,
		     const struct trace_span *span, char *name)
{
	const struct trace_event *e = &m->log->events[span->event];
	const char *word = "";

	switch (span->kind) {
	case TRACE_SPAN_TURN:
		snprintf(name, TRACE_TITLE_LEN, "stream %u", e->number);
		return;
	case TRACE_SPAN_PART:
	case TRACE_SPAN_TASK:
		word = task_word(e->op);
		break;
	case TRACE_SPAN_WAIT:
		word = "wait";
		break;
	case TRACE_SPAN_SIGNAL:
		word = "signal";
		break;
	case TRACE_SPAN_DOORBELL:
		word = "doorbell";
		break;
	}
	snprintf(name, TRACE_TITLE_LEN, "%s", word);
}
