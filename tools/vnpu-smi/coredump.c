// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi coredump: show the dump of a device at its reset.
 *
 * It needs no driver: the dump may be from another machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "dump.h"
#include "model.h"
#include "out.h"

/* Many times the dump of a device with all its streams. */
#define FILE_MAX_BYTES	(16U << 20)
#define READ_BYTES	(64U << 10)

#define NS_PER_MS	1000000

static const char coredump_help[] =
"usage: vnpu-smi coredump FILE [FORM]\n"
"\n"
"Show the dump that a device wrote when it was reset.  The kernel keeps it for\n"
"five minutes in /sys/class/devcoredump/devcd*/data.\n"
"\n"
OUT_HELP
"  -h, --help       print this and exit\n";

struct text {
	char *data;
	size_t length;
};

/* Sysfs does not report the size of a file, and returns a page at a time. */
static enum smi_exit read_all(int fd, const char *file, struct text *text)
{
	size_t room = 0;
	ssize_t got;

	do {
		if (room - text->length < READ_BYTES) {
			char *data = realloc(text->data, room + READ_BYTES);

			if (!data)
				return fail_memory();
			text->data = data;
			room += READ_BYTES;
		}
		got = read(fd, text->data + text->length, READ_BYTES);
		if (got < 0 && errno != EINTR)
			return fail(SMI_FAILED, "cannot read '%s': %s", file,
				    strerror(errno));
		if (got > 0)
			text->length += (size_t)got;
		if (text->length > FILE_MAX_BYTES)
			return fail(SMI_FAILED, "'%s' is too long for a dump",
				    file);
	} while (got);
	return SMI_OK;
}

static enum smi_exit read_file(const char *file, struct text *text)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	enum smi_exit status;

	if (fd < 0)
		return fail(errno == EACCES ? SMI_PERMISSION : SMI_FAILED,
			    "cannot open '%s': %s", file, strerror(errno));
	status = read_all(fd, file, text);
	close(fd);
	return status;
}

static void show_head(struct out *o, const struct dump *d)
{
	out_string(o, "module_version", "Module Version", d->module);
	out_string(o, "kernel", "Kernel", d->kernel);
	out_string(o, "time", "Time", d->time);
	out_uint(o, "monotonic_ns", "Time Since Boot(ns)", d->monotonic_ns);
	out_string(o, "reason", "Reason", d->reason);
	out_uint(o, "id", "NPU ID", d->device);
	out_string(o, "uuid", "UUID", d->uuid);
	out_uint(o, "resets", "Resets Before", d->resets);
	out_uint(o, "hangs", "Hangs So Far", d->hangs);
}

static void out_task(struct out *o, uint64_t has_task, uint64_t task,
		     uint64_t op)
{
	if (!has_task) {
		out_none(o, "task", NULL);
		return;
	}
	out_object(o, "task");
	out_uint(o, "seq", NULL, task);
	out_string(o, "operation", NULL, task_word((uint32_t)op));
	out_object_end(o);
}

static void out_engine(struct out *o, const struct dump_engine *e)
{
	out_object(o, NULL);
	out_string(o, "name", NULL, e->name);
	out_uint(o, "busy_ns", NULL, e->busy_ns);
	out_uint(o, "tasks", NULL, e->tasks);
	out_uint(o, "turn_ns", NULL, e->turn_ns);
	if (e->has_stream) {
		out_object(o, "stream");
		out_uint(o, "id", NULL, e->stream);
		out_uint(o, "client", NULL, e->client);
		out_object_end(o);
	} else {
		out_none(o, "stream", NULL);
	}
	out_task(o, e->has_task, e->task, e->op);
	out_object_end(o);
}

static void print_engine(struct out *o, const struct dump_engine *e)
{
	out_text(o, "\t%-10s %10" PRIu64 " %10" PRIu64, e->name,
		 e->busy_ns / NS_PER_MS, e->tasks);
	if (e->has_stream)
		out_text(o, " %8" PRIu64 " %8" PRIu64, e->client, e->stream);
	else
		out_text(o, " %8s %8s", "-", "-");
	out_text(o, " %-12s", e->has_task ? task_word((uint32_t)e->op) : "-");
	out_text(o, " %7" PRIu64 "\n", e->turn_ns / NS_PER_MS);
}

static void show_engines(struct out *o, const struct dump *d)
{
	size_t i;

	if (d->engine_count)
		out_text(o, "\n\t%-10s %10s %10s %8s %8s %-12s %7s\n",
			 "Engine", "Busy/ms", "Tasks", "Client", "Stream",
			 "Task", "Time/ms");
	out_list(o, "engines");
	for (i = 0; i < d->engine_count; i++) {
		if (o->is_data)
			out_engine(o, &d->engines[i]);
		else
			print_engine(o, &d->engines[i]);
	}
	out_list_end(o);
}

