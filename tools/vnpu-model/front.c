// SPDX-License-Identifier: GPL-2.0-only
/*
 * msame and mscheck: other names of this program; their options become those of
 * its commands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "tensor.h"

#define ARGUMENTS	2048

/**
 * struct line - the command line of a command
 * @argv: the arguments, allocated
 * @argc: their number
 */
struct line {
	char *argv[ARGUMENTS];
	int argc;
};

static void add(struct line *l, const char *option, const char *value)
{
	if (l->argc + 1 == ARGUMENTS)
		die(EXIT_USAGE, "more than %d arguments", ARGUMENTS);
	l->argv[l->argc++] = tensor_message("%s%s", option, value);
}

static void drop(struct line *l)
{
	while (l->argc)
		free(l->argv[--l->argc]);
}

/* Run a command with a line, and free the line. */
static int run_line(struct line *l, int (*command)(int argc, char **argv))
{
	int status;

	/* getopt_long() begins anew. */
	optind = 0;
	status = command(l->argc, l->argv);
	drop(l);
	return status;
}

/* Add an option for each file of a list with commas. */
static void add_files(struct line *l, const char *list)
{
	char *copy = tensor_message("%s", list), *part, *rest;

	part = strtok_r(copy, ",", &rest);
	if (!part)
		die(EXIT_USAGE, "--input=%s: must be files with commas between them",
		    list);
	for (; part; part = strtok_r(NULL, ",", &rest))
		add(l, "--input=", part);
	free(copy);
}

/* Refuse operands: files belong to options here. */
static void no_operand(int argc, char **argv)
{
	if (optind < argc)
		die(EXIT_USAGE, "'%s' belongs to no option; try %s --help",
		    argv[optind], program_invocation_short_name);
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? EXIT_FAILED : EXIT_DONE);
}

/* Add the sizes of --dymDims: "name:1,2;other:3" becomes "1,2,3". */
static void add_sizes(struct line *l, const char *text)
{
	char *sizes = tensor_message("%s", text), *to = sizes;
	const char *part = text, *end;

	for (; *part; part = *end ? end + 1 : end) {
		const char *colon;
		size_t length;

		end = part + strcspn(part, ";");
		colon = memrchr(part, ':', end - part);
		if (colon)
			part = colon + 1;
		length = end - part;
		if (to != sizes)
			*to++ = ',';
		memmove(to, part, length);
		to += length;
	}
	*to = '\0';
	add(l, "--sizes=", sizes);
	free(sizes);
}

static const char msame_help[] =
"usage: msame --model=FILE.om [--input=FILE,...] [--output=DIR]\n"
"             [--outfmt=BIN|TXT|NPY] [--loop=N] [--dymBatch=N | --dymHW=H,W |\n"
"             --dymDims=NAME:N,N;...] [--host]\n"
"       msame --query_op --op_name=NAME\n"
"       msame --model=FILE.om --analyze=memory\n"
"       msame --help | --version\n"
"\n"
"The same as vnpu-model run, ops and memory, with the options of CANN's msame;\n"
"with --host, without a device.\n";

static const char mscheck_help[] =
"usage: mscheck --model=FILE.om [--check=io_format]\n"
"       mscheck --help | --version\n"
"\n"
"Check a model, and print its inputs and outputs, as vnpu-model check and info.\n";

static const char version[] = " (vnpu) " VNPU_VERSION "\n";

/**
 * struct msame - the command line of msame
 * @run: options of the command run
 * @model: --model
 * @op: --op_name
 * @analyze: --analyze
 * @is_query: --query_op
 * @has_ignored: an option without an effect
 */
struct msame {
	struct line run;
	const char *model;
	const char *op;
	const char *analyze;
	bool is_query;
	bool has_ignored;
};

