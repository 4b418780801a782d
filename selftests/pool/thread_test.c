// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools and threads: frees of another thread's allocations, and threads that
 * end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool/pool.h"
#include "pool_test.h"

#define BAD	ACL_ERROR_RT_PARAM_INVALID

struct batch {
	vnpu_pool_t pool;
	size_t size;
	size_t count;
	void *p[2000];
};

static void *batch_alloc(void *arg)
{
	struct batch *batch = arg;

	for (size_t i = 0; i < batch->count; i++) {
		batch->p[i] = vnpu_pool_alloc(batch->pool, batch->size);
		if (!batch->p[i])
			return arg;
		memset(batch->p[i], (int)i, 64);
	}
	return NULL;
}

static void *batch_free(void *arg)
{
	struct batch *batch = arg;

	for (size_t i = 0; i < batch->count; i++) {
		if (*(unsigned char *)batch->p[i] != (unsigned char)i)
			return arg;
		if (vnpu_pool_free(batch->pool, batch->p[i]))
			return arg;
	}
	return NULL;
}

static const size_t sizes[] = { 64, 1000, 4096, 65536, 300000 };

/* The owner gets the block back; a second free is detected at once. */
static bool test_remote_frees(void)
{
	static struct batch batch;
	struct host host;
	uint64_t reserved;

	EXPECT(pool_open(&host, NULL, 0, &batch.pool));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		batch.size = sizes[i];
		batch.count = sizes[i] > 65536 ? 100 : 2000;
		EXPECT(!batch_alloc(&batch));
		reserved = host.mapped;
		for (int round = 0; round < 5; round++) {
			EXPECT(!in_thread(batch_free, &batch));
			EXPECT(vnpu_pool_free(batch.pool, batch.p[0]) == BAD);
			EXPECT(!batch_alloc(&batch));
		}
		EXPECT(host.mapped == reserved);
		EXPECT(!in_thread(batch_free, &batch));
		EXPECT(in_thread(batch_free, &batch));
	}
	EXPECT(stats_of(batch.pool).remote_frees == 6 * 8100);
	return pool_close(&host, batch.pool);
}

/* Needs memory that the first thread had, and the second one has freed. */
static void *take_most(void *arg)
{
	vnpu_pool_t pool = arg;
	void *p = vnpu_pool_alloc(pool, 100 * MIB);

	return p && !vnpu_pool_free(pool, p) ? NULL : arg;
}

/*
 * The owner has taken in only a few of the frees when a third thread needs the
 * memory of all.  It returns the others at its next call that is not a hit.
 */
static bool test_frees_return_when_memory_is_short(void)
{
	static struct batch batch = { .size = 65536, .count = 2000 };
	struct host host;

	EXPECT(pool_open(&host, NULL, 192 * MIB, &batch.pool));
	EXPECT(!batch_alloc(&batch));
	EXPECT(!in_thread(batch_free, &batch));
	/* One allocation needs a free, which comes with 31 others. */
	batch.count = 1;
	EXPECT(!batch_alloc(&batch) && !batch_free(&batch));
	EXPECT(stats_of(batch.pool).allocated > 100 * MIB);
	EXPECT(in_thread(take_most, batch.pool));
	batch.count = 33;
	EXPECT(!batch_alloc(&batch) && !batch_free(&batch));
	EXPECT(!stats_of(batch.pool).allocated);
	EXPECT(!in_thread(take_most, batch.pool));
	return pool_close(&host, batch.pool);
}

/* Memory that threads leave is not lost, and no more than one thread had. */
static bool test_threads_end(void)
{
	static struct batch batch;
	struct host host;
	uint64_t reserved = 0;

	EXPECT(pool_open(&host, NULL, 0, &batch.pool));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		batch.size = sizes[i];
		batch.count = 100;
		for (int round = 0; round < 100; round++) {
			EXPECT(!in_thread(batch_alloc, &batch));
			if (round % 2)
				EXPECT(!in_thread(batch_free, &batch));
			else
				EXPECT(!batch_free(&batch));
			if (round == 10)
				reserved = host.mapped;
		}
		EXPECT(host.mapped == reserved);
	}
	EXPECT(stats_of(batch.pool).caches <= 3);
	return pool_close(&host, batch.pool);
}

static pthread_barrier_t barrier;

static void *hold_one(void *arg)
{
	vnpu_pool_t pool = arg;
	void *p, *q;

	p = vnpu_pool_alloc(pool, 64);
	pthread_barrier_wait(&barrier);
	q = vnpu_pool_alloc(pool, 70000);
	if (!p || !q || vnpu_pool_free(pool, p) || vnpu_pool_free(pool, q) ||
	    vnpu_pool_free(pool, p) != BAD)
		return arg;
	return NULL;
}

