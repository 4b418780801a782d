// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: the loads. They never write to the allocated memory, as it
 * could be device memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "pool.h"
#include "random.h"

#define CHOICES	16384

/*
 * The random choices are made in advance; live allocations stay between
 * operations.
 */
struct worker {
	struct pool_load load;
	vnpu_pool_t pool;
	pthread_t thread;
	uint32_t sizes[CHOICES];
	uint32_t slots[CHOICES];
	void *live[POOL_LIVE_MOST];
	pthread_barrier_t *barrier;
	uint64_t ns;
	int failure;
};

static inline __attribute__((always_inline))
int pairs(struct worker *w, vnpu_pool_t pool)
{
	for (uint32_t i = 0; i < POOL_PAIRS; i++) {
		void **slot = &w->live[w->slots[i % CHOICES]];
		void *p;

		if (w->load.live)
			pool_put(pool, *slot);
		p = pool_get(pool, w->sizes[i % CHOICES]);
		if (!p)
			return -ENOMEM;
		/* Keep the compiler from removing a pair without a use. */
		__asm__ volatile("" : : "r" (p) : "memory");
		if (w->load.live)
			*slot = p;
		else
			pool_put(pool, p);
	}
	return 0;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t begin;

	/* Exclude the start of threads from the measurement. */
	pthread_barrier_wait(w->barrier);
	begin = now_ns();
	w->failure = w->pool ? pairs(w, w->pool) : pairs(w, NULL);
	w->ns = now_ns() - begin;
	return NULL;
}

static void release(struct worker *w)
{
	for (int i = 0; i < POOL_LIVE_MOST; i++) {
		if (w->live[i])
			pool_put(w->pool, w->live[i]);
		w->live[i] = NULL;
	}
}

static void choose(struct worker *w, const struct pool_load *load,
		   uint32_t index)
{
	struct random random = { load->seed + index };

	w->load = *load;
	for (int i = 0; i < CHOICES; i++) {
		w->slots[i] = load->live ? random_below(&random, load->live) :
					   0;
		w->sizes[i] = load->size ? load->size :
			random_log_uniform(&random, 64, 2 * MIB);
	}
	for (uint32_t i = 0; i < load->live; i++)
		w->live[i] = pool_get(w->pool, w->sizes[i % CHOICES]);
}

/* Run each thread once; *@ns is the mean of their times. */
static int run_threads(struct worker *workers, uint32_t count, uint64_t *ns)
{
	pthread_barrier_t barrier;
	int failure = 0;

	*ns = 0;
	if (pthread_barrier_init(&barrier, NULL, count))
		die(BENCH_FAILED, "cannot create a barrier");
	for (uint32_t i = 0; i < count; i++)
		workers[i].barrier = &barrier;
	for (uint32_t i = 1; i < count; i++)
		if (pthread_create(&workers[i].thread, NULL, work,
				   &workers[i]))
			die(BENCH_FAILED, "cannot create a thread");
	work(&workers[0]);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			pthread_join(workers[i].thread, NULL);
		*ns += workers[i].ns / count;
		if (workers[i].failure)
			failure = workers[i].failure;
	}
	pthread_barrier_destroy(&barrier);
	return failure;
}

static void *free_all(void *arg)
{
	struct worker *w = arg;
	uint64_t begin = now_ns();

	for (uint32_t i = 0; i < POOL_PAIRS; i++)
		pool_put(w->pool, w->live[i]);
	w->ns = now_ns() - begin;
	return NULL;
}

/* Measure the time of both threads together. */
static int run_remote(struct worker *w, uint64_t *ns)
{
	uint64_t begin = now_ns();

	for (uint32_t i = 0; i < POOL_PAIRS; i++) {
		w->live[i] = pool_get(w->pool, w->sizes[i % CHOICES]);
		if (!w->live[i])
			return -ENOMEM;
	}
	*ns = now_ns() - begin;
	if (pthread_create(&w->thread, NULL, free_all, w))
		die(BENCH_FAILED, "cannot create a thread");
	pthread_join(w->thread, NULL);
	memset(w->live, 0, sizeof(w->live));
	*ns += w->ns;
	return 0;
}

static int run(struct worker *workers, uint32_t threads, uint64_t *ns)
{
	return threads ? run_threads(workers, threads, ns) :
			 run_remote(workers, ns);
}

int pool_run(const struct pool_load *load, vnpu_pool_t pool, uint64_t *ns)
{
	uint32_t count = load->threads ? load->threads : 1;
	struct worker *workers = need(count, sizeof(*workers));
	int ret;

	for (uint32_t i = 0; i < count; i++) {
		workers[i].pool = pool;
		choose(&workers[i], load, i);
	}
	/* Run once to fill caches, and once to measure. */
	ret = run(workers, load->threads, ns);
	if (!ret)
		ret = run(workers, load->threads, ns);
	*ns /= POOL_PAIRS / POOL_TOLD;
	for (uint32_t i = 0; i < count; i++)
		release(&workers[i]);
	free(workers);
	return ret;
}
