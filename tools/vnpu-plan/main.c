// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-plan: places the tensors of a file in memory.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common/json.h"
#include "graph.h"
#include "svg.h"

enum plan_exit {
	PLAN_OK,
	PLAN_USAGE,
	PLAN_REFUSED,
	PLAN_FAILED,
	PLAN_TOO_LARGE,
};

struct options {
	struct vnpu_plan_options solve;
	const char *input, *output, *svg, *order;
	uint64_t guard;
	bool is_graph, is_recompute;
	bool is_json, is_check, is_quiet;
};

/* The input: tensors of a file, or of a graph with their lifetimes. */
struct job {
	struct options opt;
	struct csv csv;
	struct graph graph;
	struct vnpu_plan *fits;		/* of vnpu_plan_recompute() */
	struct vnpu_plan *plan;		/* the one that is solved */
	struct vnpu_plan_result result;
	double seconds;
};

static const char help[] =
"usage: vnpu-plan [OPTION...] [FILE]\n"
"       vnpu-plan -h|--help | -v|--version\n"
"\n"
"Place the tensors in FILE, or on standard input, and print them with their\n"
"offsets.  The input has lines of\n"
"id,lower,upper,size[,alignment][,gaps][,apart][,offset], the first of which\n"
"names the columns.  With --graph, FILE has operators, which determine the\n"
"lifetimes.\n"
"\n"
"options:\n"
"  -c, --capacity BYTES     stop when it fits; exit with 4 if it does not\n"
"  -e, --effort NODES       limit the search to this many nodes (1000000,\n"
"                           or no limit with --time-limit)\n"
"  -t, --time-limit SECS    search for at most this time\n"
"  -a, --align BYTES        make all offsets multiples of this (1)\n"
"  -g, --greedy             do not search\n"
"  -k, --check              do not place; check the offsets in FILE\n"
"  -G, --graph              FILE is a graph of operators\n"
"  -r, --reorder            allow another order of operators\n"
"  -R, --recompute          run operators again to fit the capacity\n"
"  -u, --guard BYTES        keep tensors of different streams apart\n"
"  -O, --order FILE         write the operators in order to FILE\n"
"  -o, --output FILE        write the tensors to FILE\n"
"  -s, --svg FILE           draw them\n"
"  -j, --json               print a JSON object with the result\n"
"  -q, --quiet              no summary on standard error\n"
"  -h, --help               print this and exit\n"
"  -v, --version            print the version and exit\n"
"\n"
"exit status:\n"
"  0  success\n"
"  1  the command line is invalid\n"
"  2  the input is invalid, or its offsets are wrong\n"
"  3  any other failure\n"
"  4  the tensors do not fit\n";

static const struct option long_options[] = {
	{ "capacity",	required_argument,	NULL, 'c' },
	{ "effort",	required_argument,	NULL, 'e' },
	{ "time-limit",	required_argument,	NULL, 't' },
	{ "align",	required_argument,	NULL, 'a' },
	{ "greedy",	no_argument,		NULL, 'g' },
	{ "check",	no_argument,		NULL, 'k' },
	{ "graph",	no_argument,		NULL, 'G' },
	{ "reorder",	no_argument,		NULL, 'r' },
	{ "recompute",	no_argument,		NULL, 'R' },
	{ "guard",	required_argument,	NULL, 'u' },
	{ "order",	required_argument,	NULL, 'O' },
	{ "output",	required_argument,	NULL, 'o' },
	{ "svg",	required_argument,	NULL, 's' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "quiet",	no_argument,		NULL, 'q' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'v' },
	{ 0 }
};

static void __attribute__((noreturn, format(printf, 2, 3)))
die(enum plan_exit status, const char *fmt, ...)
{
	va_list args;

	fputs("vnpu-plan: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	putc('\n', stderr);
	exit(status);
}

static uint64_t take_number(const char *option, const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end)
		die(PLAN_USAGE, "--%s: '%s' is not a whole number", option,
		    text);
	if (errno)
		die(PLAN_USAGE, "--%s: %s is above 2^64 - 1", option, text);
	return value;
}

static uint64_t take_seconds(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*text < '0' || *text > '9' || *end)
		die(PLAN_USAGE, "--time-limit: '%s' is not a number of seconds",
		    text);
	if (!(value > 0 && value < 1e9))
		die(PLAN_USAGE, "--time-limit: %s is not above 0 and below 10^9 seconds",
		    text);
	return value < 1e-9 ? 1 : (uint64_t)(value * 1e9);
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? PLAN_FAILED : PLAN_OK);
}

static bool is_limited(const struct options *opt)
{
	return opt->solve.flags & VNPU_PLAN_LIMITED;
}

