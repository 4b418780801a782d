// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: record the driver's tracepoints in a separate instance of
 * tracefs, so that other traces are not disturbed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "answer.h"
#include "trace.h"

#define SYSTEM		"vnpu"
#define INSTANCE	"vnpu-smi-"

/* The events of a CPU between two reads have to fit. */
#define BUFFER_KIB	"8192"
#define LOOK_NS		50000000

/* The destination of a field of an event. */
struct field {
	const char *name;
	size_t offset;
	bool is_wide;
};

#define WIDE(name, member)						\
	{ name, offsetof(struct trace_event, member), true }
#define NARROW(name, member)						\
	{ name, offsetof(struct trace_event, member), false }

static const struct field fields[] = {
	WIDE("client", client),
	WIDE("stream", stream),
	WIDE("seq", seq),
	WIDE("length", length),
	WIDE("timeline", timeline),
	WIDE("value", value),
	WIDE("ns", took_ns),
	NARROW("common_pid", thread),
	NARROW("device", device),
	NARROW("number", number),
	NARROW("class", class),
	NARROW("index", engine),
	NARROW("count", count),
	NARROW("all", all),
	NARROW("mode", mode),
	NARROW("op", op),
	NARROW("result", result),
};

#define FIELD_COUNT	(sizeof(fields) / sizeof(fields[0]))

static const char *const kind_names[TRACE_KINDS] = {
	[TRACE_TASK_START] = "vnpu_task_start",
	[TRACE_TASK_FINISH] = "vnpu_task_finish",
	[TRACE_ENGINE_TURN] = "vnpu_engine_turn",
	[TRACE_DOORBELL] = "vnpu_doorbell",
	[TRACE_SIGNAL] = "vnpu_timeline_signal",
	[TRACE_WAIT_BEGIN] = "vnpu_wait_begin",
	[TRACE_WAIT_END] = "vnpu_wait_end",
};

/**
 * struct recorder - a running recording
 * @tep: the formats of the events
 * @instance: the instance of tracefs
 * @hold: an open file of it, so that it cannot be removed
 * @formats: format of each kind, and
 * @members: its fields, NULL for missing ones
 * @log: the destination
 * @status: the reason of a failure
 */
struct recorder {
	struct tep_handle *tep;
	struct tracefs_instance *instance;
	int hold;
	struct tep_event *formats[TRACE_KINDS];
	struct tep_format_field *members[TRACE_KINDS][FIELD_COUNT];
	struct trace_log *log;
	enum smi_exit status;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static enum smi_exit fail_tracefs(const char *what)
{
	if (errno == EACCES || errno == EPERM)
		return fail(SMI_PERMISSION,
			    "no permission to trace the kernel, which root has");
	return fail(SMI_FAILED, "cannot %s: %s", what, strerror(errno));
}

/* Remove instances of killed vnpu-smi processes; those in use stay. */
static void remove_old_instances(void)
{
	char *dir = tracefs_get_tracing_file("instances");
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (!strncmp(entry->d_name, INSTANCE, strlen(INSTANCE)))
			unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
	tracefs_put_tracing_file(dir);
}

static enum smi_exit find_formats(struct recorder *r)
{
	const char *systems[] = { SYSTEM, NULL };
	size_t kind, i;

	r->tep = tracefs_local_events_system(NULL, systems);
	for (kind = 0; kind < TRACE_KINDS; kind++) {
		r->formats[kind] = r->tep ?
			tep_find_event_by_name(r->tep, SYSTEM,
					       kind_names[kind]) : NULL;
		if (!r->formats[kind])
			return fail(SMI_NO_DRIVER,
				    "the vnpu driver is not loaded (no tracepoint \"%s\")",
				    kind_names[kind]);
		for (i = 0; i < FIELD_COUNT; i++)
			r->members[kind][i] =
				tep_find_any_field(r->formats[kind],
						   fields[i].name);
	}
	return SMI_OK;
}

static enum smi_exit open_instance(struct recorder *r)
{
	char name[sizeof(INSTANCE) + 16];

