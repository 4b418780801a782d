/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench pool: traces of a program's allocations and frees.
 *
 * A trace is text: "a ID BYTES" allocates, "f ID" frees, in order; an ID may be
 * reused after its free.  Allocations that live at the end are not freed by it.
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
	uint32_t slot;		/* index among the live allocations */
	uint32_t unused;
};

struct trace {
	struct trace_op *ops;
	size_t count;
	size_t room;
	uint32_t slots;		/* maximum of live allocations */
	uint64_t live;
	uint64_t peak;		/* peak of live bytes */
};

/* Read a file; an error ends the program with the line number. */
void trace_read(struct trace *trace, const char *path);

/*
 * Make a trace that frees one of @live live allocations and allocates it again,
 * @pairs times; with @size bytes, or 64 bytes to 2 MiB evenly over the
 * magnitudes if that is 0.
 */
void trace_make(struct trace *trace, uint64_t size, uint32_t live,
		uint32_t pairs, uint32_t seed);

/* Send a trace to another process, and receive it there. */
bool trace_send(const struct trace *trace, FILE *f);
bool trace_receive(struct trace *trace, FILE *f);

void trace_fini(struct trace *trace);

/* Classes of sizes, as in pools. */
enum trace_class { TRACE_SMALL, TRACE_MEDIUM, TRACE_LARGE, TRACE_CLASSES };

/* The times of operations of one class. */
struct trace_times {
	uint64_t count;
	double p50, p99, p999;	/* ns */
};

/**
 * struct trace_result - the result of an allocator
 * @failure: 0 or -errno, which invalidates the rest
 * @capacity: the least memory that suffices, in bytes; 0: not measured
 * @reserved: the most memory that it took; 0: not measured
 * @per_second: operations per second
 * @times: times of single operations
 */
struct trace_result {
	int64_t failure;
	uint64_t capacity;
	uint64_t reserved;
	double per_second;
	struct trace_times times[TRACE_CLASSES];
};

/*
 * Replay a trace with @pool, or malloc() if that is NULL, and free the rest: 0,
 * or -ENOMEM if an allocation failed.  With @is_touched writes to each page.
 */
int trace_replay(const struct trace *trace, vnpu_pool_t pool, bool is_touched);

/* Fill in per_second and times of @result, as medians over the rounds. */
int trace_measure(const struct trace *trace, vnpu_pool_t pool, uint32_t rounds,
		  struct trace_result *result);

#endif /* VNPU_BENCH_TRACE_H */
