// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: compare the device with facilities of the kernel.
 *
 * Each command is a file, which defines the subjects; measure.c measures them
 * and report.c prints the results.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "npu.h"
#include "report.h"

static const struct command {
	const char *name;
	const char *headline;
	void (*run)(const struct options *opt, struct report *report);
} commands[] = {
	{ "alloc", "allocate and free cleared memory", bench_alloc },
	{ "map", "allocate, map, touch every page and free", bench_map },
	{ "copy", "copy and fill", bench_copy },
	{ "submit", "tasks in batches", bench_submit },
	{ "wait", "one task, and one stream that waits for another", bench_wait },
	{ "streams", "concurrent streams", bench_streams },
	{ "scale", "cost with many allocations, devices and clients", bench_scale },
	{ "replay", "random requests on a device that is almost full",
	  bench_replay },
	{ "pool", "pools of memory, compared with malloc()", bench_pool },
	{ "hccl", "AllReduce among up to four devices", bench_hccl },
};

static const char help[] =
"usage: vnpu-bench COMMAND [OPTION...]\n"
"       vnpu-bench -h|--help | -v|--version\n"
"\n"
"options, for commands that use them:\n"
"  -r, --rounds N    turns of each subject (9)\n"
"  -t, --turn MS     length of a turn in milliseconds (20)\n"
"  -l, --live N      scale: live allocations, as far as they fit (1000000)\n"
"  -o, --ops N       replay: number of requests (1000000)\n"
"  -s, --seed N      seed of random numbers (1)\n"
"  -T, --test NAME   pool: latency of one thread, or concurrent (default: both);\n"
"                    or tail, for single operations\n"
"  -f, --trace FILE  pool: replay a recorded trace\n"
"  -n, --threads N   pool: maximum number of threads, doubled from 2 on (4)\n"
"  -d, --device N    index of the device (0)\n"
"  -j, --json        print a JSON object\n"
"  -h, --help        print this and exit\n"
"\n"
"exit status:\n"
"  0  success, whatever the results are\n"
"  1  the command line is invalid\n"
"  2  the device cannot be used\n"
"  3  any other failure\n";

static const struct option long_options[] = {
	{ "rounds",	required_argument,	NULL, 'r' },
	{ "turn",	required_argument,	NULL, 't' },
	{ "live",	required_argument,	NULL, 'l' },
	{ "ops",	required_argument,	NULL, 'o' },
	{ "seed",	required_argument,	NULL, 's' },
	{ "test",	required_argument,	NULL, 'T' },
	{ "trace",	required_argument,	NULL, 'f' },
	{ "threads",	required_argument,	NULL, 'n' },
	{ "device",	required_argument,	NULL, 'd' },
	{ "json",	no_argument,		NULL, 'j' },
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static void complain(const char *fmt, va_list args)
{
	fputs("vnpu-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	putc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
}

void die(enum bench_exit status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	complain(fmt, args);
	va_end(args);
	exit(status);
}

void *need(uint64_t count, uint64_t size)
{
	void *p = calloc(count, size);

	if (!p)
		die(BENCH_FAILED, "no memory");
	return p;
}

static uint32_t take_number(const char *text, uint32_t low, uint32_t high)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < low ||
	    value > high)
		die(BENCH_USAGE, "'%s' is not a number from %u to %u", text,
		    low, high);
	return (uint32_t)value;
}

static enum bench_test take_test(const char *text)
{
	if (!strcmp(text, "latency"))
		return BENCH_LATENCY;
	if (!strcmp(text, "concurrent"))
		return BENCH_CONCURRENT;
	if (!strcmp(text, "tail"))
		return BENCH_TAIL;
	die(BENCH_USAGE, "unknown test '%s': it must be latency, concurrent or tail", text);
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+r:t:l:o:s:T:f:n:d:jh", long_options,
				NULL)) != -1) {
		switch (c) {
		case 'r':
			opt->rounds = take_number(optarg, 1, 1000);
			break;
		case 't':
			opt->turn_ns = take_number(optarg, 1, 60000) * UINT64_C(1000000);
			break;
		case 'l':
			opt->live = take_number(optarg, 10, 10000000);
			break;
		case 'o':
			opt->ops = take_number(optarg, 0, UINT32_MAX);
			break;
		case 's':
			opt->seed = take_number(optarg, 0, UINT32_MAX);
			break;
		case 'T':
			opt->test = take_test(optarg);
			break;
		case 'f':
			opt->trace = optarg;
			break;
		case 'n':
			opt->threads = take_number(optarg, 1, 128);
			break;
		case 'd':
			opt->device = take_number(optarg, 0, INT32_MAX);
			break;
		case 'j':
			opt->is_json = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(fflush(stdout) ? BENCH_FAILED : BENCH_OK);
		default:
			exit(BENCH_USAGE);
		}
	}
	if (optind < argc)
		die(BENCH_USAGE, "unexpected argument '%s'", argv[optind]);
}

static enum bench_exit run(const struct options *opt, size_t first, size_t end)
{
	struct report report;
	size_t i;

	/* The command pool needs no device. */
	if (commands[first].run != bench_pool)
		npu_open(opt);
	report_begin(&report, stdout, opt);
	for (i = first; i < end; i++) {
		/* The command "all" is about one device. */
		if (end - first > 1 && (commands[i].run == bench_pool ||
					commands[i].run == bench_hccl))
			continue;
		if (end - first > 1)
			fprintf(stderr, "vnpu-bench: %s\n", commands[i].name);
		report_command(&report, commands[i].name,
			       commands[i].headline);
		commands[i].run(opt, &report);
		report_command_end(&report);
	}
	report_end(&report);
	if (!report_is_written(&report))
		die(BENCH_FAILED, "cannot write the output");
	return BENCH_OK;
}

static enum bench_exit print_help(void)
{
	size_t i;

	puts("vnpu-bench: compare the device with facilities of the kernel\n\n"
	     "commands:");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].headline);
	puts("  all      all of these except pool and hccl\n");
	fputs(help, stdout);
	return fflush(stdout) ? BENCH_FAILED : BENCH_OK;
}

int main(int argc, char **argv)
{
	struct options opt = {
		.rounds = 9,
		.turn_ns = 20000000,
		.live = 1000000,
		.ops = 1000000,
		.seed = 1,
		.threads = 4,
	};
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		return print_help();
	if (!strcmp(name, "-v") || !strcmp(name, "--version")) {
		puts("vnpu-bench version: " VNPU_VERSION);
		return fflush(stdout) ? BENCH_FAILED : BENCH_OK;
	}
	if (argc < 2)
		die(BENCH_USAGE, "no command is given; see 'vnpu-bench --help'");
	parse(&opt, argc - 1, argv + 1);
	if (!strcmp(name, "all"))
		return run(&opt, 0, ARRAY_SIZE(commands));
	if (!strcmp(name, "hold"))
		return bench_hold(&opt);
	if (!strcmp(name, "pool-peer"))
		return bench_pool_peer(&opt);
	if (!strcmp(name, "trace-peer"))
		return bench_trace_peer(&opt);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return run(&opt, i, i + 1);
	die(BENCH_USAGE, "unknown command '%s'; see 'vnpu-bench --help'", name);
}
