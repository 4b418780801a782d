/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench pool: traces of what a program allocates and frees.
 *
 * A trace is text: "a ID BYTES" allocates, "f ID" frees, in order; an ID may be
 * used again when it is free.  What lives at the end is not freed by it.
 */
#ifndef VNPU_BENCH_TRACE_H
#define VNPU_BENCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vnpu.h"

struct trace_op {
	uint64_t size;		/* 0: free it */
	uint32_t slot;		/* which of those that are alive */
	uint32_t unused;
};

struct trace {
	struct trace_op *ops;
	size_t count;
	size_t room;
	uint32_t slots;		/* that are alive at most */
	uint64_t live;
	uint64_t peak;		/* bytes that are */
};

/* Ends the program, telling the line, where the file is no trace. */
void trace_read(struct trace *trace, const char *path);

/*
 * One of @live that are alive is freed and allocated anew, @pairs times; of
 * @size bytes, or if that is 0 of 64 bytes to 2 MiB, all magnitudes alike.
 */
void trace_make(struct trace *trace, uint64_t size, uint32_t live,
		uint32_t pairs, uint32_t seed);

/* To another process, and there. */
bool trace_send(const struct trace *trace, FILE *f);
bool trace_receive(struct trace *trace, FILE *f);

void trace_fini(struct trace *trace);

/* By sizes, as pools have them. */
enum trace_class { TRACE_SMALL, TRACE_MEDIUM, TRACE_LARGE, TRACE_CLASSES };

/* What operations took, of one class. */
struct trace_times {
	uint64_t count;
	double p50, p99, p999;	/* ns */
};

/**
 * struct trace_result - how an allocator did
 * @failure: 0 or -errno; without a meaning for the rest, if so
 * @capacity: the least that it can do with, in bytes; 0: not measured
 * @reserved: the most that it took; 0: not measured
 * @per_second: operations
 * @times: of single ones
 */
struct trace_result {
	int64_t failure;
	uint64_t capacity;
	uint64_t reserved;
	double per_second;
	struct trace_times times[TRACE_CLASSES];
};

/*
 * Replay it, of @pool, or of malloc() if that is NULL, and free what is left:
 * 0, or -ENOMEM where an allocation failed.  If @is_touched each page of an
 * allocation is written to.
 */
int trace_replay(const struct trace *trace, vnpu_pool_t pool, bool is_touched);

/* Fill in @per_second and @times, as medians of so many rounds. */
int trace_measure(const struct trace *trace, vnpu_pool_t pool, uint32_t rounds,
		  struct trace_result *result);

#endif /* VNPU_BENCH_TRACE_H */
