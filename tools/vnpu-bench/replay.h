/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench replay: requests as programs make them, and what becomes of them.
 *
 * A load (replay_load.c) decides what is asked for and freed; the replay
 * allocates it in one of several ways and keeps the book.
 */
#ifndef VNPU_BENCH_REPLAY_H
#define VNPU_BENCH_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

/* How much of it is asked for in one run. */
enum replay_mode {
	REPLAY_SCATTERED,
	REPLAY_MIXED,		/* one request in four */
	REPLAY_CONTIGUOUS,
};

/**
 * struct replay - one pass of a load
 * @mode: how memory is asked for
 * @random: the load's, and the mode's
 * @arena: bytes that are free at the start
 * @live: bytes that are asked for and were given
 * @peak: the most of them
 * @waste: bytes of the arena that were spent beyond @live, at the peak
 * @seen: @live when that was looked at
 * @done: requests, frees included
 * @allocs: allocations that were tried
 * @refused: that were not had at once
 * @too_large: of them, those of more than was free
 * @compacted: of them, those that moving others has served
 * @lost: of them, those that remained, for what is in one run itself lies
 *	between
 * @least_free: the fewest bytes that were free when one of them was lost
 * @most_free: the most
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

/* What a load holds. */
struct replay_object {
	void *address;		/* NULL: nothing */
	uint64_t size;
};

/* Whether it was had. */
bool replay_alloc(struct replay *r, struct replay_object *object,
		  uint64_t size);
/* Nothing, if there is nothing to be freed. */
void replay_free(struct replay *r, struct replay_object *object);

/**
 * struct replay_load - a kind of program
 * @name: for the table
 * @run: make @ops requests or a few more, and free all in the end
 */
struct replay_load {
	const char *name;
	void (*run)(struct replay *r, uint64_t ops);
};

extern const struct replay_load replay_loads[];
extern const size_t replay_load_count;

#endif /* VNPU_BENCH_REPLAY_H */
