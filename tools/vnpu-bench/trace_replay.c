// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: replay of traces, with a time for each operation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure.h"
#include "pool.h"
#include "stats.h"
#include "trace.h"

#define PAGE		4096
#define TICKS_TRIED	1001

static void touch(void *p, uint64_t size)
{
	volatile char *bytes = p;

	for (uint64_t i = 0; i < size; i += PAGE)
		bytes[i] = 1;
	bytes[size - 1] = 1;
}

static void **slots_alloc(const struct trace *trace)
{
	void **live = need(trace->slots, sizeof(*live));

	/* Touch the pages before measuring memory and time. */
	for (uint32_t i = 0; i < trace->slots; i++)
		((void *volatile *)live)[i] = NULL;
	return live;
}

static void slots_free(const struct trace *trace, vnpu_pool_t pool,
		       void **live)
{
	for (uint32_t i = 0; i < trace->slots; i++)
		if (live[i])
			pool_put(pool, live[i]);
	free(live);
}

static inline __attribute__((always_inline))
int replay(const struct trace *trace, vnpu_pool_t pool, void **live,
	   bool is_touched)
{
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		void *p;

		if (!op->size) {
			pool_put(pool, live[op->slot]);
			live[op->slot] = NULL;
			continue;
		}
		p = pool_get(pool, op->size);
		if (!p)
			return -ENOMEM;
		if (is_touched)
			touch(p, op->size);
		live[op->slot] = p;
	}
	return 0;
}

int trace_replay(const struct trace *trace, vnpu_pool_t pool, bool is_touched)
{
	void **live = slots_alloc(trace);
	int ret = replay(trace, pool, live, is_touched);

	slots_free(trace, pool, live);
	return ret;
}

/* Read a clock that instructions before and after cannot cross. */
static inline uint64_t ticks(void)
{
#ifdef __x86_64__
	uint64_t now;

	__builtin_ia32_lfence();
	now = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return now;
#else
	return now_ns();
#endif
}

/* Measure the cost of two consecutive reads. */
static double ticks_cost(void)
{
	double cost[TICKS_TRIED];

	for (int i = 0; i < TICKS_TRIED; i++) {
		uint64_t begin = ticks();

		cost[i] = (double)(ticks() - begin);
	}
	return stats_median(cost, TICKS_TRIED);
}

static enum trace_class class_of(uint64_t size)
{
	if (size <= 256)
		return TRACE_SMALL;
	return size <= 64 * KIB ? TRACE_MEDIUM : TRACE_LARGE;
}

/* The times of one pass. */
struct times {
	double *ticks[TRACE_CLASSES];
	size_t count[TRACE_CLASSES];
	uint8_t *class;		/* of the allocation in a slot */
};

static int replay_timed(const struct trace *trace, vnpu_pool_t pool,
			void **live, struct times *times)
{
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];
		void *p = live[op->slot];
		enum trace_class class;
		uint64_t begin, end;

		begin = ticks();
		if (op->size)
			p = pool_get(pool, op->size);
		else
			pool_put(pool, p);
		end = ticks();
		if (op->size && !p)
			return -ENOMEM;
		live[op->slot] = op->size ? p : NULL;
		if (op->size)
			times->class[op->slot] = class_of(op->size);
		class = times->class[op->slot];
		times->ticks[class][times->count[class]++] =
			(double)(end - begin);
	}
	return 0;
}

static void quantiles(struct times *times, double cost, double ns_per_tick,
		      struct trace_times *result)
{
	for (int c = 0; c < TRACE_CLASSES; c++) {
		double *ticks = times->ticks[c], low;
		static const double which[] = { 0.5, 0.99, 0.999 };
		double *to[] = { &result[c].p50, &result[c].p99,
				 &result[c].p999 };

		result[c].count = times->count[c];
		for (size_t i = 0; i < ARRAY_SIZE(which) && times->count[c];
		     i++) {
			low = stats_quantile(ticks, times->count[c],
					     which[i]) - cost;
			*to[i] = low > 0 ? low * ns_per_tick : 0;
		}
	}
}

static int pass(const struct trace *trace, vnpu_pool_t pool,
		struct times *times, double *seconds,
		struct trace_times *result)
{
	void **live = slots_alloc(trace);
	uint64_t begin_ns = now_ns(), begin, end;
	double cost;
	int ret;

	ret = pool ? replay(trace, pool, live, false) :
		     replay(trace, NULL, live, false);
	*seconds = (double)(now_ns() - begin_ns) / 1e9;
	slots_free(trace, pool, live);
	if (ret)
		return ret;
	live = slots_alloc(trace);
	memset(times->count, 0, sizeof(times->count));
	cost = ticks_cost();
	begin_ns = now_ns();
	begin = ticks();
	ret = replay_timed(trace, pool, live, times);
	end = ticks();
	quantiles(times, cost, (double)(now_ns() - begin_ns) /
		  (double)(end - begin), result);
	slots_free(trace, pool, live);
	return ret;
}

static double median_of(const struct trace_times (*rounds)[TRACE_CLASSES],
			uint32_t count, int class, size_t offset)
{
	double *values = need(count, sizeof(*values)), median;

	for (uint32_t i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&rounds[i][class] + offset,
		       sizeof(values[i]));
	median = stats_median(values, count);
	free(values);
	return median;
}

static void conclude(const struct trace *trace, double *seconds,
		     const struct trace_times (*rounds)[TRACE_CLASSES],
		     uint32_t count, struct trace_result *result)
{
	double median = stats_median(seconds, count);

	result->per_second = median > 0 ? (double)trace->count / median : 0;
	for (int c = 0; c < TRACE_CLASSES; c++) {
		struct trace_times *t = &result->times[c];

		t->count = rounds[0][c].count;
		t->p50 = median_of(rounds, count, c, offsetof(typeof(*t), p50));
		t->p99 = median_of(rounds, count, c, offsetof(typeof(*t), p99));
		t->p999 = median_of(rounds, count, c,
				    offsetof(typeof(*t), p999));
	}
}

int trace_measure(const struct trace *trace, vnpu_pool_t pool, uint32_t rounds,
		  struct trace_result *result)
{
	struct trace_times (*results)[TRACE_CLASSES];
	struct times times = { .class = need(trace->slots, 1) };
	double *seconds = need(rounds, sizeof(*seconds));
	int ret;

	results = need(rounds, sizeof(*results));
	for (int c = 0; c < TRACE_CLASSES; c++)
		times.ticks[c] = need(trace->count, sizeof(double));
	/* Fill the caches once. */
	ret = trace_replay(trace, pool, false);
	for (uint32_t i = 0; i < rounds && !ret; i++)
		ret = pass(trace, pool, &times, &seconds[i], results[i]);
	if (!ret)
		conclude(trace, seconds, results, rounds, result);
	for (int c = 0; c < TRACE_CLASSES; c++)
		free(times.ticks[c]);
	free(times.class);
	free(seconds);
	free(results);
	return ret;
}
