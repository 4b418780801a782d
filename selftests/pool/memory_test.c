// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that pools get from their provider and return to it, and failures of
 * the provider.
 */
#include <errno.h>
#include <string.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool_test.h"

#define MANY	4096

static void *held[MANY];

/* Allocate until it fails; return how many succeeded. */
static size_t fill(vnpu_pool_t pool, size_t size)
{
	size_t count = 0;

	while (count < MANY && (held[count] = vnpu_pool_alloc(pool, size)))
		count++;
	return count;
}

static bool empty(vnpu_pool_t pool, size_t count)
{
	while (count)
		EXPECT(!vnpu_pool_free(pool, held[--count]));
	return true;
}

static bool test_exhaustion(void)
{
	struct host host;
	vnpu_pool_t pool;

	EXPECT(pool_open(&host, NULL, 16 * MIB, &pool));
	/* Each uses memory that the one before has left in caches and slabs. */
	for (int i = 0; i < 3; i++) {
		EXPECT(fill(pool, 2 * MIB) == 8);
		EXPECT(strstr(shim_message, "not available"));
		EXPECT(empty(pool, 8));
		EXPECT(fill(pool, 64 * KIB) == 256);
		EXPECT(empty(pool, 256));
		EXPECT(fill(pool, 16 * MIB) == 1);
		EXPECT(empty(pool, 1));
		EXPECT(fill(pool, 4 * KIB) == 4096);
		EXPECT(empty(pool, 4096));
		EXPECT(fill(pool, 2 * KIB) == MANY);
		EXPECT(empty(pool, MANY));
		EXPECT(fill(pool, 1 * MIB) == 16);
		EXPECT(empty(pool, 16));
	}
	return pool_close(&host, pool);
}

static bool test_limit(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p;

	vnpu_pool_config_init(&config);
	config.limit = 8 * MIB;
	config.chunk = 4 * MIB;
	EXPECT(pool_open(&host, &config, 0, &pool));
	p = vnpu_pool_alloc(pool, 64);
	EXPECT(p && host.mapped == 4 * MIB);
	EXPECT(!vnpu_pool_alloc(pool, 5 * MIB));
	EXPECT(fill(pool, 2 * MIB) == 2);
	EXPECT(host.mapped == 8 * MIB);
	EXPECT(empty(pool, 2));
	EXPECT(!vnpu_pool_set_limit(pool, 11 * MIB));
	/* A chunk may be smaller than requested if it cannot be larger. */
	EXPECT(fill(pool, 2 * MIB) == 3);
	EXPECT(empty(pool, 3));
	EXPECT(!vnpu_pool_set_limit(pool, 1));
	EXPECT(!vnpu_pool_trim(pool, 0));
	EXPECT(host.mapped == 4 * MIB);
	EXPECT(!vnpu_pool_free(pool, p));
	return pool_close(&host, pool);
}

static int no_addresses(void *user, uint64_t length, uint64_t *base)
{
	(void)user;
	(void)length;
	(void)base;
	return -ENOSPC;
}

/* The rest can be allocated; the error only shows that nothing is left. */
static bool test_few_addresses(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool, none;
	size_t count;

	host_init(&host);
	vnpu_pool_config_init(&config);
	config.provider = &host.provider;
	config.limit = 2048 * MIB;
	host.longest = 100 * MIB;
	EXPECT(vnpu_pool_create(&pool, &config) ==
	       ACL_ERROR_RT_MEMORY_ALLOCATION);
	host.longest = 1000 * MIB;
	EXPECT(!vnpu_pool_create(&pool, &config));
	EXPECT(host.length > 500 * MIB && host.length <= 1000 * MIB);
	/* Nor is this reported as too many pools. */
	host.provider.reserve = no_addresses;
	EXPECT(vnpu_pool_create(&none, &config) ==
	       ACL_ERROR_RT_MEMORY_ALLOCATION);
	count = fill(pool, 8 * MIB);
	EXPECT(count > 30 && count < 125);
	EXPECT(empty(pool, count));
	return pool_close(&host, pool);
}

