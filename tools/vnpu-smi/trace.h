/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: declarations that the parts of the command trace share.
 *
 * trace_record.c reads the events of the kernel, trace_model.c converts them to
 * spans on tracks, trace_flow.c matches waits and signals, trace_json.c writes
 * the result, and trace_html.c a page that draws it.
 */
#ifndef VNPU_SMI_TRACE_H
#define VNPU_SMI_TRACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cmd.h"

/* The size of a thread name in the kernel, with its NUL. */
#define TRACE_NAME_LEN		16

enum trace_kind {
	TRACE_TASK_START,
	TRACE_TASK_FINISH,
	TRACE_ENGINE_TURN,
	TRACE_DOORBELL,
	TRACE_SIGNAL,
	TRACE_WAIT_BEGIN,
	TRACE_WAIT_END,
	TRACE_KINDS
};

/**
 * struct trace_event - an event, with the fields that its kind has
 * @ns: CLOCK_MONOTONIC
 * @order: among the events that were recorded
 * @kind: TRACE_*
 * @thread: the thread, or the engine
 * @client: id of the client
 * @stream: id among the streams of the client; for a signal, 0 if by a thread
 * @seq: number of a task in its stream
 * @length: bytes or elements of it
 * @timeline: id of a timeline, counter or stream of the client
 * @value: of the timeline
 * @took_ns: duration of a turn, or a task; 0 if unknown
 * @device: device number
 * @number: of the stream, among those of the device
 * @class: VNPU_ENGINE_CLASS_*
 * @engine: number within the class
 * @count: number of points that a thread waits for
 * @all: it waits for all of them
 * @mode: VNPU_SIGNAL_*
 * @op: VNPU_TASK_*
 * @result: 0 or -errno
 */
struct trace_event {
	uint64_t ns;
	uint64_t order;
	enum trace_kind kind;
	uint32_t thread;
	uint64_t client;
	uint64_t stream;
	uint64_t seq;
	uint64_t length;
	uint64_t timeline;
	uint64_t value;
	uint64_t took_ns;
	uint32_t device;
	uint32_t number;
	uint32_t class;
	uint32_t engine;
	uint32_t count;
	uint32_t all;
	uint32_t mode;
	uint32_t op;
	uint32_t result;
};

struct trace_thread {
	uint32_t id;
	char name[TRACE_NAME_LEN];
};

/**
 * struct trace_log - the recorded events
 * @events: in order of time
 * @threads: threads of the events, in order of their ids
 * @start_ns: start of the recording
 * @end_ns: end of the recording
 * @lost: number of events that the kernel dropped
 */
struct trace_log {
	struct trace_event *events;
	size_t count;
	size_t room;
	struct trace_thread *threads;
	size_t thread_count;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t lost;
};

/* Get the name of a thread, or an empty string. */
const char *trace_log_thread_name(const struct trace_log *log, uint32_t id);

/**
 * struct trace_request - the conditions of a recording
 * @seconds: time limit; 0 is until a signal or the end of the command
 * @command: the command to run, or NULL
 */
struct trace_request {
	uint32_t seconds;
	char **command;
};

/*
 * Record until the end of the request. *@command_status is the status of
 * waitpid() if the command has ended by itself, else 0.  The caller always
 * passes @log to trace_log_fini().
 */
enum smi_exit trace_record(const struct trace_request *request,
			   struct trace_log *log, int *command_status);
void trace_log_fini(struct trace_log *log);

/* A command that runs during a recording. */
enum smi_exit trace_command_start(char **command, const sigset_t *mask,
				  pid_t *pid);
void trace_command_end(pid_t pid);

enum trace_track_kind {
	TRACE_TRACK_ENGINE,
	TRACE_TRACK_STREAM,
	TRACE_TRACK_THREAD,
};