static void take_msame(struct msame *m, int c)
{
	switch (c) {
	case 'm':
		m->model = optarg;
		break;
	case 'i':
		add_files(&m->run, optarg);
		break;
	case 'o':
		add(&m->run, "--output=", optarg);
		break;
	case 'f':
		add(&m->run, "--format=", optarg);
		break;
	case 'l':
		add(&m->run, "--loop=", optarg);
		break;
	case 'H':
		add(&m->run, "--host", "");
		break;
	case 's':
		add_sizes(&m->run, optarg);
		break;
	case 'q':
		m->is_query = true;
		break;
	case 'n':
		m->op = optarg;
		break;
	case 'a':
		m->analyze = optarg;
		break;
	case 'N':
		m->has_ignored = true;
		break;
	case 'h':
		print_and_exit(msame_help);
		break;
	case 'v':
		fputs("msame", stdout);
		print_and_exit(version);
		break;
	default:
		break;
	}
}

int front_msame(int argc, char **argv)
{
	static const struct option options[] = {
		{ "model", required_argument, NULL, 'm' },
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "outfmt", required_argument, NULL, 'f' },
		{ "loop", required_argument, NULL, 'l' },
		{ "dymBatch", required_argument, NULL, 's' },
		{ "dymHW", required_argument, NULL, 's' },
		{ "dymDims", required_argument, NULL, 's' },
		{ "query_op", no_argument, NULL, 'q' },
		{ "op_name", required_argument, NULL, 'n' },
		{ "analyze", required_argument, NULL, 'a' },
		{ "soc_version", required_argument, NULL, 'N' },
		{ "debug", required_argument, NULL, 'N' },
		{ "profiler", required_argument, NULL, 'N' },
		{ "dump", required_argument, NULL, 'N' },
		{ "device", required_argument, NULL, 'N' },
		{ "outputSize", required_argument, NULL, 'N' },
		{ "host", no_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ 0 }
	};
	struct msame m = { 0 };
	int c;

	add(&m.run, "run", "");
	while ((c = next_option(argc, argv, options, NULL)) != -1)
		take_msame(&m, c);
	if (m.has_ignored)
		fputs("msame: note: --soc_version, --debug, --profiler, --dump, --device and --outputSize have no effect here\n",
		      stderr);
	no_operand(argc, argv);
	if (!m.is_query && !m.model)
		die(EXIT_USAGE, "--model is missing");
	if (m.analyze && strcmp(m.analyze, "memory"))
		die(EXIT_USAGE, "--analyze=%s: must be memory",
		    m.analyze);
	if (m.is_query) {
		drop(&m.run);
		add(&m.run, "ops", "");
		if (m.op)
			add(&m.run, "--op=", m.op);
		return run_line(&m.run, command_ops);
	}
	if (m.analyze) {
		drop(&m.run);
		add(&m.run, "memory", "");
		add(&m.run, "", m.model);
		return run_line(&m.run, command_memory);
	}
	add(&m.run, "", m.model);
	return run_line(&m.run, command_run);
}

int front_mscheck(int argc, char **argv)
{
	static const struct option options[] = {
		{ "model", required_argument, NULL, 'm' },
		{ "check", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ 0 }
	};
	const char *model = NULL, *what = "io_format";
	struct line check = { 0 }, info = { 0 };
	int c, status;

	while ((c = next_option(argc, argv, options, NULL)) != -1) {
		model = c == 'm' ? optarg : model;
		what = c == 'c' ? optarg : what;
		if (c == 'h')
			print_and_exit(mscheck_help);
		if (c != 'v')
			continue;
		fputs("mscheck", stdout);
		print_and_exit(version);
	}
	no_operand(argc, argv);
	if (!model)
		die(EXIT_USAGE, "--model is missing");
	if (strcmp(what, "io_format"))
		die(EXIT_USAGE, "--check=%s: must be io_format", what);
	add(&check, "check", "");
	add(&check, "", model);
	add(&info, "info", "");
	add(&info, "", model);
	status = run_line(&check, command_check);
	if (!status)
		status = run_line(&info, command_info);
	drop(&info);
	return status;
}