static void check_options(const struct options *opt)
{
	if (opt->is_graph && opt->is_check)
		die(PLAN_USAGE, "--check cannot be used with --graph, which has no offsets");
	if (!opt->is_graph && (opt->solve.flags & VNPU_PLAN_REORDER ||
			       opt->is_recompute || opt->guard || opt->order))
		die(PLAN_USAGE, "--guard, --order, --recompute and --reorder need --graph");
	if (opt->is_recompute && !is_limited(opt))
		die(PLAN_USAGE, "--recompute needs a --capacity");
	if (opt->guard > VNPU_PLAN_MAX_GUARD)
		die(PLAN_USAGE, "--guard: %" PRIu64 " exceeds %" PRIu64
		    " bytes", opt->guard, VNPU_PLAN_MAX_GUARD);
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "c:e:t:a:gkGrRu:O:o:s:jqhv",
				long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt->solve.capacity = take_number("capacity", optarg);
			opt->solve.flags |= VNPU_PLAN_LIMITED;
			break;
		case 'e':
			opt->solve.effort = take_number("effort", optarg);
			if (!opt->solve.effort)
				die(PLAN_USAGE, "--effort: 0 is no effort; at least 1 node is needed");
			break;
		case 't':
			opt->solve.time_limit_ns = take_seconds(optarg);
			break;
		case 'a':
			opt->solve.align = take_number("align", optarg);
			break;
		case 'g':
			opt->solve.flags |= VNPU_PLAN_GREEDY;
			break;
		case 'k':
			opt->is_check = true;
			break;
		case 'G':
			opt->is_graph = true;
			break;
		case 'r':
			opt->solve.flags |= VNPU_PLAN_REORDER;
			break;
		case 'R':
			opt->is_recompute = true;
			break;
		case 'u':
			opt->guard = take_number("guard", optarg);
			break;
		case 'O':
			opt->order = optarg;
			break;
		case 'o':
			opt->output = optarg;
			break;
		case 's':
			opt->svg = optarg;
			break;
		case 'j':
			opt->is_json = true;
			break;
		case 'q':
			opt->is_quiet = true;
			break;
		case 'h':
			print_and_exit(help);
			break;
		case 'v':
			print_and_exit("vnpu-plan version: " VNPU_VERSION "\n");
			break;
		default:
			exit(PLAN_USAGE);
		}
	}
	if (optind < argc)
		opt->input = argv[optind++];
	if (optind < argc)
		die(PLAN_USAGE, "unexpected argument '%s'", argv[optind]);
	check_options(opt);
}

static char *read_all(const char *name, size_t *size)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
	size_t room = 1 << 16, got;
	char *text = NULL;

	if (!f)
		die(PLAN_FAILED, "%s: %s", name, strerror(errno));
	*size = 0;
	do {
		char *more;

		room *= 2;
		more = realloc(text, room);
		if (!more)
			die(PLAN_FAILED, "no memory");
		text = more;
		got = fread(text + *size, 1, room - *size, f);
		*size += got;
	} while (*size == room);
	if (ferror(f))
		die(PLAN_FAILED, "%s: %s", name, strerror(errno));
	fclose(f);
	return text;
}

static void close_file(FILE *f, const char *name, bool is_written)
{
	if ((f == stdout ? fflush(f) : fclose(f)) || !is_written)
		die(PLAN_FAILED, "%s: cannot be written: %s", name,
		    strerror(errno));
}

static FILE *open_file(const char *name)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "w") : stdout;

	if (!f)
		die(PLAN_FAILED, "%s: %s", name, strerror(errno));
	return f;
}

static void check(const struct csv *csv, const struct options *opt)
{
	uint64_t *offset = calloc(csv->rows, sizeof(*offset));
	uint64_t peak;
	uint32_t i;
	int err;

	if (!offset)
		die(PLAN_FAILED, "no memory");
	for (i = 0; i < csv->rows; i++) {
		offset[i] = csv->row[i].offset;
		if (offset[i] == VNPU_PLAN_NO_OFFSET)
			die(PLAN_REFUSED, "%s: tensor %u, '%.*s', has no offset",
			    opt->input, i,
			    field_shown(&csv->row[i].field[CSV_ID]),
			    csv->row[i].field[CSV_ID].start);
	}
	err = vnpu_plan_check(csv->plan, offset, opt->solve.align, &peak);
	free(offset);
	if (err == -ENOMEM)
		die(PLAN_FAILED, "no memory");
	if (err)
		die(PLAN_REFUSED, "%s", vnpu_plan_fault(csv->plan));
	if (is_limited(opt) && peak > opt->solve.capacity)
		die(PLAN_TOO_LARGE, "the tensors end at %" PRIu64
		    ", above the capacity of %" PRIu64, peak,
		    opt->solve.capacity);
	if (!opt->is_quiet)
		fprintf(stderr, "%u tensors in %" PRIu64 " bytes, none overlap\n",
			csv->rows, peak);
}

static void print_json(const struct job *job)
{
	const struct vnpu_plan_result *r = &job->result;
	struct json j = { .f = stdout };

	json_open(&j, NULL, '{');
	json_uint(&j, "tensors", job->opt.is_graph ? job->graph.tensors.count :
						     job->csv.rows);
	if (job->opt.is_graph) {
		json_uint(&j, "operators", job->graph.ops.count);
		json_uint(&j, "reruns", r->reruns);
		json_uint(&j, "cost", r->cost);
	}
	json_uint(&j, "peak", r->peak);
	json_uint(&j, "bound", r->bound);
	json_uint(&j, "bound_time", r->bound_time);
	json_uint(&j, "greedy", r->greedy);
	json_bool(&j, "optimal", r->optimal);
	json_bool(&j, "fits", !is_limited(&job->opt) ||
		  r->peak <= job->opt.solve.capacity);
	json_uint(&j, "nodes", r->nodes);
	json_double(&j, "seconds", job->seconds);
	json_close(&j, '}');
}