static void out_stream(struct out *o, const struct dump_stream *s)
{
	out_object(o, NULL);
	out_uint(o, "id", NULL, s->id);
	out_uint(o, "client", NULL, s->client);
	out_uint(o, "number", NULL, s->number);
	out_string(o, "state", NULL, s->state);
	out_string(o, "engine_class", NULL, s->class);
	out_uint(o, "priority", NULL, s->priority);
	out_task(o, s->has_task, s->task, s->op);
	out_uint_if(o, "task_done", NULL, s->has_task, s->done);
	out_uint(o, "submitted", NULL, s->tail);
	out_uint(o, "taken", NULL, s->taken);
	out_uint(o, "completed", NULL, s->completed);
	out_uint(o, "ring_state", NULL, s->ring_state);
	out_uint(o, "errors", NULL, s->errors);
	out_uint(o, "cancelled", NULL, s->cancelled);
	out_object_end(o);
}

static void print_stream(struct out *o, const struct dump_stream *s)
{
	out_text(o, "\t%-8" PRIu64 " %-8" PRIu64 " %-9s %9" PRIu64 " %9" PRIu64
		 " %-12s %6" PRIu64 "\n", s->client, s->id, s->state,
		 s->tail, s->completed,
		 s->has_task ? task_word((uint32_t)s->op) : "-", s->errors);
}

static void show_streams(struct out *o, const struct dump *d)
{
	size_t i;

	if (d->stream_count)
		out_text(o, "\n\t%-8s %-8s %-9s %9s %9s %-12s %6s\n",
			 "Client", "Stream", "State", "Submitted", "Completed",
			 "Task", "Errors");
	else
		out_text(o, "\n\tNo stream had a task.\n");
	out_list(o, "streams");
	for (i = 0; i < d->stream_count; i++) {
		if (o->is_data)
			out_stream(o, &d->streams[i]);
		else
			print_stream(o, &d->streams[i]);
	}
	out_list_end(o);
}

/*
 * Rows are devices, or their engines and streams if their fields are requested.
 */
static const struct csv_list coredump_csv[] = {
	{ NULL, "", "module_version,kernel,time,monotonic_ns,reason,id,uuid,"
		    "resets,hangs" },
	{ "engines", "engines.",
	  "name,busy_ns,tasks,turn_ns,stream.id,stream.client,task.seq,"
	  "task.operation" },
	{ "streams", "streams.",
	  "id,client,number,state,engine_class,priority,task.seq,"
	  "task.operation,task_done,submitted,taken,completed,ring_state,"
	  "errors,cancelled" },
	{ 0 }
};

static void show_dump(struct out *o, const struct dump *d)
{
	out_object(o, NULL);
	show_head(o, d);
	show_engines(o, d);
	show_streams(o, d);
	out_object_end(o);
}

static enum smi_exit read_and_show(struct out *o, const char *file)
{
	struct text text = { 0 };
	struct dump_fault fault;
	enum smi_exit status;
	struct dump dump;

	status = read_file(file, &text);
	if (!status) {
		if (dump_parse(&dump, text.data, text.length, &fault))
			show_dump(o, &dump);
		else
			status = fail(SMI_FAILED, "'%s' is not a complete dump: line %zu %s%s%s",
				      file, fault.line, fault.what,
				      *fault.word ? " " : "", fault.word);
		dump_fini(&dump);
	}
	free(text.data);
	return status;
}

/* Options may come before and after the file. */
static enum smi_exit parse_request(struct table_options *form,
				   const char **file, bool *wants_help,
				   int argc, char **argv)
{
	static const struct option options[] = {
		TABLE_LONG_OPTIONS,
		{ "help",	no_argument,	NULL, 'h' },
		{ 0 }
	};
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, ":jh", options, NULL);
		if (c == -1)
			break;
		if (c == 'h') {
			*wants_help = true;
			return SMI_OK;
		}
		status = c == '?' || c == ':' ?
			 fail_option("coredump", c, argv) :
			 table_take_option(form, c, optarg);
	}
	if (status)
		return status;
	if (optind == argc)
		return fail(SMI_USAGE,
			    "no file is given; see 'vnpu-smi coredump --help'");
	if (optind + 1 < argc)
		return fail(SMI_USAGE, "unexpected argument '%s'",
			    argv[optind + 1]);
	*file = argv[optind];
	return SMI_OK;
}

enum smi_exit cmd_coredump(int argc, char **argv)
{
	struct table_options form = { 0 };
	bool wants_help = false;
	enum smi_exit status;
	const char *file = NULL;
	struct out out;

	status = parse_request(&form, &file, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(coredump_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &form, OUT_LINES, coredump_csv);
	if (!status)
		status = read_and_show(&out, file);
	return out_fini(&out, status);
}
