// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checker of races against a naive model, which keeps all accesses to each
 * byte with the clocks of their blocks.  Blocks access random ranges and release
 * each other at random.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"

#define MEMBERS		5
#define BYTES		96
#define LENGTH		24	/* of an access */
#define STEPS		100
#define RUNS		2000
#define MEMORY		(1UL << 20)

struct access {
	uint64_t member;
	uint64_t time;
	uint32_t kind;
	uint32_t site;
};

/* The history of each byte, and whether a race was found in it. */
static struct access history[BYTES][STEPS];
static unsigned int lengths[BYTES];
static bool is_spoilt[BYTES];

static struct race_unit units[MEMBERS];
static uint64_t model[MEMBERS][MEMBERS];	/* the clock of each block */
static uint64_t seed;
static int failures, reports;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 32) % limit;
}

static bool is_race(const struct access *a, const struct access *b)
{
	if (a->member == b->member || a->time <= model[b->member][a->member])
		return false;
	if (a->kind == RACE_WRITE || b->kind == RACE_WRITE)
		return true;
	return a->kind != b->kind;
}

/* Is [start, end) a range of bytes that raced with just this access? */
static bool is_right(const struct race_conflict *conflict, uint64_t base,
		     const struct access *now)
{
	for (uint64_t at = conflict->start; at < conflict->end; at++) {
		bool is_found = false;

		for (unsigned int i = 0; i < lengths[at - base]; i++) {
			const struct access *was = &history[at - base][i];

			is_found |= was->site == conflict->other.site &&
				is_race(was, now);
		}
		if (!is_found)
			return false;
	}
	return true;
}

static void access_one(struct exec_race *race, uint64_t base, uint32_t step)
{
	struct access now = {
		.member = below(MEMBERS),
		.kind = below(3),
		.site = step,
	};
	struct race_unit *unit = &units[now.member];
	uint32_t start = below(BYTES - LENGTH);
	uint32_t end = start + 1 + below(LENGTH);
	struct race_conflict conflict = {};
	struct race_cell cell = {};
	bool is_first = false;

	now.time = unit->time;
	cell.member = now.member;
	cell.time = now.time;
	cell.kind = now.kind;
	cell.site = now.site;
	race_shadow_note(race, base + start, base + end, &cell, unit->known,
			 &conflict);
	for (uint32_t at = start; at < end; at++) {
		bool is_any = false;

		for (unsigned int i = 0; i < lengths[at]; i++)
			is_any |= is_race(&history[at][i], &now);
		/* Behind a race, the checker may have dropped accesses. */
		is_first |= is_any && !is_spoilt[at];
		is_spoilt[at] |= is_any;
	}
	reports += conflict.end != 0;
	if (conflict.end && (conflict.start < base + start ||
			     conflict.end > base + end ||
			     !is_right(&conflict, base, &now)))
		failures++;
	if (is_first && !conflict.end)
		failures++;
	for (uint32_t at = start; at < end; at++)
		history[at][lengths[at]++] = now;
}

/* One block releases another, which then knows all that it knew and did. */
static void release_one(struct exec_race *race)
{
	uint32_t from = below(MEMBERS), to = below(MEMBERS);
	struct race_queue queue = {};
	struct race_clock *clock;

	model[from][from] = units[from].time;
	race_queue_push(race, &queue, race_clock_release(race, &units[from]));
	clock = race_queue_pop(race, &queue);
	race_clock_join(race, &units[to].known, clock);
	race_clock_put(race, clock);
	for (uint32_t i = 0; i < MEMBERS; i++)
		if (model[from][i] > model[to][i])
			model[to][i] = model[from][i];
}

static struct exec_race *race_make(size_t size)
{
	struct exec_race *race = calloc(1, size);

	if (!race)
		exit(1);
	race->size = size;
	race->used = (sizeof(*race) + 15) & ~15UL;
	race->random = 1;
	return race;
}

static void run(uint64_t number)
{
	const uint64_t base = 1ULL << 44;
	struct exec_race *race = race_make(MEMORY);
	unsigned int releases = 1 + number % 32;

	seed = number;
	memset(lengths, 0, sizeof(lengths));
	memset(is_spoilt, 0, sizeof(is_spoilt));
	memset(model, 0, sizeof(model));
	memset(units, 0, sizeof(units));
	for (uint32_t i = 0; i < MEMBERS; i++) {
		units[i].member = i;
		units[i].time = 1;
	}
	for (uint32_t step = 0; step < STEPS; step++) {
		for (uint32_t i = below(releases); i; i--)
			release_one(race);
		access_one(race, base, step);
	}
	failures += race->is_full;
	free(race);
}

/* Elements one by one take one node; blocks that alternate do not. */
static bool is_compact(void)
{
	struct exec_race *race = race_make(MEMORY);
	struct race_conflict conflict = {};
	struct race_cell cell = { .kind = RACE_WRITE };
	size_t used;
	bool is_well;

	for (uint64_t at = 0; at < 100000; at++)
		race_shadow_note(race, 4096 + 4 * at, 4100 + 4 * at, &cell,
				 NULL, &conflict);
	used = race->used - sizeof(*race);
	is_well = !race->is_full && used < 4096 && !conflict.end;
	for (uint64_t at = 0; at < 100000 && !race->is_full; at++) {
		cell.member = at;
		race_shadow_note(race, (1 << 24) + at, (1 << 24) + at + 1,
				 &cell, NULL, &conflict);
	}
	is_well = is_well && race->is_full && race->used <= race->size;
	free(race);
	return is_well;
}

int main(void)
{
	for (uint64_t i = 1; i <= RUNS && !failures; i++) {
		run(i * 0x9e3779b97f4a7c15ULL);
		if (failures)
			printf("# wrong with seed %llu\n",
			       (unsigned long long)i);
	}
	printf("%sok 1 as the model, with %d races\n", failures ? "not " : "",
	       reports);
	failures += !reports;
	if (is_compact()) {
		printf("ok 2 memory grows with the pattern of accesses, to its limit\n");
	} else {
		printf("not ok 2 memory of the checker\n");
		failures++;
	}
	printf("1..2\n");
	return failures ? 1 : 0;
}
