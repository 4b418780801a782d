/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: declarations that its commands share: the options and the error
 * handling.
 */
#ifndef VNPU_BENCH_BENCH_H
#define VNPU_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define KIB	(UINT64_C(1) << 10)
#define MIB	(UINT64_C(1) << 20)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The exit status; a part of the interface, see vnpu-bench(1). */
enum bench_exit {
	BENCH_OK	= 0,
	BENCH_USAGE	= 1,	/* the command line is invalid */
	BENCH_NO_DEVICE	= 2,	/* the device cannot be used */
	BENCH_FAILED	= 3,	/* any other failure */
};

/* Tests of the command pool; the first two run by default. */
enum bench_test { BENCH_BOTH, BENCH_LATENCY, BENCH_CONCURRENT, BENCH_TAIL };

/**
 * struct options - the options of the command line
 * @rounds: turns of each subject
 * @turn_ns: length of a turn, as far as operations can be repeated
 * @live: live allocations when the cost of one more is measured
 * @ops: operations of a replay
 * @seed: seed of random numbers
 * @device: index of the device
 * @is_json: print JSON instead of text
 * @test: test of the command pool
 * @threads: maximum for the command pool
 */
struct options {
	uint32_t rounds;
	uint64_t turn_ns;
	uint32_t live;
	uint32_t ops;
	uint32_t seed;
	uint32_t device;
	bool is_json;
	enum bench_test test;
	uint32_t threads;
	const char *trace;	/* a file, or NULL */
};

struct report;

/* The commands; each prints what it measures as it goes. */
void bench_alloc(const struct options *opt, struct report *report);
void bench_map(const struct options *opt, struct report *report);
void bench_copy(const struct options *opt, struct report *report);
void bench_submit(const struct options *opt, struct report *report);
void bench_wait(const struct options *opt, struct report *report);
void bench_streams(const struct options *opt, struct report *report);
void bench_scale(const struct options *opt, struct report *report);
void bench_pool(const struct options *opt, struct report *report);
void bench_replay(const struct options *opt, struct report *report);
void bench_hccl(const struct options *opt, struct report *report);

/* Run the process; scale measures its end, see scale_exit.c. */
enum bench_exit bench_hold(const struct options *opt);

/* Run a peer of the command pool, see pool_peer.c. */
enum bench_exit bench_pool_peer(const struct options *opt);

/* Run a peer of the command pool for a trace, see pool_trace.c. */
enum bench_exit bench_trace_peer(const struct options *opt);

/* Write one line to standard error. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Write one line to standard error, and end the program. */
_Noreturn void die(enum bench_exit status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Allocate memory, or end the program. */
void *need(uint64_t count, uint64_t size);

#endif /* VNPU_BENCH_BENCH_H */