	remove_old_instances();
	snprintf(name, sizeof(name), INSTANCE "%d", getpid());
	errno = 0;
	r->instance = tracefs_instance_create(name);
	if (!r->instance)
		return fail_tracefs("create an instance of tracefs");
	r->hold = tracefs_instance_file_open(r->instance, "trace_marker",
					     O_WRONLY | O_CLOEXEC);
	if (r->hold < 0)
		return fail_tracefs("use an instance of tracefs");
	return SMI_OK;
}

static enum smi_exit switch_on(struct recorder *r)
{
	size_t kind;

	/*
	 * Threads and engines are on different CPUs, so they need a common
	 * clock.
	 */
	if (tracefs_instance_file_write(r->instance, "trace_clock", "mono") < 0 ||
	    tracefs_instance_file_write(r->instance, "buffer_size_kb",
					BUFFER_KIB) < 0)
		return fail_tracefs("set up an instance of tracefs");
	for (kind = 0; kind < TRACE_KINDS; kind++)
		if (tracefs_event_enable(r->instance, SYSTEM, kind_names[kind]))
			return fail_tracefs("switch on a tracepoint");
	r->log->start_ns = now_ns();
	return SMI_OK;
}

static enum smi_exit recorder_init(struct recorder *r, struct trace_log *log)
{
	enum smi_exit status;

	*r = (struct recorder){ .hold = -1, .log = log };
	/* Errors are reported here instead of by the library. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	errno = 0;
	if (!tracefs_tracing_dir())
		return errno == EACCES || errno == EPERM || geteuid() ?
		       fail(SMI_PERMISSION,
			    "no permission to trace the kernel, which root has") :
		       fail(SMI_FAILED, "the kernel has no tracefs");
	status = open_instance(r);
	if (!status)
		status = find_formats(r);
	return status ? status : switch_on(r);
}

static void recorder_fini(struct recorder *r)
{
	if (r->hold >= 0)
		close(r->hold);
	if (r->instance) {
		tracefs_event_disable(r->instance, SYSTEM, NULL);
		if (tracefs_instance_destroy(r->instance))
			warn("an instance of tracefs cannot be removed: %s",
			     strerror(errno));
		tracefs_instance_free(r->instance);
	}
	if (r->tep)
		tep_free(r->tep);
}

void *trace_grow(void *items, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? *room * 2 : 256;

	if (count < *room)
		return items;
	items = reallocarray(items, wanted, size);
	if (items)
		*room = wanted;
	return items;
}

static struct trace_event *add_event(struct trace_log *log)
{
	struct trace_event *event;
	void *events = trace_grow(log->events, log->count, &log->room,
				  sizeof(*log->events));

	if (!events)
		return NULL;
	log->events = events;
	event = &log->events[log->count];
	*event = (struct trace_event){ .order = log->count++ };
	return event;
}

static void take_field(struct trace_event *event, const struct field *field,
		       struct tep_format_field *member, void *data)
{
	void *to = (char *)event + field->offset;
	unsigned long long value;
	uint32_t narrow;

	if (!member || tep_read_number_field(member, data, &value))
		return;
	narrow = (uint32_t)value;
	if (field->is_wide)
		memcpy(to, &value, sizeof(value));
	else
		memcpy(to, &narrow, sizeof(narrow));
}

static int take_event(struct tep_event *format, struct tep_record *record,
		      int cpu __attribute__((unused)), void *arg)
{
	struct recorder *r = arg;
	struct trace_event *event;
	size_t kind, i;

	/* The kernel does not report the number; at least one was lost. */
	if (record->missed_events)
		r->log->lost += record->missed_events > 0 ?
				(uint64_t)record->missed_events : 1;
	for (kind = 0; kind < TRACE_KINDS; kind++)
		if (r->formats[kind]->id == format->id)
			break;
	if (kind == TRACE_KINDS)
		return 0;
	event = add_event(r->log);
	if (!event) {
		r->status = fail_memory();
		return -1;
	}
	event->ns = record->ts;
	event->kind = kind;
	for (i = 0; i < FIELD_COUNT; i++)
		take_field(event, &fields[i], r->members[kind][i],
			   record->data);
	return 0;
}

static enum smi_exit look(struct recorder *r)
{
	if (tracefs_iterate_raw_events(r->tep, r->instance, NULL, 0,
				       take_event, r) < 0 && !r->status)
		r->status = fail(SMI_FAILED, "cannot read the events");
	return r->status;
}

/* Read the events periodically, until the end. */
static enum smi_exit record(struct recorder *r, const sigset_t *signals,
			    uint32_t seconds, pid_t *child, int *child_status)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };
	uint64_t end = r->log->start_ns + seconds * UINT64_C(1000000000);

	while (!look(r)) {
		int signal = sigtimedwait(signals, NULL, &moment);

		if (signal > 0 && signal != SIGCHLD)
			break;
		if (*child > 0 && waitpid(*child, child_status, WNOHANG)) {
			*child = 0;
			break;
		}
		if (seconds && now_ns() >= end)
			break;
	}
	return r->status;
}

