// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: the measurement core.
 *
 * Each operation is timed separately, to get the distribution. The clock costs
 * all subjects the same, some tens of ns.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

/* Limit per turn; enough for a percentile, in a fixed array. */
#define SAMPLES_MAX	8192
/* Minimum operations of a turn, however long they take. */
#define SAMPLES_MIN	3

/* The times of one subject. */
struct record {
	double *ns;		/* of each operation, round by round */
	size_t count;
	double *medians;	/* of each round */
};

struct subject *contest_add(struct contest *contest)
{
	if (contest->count == CONTEST_SUBJECTS)
		die(BENCH_FAILED, "%s: too many subjects", contest->title);
	return &contest->subjects[contest->count++];
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Run one turn; returns 0 or -errno, and the number of operations in *@count.
 */
static int turn(const struct contest *contest, const struct subject *subject,
		const struct options *opt, double *ns, size_t *count)
{
	size_t most = contest->most ? contest->most : SAMPLES_MAX;
	uint64_t begin;
	size_t n = 0;
	int ret;

	ret = subject->prepare ? subject->prepare(subject->arg) : 0;
	if (ret)
		return ret;
	begin = now_ns();
	while (n < most) {
		uint64_t own = 0, from, to;

		from = now_ns();
		ret = subject->run(subject->arg, &own);
		to = now_ns();
		if (ret)
			return ret;
		ns[n++] = (double)(own ? own : to - from);
		if (n >= SAMPLES_MIN && to - begin >= opt->turn_ns)
			break;
	}
	*count = n;
	return 0;
}

static void take_turn(const struct contest *contest, unsigned int index,
		      const struct options *opt, struct record *record,
		      uint32_t round)
{
	const struct subject *subject = &contest->subjects[index];
	double *ns = record->ns + record->count;
	double *sorted;
	size_t count;
	int ret;

	ret = turn(contest, subject, opt, ns, &count);
	if (ret)
		die(BENCH_FAILED, "%s: %s failed: %s", contest->title,
		    subject->name, strerror(-ret));
	/* The times stay in order of time: all are sorted once, at the end. */
	sorted = need(count, sizeof(*sorted));
	memcpy(sorted, ns, count * sizeof(*sorted));
	record->medians[round] = stats_median(sorted, count);
	record->count += count;
	free(sorted);
}

/* Find out which subjects work, and run first-time initializations. */
static void warm_up(struct contest *contest, const struct options *opt,
		    double *ns)
{
	unsigned int i;
	size_t count;

	for (i = 0; i < contest->count; i++) {
		struct subject *subject = &contest->subjects[i];

		subject->failure = turn(contest, subject, opt, ns, &count);
		if (subject->failure && !i)
			die(BENCH_FAILED, "%s: %s failed: %s", contest->title,
			    subject->name, strerror(-subject->failure));
	}
}

static enum verdict judge(double goal, const struct interval *against)
{
	if (!goal)
		return VERDICT_NONE;
	if (against->high <= goal)
		return VERDICT_MET;
	return against->low > goal ? VERDICT_MISSED : VERDICT_UNSURE;
}

static void compare(const struct contest *contest, struct subject *subject,
		    const double *first, const double *medians, uint32_t rounds)
{
	double *against = need(rounds, sizeof(*against));
	uint32_t i;

	for (i = 0; i < rounds; i++)
		against[i] = contest->each ?
			     (first[i] - medians[i]) / contest->each :
			     first[i] / (medians[i] > 0 ? medians[i] : 1);
	subject->against = stats_interval(against, rounds);
	subject->verdict = judge(subject->goal, &subject->against);
	free(against);
}

static void conclude(struct contest *contest, struct record *records,
		     uint32_t rounds)
{
	unsigned int i;

	/* Sort the medians only after all comparisons. */
	for (i = 1; i < contest->count; i++)
		if (!contest->subjects[i].failure)
			compare(contest, &contest->subjects[i],
				records[0].medians, records[i].medians, rounds);
	for (i = 0; i < contest->count; i++) {
		struct subject *subject = &contest->subjects[i];
		struct record *record = &records[i];

		if (subject->failure)
			continue;
		subject->median = stats_median(record->medians, rounds);
		if (subject->median > 0)
			subject->spread = (record->medians[rounds - 1] -
					   record->medians[0]) /
					  subject->median;
		subject->p99 = stats_quantile(record->ns, record->count, 0.99);
		subject->samples = record->count;
	}
}

void contest_run(struct contest *contest, const struct options *opt)
{
	struct record records[CONTEST_SUBJECTS] = { 0 };
	uint32_t round, n = contest->count, i;

	for (i = 0; i < n; i++) {
		records[i].ns = need((uint64_t)opt->rounds * SAMPLES_MAX,
				     sizeof(*records[i].ns));
		records[i].medians = need(opt->rounds,
					  sizeof(*records[i].medians));
	}
	warm_up(contest, opt, records[0].ns);
	for (round = 0; round < opt->rounds; round++) {
		for (i = 0; i < n; i++) {
			uint32_t index = round % 2 ? n - 1 - i : i;

			if (!contest->subjects[index].failure)
				take_turn(contest, index, opt, &records[index],
					  round);
		}
	}
	conclude(contest, records, opt->rounds);
	for (i = 0; i < n; i++) {
		free(records[i].ns);
		free(records[i].medians);
	}
}