/* More than there can be caches: some have the shared one. */
static bool test_many_threads(void)
{
	enum { THREADS = 300 };
	pthread_t threads[THREADS];
	pthread_attr_t attr;
	struct host host;
	vnpu_pool_t pool;
	void *result;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * KIB);
	for (int i = 0; i < THREADS; i++)
		EXPECT(!pthread_create(&threads[i], &attr, hold_one, pool));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		EXPECT(!result);
	}
	pthread_attr_destroy(&attr);
	pthread_barrier_destroy(&barrier);
	EXPECT(stats_of(pool).caches == 255);
	return pool_close(&host, pool);
}

static void *free_together(void *arg)
{
	struct batch *batch = arg;
	size_t freed = 0;

	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < batch->count; i++)
		freed += !vnpu_pool_free(batch->pool, batch->p[i]);
	return (void *)freed;
}

/*
 * Of several threads that free the same block at the same time, at most one
 * succeeds.
 */
static bool test_frees_at_once(void)
{
	static struct batch batch;
	pthread_t threads[3];
	struct host host;
	size_t freed;
	void *result;

	EXPECT(pool_open(&host, NULL, 0, &batch.pool));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		batch.size = sizes[i];
		batch.count = 200;
		EXPECT(!batch_alloc(&batch));
		pthread_barrier_init(&barrier, NULL, 3);
		freed = 0;
		for (int j = 0; j < 3; j++)
			EXPECT(!pthread_create(&threads[j], NULL,
					       free_together, &batch));
		for (int j = 0; j < 3; j++) {
			pthread_join(threads[j], &result);
			freed += (size_t)result;
		}
		pthread_barrier_destroy(&barrier);
		EXPECT(freed == batch.count);
	}
	EXPECT(stats_of(batch.pool).bad_frees == 2 * 200 * ARRAY_SIZE(sizes));
	return pool_close(&host, batch.pool);
}

/* Allocations that several threads free without synchronisation. */
enum { SHARED = 32, SHARERS = 3, VERSION_SHIFT = 48 };

static vnpu_pool_t shared_pool;
/*
 * Addresses, with a version above them: the same address is not the same block.
 */
static _Atomic uint64_t shared[SHARED];

static void *address_of(uint64_t entry)
{
	return (void *)(uintptr_t)(entry & ((1ULL << VERSION_SHIFT) - 1));
}

/* The thread that frees it replaces it by another one or by an empty entry. */
static bool share_one(uint64_t *seed)
{
	static const size_t some[] = { 64, 64, 1000, 4096, 70000 };
	_Atomic uint64_t *slot = &shared[next_random(seed) % SHARED];
	uint64_t old = atomic_load(slot), new;
	void *p = address_of(old), *q;

	if (p && vnpu_pool_free(shared_pool, p))
		return true;
	q = vnpu_pool_alloc(shared_pool,
			    some[next_random(seed) % ARRAY_SIZE(some)]);
	if (!q)
		return false;
	new = ((old >> VERSION_SHIFT) + 1) << VERSION_SHIFT | (uintptr_t)q;
	if (!atomic_compare_exchange_strong(slot, &old, new))
		vnpu_pool_free(shared_pool, q);
	return true;
}

static void *share(void *arg)
{
	uint64_t seed = test_seed * SHARERS + (uintptr_t)arg + 1;

	pthread_barrier_wait(&barrier);
	for (unsigned long i = 0; i < test_steps; i++) {
		if (!share_one(&seed))
			return arg;
		if (i % 4096 == 0 && vnpu_pool_trim(shared_pool, 0))
			return arg;
	}
	return NULL;
}

/*
 * The owner and other threads free the same block at the same moment, and all
 * may succeed: nothing is lost by it, and no list becomes a cycle.
 */
static bool test_double_frees_at_once(void)
{
	pthread_t threads[SHARERS];
	struct host host;
	void *result;

	EXPECT(pool_open(&host, NULL, 0, &shared_pool));
	pthread_barrier_init(&barrier, NULL, SHARERS);
	for (uintptr_t i = 0; i < SHARERS; i++)
		EXPECT(!pthread_create(&threads[i], NULL, share,
				       (void *)(i + 1)));
	for (int i = 0; i < SHARERS; i++) {
		pthread_join(threads[i], &result);
		EXPECT(!result);
	}
	pthread_barrier_destroy(&barrier);
	for (int i = 0; i < SHARED; i++) {
		vnpu_pool_free(shared_pool, address_of(shared[i]));
		shared[i] = 0;
	}
	return pool_close(&host, shared_pool);
}

