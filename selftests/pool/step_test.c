// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periodic workloads: steps that are recorded, planned and replayed, and steps
 * that differ.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool_test.h"

#define BAD	ACL_ERROR_RT_PARAM_INVALID

/* Contents, to detect overwriting. */
struct tensor {
	unsigned char *p;
	size_t size;
	unsigned char mark;
};

static bool tensor_take(vnpu_pool_t pool, struct tensor *t, size_t size,
			unsigned char mark)
{
	t->p = vnpu_pool_alloc(pool, size);
	EXPECT(t->p);
	t->size = size;
	t->mark = mark;
	memset(t->p, mark, 64);
	memset(t->p + size - 64, mark, 64);
	return true;
}

static bool tensor_give(vnpu_pool_t pool, struct tensor *t)
{
	unsigned char *p = t->p;

	t->p = NULL;
	for (int i = 0; i < 64; i++)
		EXPECT(p[i] == t->mark && p[t->size - 1 - i] == t->mark);
	EXPECT(!vnpu_pool_free(pool, p));
	return true;
}

#define CHAIN	20

/* Each lives until the next but one; @odd has another size, or is -1. */
static bool chain(vnpu_pool_t pool, int odd, void **first)
{
	struct tensor t[CHAIN];

	for (int i = 0; i < CHAIN; i++) {
		size_t size = (i == odd ? 77 : 30 + i * 7 % 13) * 10000;

		EXPECT(tensor_take(pool, &t[i], size, i + 1));
		if (i > 1)
			EXPECT(tensor_give(pool, &t[i - 2]));
	}
	*first = t[CHAIN - 2].p;
	return tensor_give(pool, &t[CHAIN - 2]) &&
	       tensor_give(pool, &t[CHAIN - 1]);
}

static bool test_departures(void)
{
	static const int odd[] = { -1, -1, -1, 5, -1, 5, 6, -1, 9, 9, 9, -1 };
	/* How many were replayed by the end of each. */
	static const int replayed[] = { 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3 };
	struct vnpu_pool_stats stats;
	struct host host;
	vnpu_pool_t pool;
	void *last;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		EXPECT(!vnpu_pool_step(pool));
		stats = stats_of(pool);
		EXPECT(stats.steps == i);
		EXPECT(!i || stats.steps_replayed == (uint64_t)replayed[i - 1]);
		/*
		 * Two different steps in a row end the plan; equal steps make a
		 * new one.
		 */
		EXPECT(!stats.planned == (i < 2 || i == 7 || i == 8 || i == 9));
		EXPECT(chain(pool, odd[i], &last));
	}
	EXPECT(!vnpu_pool_step_end(pool));
	EXPECT(stats_of(pool).planned == 0);
	EXPECT(chain(pool, -1, &last));
	return pool_close(&host, pool);
}

static void *free_one(void *arg)
{
	struct { vnpu_pool_t pool; void *p; } *what = arg;

	return vnpu_pool_free(what->pool, what->p) ? arg : NULL;
}

/*
 * Allocations that outlive their step, in each way of freeing; allocations
 * freed later than before.
 */
static bool test_lives(void)
{
	struct { vnpu_pool_t pool; void *p; } other;
	struct tensor a, late, kept = { 0 };
	struct host host;
	vnpu_pool_t pool;
	void *at = NULL;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	for (int i = 0; i < 10; i++) {
		EXPECT(!vnpu_pool_step(pool));
		EXPECT(tensor_take(pool, &a, 100000, 1));
		/* At one place in the plan, unless the first is still there. */
		if (i == 5)
			late = a;
		else
			EXPECT(tensor_give(pool, &a));
		EXPECT(tensor_take(pool, &a, 100000, 2));
		if (i == 5)
			EXPECT(a.p != late.p && tensor_give(pool, &late));
		if (i == 3)
			at = a.p;
		EXPECT(i != 4 || a.p == at);
		EXPECT(tensor_give(pool, &a));
		if (kept.p)
			EXPECT(tensor_give(pool, &kept));
		EXPECT(tensor_take(pool, &kept, 300000, 3));
		/* A free in another thread counts as well. */
		other.pool = pool;
		other.p = vnpu_pool_alloc(pool, 5000);
		EXPECT(other.p && !in_thread(free_one, &other));
		EXPECT(vnpu_pool_free(pool, other.p) == BAD);
		EXPECT(vnpu_pool_free(pool, kept.p + 1024) == BAD);
		EXPECT(vnpu_pool_free(pool, kept.p + 1) == BAD);
	}
	EXPECT(stats_of(pool).bad_frees == 30);
	/* There is a plan in which it may end as late as it once did. */
	EXPECT(stats_of(pool).planned >= 2 * 100000);
	EXPECT(stats_of(pool).steps_replayed == 6);
	EXPECT(!vnpu_pool_step_end(pool));
	/* Also after the steps, and in others. */
	EXPECT(!vnpu_pool_step(pool));
	EXPECT(tensor_take(pool, &a, 100000, 1));
	EXPECT(tensor_give(pool, &kept));
	EXPECT(tensor_give(pool, &a));
	EXPECT(!vnpu_pool_step_end(pool));
	return pool_close(&host, pool);
}

