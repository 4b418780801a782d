// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: the least memory for a trace, its overhead, and the time of
 * single operations.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "pool.h"
#include "report.h"
#include "trace.h"

#define CHUNK		(2 * MIB)
/* Peers write each page, so this part of the host's memory is the limit. */
#define HOST_PART	8
/* Some peers take very long for some traces. */
#define PEER_SECONDS	120

#define TAIL_LIVE	1000
#define TAIL_PAIRS	100000

/* The pools that replay traces. */
static const struct pool_kind {
	const char *name;
	uint32_t type;
	uint32_t remap;
} kinds[] = {
	{ "vnpu", VNPU_POOL_THREADED, 0 },
	{ "vnpu compact", VNPU_POOL_COMPACT, 0 },
	{ "vnpu remap", VNPU_POOL_COMPACT, 64 * KIB },
};

static const char *const class_names[] = {
	[TRACE_SMALL] = "small",
	[TRACE_MEDIUM] = "medium",
	[TRACE_LARGE] = "large",
};

/* Check whether @limit suffices; returns the reserved bytes then. */
static bool try_limit(const struct trace *trace, const struct pool_kind *kind,
		      uint64_t limit, uint64_t *reserved)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };
	vnpu_pool_t pool = pool_open(kind->type, limit, kind->remap);
	bool is_done = !trace_replay(trace, pool, false);

	if (vnpu_pool_get_stats(pool, &stats))
		die(BENCH_FAILED, "a pool: %s", aclGetRecentErrMsg());
	vnpu_pool_destroy(pool);
	*reserved = stats.reserved_peak;
	return is_done;
}

/*
 * Find the least limit that suffices, to a chunk.  A limit may suffice where a
 * larger one does not, so this is one of several such values.
 */
static void measure_capacity(const struct trace *trace,
			     const struct pool_kind *kind,
			     struct trace_result *result)
{
	uint64_t low = trace->peak / CHUNK, high, reserved;

	if (!try_limit(trace, kind, 0, &result->reserved)) {
		result->failure = -ENOMEM;
		return;
	}
	high = result->reserved / CHUNK;
	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (middle && try_limit(trace, kind, middle * CHUNK, &reserved))
			high = middle;
		else
			low = middle + 1;
	}
	result->capacity = high * CHUNK;
}

static void measure_pool(const struct trace *trace, const struct options *opt,
			 const struct pool_kind *kind,
			 struct trace_result *result)
{
	vnpu_pool_t pool;

	/* The reserved memory is only meaningful for the trace of a program. */
	if (opt->trace)
		measure_capacity(trace, kind, result);
	if (result->failure)
		return;
	pool = pool_open(kind->type, 0, kind->remap);
	result->failure = trace_measure(trace, pool, opt->rounds, result);
	vnpu_pool_destroy(pool);
}

/* Read a line of /proc/self/status, in bytes; 0 without it. */
static uint64_t status_bytes(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	size_t length = strlen(name);
	uint64_t kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, length) && line[length] == ':')
			kib = strtoull(line + length + 1, NULL, 10);
	if (f)
		fclose(f);
	return kib * KIB;
}

