// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of pools without a device.  Prints TAP; SEED= and STEPS= repeat and
 * extend random tests.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pool_test.h"

unsigned long test_steps = 100000;
uint64_t test_seed;
_Thread_local unsigned long fail_malloc_at;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_realloc(void *ptr, size_t size);
void *__real_reallocarray(void *ptr, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_realloc(void *ptr, size_t size);
void *__wrap_reallocarray(void *ptr, size_t count, size_t size);

static bool is_to_fail(void)
{
	return fail_malloc_at && !--fail_malloc_at;
}

void *__wrap_malloc(size_t size)
{
	return is_to_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_to_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return is_to_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_realloc(void *ptr, size_t size)
{
	return is_to_fail() ? NULL : __real_realloc(ptr, size);
}

void *__wrap_reallocarray(void *ptr, size_t count, size_t size)
{
	return is_to_fail() ? NULL : __real_reallocarray(ptr, count, size);
}

bool pool_open(struct host *host, struct vnpu_pool_config *config,
	       uint64_t most, vnpu_pool_t *pool)
{
	struct vnpu_pool_config own;

	host_init(host);
	host->most = most;
	vnpu_pool_config_init(&own);
	if (config)
		own = *config;
	own.provider = &host->provider;
	if (own.remap)
		host->unit = own.remap;
	if (!own.limit)
		own.limit = 2048 * MIB;
	EXPECT(!vnpu_pool_create(pool, &own));
	return true;
}

struct vnpu_pool_stats stats_of(vnpu_pool_t pool)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };

	if (vnpu_pool_get_stats(pool, &stats))
		abort();
	return stats;
}

bool pool_close(struct host *host, vnpu_pool_t pool)
{
	struct vnpu_pool_stats stats;

	EXPECT(!vnpu_pool_trim(pool, 0));
	stats = stats_of(pool);
	EXPECT(stats.allocated == 0);
	EXPECT(stats.active == 0);
	EXPECT(stats.reserved == 0);
	EXPECT(stats.allocs == stats.frees);
	EXPECT(stats.maps == stats.unmaps);
	EXPECT(!vnpu_pool_destroy(pool));
	EXPECT(!host->mapped && !host->length && !host->errors);
	return true;
}

void *in_thread(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, run, arg) ||
	    pthread_join(thread, &result))
		abort();
	return result;
}

static uint64_t from_env(const char *name, uint64_t otherwise)
{
	const char *env = getenv(name);

	return env && *env ? strtoull(env, NULL, 0) : otherwise;
}

static bool run_all(const struct test *tests, size_t count, unsigned int *number)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		bool ok = tests[i].run();

		printf("%sok %u - %s\n", ok ? "" : "not ", ++*number,
		       tests[i].name);
		fflush(stdout);
		all &= ok;
	}
	return all;
}

int main(void)
{
	unsigned int number = 0;
	bool ok;

	test_seed = from_env("SEED", time(NULL));
	test_steps = from_env("STEPS", test_steps);
	printf("TAP version 13\n1..%zu\n# SEED=%llu STEPS=%lu\n",
	       call_count + memory_count + thread_count + profile_count +
	       training_count + step_count + remap_count +
	       random_count,
	       (unsigned long long)test_seed, test_steps);
	fflush(stdout);
	ok = run_all(call_tests, call_count, &number);
	ok &= run_all(memory_tests, memory_count, &number);
	ok &= run_all(thread_tests, thread_count, &number);
	ok &= run_all(profile_tests, profile_count, &number);
	ok &= run_all(training_tests, training_count, &number);
	ok &= run_all(step_tests, step_count, &number);
	ok &= run_all(remap_tests, remap_count, &number);
	ok &= run_all(random_tests, random_count, &number);
	return !ok;
}
