/* SPDX-License-Identifier: MIT */
/*
 * Memory that grows: four ways to manage the key-value caches of a language
 * model that serves many requests at a time.
 *
 *	cc kvcache.c -Ibuild/cann/include -Lbuild/cann/lib64 -lascendcl
 *
 * Each request has a prompt and then produces one token after the other.  Its
 * cache grows by a few KiB for each token.  Its final length is unknown, but
 * limited.
 *
 *	reserve		each cache has memory for the limit
 *	double		a cache that is full is copied to one of twice the size
 *	blocks		blocks of 16 tokens from a pool, at any address
 *	map		addresses for the limit, and memory mapped as it grows
 *
 * At the end of each request, the program checks the contents of its cache.
 */
#define _POSIX_C_SOURCE 199309L
#include "acl/acl.h"
#include "vnpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "try.h"

#define REQUESTS	96
#define ACTIVE		16	/* at a time */
#define TOKEN		((size_t)8 << 10)	/* bytes of a token */
#define LIMIT		1024			/* tokens of a request */
#define BLOCK		16			/* tokens of a block */
#define BLOCKS		(LIMIT / BLOCK)
#define PAGE		((size_t)2 << 20)	/* mapped at a time */
#define PAGES		(LIMIT * TOKEN / PAGE)

struct request {
	int is_active;
	unsigned int tokens;	/* that it has */
	unsigned int last;	/* that it will have */
	unsigned char mark;	/* what is written to its cache */
	unsigned int room;	/* tokens that there is memory for */
	char *base;
	char *block[BLOCKS];
	aclrtDrvMemHandle page[PAGES];
};

struct way {
	const char *name;
	void (*begin)(struct request *r);
	void (*grow)(struct request *r);	/* room for one token more */
	void (*end)(struct request *r);
};

static vnpu_pool_t pool;
static unsigned long long copied, calls;

static size_t used_now(void)
{
	size_t free, total;

	TRY(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	return total - free;
}

static unsigned long long state;

static unsigned int random_below(unsigned int limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % limit);
}

static void begin_nothing(struct request *r)
{
	r->base = NULL;
}

static void reserve_begin(struct request *r)
{
	TRY(aclrtMalloc((void **)&r->base, LIMIT * TOKEN,
			ACL_MEM_MALLOC_HUGE_FIRST));
	calls++;
	r->room = LIMIT;
}

static void reserve_end(struct request *r)
{
	TRY(aclrtFree(r->base));
	calls++;
}

static void grow_nothing(struct request *r)
{
	(void)r;
}

static void double_grow(struct request *r)
{
	unsigned int room = r->room ? 2 * r->room : 64;
	char *base;

	TRY(aclrtMalloc((void **)&base, room * TOKEN,
			ACL_MEM_MALLOC_NORMAL_ONLY));
	calls++;
	if (r->base) {
		TRY(aclrtMemcpy(base, room * TOKEN, r->base,
				r->tokens * TOKEN,
				ACL_MEMCPY_DEVICE_TO_DEVICE));
		copied += r->tokens * TOKEN;
		TRY(aclrtFree(r->base));
		calls++;
	}
	r->base = base;
	r->room = room;
}