static void measure_resident(const struct trace *trace,
			     struct trace_result *result)
{
	uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			(uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t before = status_bytes("VmRSS"), most;

	if (trace->peak > host / HOST_PART)
		return;
	result->failure = trace_replay(trace, NULL, true);
	most = status_bytes("VmHWM");
	result->reserved = most > before ? most - before : 0;
}

struct peer_order {
	uint32_t rounds;
	uint32_t is_resident;
};

/*
 * Run in a separate process, before anything is freed; false without an answer.
 */
static bool answer(const struct trace *trace, const struct peer_order *order)
{
	struct trace_result result = { 0 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(PEER_SECONDS);
		if (order->is_resident)
			measure_resident(trace, &result);
		else
			result.failure = trace_measure(trace, NULL,
						       order->rounds, &result);
		_exit(write(STDOUT_FILENO, &result, sizeof(result)) ==
		      sizeof(result) ? BENCH_OK : BENCH_FAILED);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
		return true;
	result.failure = -ETIME;
	return write(STDOUT_FILENO, &result, sizeof(result)) == sizeof(result);
}

enum bench_exit bench_trace_peer(const struct options *opt)
{
	struct peer_order order;
	struct trace trace;

	(void)opt;
	if (!pool_peer_is_preloaded() || !trace_receive(&trace, stdin))
		return BENCH_FAILED;
	while (fread(&order, sizeof(order), 1, stdin) == 1)
		if (!answer(&trace, &order))
			return BENCH_FAILED;
	trace_fini(&trace);
	return BENCH_OK;
}

static bool ask(FILE *to, int from, const struct peer_order *order,
		struct trace_result *result)
{
	return fwrite(order, sizeof(*order), 1, to) == 1 && !fflush(to) &&
	       read(from, result, sizeof(*result)) == sizeof(*result);
}

static void measure_peer(const struct trace *trace, const struct options *opt,
			 struct pool_peer *peer, struct trace_result *result)
{
	struct peer_order order = { .rounds = opt->rounds };
	struct trace_result resident = { 0 };
	FILE *to;

	pool_peer_start(peer, "trace-peer");
	to = fdopen(dup(peer->to), "w");
	if (!to)
		die(BENCH_FAILED, "cannot create a pipe: %s", strerror(errno));
	if (!trace_send(trace, to) || !ask(to, peer->from, &order, result))
		result->failure = -ENOENT;
	order.is_resident = 1;
	if (opt->trace && !result->failure &&
	    ask(to, peer->from, &order, &resident) && !resident.failure)
		result->reserved = resident.reserved;
	fclose(to);
	pool_peer_stop(peer);
}

static void print_ratio(FILE *f, uint64_t bytes, uint64_t peak)
{
	if (bytes)
		fprintf(f, " %8.4f", (double)bytes / (double)peak);
	else
		fprintf(f, " %8s", "-");
}

static void print_text(FILE *f, const char *name, const struct trace *trace,
		       const struct trace_result *result)
{
	fprintf(f, "    %-12s", name);
	if (result->failure) {
		fprintf(f, " does not take part: %s\n",
			strerror((int)-result->failure));
		return;
	}
	print_ratio(f, result->capacity, trace->peak);
	print_ratio(f, result->reserved, trace->peak);
	fprintf(f, " %7.2f", result->per_second / 1e6);
	for (int c = 0; c < TRACE_CLASSES; c++) {
		const struct trace_times *t = &result->times[c];

		if (t->count)
			fprintf(f, " %6.0f %6.0f %6.0f", t->p50, t->p99,
				t->p999);
		else
			fprintf(f, " %6s %6s %6s", "-", "-", "-");
	}
	putc('\n', f);
	fflush(f);
}

static void print_times(struct json *j, const struct trace_times *times)
{
	json_open(j, "classes", '[');
	for (int c = 0; c < TRACE_CLASSES; c++) {
		if (!times[c].count)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", class_names[c]);
		json_uint(j, "operations", times[c].count);
		json_double(j, "p50_ns", times[c].p50);
		json_double(j, "p99_ns", times[c].p99);
		json_double(j, "p999_ns", times[c].p999);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_json(struct json *j, const char *name,
		       const struct trace_result *result)
{
	json_open(j, NULL, '{');
	json_string(j, "name", name);
	if (result->failure) {
		json_string(j, "failure", strerror((int)-result->failure));
		json_close(j, '}');
		return;
	}
	if (result->capacity)
		json_uint(j, "capacity_bytes", result->capacity);
	if (result->reserved)
		json_uint(j, "reserved_bytes", result->reserved);
	json_double(j, "operations_per_second", result->per_second);
	print_times(j, result->times);
	json_close(j, '}');
}

static void print(struct report *report, const char *name,
		  const struct trace *trace, const struct trace_result *result)
{
	if (report->is_json)
		print_json(&report->json, name, result);
	else
		print_text(report->f, name, trace, result);
}

static void begin(struct report *report, const char *title,
		  const struct trace *trace)
{
	struct json *j = &report->json;
	FILE *f = report->f;

	if (report->is_json) {
		json_open(j, NULL, '{');
		json_string(j, "trace", title);
		json_uint(j, "operations", trace->count);
		json_uint(j, "peak_bytes", trace->peak);
		json_open(j, "subjects", '[');
		return;
	}
	fprintf(f, "\n  %s: %zu operations, at most %" PRIu64
		" bytes alive\n", title, trace->count, trace->peak);
	fprintf(f, "    %-12s %8s %8s %7s", "", "capacity", "reserved",
		"10^6/s");
	for (int c = 0; c < TRACE_CLASSES; c++)
		fprintf(f, " %6s %6s %6s", class_names[c], "p99", "p99.9");
	putc('\n', f);
}

static void measure(const struct options *opt, struct report *report,
		    const char *title, const struct trace *trace)
{
	begin(report, title, trace);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct trace_result result = { 0 };

		measure_pool(trace, opt, &kinds[i], &result);
		if (result.failure && !i)
			die(BENCH_FAILED, "%s: vnpu failed: %s", title,
			    strerror((int)-result.failure));
		print(report, kinds[i].name, trace, &result);
	}
	for (size_t i = 0; i < pool_peer_count; i++) {
		struct trace_result result = { 0 };

		measure_peer(trace, opt, &pool_peers[i], &result);
		print(report, pool_peers[i].name, trace, &result);
	}
	if (report->is_json) {
		json_close(&report->json, ']');
		json_close(&report->json, '}');
	}
}

void pool_measure_trace(const struct options *opt, struct report *report)
{
	struct trace trace;

	trace_read(&trace, opt->trace);
	measure(opt, report, opt->trace, &trace);
	trace_fini(&trace);
}

void pool_measure_tail(const struct options *opt, struct report *report)
{
	static const struct {
		const char *title;
		uint64_t size;
	} loads[] = {
		{ "64 B, one of 1000 alive", 64 },
		{ "4 KiB, one of 1000 alive", 4 * KIB },
		{ "64 KiB, one of 1000 alive", 64 * KIB },
		{ "1 MiB, one of 1000 alive", MIB },
		{ "64 B to 2 MiB, one of 1000 alive", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct trace trace;

		trace_make(&trace, loads[i].size, TAIL_LIVE, TAIL_PAIRS,
			   opt->seed);
		measure(opt, report, loads[i].title, &trace);
		trace_fini(&trace);
	}
}