static int compare_events(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_threads(const void *a, const void *b)
{
	const struct trace_thread *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

const char *trace_log_thread_name(const struct trace_log *log, uint32_t id)
{
	const struct trace_thread key = { .id = id };
	const struct trace_thread *thread = NULL;

	if (log->thread_count)
		thread = bsearch(&key, log->threads, log->thread_count,
				 sizeof(key), compare_threads);
	return thread ? thread->name : "";
}

/* The kernel keeps the names of recently traced threads. */
static enum smi_exit name_threads(struct recorder *r)
{
	struct trace_log *log = r->log;
	size_t i, count = 0;

	log->threads = calloc(log->count + 1, sizeof(*log->threads));
	if (!log->threads)
		return fail_memory();
	for (i = 0; i < log->count; i++)
		log->threads[i].id = log->events[i].thread;
	qsort(log->threads, log->count, sizeof(*log->threads), compare_threads);
	tracefs_load_cmdlines(NULL, r->tep);
	for (i = 0; i < log->count; i++) {
		struct trace_thread *thread = &log->threads[i];
		const char *name;

		if (i && thread->id == log->threads[count - 1].id)
			continue;
		log->threads[count] = *thread;
		name = tep_data_comm_from_pid(r->tep, (int)thread->id);
		if (name && strcmp(name, "<...>"))
			snprintf(log->threads[count].name, TRACE_NAME_LEN, "%s",
				 name);
		count++;
	}
	log->thread_count = count;
	return SMI_OK;
}

static enum smi_exit finish(struct recorder *r)
{
	struct trace_log *log = r->log;

	tracefs_trace_off(r->instance);
	log->end_ns = now_ns();
	if (look(r))
		return r->status;
	qsort(log->events, log->count, sizeof(*log->events), compare_events);
	/* An event may have been in progress when the clock was read. */
	if (log->count && log->events[log->count - 1].ns > log->end_ns)
		log->end_ns = log->events[log->count - 1].ns;
	return name_threads(r);
}

enum smi_exit trace_record(const struct trace_request *request,
			   struct trace_log *log, int *command_status)
{
	struct recorder recorder;
	sigset_t signals, before;
	enum smi_exit status;
	pid_t child = 0;

	*log = (struct trace_log){ 0 };
	*command_status = 0;
	/* Block signals, as the instance has to be removed in any case. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);

	status = recorder_init(&recorder, log);
	if (!status && request->command)
		status = trace_command_start(request->command, &before, &child);
	if (!status)
		status = record(&recorder, &signals, request->seconds, &child,
				command_status);
	if (child)
		trace_command_end(child);
	if (!status)
		status = finish(&recorder);
	recorder_fini(&recorder);
	return status;
}

void trace_log_fini(struct trace_log *log)
{
	free(log->events);
	free(log->threads);
}
