/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: the core that measures. Those compared take turns in one process,
 * round by round, in an order that is reversed each time: what disturbs the
 * machine for longer than a turn disturbs all of them.
 */
#ifndef VNPU_BENCH_MEASURE_H
#define VNPU_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "stats.h"

#define CONTEST_SUBJECTS	8

enum verdict {
	VERDICT_NONE,		/* there is no goal */
	VERDICT_MET,
	VERDICT_MISSED,
	VERDICT_UNSURE,		/* the goal lies in the interval */
};

/**
 * struct subject - one of those compared
 * @name: what people know it as
 * @run: one operation; 0 or -errno. What it sets @ns to is how long it took,
 *	if not all of it is to be measured.
 * @prepare: brings about what the turn begins with; may be NULL
 * @arg: for these
 * @goal: what the first subject is to be at most, in relation to this one; or
 *	0: see contest.each
 * @failure: -errno of a subject that does not take part
 * @median: ns of an operation: the median of those of the rounds
 * @p99: the 99th percentile of all operations
 * @spread: of the rounds' medians, (largest - smallest) / @median
 * @samples: operations that were measured
 * @against: the first subject in relation to this one, of each round
 * @verdict: on @goal
 */
struct subject {
	const char *name;
	int (*run)(void *arg, uint64_t *ns);
	int (*prepare)(void *arg);
	void *arg;
	double goal;

	int failure;
	double median;
	double p99;
	double spread;
	size_t samples;
	struct interval against;
	enum verdict verdict;
};

/**
 * struct contest - subjects that do the same
 * @title: what they do
 * @size: bytes it is done with, or 0
 * @each: 0: the subjects are compared by their ratio. Else by the difference,
 *	in ns, divided by this: the cost of each of as many things that only the
 *	first one has.
 * @most: operations of a turn at most, or 0
 * @subjects: the first one is vnpu
 * @count: how many
 */
struct contest {
	const char *title;
	uint64_t size;
	uint32_t each;
	uint32_t most;
	struct subject subjects[CONTEST_SUBJECTS];
	unsigned int count;
};

/* The next subject, to be filled in. */
struct subject *contest_add(struct contest *contest);

/*
 * Measure, and fill in the results. A peer that fails in its first turn does
 * not take part; another failure ends the program.
 */
void contest_run(struct contest *contest, const struct options *opt);

uint64_t now_ns(void);

#endif /* VNPU_BENCH_MEASURE_H */