static void blocks_grow(struct request *r)
{
	char **block = &r->block[r->room / BLOCK];

	*block = vnpu_pool_alloc(pool, BLOCK * TOKEN);
	if (!*block)
		fail("vnpu_pool_alloc", aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	r->room += BLOCK;
}

static void blocks_end(struct request *r)
{
	for (unsigned int i = 0; i < r->room / BLOCK; i++)
		TRY(vnpu_pool_free(pool, r->block[i]));
}

static void map_begin(struct request *r)
{
	TRY(aclrtReserveMemAddress((void **)&r->base, LIMIT * TOKEN, 0, NULL,
				   0));
}

static void map_grow(struct request *r)
{
	const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	unsigned int page = (unsigned int)(r->room * TOKEN / PAGE);

	TRY(aclrtMallocPhysical(&r->page[page], PAGE, &prop, 0));
	TRY(aclrtMapMem(r->base + page * PAGE, PAGE, 0, r->page[page], 0));
	calls += 2;
	r->room += (unsigned int)(PAGE / TOKEN);
}

static void map_end(struct request *r)
{
	for (unsigned int i = 0; i < r->room * TOKEN / PAGE; i++) {
		TRY(aclrtUnmapMem(r->base + i * PAGE));
		TRY(aclrtFreePhysical(r->page[i]));
		calls += 2;
	}
	TRY(aclrtReleaseMemAddress(r->base));
}

static const struct way ways[] = {
	{ "reserve", reserve_begin, grow_nothing, reserve_end },
	{ "double", begin_nothing, double_grow, reserve_end },
	{ "blocks", begin_nothing, blocks_grow, blocks_end },
	{ "map", map_begin, map_grow, map_end },
};

static char *token_at(const struct request *r, unsigned int token)
{
	if (!r->base)
		return r->block[token / BLOCK] + token % BLOCK * TOKEN;
	return r->base + token * TOKEN;
}

static void add_token(const struct way *way, struct request *r)
{
	if (r->tokens == r->room)
		way->grow(r);
	TRY(aclrtMemset(token_at(r, r->tokens), TOKEN,
			r->mark + (int)r->tokens, TOKEN));
	r->tokens++;
}

static void request_begin(const struct way *way, struct request *r,
			  unsigned int number)
{
	unsigned int prompt = 8u << random_below(6);

	memset(r, 0, sizeof(*r));
	r->is_active = 1;
	r->mark = (unsigned char)number;
	r->last = prompt + random_below(LIMIT - prompt) /
		  (1 + random_below(4)) + 1;
	way->begin(r);
	while (r->tokens < prompt)
		add_token(way, r);
}

static void request_end(const struct way *way, struct request *r)
{
	for (unsigned int i = 0; i < r->tokens; i++) {
		unsigned char byte;

		TRY(aclrtMemcpy(&byte, 1, token_at(r, i) + TOKEN - 1, 1,
				ACL_MEMCPY_DEVICE_TO_HOST));
		if (byte != (unsigned char)(r->mark + i)) {
			fprintf(stderr, "%s: a cache was overwritten\n",
				way->name);
			exit(1);
		}
	}
	way->end(r);
	r->is_active = 0;
}

struct figures {
	size_t peak;
	size_t needed;		/* by the tokens that there are, at most */
};

static void serve(const struct way *way, struct figures *f)
{
	static struct request active[ACTIVE];
	unsigned int begun = 0, ended = 0, tokens = 0, i;
	size_t before = used_now(), used;

	/* The same requests in each way. */
	state = 88172645463325252ULL;
	memset(active, 0, sizeof(active));
	while (ended < REQUESTS) {
		for (i = 0; i < ACTIVE; i++) {
			struct request *r = &active[i];

			if (!r->is_active) {
				if (begun == REQUESTS)
					continue;
				request_begin(way, r, begun++);
				tokens += r->tokens;
			} else if (r->tokens < r->last) {
				add_token(way, r);
				tokens++;
			} else {
				tokens -= r->tokens;
				request_end(way, r);
				ended++;
			}
		}
		used = used_now() - before;
		f->peak = used > f->peak ? used : f->peak;
		f->needed = tokens * TOKEN > f->needed ? tokens * TOKEN :
							 f->needed;
	}
}

int main(void)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };

	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	TRY(vnpu_pool_create(&pool, NULL));
	printf("%u requests, %u at a time, of up to %u tokens of %zu KiB\n\n",
	       REQUESTS, ACTIVE, LIMIT, TOKEN >> 10);
	printf("%-10s %13s %8s %13s %13s\n", "way", "memory, MiB",
	       "of need", "copied, MiB", "driver calls");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct figures f = { 0 };

		calls = 0;
		copied = 0;
		serve(&ways[i], &f);
		if (ways[i].grow == blocks_grow) {
			TRY(vnpu_pool_get_stats(pool, &stats));
			calls = stats.maps + stats.unmaps;
		}
		printf("%-10s %13.1f %8.2f %13.1f %13llu\n", ways[i].name,
		       f.peak / 1048576.0, (double)f.peak / f.needed,
		       copied / 1048576.0, calls);
	}
	TRY(vnpu_pool_destroy(pool));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return 0;
}
