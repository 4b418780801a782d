// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools whose memory moves to other addresses when nothing is allocated in it.
 */
#include <string.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool_test.h"

#define HOLES	16
#define LIVE	64

static unsigned char *held[2 * HOLES];

static void config_fill(struct vnpu_pool_config *config, uint32_t remap,
			uint32_t threshold)
{
	vnpu_pool_config_init(config);
	config->type = VNPU_POOL_COMPACT;
	config->remap = remap;
	config->defrag_threshold = threshold;
}

/* Blocks with a hole of @size before each. */
static bool make_holes(vnpu_pool_t pool, size_t size)
{
	for (int i = 0; i < 2 * HOLES; i++) {
		held[i] = vnpu_pool_alloc(pool, size);
		EXPECT(held[i]);
		memset(held[i], i + 1, size);
	}
	for (int i = 0; i < 2 * HOLES; i += 2)
		EXPECT(!vnpu_pool_free(pool, held[i]));
	return true;
}

static bool end_holes(vnpu_pool_t pool, size_t size)
{
	for (int i = 1; i < 2 * HOLES; i += 2) {
		for (size_t at = 0; at < size; at += 4096)
			EXPECT(held[i][at] == i + 1);
		EXPECT(held[i][size - 1] == i + 1);
		EXPECT(!vnpu_pool_free(pool, held[i]));
	}
	return true;
}

/*
 * A request that fits, but not contiguously, succeeds; without remapping it
 * fails.
 */
static bool test_limit(void)
{
	static const uint32_t units[] = { 64 << 10, 1 << 20, 2 << 20 };
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t size = 3 * units[i];

		config_fill(&config, units[i], 0);
		config.limit = 2 * HOLES * size;
		EXPECT(pool_open(&host, &config, 0, &pool));
		EXPECT(make_holes(pool, size));
		p = vnpu_pool_alloc(pool, HOLES * size);
		EXPECT(p);
		memset(p, 0xff, HOLES * size);
		EXPECT(stats_of(pool).moves == HOLES * 3);
		EXPECT(stats_of(pool).maps == 2 * HOLES * 3);
		EXPECT(!vnpu_pool_alloc(pool, size));
		EXPECT(host.mapped == config.limit);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(end_holes(pool, size));
		EXPECT(pool_close(&host, pool));
	}
	config_fill(&config, 0, 30);
	config.limit = 2 * HOLES * 3 * MIB;
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(make_holes(pool, 3 * MIB));
	EXPECT(!vnpu_pool_alloc(pool, HOLES * 3 * MIB));
	EXPECT(end_holes(pool, 3 * MIB));
	EXPECT(!host.moves);
	return pool_close(&host, pool);
}

/* The rest of a request is new memory. */
static bool test_in_part(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p;

	config_fill(&config, MIB, 0);
	config.limit = (2 * HOLES + 10) * MIB;
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(make_holes(pool, MIB));
	EXPECT(!vnpu_pool_alloc(pool, (HOLES + 11) * MIB));
	/*
	 * Memory that could not have sufficed was returned, or not allocated.
	 */
	EXPECT(host.mapped <= 2 * HOLES * MIB);
	p = vnpu_pool_alloc(pool, (HOLES + 10) * MIB);
	EXPECT(p);
	memset(p, 0xff, (HOLES + 10) * MIB);
	EXPECT(host.mapped == config.limit);
	EXPECT(!vnpu_pool_free(pool, p));
	EXPECT(end_holes(pool, MIB));
	return pool_close(&host, pool);
}

/* Half is free: test whether a request can use that. */
static bool moves_at(uint32_t threshold)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	unsigned int moves;
	void *p;

	config_fill(&config, 64 << 10, threshold);
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(make_holes(pool, MIB));
	p = vnpu_pool_alloc(pool, HOLES / 2 * MIB);
	EXPECT(p);
	moves = host.moves;
	EXPECT(host.mapped ==
	       2 * HOLES * MIB + (moves ? 0 : HOLES / 2 * MIB));
	EXPECT(!vnpu_pool_free(pool, p));
	EXPECT(end_holes(pool, MIB));
	EXPECT(pool_close(&host, pool));
	return moves;
}

static bool test_threshold(void)
{
	EXPECT(moves_at(30));
	EXPECT(moves_at(49));
	EXPECT(!moves_at(50));
	EXPECT(!moves_at(100));
	EXPECT(!moves_at(0));
	return true;
}

static bool test_on_call(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	void *p;

	config_fill(&config, 64 << 10, 0);
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(make_holes(pool, MIB));
	EXPECT(!vnpu_pool_defragment(pool, UINT64_MAX));
	EXPECT(host.moves == HOLES * 16);
	EXPECT(!vnpu_pool_defragment(pool, UINT64_MAX));
	EXPECT(host.moves == HOLES * 16);
	p = vnpu_pool_alloc(pool, HOLES * MIB);
	EXPECT(p && host.moves == HOLES * 16);
	EXPECT(host.mapped == 2 * HOLES * MIB);
	EXPECT(!vnpu_pool_free(pool, p));
	EXPECT(!vnpu_pool_defragment(pool, 4 * MIB));
	EXPECT(host.mapped == (HOLES + 4) * MIB);
	EXPECT(!vnpu_pool_defragment(pool, 0));
	EXPECT(host.mapped == HOLES * MIB);
	EXPECT(end_holes(pool, MIB));
	EXPECT(!vnpu_pool_defragment(pool, 0));
	EXPECT(!host.mapped);
	EXPECT(pool_close(&host, pool));

	/* A pool whose memory does not move returns it. */
	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(make_holes(pool, 2 * MIB));
	EXPECT(!vnpu_pool_defragment(pool, 0));
	EXPECT(host.mapped == HOLES * 2 * MIB && !host.moves);
	EXPECT(end_holes(pool, 2 * MIB));
	EXPECT(pool_close(&host, pool));
	EXPECT(vnpu_pool_defragment(pool, 0) == ACL_ERROR_RT_PARAM_INVALID);
	return true;
}