static bool test_objects_in_steps(void)
{
	struct vnpu_pool_objects objects;
	struct host host;
	vnpu_pool_t pool;
	void *p, *q;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(!vnpu_pool_objects_init(&objects, pool, 5000, 64));
	for (int i = 0; i < 4; i++) {
		EXPECT(!vnpu_pool_step(pool));
		p = vnpu_pool_objects_alloc(&objects);
		q = vnpu_pool_alloc(pool, 5000);
		EXPECT(p && q);
		EXPECT(vnpu_pool_objects_free(&objects, q) == BAD);
		EXPECT(!vnpu_pool_objects_free(&objects, p));
		EXPECT(!vnpu_pool_free(pool, q));
		q = vnpu_pool_alloc_aligned(pool, 3000, 1 * MIB);
		EXPECT(q && (uintptr_t)q % MIB == 0);
		EXPECT(!vnpu_pool_free(pool, q));
	}
	EXPECT(stats_of(pool).steps_replayed == 1);
	EXPECT(!vnpu_pool_step_end(pool));
	return pool_close(&host, pool);
}

static void *step_once(void *pool)
{
	return vnpu_pool_step(pool) ? pool : NULL;
}

static void *step_end(void *pool)
{
	return vnpu_pool_step_end(pool) ? pool : NULL;
}

static bool whose(uint32_t type)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *last;

	vnpu_pool_config_init(&config);
	config.type = type;
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(vnpu_pool_step_end(pool) == BAD);
	EXPECT(strstr(shim_message, "no step of the pool"));
	EXPECT(!vnpu_pool_step(pool));
	EXPECT(in_thread(step_once, pool) && in_thread(step_end, pool));
	EXPECT(vnpu_pool_step_end(NULL) == BAD && vnpu_pool_step(NULL) == BAD);
	EXPECT(!vnpu_pool_step_end(pool));
	/* A thread that ends leaves its steps. */
	EXPECT(!in_thread(step_once, pool) && !in_thread(step_once, pool));
	for (int i = 0; i < 4; i++)
		EXPECT(!vnpu_pool_step(pool) && chain(pool, -1, &last));
	EXPECT(!vnpu_pool_step(pool));
	EXPECT(stats_of(pool).steps_replayed == 2);
	/* It ends with all remaining allocations. */
	EXPECT(vnpu_pool_alloc(pool, 1 * MIB));
	EXPECT(!vnpu_pool_destroy(pool));
	EXPECT(!host.mapped && !host.errors);
	return vnpu_pool_step(pool) == BAD && vnpu_pool_step_end(pool) == BAD;
}

static bool test_whose_steps(void)
{
	return whose(VNPU_POOL_THREADED) && whose(VNPU_POOL_COMPACT);
}

static bool steps_with(vnpu_pool_t pool, bool (*fails)(void))
{
	struct tensor t[6] = { { 0 } };

	for (int i = 0; i < 5; i++) {
		if (vnpu_pool_step(pool) && !fails())
			return false;
		for (int j = 0; j < 6; j++) {
			void *p = vnpu_pool_alloc(pool, (j + 1) * 400000);

			EXPECT(p || fails());
			t[j].p = p;
		}
		for (int j = 0; j < 6; j++)
			EXPECT(!t[j].p || !vnpu_pool_free(pool, t[j].p));
	}
	return true;
}

static bool yes(void)
{
	return true;
}

static bool no(void)
{
	return false;
}

/* Without host memory a step is served without a plan, or refused. */
static bool test_steps_without_host_memory(void)
{
	struct host host;
	vnpu_pool_t pool;
	bool is_left = false;

	for (unsigned long nth = 1; !is_left; nth++) {
		EXPECT(pool_open(&host, NULL, 0, &pool));
		fail_malloc_at = nth;
		EXPECT(steps_with(pool, yes));
		is_left = fail_malloc_at;
		fail_malloc_at = 0;
		EXPECT(nth < 1000);
		EXPECT(steps_with(pool, no));
		EXPECT(!vnpu_pool_step_end(pool));
		EXPECT(pool_close(&host, pool));
	}
	return true;
}

static bool test_steps_without_maps(void)
{
	struct host host;
	vnpu_pool_t pool;
	unsigned int nth = 0;

	do {
		EXPECT(pool_open(&host, NULL, 0, &pool));
		host.fail_at = ++nth;
		EXPECT(steps_with(pool, no));
		EXPECT(!vnpu_pool_step_end(pool));
		EXPECT(pool_close(&host, pool));
	} while (host.calls >= nth);
	EXPECT(nth > 2);
	/* As much as needed, and no memory for a plan in addition. */
	EXPECT(pool_open(&host, NULL, 10 * MIB, &pool));
	EXPECT(steps_with(pool, no));
	EXPECT(!vnpu_pool_step_end(pool));
	return pool_close(&host, pool);
}