static void write_order(const struct job *job)
{
	FILE *f = open_file(job->opt.order);
	int err = graph_write_order(&job->graph, job->plan, job->result.reruns,
				    f);

	if (err == -ENOMEM)
		die(PLAN_FAILED, "no memory");
	close_file(f, job->opt.order, !err);
}

static void write_results(const struct job *job)
{
	uint64_t *offset = calloc((size_t)job->csv.rows + 1, sizeof(*offset));
	const char *output = job->opt.output;
	uint32_t i;
	FILE *f;

	if (!offset)
		die(PLAN_FAILED, "no memory");
	for (i = 0; i < job->csv.rows; i++)
		vnpu_plan_get_offset(job->plan, i, &offset[i]);
	if (!output && !job->opt.is_json)
		output = "-";
	if (output) {
		f = open_file(output);
		close_file(f, output, csv_write(&job->csv, f, offset));
	}
	if (job->opt.svg) {
		f = open_file(job->opt.svg);
		close_file(f, job->opt.svg,
			   svg_write(&job->csv, f, offset, &job->result));
	}
	if (job->opt.order)
		write_order(job);
	free(offset);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Solve, check the result, and set job->plan to it. */
static int find_plan(struct job *job)
{
	struct options *opt = &job->opt;
	int err;

	job->plan = opt->is_graph ? job->graph.plan : job->csv.plan;
	if (opt->guard)
		vnpu_plan_set_guard(job->plan, opt->guard);
	if (!opt->is_recompute)
		err = vnpu_plan_solve(job->plan, &opt->solve, &job->result);
	else
		err = vnpu_plan_recompute(job->plan, &opt->solve, &job->fits,
					  &job->result);
	if (err)
		return err;
	if (job->fits)
		job->plan = job->fits;
	if (vnpu_plan_check(job->plan, NULL, opt->solve.align, NULL))
		die(PLAN_FAILED, "internal error: the placement is wrong: %s",
		    vnpu_plan_fault(job->plan));
	return 0;
}

static void print_summary(const struct job *job)
{
	const struct vnpu_plan_result *r = &job->result;

	fprintf(stderr, "%u tensors in %" PRIu64 " bytes, %s; ", job->csv.rows,
		r->peak, r->optimal ? "minimal" :
				      "perhaps not minimal");
	if (r->reruns)
		fprintf(stderr, "%u operators run again, at a cost of %" PRIu64 "; ",
			r->reruns, r->cost);
	fprintf(stderr, "%.3f s\n", job->seconds);
}

static enum plan_exit solve(struct job *job)
{
	struct options *opt = &job->opt;
	double start = seconds();
	const char *fault;
	int err = find_plan(job);

	job->seconds = seconds() - start;
	if (err == -ENOMEM)
		die(PLAN_FAILED, "no memory");
	fault = opt->is_graph ? graph_explain(&job->graph) :
				vnpu_plan_fault(job->csv.plan);
	if (err && err != -ENOSPC)
		die(PLAN_REFUSED, "%s: %s", opt->input, fault);
	if (opt->is_json)
		print_json(job);
	if (err) {
		fflush(stdout);
		die(PLAN_TOO_LARGE, "%s", fault);
	}
	if (opt->is_graph && graph_to_csv(&job->graph, job->plan,
					  job->result.reruns, &job->csv))
		die(PLAN_FAILED, "no memory");
	write_results(job);
	if (!opt->is_quiet && !opt->is_json)
		print_summary(job);
	return fflush(stdout) ? PLAN_FAILED : PLAN_OK;
}

static void read_input(struct job *job, const char *text, size_t size)
{
	struct options *opt = &job->opt;
	const char *fault;
	int err;

	if (opt->is_graph) {
		err = graph_read(&job->graph, text, size);
		fault = job->graph.fault;
	} else {
		err = csv_read(&job->csv, text, size, !opt->is_check);
		fault = job->csv.fault;
	}
	if (err == -ENOMEM)
		die(PLAN_FAILED, "no memory");
	if (err)
		die(PLAN_REFUSED, "%s: %s", opt->input, fault);
}

int main(int argc, char **argv)
{
	struct job job = { .opt.input = "-" };
	enum plan_exit status = PLAN_OK;
	char *text;
	size_t size;

	parse(&job.opt, argc, argv);
	text = read_all(job.opt.input, &size);
	read_input(&job, text, size);
	if (job.opt.is_check)
		check(&job.csv, &job.opt);
	else
		status = solve(&job);
	vnpu_plan_destroy(job.fits);
	csv_free(&job.csv);
	graph_free(&job.graph);
	free(text);
	return status;
}
