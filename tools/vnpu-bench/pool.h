/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench pool: what its files share.
 */
#ifndef VNPU_BENCH_POOL_H
#define VNPU_BENCH_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "vnpu.h"

/* The most that are alive. */
#define POOL_LIVE_MOST	100000

/* Pairs of an operation, and of which is told. */
#define POOL_PAIRS	10000
#define POOL_TOLD	1000

/**
 * struct pool_load - what is allocated and freed
 * @size: bytes, or 0 for 64 bytes to 2 MiB, all magnitudes alike
 * @live: one of so many that are alive is freed; 0: the last one
 * @threads: how many do this at the same time; 0: one allocates all, then
 *	another one frees them
 * @seed: of what is random
 */
struct pool_load {
	uint64_t size;
	uint32_t live;
	uint32_t threads;
	uint32_t seed;
	uint32_t unused;
};

/*
 * One operation: POOL_PAIRS pairs in each thread; ns for POOL_TOLD of them. Of
 * @pool, or of malloc() if that is NULL. 0 or -errno.
 */
int pool_run(const struct pool_load *load, vnpu_pool_t pool, uint64_t *ns);

/* A pool of addresses that nobody touches; without a limit if that is 0. */
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

/* pool_trace.c: of a trace that was recorded, and of single operations. */
void pool_measure_trace(const struct options *opt, struct report *report);
void pool_measure_tail(const struct options *opt, struct report *report);

/* An allocator in a process of its own, where it is malloc(). */
struct pool_peer {
	const char *name;
	const char *library;	/* preloaded; NULL for the C library */
	int to, from;		/* pipes */
	pid_t pid;
};

extern struct pool_peer pool_peers[];
extern const size_t pool_peer_count;

/* Start it by a command; whether it is there is told by what it answers. */
void pool_peer_start(struct pool_peer *peer, const char *command);
void pool_peer_stop(struct pool_peer *peer);
/* In it: a library that is not found is no error to the linker. */
bool pool_peer_is_preloaded(void);
int pool_peer_run(struct pool_peer *peer, const struct pool_load *load,
		  uint64_t *ns);

#endif /* VNPU_BENCH_POOL_H */