/* Each failing call leaves a working pool. */
static bool test_every_move_fails(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	unsigned int nth;
	void *p;

	config_fill(&config, 256 << 10, 30);
	config.limit = 2 * HOLES * MIB;
	for (nth = 1; nth <= HOLES * 4 + 1; nth++) {
		EXPECT(pool_open(&host, &config, 0, &pool));
		EXPECT(make_holes(pool, MIB));
		host.fail_move_at = nth;
		if (nth % 2)
			EXPECT(!vnpu_pool_defragment(pool, UINT64_MAX));
		/*
		 * Chunks that do not move are returned, and others are
		 * allocated.
		 */
		p = vnpu_pool_alloc(pool, HOLES * MIB);
		EXPECT(p);
		memset(p, 0xff, HOLES * MIB);
		EXPECT(host.mapped == stats_of(pool).reserved);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(end_holes(pool, MIB));
		EXPECT(pool_close(&host, pool));
	}
	return true;
}

static bool test_every_map_fails(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	unsigned int nth;
	void *p;

	config_fill(&config, 256 << 10, 0);
	config.limit = (2 * HOLES + 8) * MIB;
	for (nth = 1; nth <= 8 * 4; nth++) {
		EXPECT(pool_open(&host, &config, 0, &pool));
		EXPECT(make_holes(pool, MIB));
		host.fail_at = host.calls + nth;
		p = vnpu_pool_alloc(pool, (HOLES + 8) * MIB);
		EXPECT(p);
		EXPECT(host.mapped == stats_of(pool).reserved);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(end_holes(pool, MIB));
		EXPECT(pool_close(&host, pool));
	}
	return true;
}

static bool test_no_host_memory(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	unsigned long nth;
	bool has_failed;
	void *p;

	config_fill(&config, 64 << 10, 30);
	config.limit = 2 * HOLES * MIB;
	for (nth = 1; ; nth++) {
		EXPECT(pool_open(&host, &config, 0, &pool));
		EXPECT(make_holes(pool, MIB));
		fail_malloc_at = nth;
		p = vnpu_pool_alloc(pool, HOLES * MIB);
		has_failed = !fail_malloc_at;
		fail_malloc_at = 0;
		if (!p)
			p = vnpu_pool_alloc(pool, HOLES * MIB);
		EXPECT(p);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(end_holes(pool, MIB));
		EXPECT(pool_close(&host, pool));
		if (!has_failed)
			return true;
	}
}

/*
 * For sizes that are multiples of the unit, exactly the requests that fit
 * succeed, whatever was before.
 */
static bool test_model(void)
{
	static struct {
		unsigned char *p;
		size_t size;
		unsigned char mark;
	} block[LIVE];
	uint64_t random = test_seed * 2 + 1, live = 0;
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;

	config_fill(&config, 64 << 10, test_seed % 3 * 20);
	config.limit = 64 * MIB;
	EXPECT(pool_open(&host, &config, 0, &pool));
	memset(block, 0, sizeof(block));
	for (unsigned long i = 0; i < test_steps / 10; i++) {
		uint64_t r = next_random(&random);
		unsigned int n = r % LIVE;
		size_t size = ((r >> 8) % (2U << (r >> 32) % 8) + 2) * 64 * KIB;

		if (block[n].p) {
			EXPECT(block[n].p[0] == block[n].mark);
			EXPECT(block[n].p[block[n].size - 1] == block[n].mark);
			EXPECT(!vnpu_pool_free(pool, block[n].p));
			live -= block[n].size;
			block[n].p = NULL;
			continue;
		}
		block[n].p = vnpu_pool_alloc(pool, size);
		EXPECT(!block[n].p == (live + size > config.limit));
		if (!block[n].p)
			continue;
		block[n].size = size;
		block[n].mark = r >> 40;
		block[n].p[0] = block[n].mark;
		block[n].p[size - 1] = block[n].mark;
		live += size;
	}
	EXPECT(host.moves && stats_of(pool).moves == host.moves);
	for (unsigned int n = 0; n < LIVE; n++)
		if (block[n].p)
			EXPECT(!vnpu_pool_free(pool, block[n].p));
	return pool_close(&host, pool);
}

const struct test remap_tests[] = {
	{ "remapping: requests that fit succeed", test_limit },
	{ "remapping: with new memory", test_in_part },
	{ "remapping: by the threshold", test_threshold },
	{ "remapping: on call", test_on_call },
	{ "remapping: every move fails", test_every_move_fails },
	{ "remapping: every map fails", test_every_map_fails },
	{ "remapping: no memory of the host", test_no_host_memory },
	{ "remapping: against a model", test_model },
};

const size_t remap_count = ARRAY_SIZE(remap_tests);
