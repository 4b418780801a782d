/* SPDX-License-Identifier: MIT */
/*
 * The checker of races from the inside.
 *
 *	race.c		what blocks do: accesses and flags, and the reports
 *	race_clock.c	memory, and clocks
 *	race_shadow.c	the accesses to each byte of device memory
 *
 * Each block of a launch is a member, and has a time, which grows whenever the
 * block releases others.  A clock names the latest time of other members that a
 * block knows to be over.  So an access of member M at time T happened before
 * what a block does now if its clock has a time of M that is not below T.
 *
 * All of it belongs to one launch, is in one mapping, and is protected by
 * exec_race.lock, which is the innermost lock.  When the mapping is full, the
 * checker reports that once and ends: without its clocks, reports would be wrong.
 */
#ifndef VNPU_CORE_EXEC_RACE_H
#define VNPU_CORE_EXEC_RACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec.h"

#define RACE_CLASSES	40	/* sizes of memory: powers of 2 */
#define RACE_HEIGHT	12	/* of the skip list */
#define RACE_SITES	1024
#define RACE_FLAGS	256	/* buckets */
#define RACE_REPORTS	8	/* of a launch */

/**
 * struct race_clock - a clock, which never changes
 * @references: number of users
 * @count: number of times
 * @times: by member, in ascending order
 */
struct race_clock {
	uint32_t references;
	uint32_t count;
	struct race_time {
		uint64_t member;
		uint64_t time;
	} times[];
};

/**
 * struct race_message - a clock on its way to a block that waits for a flag
 * @next: the one after it
 * @clock: a reference
 */
struct race_message {
	struct race_message *next;
	struct race_clock *clock;
};

/* Messages in the order in which they are received. */
struct race_queue {
	struct race_message *first;
	struct race_message *last;
};

/**
 * struct race_unit - what the checker knows of a block that runs
 * @member: its number in the launch
 * @time: of its accesses from now on
 * @known: its clock, without its own time; may be NULL
 * @set: clocks of flags that it has set and that have no effect yet
 * @raised: clocks of flags that it can wait for
 */
struct race_unit {
	uint64_t member;
	uint64_t time;
	struct race_clock *known;
	struct race_queue set[VNPU_FLAG_CROSS + 1][VNPU_FLAG_COUNT];
	struct race_queue raised[VNPU_FLAG_COUNT];
};

enum race_kind {
	RACE_READ,
	RACE_WRITE,
	RACE_ATOMIC,
};

/**
 * struct race_cell - an access to all bytes of a node
 * @next: another one
 * @member: of the block
 * @time: of the block
 * @kind: enum race_kind
 * @site: index of the place in the kernel
 */
struct race_cell {
	struct race_cell *next;
	uint64_t member;
	uint64_t time;
	uint32_t kind;
	uint32_t site;
};

/**
 * struct race_node - bytes with the same accesses
 * @start: the first address
 * @end: the address behind them
 * @cells: the accesses that are not known to be before other ones here
 * @height: number of levels of the skip list that it is in
 * @next: the next node, by level
 */
struct race_node {
	uint64_t start;
	uint64_t end;
	struct race_cell *cells;
	uint32_t height;
	struct race_node *next[];
};

/**
 * struct race_conflict - two accesses that race
 * @start: the first address of both
 * @end: the address behind it; 0 if there is no race
 * @other: the earlier access
 */
struct race_conflict {
	uint64_t start;
	uint64_t end;
	struct race_cell other;
};

/* A flag in device memory, with the clock of the last block that changed it. */
struct race_flag {
	struct race_flag *next;
	uint64_t address;
	struct race_clock *clock;
};

/**
 * struct exec_race - the checker of a launch
 * @lock: protects it
 * @size: of the mapping, which begins with this structure
 * @used: bytes of it that were given out
 * @free: memory that was given back, by size
 * @is_full: the mapping is full
 * @was_full: ... and that was reported
 * @random: chooses heights
 * @nodes: first node of each level
 * @flags: in device memory
 * @all: clocks of flags in mode ALL, by kind of core and id; one message for
 *	each round that is not complete
 * @round: clock of the flag that is being raised
 * @sites: a hash table of places in kernels; the first one stands for those
 *	that it has no room for
 * @site_count: number of places in it
 * @reported: pairs of sites that were reported
 * @report_count: their number
 */
struct exec_race {
	pthread_mutex_t lock;
	size_t size;
	size_t used;
	void *free[RACE_CLASSES];
	bool is_full;
	bool was_full;
	uint64_t random;
	struct race_node *nodes[RACE_HEIGHT];
	struct race_flag *flags[RACE_FLAGS];
	struct race_queue all[EXEC_KINDS][VNPU_FLAG_COUNT];
	struct race_clock *round;
	struct exec_site sites[RACE_SITES];
	uint32_t site_count;
	struct {
		uint32_t site;
		uint32_t other;
	} reported[RACE_REPORTS];
	uint32_t report_count;
};

/* race_clock.c */

/* Take memory; NULL and exec_race.is_full if there is none. */
void *race_alloc(struct exec_race *race, size_t size);
void race_free(struct exec_race *race, void *memory, size_t size);

struct race_clock *race_clock_get(struct race_clock *clock);
void race_clock_put(struct exec_race *race, struct race_clock *clock);

/* The time of @member, 0 if @clock, which may be NULL, does not have it. */
uint64_t race_clock_time(const struct race_clock *clock, uint64_t member);

/* Make *@to know what @from knows, too; either may be NULL. */
void race_clock_join(struct exec_race *race, struct race_clock **to,
		     struct race_clock *from);

/* Get the clock of a block, for others to acquire, and advance its time. */
struct race_clock *race_clock_release(struct exec_race *race,
				      struct race_unit *unit);

/* Append to a queue, which takes the reference, and take its first clock. */
void race_queue_push(struct exec_race *race, struct race_queue *queue,
		     struct race_clock *clock);
struct race_clock *race_queue_pop(struct exec_race *race,
				  struct race_queue *queue);

/* race_shadow.c */

/*
 * Note an access to [@start, @end) of a block that knows @known.  Finds the first
 * part of it that races with an earlier access.
 */
void race_shadow_note(struct exec_race *race, uint64_t start, uint64_t end,
		      const struct race_cell *access,
		      const struct race_clock *known,
		      struct race_conflict *conflict);

#endif /* VNPU_CORE_EXEC_RACE_H */
