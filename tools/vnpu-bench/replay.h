/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench replay: requests like those of programs, and their results.
 *
 * A load (replay_load.c) chooses the requests and frees; the replay allocates
 * in one of several modes and counts the results.
 */
#ifndef VNPU_BENCH_REPLAY_H
#define VNPU_BENCH_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

/* The part of the requests that is contiguous. */
enum replay_mode {
	REPLAY_SCATTERED,
	REPLAY_MIXED,		/* one request in four */
	REPLAY_CONTIGUOUS,
};

/**
 * struct replay - one pass of a load
 * @mode: part of the contiguous requests
 * @random: generators of the load, and of the mode
 * @arena: free bytes at the start
 * @live: requested bytes that are allocated
 * @peak: maximum of @live
 * @waste: bytes taken beyond @live, at the peak
 * @seen: @live at the last measurement of @waste
 * @done: requests, frees included
 * @allocs: attempted allocations
 * @refused: those that failed without migration
 * @too_large: of these, those larger than the free memory
 * @compacted: of these, those that succeeded with migration
 * @lost: of these, those that failed because contiguous memory was in the way
 * @least_free: least free bytes when one was lost
 * @most_free: most free bytes when one was lost
 */
struct replay {
	enum replay_mode mode;
	struct random random;
	uint64_t arena;
	uint64_t live;
	uint64_t peak;
	uint64_t waste;
	uint64_t seen;
	uint64_t done;
	uint64_t allocs;
	uint64_t refused;
	uint64_t too_large;
	uint64_t compacted;
	uint64_t lost;
	uint64_t least_free;
	uint64_t most_free;
};

/* An allocation of a load. */
struct replay_object {
	void *address;		/* NULL: nothing */
	uint64_t size;
};

/* Allocate; returns whether it succeeded. */
bool replay_alloc(struct replay *r, struct replay_object *object,
		  uint64_t size);
/* Free, if the object is allocated. */
void replay_free(struct replay *r, struct replay_object *object);

/**
 * struct replay_load - a kind of program
 * @name: name in the table
 * @run: make @ops requests or a few more, and free everything at the end
 */
struct replay_load {
	const char *name;
	void (*run)(struct replay *r, uint64_t ops);
};

extern const struct replay_load replay_loads[];
extern const size_t replay_load_count;

#endif /* VNPU_BENCH_REPLAY_H */
