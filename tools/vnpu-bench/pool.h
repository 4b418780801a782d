/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench pool: declarations that its files share.
 */
#ifndef VNPU_BENCH_POOL_H
#define VNPU_BENCH_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "vnpu.h"

/* Limit on live allocations. */
#define POOL_LIVE_MOST	100000

/* Pairs of an operation, and the number that results refer to. */
#define POOL_PAIRS	10000
#define POOL_TOLD	1000

/**
 * struct pool_load - a load of allocations and frees
 * @size: bytes, or 0 for 64 bytes to 2 MiB, evenly over the magnitudes
 * @live: number of live allocations, one of which is freed; 0: the last one
 * @threads: number of concurrent threads; 0: one thread allocates all, then
 *	another one frees them
 * @seed: seed of random numbers
 */
struct pool_load {
	uint64_t size;
	uint32_t live;
	uint32_t threads;
	uint32_t seed;
	uint32_t unused;
};

/*
 * Run one operation: POOL_PAIRS pairs in each thread; ns for POOL_TOLD of them.
 * Uses @pool, or malloc() if that is NULL. 0 or -errno.
 */
int pool_run(const struct pool_load *load, vnpu_pool_t pool, uint64_t *ns);

/* Create a pool of addresses that are never accessed; 0 means no limit. */
vnpu_pool_t pool_open(enum vnpu_pool_type type, uint64_t limit, uint32_t remap);

/* Memory of a pool, or of malloc() if that is NULL. */
static inline void *pool_get(vnpu_pool_t pool, size_t size)
{
	return pool ? vnpu_pool_alloc(pool, size) : malloc(size);
}

static inline void pool_put(vnpu_pool_t pool, void *p)
{
	if (pool)
		vnpu_pool_free(pool, p);
	else
		free(p);
}

struct options;
struct report;

/* pool_trace.c: measure a recorded trace, and single operations. */
void pool_measure_trace(const struct options *opt, struct report *report);
void pool_measure_tail(const struct options *opt, struct report *report);

/* An allocator that is malloc() in its own process. */
struct pool_peer {
	const char *name;
	const char *library;	/* preloaded; NULL for the C library */
	int to, from;		/* pipes */
	pid_t pid;
};

extern struct pool_peer pool_peers[];
extern const size_t pool_peer_count;

/* Start it by a command; whether it works is known from its answer. */
void pool_peer_start(struct pool_peer *peer, const char *command);
void pool_peer_stop(struct pool_peer *peer);
/* In the peer: check the library, as the linker ignores missing ones. */
bool pool_peer_is_preloaded(void);
int pool_peer_run(struct pool_peer *peer, const struct pool_load *load,
		  uint64_t *ns);

#endif /* VNPU_BENCH_POOL_H */