struct kind_batch {
	struct vnpu_pool_objects kind, other;
	void *p[100];
};

static void *kind_free(void *arg)
{
	struct kind_batch *batch = arg;

	for (size_t i = 0; i < ARRAY_SIZE(batch->p); i++)
		if (vnpu_pool_objects_free(&batch->other, batch->p[i]) != BAD ||
		    vnpu_pool_objects_free(&batch->kind, batch->p[i]) ||
		    vnpu_pool_objects_free(&batch->kind, batch->p[i]) != BAD)
			return arg;
	return NULL;
}

/*
 * A wrong kind of free is detected as well, by a thread that does not own the
 * block.
 */
static bool test_remote_objects(void)
{
	static struct kind_batch batch;
	struct host host;
	vnpu_pool_t pool;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(!vnpu_pool_objects_init(&batch.kind, pool, 100, 64));
	EXPECT(!vnpu_pool_objects_init(&batch.other, pool, 5000, 64));
	for (size_t i = 0; i < ARRAY_SIZE(batch.p); i++) {
		batch.p[i] = vnpu_pool_objects_alloc(&batch.kind);
		EXPECT(batch.p[i]);
	}
	EXPECT(!in_thread(kind_free, &batch));
	return pool_close(&host, pool);
}

static void *use_and_wait(void *arg)
{
	vnpu_pool_t *pools = arg;
	void *p = vnpu_pool_alloc(pools[0], 64);

	pthread_barrier_wait(&barrier);
	/* Another thread destroys the pool. */
	pthread_barrier_wait(&barrier);
	if (!p || vnpu_pool_alloc(pools[0], 64) ||
	    vnpu_pool_free(pools[0], p) != BAD)
		return arg;
	/* There may be another pool in its place. */
	p = vnpu_pool_alloc(pools[1], 64);
	return p && !vnpu_pool_free(pools[1], p) ? NULL : arg;
}

static bool test_pool_ends_before_thread(void)
{
	struct host hosts[2];
	vnpu_pool_t pools[2];
	pthread_t thread;
	void *result;

	EXPECT(pool_open(&hosts[0], NULL, 0, &pools[0]));
	pthread_barrier_init(&barrier, NULL, 2);
	EXPECT(!pthread_create(&thread, NULL, use_and_wait, pools));
	pthread_barrier_wait(&barrier);
	EXPECT(!vnpu_pool_destroy(pools[0]));
	EXPECT(pool_open(&hosts[1], NULL, 0, &pools[1]));
	EXPECT(((uintptr_t)pools[0] & 0xff) == ((uintptr_t)pools[1] & 0xff));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, &result);
	pthread_barrier_destroy(&barrier);
	EXPECT(!result);
	EXPECT(!hosts[0].mapped && !hosts[0].errors);
	return pool_close(&hosts[1], pools[1]);
}

static atomic_bool is_over;

static void *trim(void *arg)
{
	while (!is_over)
		vnpu_registry_trim(arg);
	return NULL;
}

/* A thread without a cache in the pool looks for memory where it has some. */
static bool test_pool_ends_while_trimmed(void)
{
	struct vnpu_pool_provider provider;
	static struct host host;
	pthread_t threads[2];
	vnpu_pool_t pool;

	host_init(&host);
	provider = host.provider;
	for (int i = 0; i < 2; i++)
		EXPECT(!pthread_create(&threads[i], NULL, trim, &provider));
	for (int i = 0; i < 100; i++) {
		EXPECT(pool_open(&host, NULL, 0, &pool));
		EXPECT(!vnpu_pool_free(pool, vnpu_pool_alloc(pool, 100)));
		EXPECT(pool_close(&host, pool));
	}
	is_over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return true;
}

const struct test thread_tests[] = {
	{ "frees by another thread", test_remote_frees },
	{ "frees by another thread return when memory is short",
	  test_frees_return_when_memory_is_short },
	{ "threads end", test_threads_end },
	{ "more threads than caches", test_many_threads },
	{ "frees at the same time", test_frees_at_once },
	{ "double frees at the same time lose nothing",
	  test_double_frees_at_once },
	{ "objects of a kind freed by another thread", test_remote_objects },
	{ "a pool ends before its threads", test_pool_ends_before_thread },
	{ "a pool ends while another thread trims it",
	  test_pool_ends_while_trimmed },
};

const size_t thread_count = ARRAY_SIZE(thread_tests);
