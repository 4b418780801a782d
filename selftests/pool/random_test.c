// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations of several threads, checked against the rules of any
 * allocator: each allocation is complete, aligned and exclusive.  Its contents
 * identify the owner; ThreadSanitizer detects two writers.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pool_test.h"

#define THREADS		4
#define LIVE		500
#define EXCHANGE	64

struct block {
	unsigned char *p;
	size_t size;
	unsigned char mark;
};

/* Blocks passed from one thread to another. */
static struct {
	pthread_mutex_t lock;
	struct block blocks[EXCHANGE];
} exchange = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct worker {
	vnpu_pool_t pool;
	uint64_t random;
	unsigned long steps;
	const char *failure;
	struct block blocks[LIVE];
};

static size_t random_size(uint64_t *random)
{
	unsigned int order = next_random(random) % 23;
	size_t size = next_random(random) % (2ULL << order) + 1;

	/* Large sizes are rare. */
	return order > 18 && next_random(random) % 8 ? size % 4096 + 1 : size;
}

static void block_mark(struct block *block)
{
	size_t head = block->size < 64 ? block->size : 64;

	memset(block->p, block->mark, head);
	block->p[block->size / 2] = block->mark;
	memset(block->p + block->size - head, block->mark, head);
}

static bool block_is_whole(const struct block *block)
{
	size_t head = block->size < 64 ? block->size : 64;
	const unsigned char *tail = block->p + block->size - head;

	for (size_t i = 0; i < head; i++)
		if (block->p[i] != block->mark || tail[i] != block->mark)
			return false;
	return block->p[block->size / 2] == block->mark;
}

static const char *block_alloc(struct worker *worker, struct block *block)
{
	uint64_t r = next_random(&worker->random);
	size_t align = r % 16 ? 64 : 1ULL << (r >> 8) % 16;

	block->size = random_size(&worker->random);
	block->mark = r >> 24;
	if (align == 64)
		block->p = vnpu_pool_alloc(worker->pool, block->size);
	else
		block->p = vnpu_pool_alloc_aligned(worker->pool, block->size,
						   align);
	if (!block->p)
		return NULL;
	if ((uintptr_t)block->p % align)
		return "not aligned";
	block_mark(block);
	return NULL;
}

static const char *block_free(struct worker *worker, struct block *block)
{
	unsigned char *p = block->p;

	if (!block_is_whole(block))
		return "overwritten";
	block->p = NULL;
	return vnpu_pool_free(worker->pool, p) ? "not freed" : NULL;
}

static void swap_blocks(struct block *block, unsigned int slot)
{
	struct block other;

	pthread_mutex_lock(&exchange.lock);
	other = exchange.blocks[slot];
	exchange.blocks[slot] = *block;
	pthread_mutex_unlock(&exchange.lock);
	*block = other;
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	for (unsigned long i = 0; i < worker->steps && !worker->failure; i++) {
		uint64_t r = next_random(&worker->random);
		struct block *block = &worker->blocks[r % LIVE];

		if (r >> 40 & 1 && block->p)
			swap_blocks(block, (r >> 32) % EXCHANGE);
		else if (block->p)
			worker->failure = block_free(worker, block);
		else
			worker->failure = block_alloc(worker, block);
		if ((r >> 42) % 8192 == 0)
			vnpu_pool_trim(worker->pool, r >> 55 & 1 ? 0 : MIB);
		if ((r >> 42) % 8192 == 2)
			vnpu_pool_defragment(worker->pool, 16 * MIB);
		if ((r >> 42) % 1024 == 1)
			stats_of(worker->pool);
	}
	for (int i = 0; i < LIVE && !worker->failure; i++)
		if (worker->blocks[i].p)
			worker->failure = block_free(worker,
						     &worker->blocks[i]);
	return NULL;
}

static bool random_rounds(struct vnpu_pool_config *config, uint64_t most,
			  unsigned int fail_every)
{
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];
	struct host host;
	vnpu_pool_t pool;

	EXPECT(pool_open(&host, config, most, &pool));
	host.fail_every = fail_every;
	/* Threads come and go, their caches stay. */
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < THREADS; i++) {
			workers[i].pool = pool;
			workers[i].random = test_seed + round * 1000 + i + 1;
			workers[i].steps = test_steps / 4;
			EXPECT(!pthread_create(&threads[i], NULL, work,
					       &workers[i]));
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < THREADS; i++) {
			if (workers[i].failure)
				printf("# %s\n", workers[i].failure);
			EXPECT(!workers[i].failure);
		}
	}
	for (int i = 0; i < EXCHANGE; i++) {
		struct block *block = &exchange.blocks[i];

		if (block->p) {
			EXPECT(block_is_whole(block));
			EXPECT(!vnpu_pool_free(pool, block->p));
			block->p = NULL;
		}
	}
	EXPECT(stats_of(pool).bad_frees == 0);
	return pool_close(&host, pool);
}

static bool test_random(void)
{
	return random_rounds(NULL, 0, 0);
}

static bool test_random_scarce(void)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.reuse_threshold = 8 * MIB;
	return random_rounds(&config, 32 * MIB, 0);
}

static bool test_random_compact(void)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.reuse = 0;
	return random_rounds(&config, 64 * MIB, 0);
}

static bool test_random_remap(void)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.remap = 64 * KIB;
	config.defrag_threshold = 5;
	return random_rounds(&config, 48 * MIB, 0);
}

static bool test_random_remap_fails(void)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.remap = 128 * KIB;
	return random_rounds(&config, 48 * MIB, 7);
}

const struct test random_tests[] = {
	{ "random operations", test_random },
	{ "random operations where memory is scarce", test_random_scarce },
	{ "random operations on a compact pool", test_random_compact },
	{ "random operations, and memory moves", test_random_remap },
	{ "random operations, and memory fails to move", test_random_remap_fails },
};

const size_t random_count = ARRAY_SIZE(random_tests);
