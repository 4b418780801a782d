// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi trace: the activity of engines and streams, for a trace viewer.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/wait.h>

#include "out.h"
#include "trace.h"

static const char trace_help[] =
"usage: vnpu-smi trace -o FILE [--html FILE] [-d SECONDS] [FORM]\n"
"                      [-- COMMAND [ARG...]]\n"
"\n"
"Record the activity of the engines, streams and threads of all devices, while\n"
"COMMAND runs or until a signal (Ctrl-C), and write it in the format of Perfetto\n"
"and Chrome's trace viewer.\n"
"\n"
"  -o, --output FILE       write the trace to FILE\n"
"  -H, --html FILE         write a web page that draws the trace to FILE\n"
"  -d, --duration SECONDS  record at most this time, and then end COMMAND\n"
OUT_HELP
"  -h, --help              print this and exit\n"
"\n"
"It needs permission to trace the kernel, which root has.\n";

struct trace_options {
	struct trace_request request;
	const char *output;
	const char *page;
	bool has_seconds;
	struct table_options form;
};

static const struct option trace_options[] = {
	{ "output",	required_argument,	NULL, 'o' },
	{ "html",	required_argument,	NULL, 'H' },
	{ "duration",	required_argument,	NULL, 'd' },
	TABLE_LONG_OPTIONS,
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static enum smi_exit take_output(const char **output, char option,
				 const char *file)
{
	if (*output)
		return fail(SMI_USAGE, "option '-%c' is given twice",
			    option);
	*output = file;
	return SMI_OK;
}

static enum smi_exit take_seconds(struct trace_options *o, const char *text)
{
	enum smi_exit status = take_number(&o->has_seconds,
					   &o->request.seconds, 'd', text);

	if (!status && !o->request.seconds)
		status = fail(SMI_USAGE, "the duration must be at least 1 second");
	return status;
}

/* *@wants_help is set when there is nothing else to do. */
static enum smi_exit parse_request(struct trace_options *o, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:o:H:d:jh", trace_options, NULL);
		if (c == -1)
			break;
		switch (c) {
		case 'o':
			status = take_output(&o->output, 'o', optarg);
			break;
		case 'H':
			status = take_output(&o->page, 'H', optarg);
			break;
		case 'd':
			status = take_seconds(o, optarg);
			break;
		case 'j':
		case TABLE_OPTION_FORMAT:
		case TABLE_OPTION_FIELDS:
			status = table_take_option(&o->form, c, optarg);
			break;
		case 'h':
			*wants_help = true;
			return SMI_OK;
		default:
			status = fail_option("trace", c, argv);
		}
	}
	if (status)
		return status;
	if (!o->output && !o->page)
		return fail(SMI_USAGE,
			    "option '-o' is needed, or '--html'; see 'vnpu-smi trace --help'");
	if (optind < argc)
		o->request.command = argv + optind;
	return SMI_OK;
}

static size_t count_tracks(const struct trace_model *m,
			   enum trace_track_kind kind)
{
	size_t i, count = 0;

	for (i = 0; i < m->track_count; i++)
		count += m->tracks[i].kind == kind;
	return count;
}

static size_t count_tasks(const struct trace_model *m)
{
	size_t i, count = 0;

	for (i = 0; i < m->span_count; i++)
		count += m->spans[i].kind == TRACE_SPAN_TASK;
	return count;
}

static const struct csv_list summary_csv[] = {
	{ NULL, "", "duration_us,events,lost_events,engines,streams,tasks,waits" },
	{ 0 }
};

static void show_summary(struct out *o, const struct trace_model *m)
{
	const struct trace_log *log = m->log;

	out_object(o, NULL);
	out_uint(o, "duration_us", "Duration(us)",
		 (log->end_ns - log->start_ns) / 1000);
	out_uint(o, "events", "Events", log->count);
	out_uint(o, "lost_events", "Events Lost", log->lost);
	out_uint(o, "engines", "Engines",
		 count_tracks(m, TRACE_TRACK_ENGINE));
	out_uint(o, "streams", "Streams",
		 count_tracks(m, TRACE_TRACK_STREAM));
	out_uint(o, "tasks", "Tasks", count_tasks(m));
	out_uint(o, "waits", "Waits With Their Signals", m->flow_count);
	out_object_end(o);
}

/* Where it goes; what was not asked for is NULL. */
struct trace_files {
	FILE *json;
	FILE *page;
};

static enum smi_exit write_trace(const struct trace_files *files,
				 const struct trace_log *log, struct out *o)
{
	struct trace_model model;
	enum smi_exit status;

	status = trace_model_init(&model, log);
	if (!status && files->json) {
		trace_write_json(files->json, &model);
		status = finish_output(files->json);
	}
	if (!status && files->page)
		status = trace_write_html(files->page, &model);
	if (!status)
		show_summary(o, &model);
	trace_model_fini(&model);
	return status;
}

static enum smi_exit judge_command(const char *name, int status)
{
	if (WIFSIGNALED(status))
		return fail(SMI_FAILED, "'%s' was ended by signal %d", name,
			    WTERMSIG(status));
	if (WEXITSTATUS(status))
		return fail(SMI_FAILED, "'%s' ended with status %d", name,
			    WEXITSTATUS(status));
	return SMI_OK;
}

static enum smi_exit open_file(FILE **f, const char *name)
{
	if (!name)
		return SMI_OK;
	*f = fopen(name, "we");
	return *f ? SMI_OK : fail(SMI_FAILED, "cannot write '%s': %s", name,
				  strerror(errno));
}

static void close_files(const struct trace_files *files)
{
	if (files->json)
		fclose(files->json);
	if (files->page)
		fclose(files->page);
}

static enum smi_exit record_and_write(const struct trace_options *options,
				      struct out *o)
{
	struct trace_files files = { 0 };
	struct trace_log log = { 0 };
	int command_status = 0;
	enum smi_exit status;

	/* Not after all the work. */
	status = open_file(&files.json, options->output);
	if (!status)
		status = open_file(&files.page, options->page);
	if (!status)
		status = trace_record(&options->request, &log, &command_status);
	if (!status)
		status = write_trace(&files, &log, o);
	trace_log_fini(&log);
	close_files(&files);
	if (!status && options->request.command)
		status = judge_command(options->request.command[0],
				       command_status);
	return status;
}

enum smi_exit cmd_trace(int argc, char **argv)
{
	struct trace_options options = { 0 };
	bool wants_help = false;
	enum smi_exit status;
	struct out out;

	status = parse_request(&options, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(trace_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &options.form, OUT_LINES, summary_csv);
	if (!status)
		status = record_and_write(&options, &out);
	return out_fini(&out, status);
}