static bool test_every_map_fails(void)
{
	struct vnpu_pool_stats stats;
	struct host host;
	vnpu_pool_t pool;
	unsigned int nth;
	void *p[5];

	for (nth = 1; nth < 20; nth++) {
		unsigned int failures = 0;

		EXPECT(pool_open(&host, NULL, 0, &pool));
		host.fail_at = nth;
		p[0] = vnpu_pool_alloc(pool, 64);
		p[1] = vnpu_pool_alloc(pool, 64 * KIB);
		p[2] = vnpu_pool_alloc(pool, 2 * MIB);
		p[3] = vnpu_pool_alloc(pool, 5 * MIB);
		p[4] = vnpu_pool_alloc_aligned(pool, 64, 4 * MIB);
		for (int i = 0; i < 5; i++) {
			if (!p[i])
				failures++;
			else
				EXPECT(!vnpu_pool_free(pool, p[i]));
		}
		/* A retry makes up for one failure. */
		EXPECT(!failures);
		stats = stats_of(pool);
		EXPECT(host.mapped == stats.reserved);
		EXPECT(pool_close(&host, pool));
		if (host.calls < nth)
			break;
	}
	EXPECT(nth > 4 && nth < 20);
	return true;
}

static bool test_no_host_memory(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	unsigned long nth;
	void *p = NULL;
	aclError err;

	vnpu_pool_config_init(&config);
	config.provider = &host.provider;
	config.limit = 256 * MIB;
	for (nth = 1; nth < 30; nth++) {
		host_init(&host);
		fail_malloc_at = nth;
		err = vnpu_pool_create(&pool, &config);
		if (err) {
			fail_malloc_at = 0;
			EXPECT(err == ACL_ERROR_BAD_ALLOC);
			EXPECT(!host.length && !host.errors);
			continue;
		}
		p = vnpu_pool_alloc(pool, 1000);
		if (fail_malloc_at) {
			fail_malloc_at = 0;
			EXPECT(p);
			break;
		}
		/* Without a cache of its own a thread uses the shared one. */
		EXPECT(p);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(pool_close(&host, pool));
	}
	EXPECT(nth > 5 && nth < 30);
	EXPECT(!vnpu_pool_free(pool, p));
	for (nth = 0; nth < 100; nth++) {
		fail_malloc_at = 1;
		p = vnpu_pool_alloc(pool, 1 * MIB);
		fail_malloc_at = 0;
		if (!p)
			break;
		held[nth] = p;
	}
	/* A span cannot be recorded: nothing has changed. */
	EXPECT(nth < 100 && strstr(shim_message, "no host memory"));
	EXPECT(stats_of(pool).allocated == nth * MIB);
	EXPECT(empty(pool, nth));
	return pool_close(&host, pool);
}

static bool test_what_is_kept(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p[10];
	int i;

	vnpu_pool_config_init(&config);
	config.reuse_threshold = 12 * MIB;
	EXPECT(pool_open(&host, &config, 0, &pool));
	for (i = 0; i < 10; i++)
		p[i] = vnpu_pool_alloc(pool, 4 * MIB);
	EXPECT(host.mapped == 40 * MIB);
	for (i = 0; i < 10; i++)
		EXPECT(!vnpu_pool_free(pool, p[i]));
	EXPECT(host.mapped == 12 * MIB);
	EXPECT(stats_of(pool).idle == 12 * MIB);
	EXPECT(!vnpu_pool_trim(pool, 5 * MIB));
	EXPECT(host.mapped == 4 * MIB);
	EXPECT(pool_close(&host, pool));

	config.reuse = 0;
	EXPECT(pool_open(&host, &config, 0, &pool));
	p[0] = vnpu_pool_alloc(pool, 4 * MIB);
	EXPECT(!vnpu_pool_free(pool, p[0]));
	EXPECT(!host.mapped);
	return pool_close(&host, pool);
}