/**
 * struct trace_track - a line of the trace: an engine, stream or thread
 * @owner: number of the device of an engine, else id of the client
 * @id: of the stream or thread; class and number of an engine
 * @device: of an engine or stream
 * @class: of an engine
 * @number: of the engine or stream
 * @last: its newest span other than parts of tasks, or TRACE_NONE
 */
struct trace_track {
	enum trace_track_kind kind;
	uint64_t owner;
	uint64_t id;
	uint32_t device;
	uint32_t class;
	uint32_t number;
	size_t last;
};

#define TRACE_NONE	SIZE_MAX

enum trace_span_kind {
	TRACE_SPAN_TURN,	/* of an engine */
	TRACE_SPAN_PART,	/* of a task, within a turn */
	TRACE_SPAN_TASK,	/* of a stream */
	TRACE_SPAN_WAIT,	/* of a thread */
	TRACE_SPAN_SIGNAL,	/* of a thread: a moment */
	TRACE_SPAN_DOORBELL,	/* of a thread: a moment */
};

/**
 * struct trace_span - an activity with a duration
 * @is_open: it has not ended; @end is then the end of the log
 * @track: its track
 * @event: index of the event that ended it, or began it if it is open
 * @previous: previous span of the track, or TRACE_NONE; not for parts
 * @start: ns since the start of the log
 * @end: ns since the start of the log
 * @timeline: timeline that it waits for, or 0, and
 * @value: the value that it waits for
 */
struct trace_span {
	enum trace_span_kind kind;
	bool is_open;
	size_t track;
	size_t event;
	size_t previous;
	uint64_t start;
	uint64_t end;
	uint64_t timeline;
	uint64_t value;
};

/**
 * struct trace_signal - a change of a timeline, counter or stream
 * @client: its client
 * @timeline: its id
 * @ns: time since the start of the log
 * @value: the new value
 * @is_advance: the value never decreases
 * @span: the span that caused it
 */
struct trace_signal {
	uint64_t client;
	uint64_t timeline;
	uint64_t ns;
	uint64_t value;
	bool is_advance;
	size_t span;
};

/* An arrow from a signal to its waiter: their spans, and the times in these. */
struct trace_flow {
	size_t from;
	size_t to;
	uint64_t from_ns;
	uint64_t to_ns;
};

/**
 * struct trace_model - the contents of a trace
 * @tracks: engines first, then streams, then threads, each by owner and id
 * @spans: those of a track do not overlap, except for the parts of tasks, which
 *	are inside turns
 * @signals: in order of client, timeline and time
 */
struct trace_model {
	const struct trace_log *log;
	struct trace_track *tracks;
	size_t track_count;
	struct trace_span *spans;
	size_t span_count;
	size_t span_room;
	struct trace_signal *signals;
	size_t signal_count;
	size_t signal_room;
	struct trace_flow *flows;
	size_t flow_count;
	size_t flow_room;
};

enum smi_exit trace_model_init(struct trace_model *model,
			       const struct trace_log *log);
void trace_model_fini(struct trace_model *model);

/* For trace_model_init(), after the spans: match waits and signals. */
enum smi_exit trace_model_add_flows(struct trace_model *model);

/* Make room for one more item in an array of *@room; the array, or NULL. */
void *trace_grow(void *items, size_t count, size_t *room, size_t size);

#define TRACE_TITLE_LEN		64

/* Format names for display, of at most TRACE_TITLE_LEN bytes. */
void trace_name_owner(const struct trace_model *model,
		      const struct trace_track *track, char *name);
void trace_name_track(const struct trace_model *model,
		      const struct trace_track *track, char *name);
void trace_name_span(const struct trace_model *model,
		     const struct trace_span *span, char *name);

void trace_write_json(FILE *f, const struct trace_model *model);

/* Write the trace in a page that draws it; flushes @f. */
enum smi_exit trace_write_html(FILE *f, const struct trace_model *model);

#endif /* VNPU_SMI_TRACE_H */