static void *take_much(void *pool)
{
	void *p = vnpu_pool_alloc(pool, 55 * MIB);

	return p && !vnpu_pool_free(pool, p) ? NULL : pool;
}

/* A plan is no obstacle: neither to a different step, nor to a thread. */
static bool test_plan_that_yields(void)
{
	struct host host;
	vnpu_pool_t pool;
	void *p, *q;

	EXPECT(pool_open(&host, NULL, 64 * MIB, &pool));
	for (int i = 0; i < 9; i++) {
		EXPECT(!vnpu_pool_step(pool));
		EXPECT(!!stats_of(pool).planned == (i >= 2 && i <= 6));
		p = vnpu_pool_alloc(pool, 25 * MIB);
		q = vnpu_pool_alloc(pool, 25 * MIB);
		EXPECT(p && q);
		EXPECT(!vnpu_pool_free(pool, p) && !vnpu_pool_free(pool, q));
		EXPECT(!vnpu_pool_trim(pool, 0));
		if (i == 3 || i == 6) {
			EXPECT(host.mapped == 50 * MIB);
			EXPECT(i == 3 ? !in_thread(take_much, pool) :
					!take_much(pool));
			EXPECT(stats_of(pool).planned == 0);
		}
	}
	EXPECT(!vnpu_pool_step_end(pool));
	return pool_close(&host, pool);
}

/*
 * Steps that are mostly equal, beside threads that allocate, and that free
 * allocations of the steps.
 */
#define HANDED	32

static struct {
	pthread_mutex_t lock;
	struct tensor t[HANDED];
	bool is_over;
} hands = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct tensor swap_hands(struct tensor t, unsigned int slot)
{
	struct tensor other;

	pthread_mutex_lock(&hands.lock);
	other = hands.t[slot];
	hands.t[slot] = t;
	pthread_mutex_unlock(&hands.lock);
	return other;
}

static bool is_over(void)
{
	bool over;

	pthread_mutex_lock(&hands.lock);
	over = hands.is_over;
	pthread_mutex_unlock(&hands.lock);
	return over;
}

static void *beside(void *arg)
{
	uint64_t random = test_seed + 99;
	struct tensor t;

	while (!is_over()) {
		t = (struct tensor){ 0 };
		if (next_random(&random) % 4 == 0 &&
		    !tensor_take(arg, &t, 64 + next_random(&random) % 200000,
				 next_random(&random)))
			return arg;
		t = swap_hands(t, next_random(&random) % HANDED);
		if (t.p && !tensor_give(arg, &t))
			return arg;
	}
	return NULL;
}

static bool random_step(vnpu_pool_t pool, uint64_t *random, bool is_usual)
{
	static struct tensor t[40];
	uint64_t usual = 4711, *sizes = is_usual ? &usual : random;

	EXPECT(!vnpu_pool_step(pool));
	for (int i = 0; i < 200; i++) {
		struct tensor *slot = &t[next_random(sizes) % ARRAY_SIZE(t)];
		size_t size = 64 + next_random(sizes) % 300000;

		if (slot->p)
			EXPECT(tensor_give(pool, slot));
		EXPECT(tensor_take(pool, slot, size, i));
		/* Sometimes another thread frees it. */
		if (next_random(random) % 64 == 0)
			*slot = swap_hands(*slot, next_random(random) % HANDED);
	}
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (t[i].p)
			EXPECT(tensor_give(pool, &t[i]));
	return true;
}

static bool test_random_steps(void)
{
	uint64_t random = test_seed | 1;
	pthread_t threads[2];
	struct host host;
	vnpu_pool_t pool;
	void *failed;
	bool ok = true;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	hands.is_over = false;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, beside, pool));
	for (unsigned long i = 0; i < test_steps / 5000 && ok; i++) {
		ok = random_step(pool, &random, next_random(&random) % 8);
		if (next_random(&random) % 16 == 0)
			ok &= !vnpu_pool_trim(pool, 0);
		if (next_random(&random) % 32 == 0)
			ok &= !vnpu_pool_step_end(pool);
	}
	pthread_mutex_lock(&hands.lock);
	hands.is_over = true;
	pthread_mutex_unlock(&hands.lock);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &failed);
		ok &= !failed;
	}
	EXPECT(ok);
	for (int i = 0; i < HANDED; i++)
		if (hands.t[i].p)
			EXPECT(tensor_give(pool, &hands.t[i]));
	vnpu_pool_step_end(pool);
	EXPECT(stats_of(pool).bad_frees == 0);
	return pool_close(&host, pool);
}

const struct test step_tests[] = {
	{ "steps that depart", test_departures },
	{ "lives that are longer", test_lives },
	{ "objects and alignment in steps", test_objects_in_steps },
	{ "whose steps they are", test_whose_steps },
	{ "steps without host memory", test_steps_without_host_memory },
	{ "steps without memory", test_steps_without_maps },
	{ "a plan whose memory is needed", test_plan_that_yields },
	{ "random steps", test_random_steps },
};

const size_t step_count = ARRAY_SIZE(step_tests);
