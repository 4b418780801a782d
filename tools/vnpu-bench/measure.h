/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: the measurement core. The subjects take turns in one process,
 * round by round, in an order that is reversed each time: a disturbance of the
 * machine that lasts longer than a turn affects all of them.
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
	VERDICT_NONE,		/* without a goal */
	VERDICT_MET,
	VERDICT_MISSED,
	VERDICT_UNSURE,		/* the goal is inside the interval */
};

/**
 * struct subject - a subject of a comparison
 * @name: its name in the report
 * @run: one operation; 0 or -errno. It may set @ns to the measured time, if not
 *	all of the operation counts.
 * @prepare: prepares the state at the start of a turn; may be NULL
 * @arg: passed to these
 * @goal: limit of the first subject relative to this one; or 0: see
 *	contest.each
 * @failure: -errno of a subject that does not take part
 * @median: ns of an operation: median of the medians of the rounds
 * @p99: 99th percentile of all operations
 * @spread: of the medians of the rounds, (largest - smallest) / @median
 * @samples: number of measured operations
 * @against: ratio of the first subject to this one, for each round
 * @verdict: verdict on @goal
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
 * struct contest - subjects that do the same work
 * @title: description of the work
 * @size: bytes of the work, or 0
 * @each: 0 to compare the subjects by their ratio. Otherwise by the difference
 *	in ns, divided by this number of items that only the first subject has,
 *	which gives the cost of one.
 * @most: maximum operations of a turn, or 0
 * @subjects: the first one is vnpu
 * @count: number of subjects
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
 * not take part; any other failure ends the program.
 */
void contest_run(struct contest *contest, const struct options *opt);

uint64_t now_ns(void);

#endif /* VNPU_BENCH_MEASURE_H */