/* Adjacent chunks are one run; free memory is used first. */
static bool test_runs_across_chunks(void)
{
	struct vnpu_pool_stats stats;
	struct host host;
	vnpu_pool_t pool;
	void *p[4];

	EXPECT(pool_open(&host, NULL, 0, &pool));
	for (int i = 0; i < 4; i++)
		p[i] = vnpu_pool_alloc(pool, 3 * MIB);
	EXPECT(host.mapped == 12 * MIB);
	EXPECT(!vnpu_pool_free(pool, p[1]));
	EXPECT(!vnpu_pool_free(pool, p[2]));
	stats = stats_of(pool);
	EXPECT(stats.allocated == 6 * MIB && stats.active == 6 * MIB);
	p[1] = vnpu_pool_alloc(pool, 6 * MIB);
	EXPECT(p[1] && host.mapped == 12 * MIB);
	memset(p[1], 1, 6 * MIB);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			EXPECT(!vnpu_pool_free(pool, p[i]));
	stats = stats_of(pool);
	EXPECT(stats.reserved_peak == 12 * MIB);
	EXPECT(stats.active_peak == 12 * MIB);
	EXPECT(stats.allocs == 5 && stats.frees == 5);
	EXPECT(!vnpu_pool_reset_peaks(pool));
	EXPECT(stats_of(pool).active_peak == 0);
	return pool_close(&host, pool);
}

static bool test_fragmentation(void)
{
	struct vnpu_pool_stats stats;
	struct host host;
	vnpu_pool_t pool;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(stats_of(pool).fragmentation == 0);
	for (int i = 0; i < 16; i++)
		held[i] = vnpu_pool_alloc(pool, 3 * MIB);
	for (int i = 0; i < 16; i += 2)
		EXPECT(!vnpu_pool_free(pool, held[i]));
	EXPECT(!vnpu_pool_trim(pool, 0));
	stats = stats_of(pool);
	/* In each hole of 3 MiB, 2 MiB are a chunk or are not. */
	EXPECT(stats.idle == 0 && stats.reserved == host.mapped);
	EXPECT(stats.inactive_split == stats.reserved - 24 * MIB);
	EXPECT(stats.fragmentation ==
	       stats.inactive_split * 1000 / stats.reserved);
	for (int i = 1; i < 16; i += 2)
		EXPECT(!vnpu_pool_free(pool, held[i]));
	return pool_close(&host, pool);
}

static bool test_compact(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p, *q;

	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.alignment = 512;
	EXPECT(pool_open(&host, &config, 4 * MIB, &pool));
	p = vnpu_pool_alloc(pool, 66 * KIB);
	EXPECT(stats_of(pool).active == 68 * KIB);
	q = vnpu_pool_alloc(pool, 10);
	EXPECT(q && (uintptr_t)q % 512 == 0);
	EXPECT(!vnpu_pool_free(pool, p));
	EXPECT(vnpu_pool_free(pool, p) == ACL_ERROR_RT_PARAM_INVALID);
	EXPECT(!vnpu_pool_free(pool, q));
	EXPECT(vnpu_pool_free(pool, q) == ACL_ERROR_RT_PARAM_INVALID);
	return pool_close(&host, pool);
}

static bool test_alignment(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	size_t count;

	vnpu_pool_config_init(&config);
	for (config.alignment = 64; config.alignment <= 4096;
	     config.alignment *= 2) {
		EXPECT(pool_open(&host, &config, 0, &pool));
		count = 0;
		for (size_t size = 1; size < 3 * MIB; size += size / 7 + 1) {
			held[count] = vnpu_pool_alloc(pool, size);
			EXPECT(held[count]);
			EXPECT((uintptr_t)held[count++] % config.alignment == 0);
		}
		EXPECT(empty(pool, count));
		EXPECT(pool_close(&host, pool));
	}
	return true;
}

const struct test memory_tests[] = {
	{ "exhaustion, and free memory elsewhere", test_exhaustion },
	{ "a limit, and large chunks", test_limit },
	{ "few addresses", test_few_addresses },
	{ "every call of the provider fails", test_every_map_fails },
	{ "no memory of the host", test_no_host_memory },
	{ "kept memory, and memory that returns", test_what_is_kept },
	{ "runs across chunks, and figures", test_runs_across_chunks },
	{ "fragmentation", test_fragmentation },
	{ "a compact pool", test_compact },
	{ "alignment of all", test_alignment },
};

const size_t memory_count = ARRAY_SIZE(memory_tests);
