// SPDX-License-Identifier: MIT
/*
 * Memory of the checker of races, and clocks.
 *
 * Memory comes from the mapping of the checker, not from malloc(): a kernel that
 * was stopped in it may hold its lock.
 */
#include <string.h>

#include "race.h"

#define CLASS_MIN	4	/* 16 bytes */

static unsigned int class_of(size_t size)
{
	unsigned int class = CLASS_MIN;

	while (((size_t)1 << class) < size)
		class++;
	return class;
}

void *race_alloc(struct exec_race *race, size_t size)
{
	unsigned int class = class_of(size);
	void *memory = race->free[class];

	if (memory) {
		memcpy(&race->free[class], memory, sizeof(void *));
		return memory;
	}
	size = (size_t)1 << class;
	if (size > race->size - race->used) {
		race->is_full = true;
		return NULL;
	}
	memory = (char *)race + race->used;
	race->used += size;
	return memory;
}

void race_free(struct exec_race *race, void *memory, size_t size)
{
	unsigned int class = class_of(size);

	memcpy(memory, &race->free[class], sizeof(void *));
	race->free[class] = memory;
}

static size_t clock_size(uint32_t count)
{
	return sizeof(struct race_clock) + count * sizeof(struct race_time);
}

static struct race_clock *clock_make(struct exec_race *race, uint32_t count)
{
	struct race_clock *clock = race_alloc(race, clock_size(count));

	if (!clock)
		return NULL;
	clock->references = 1;
	clock->count = count;
	return clock;
}

struct race_clock *race_clock_get(struct race_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

void race_clock_put(struct exec_race *race, struct race_clock *clock)
{
	if (clock && !--clock->references)
		race_free(race, clock, clock_size(clock->count));
}

uint64_t race_clock_time(const struct race_clock *clock, uint64_t member)
{
	uint32_t low = 0, high = clock ? clock->count : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (clock->times[middle].member < member)
			low = middle + 1;
		else
			high = middle;
	}
	return clock && low < clock->count &&
		clock->times[low].member == member ? clock->times[low].time : 0;
}

/* Write the times of both clocks to @out, unless that is NULL; returns how many. */
static uint32_t merge(const struct race_clock *a, const struct race_clock *b,
		      struct race_time *out)
{
	uint32_t i = 0, k = 0, count = 0;

	while (i < a->count || k < b->count) {
		struct race_time time;

		if (k == b->count || (i < a->count && a->times[i].member <
				      b->times[k].member)) {
			time = a->times[i++];
		} else if (i == a->count || b->times[k].member <
			   a->times[i].member) {
			time = b->times[k++];
		} else {
			time = a->times[i].time > b->times[k].time ?
				a->times[i] : b->times[k];
			i++;
			k++;
		}
		if (out)
			out[count] = time;
		count++;
	}
	return count;
}

void race_clock_join(struct exec_race *race, struct race_clock **to,
		     struct race_clock *from)
{
	struct race_clock *joined;

	if (!from || *to == from)
		return;
	if (!*to) {
		*to = race_clock_get(from);
		return;
	}
	joined = clock_make(race, merge(*to, from, NULL));
	if (!joined)
		return;
	merge(*to, from, joined->times);
	race_clock_put(race, *to);
	*to = joined;
}

struct race_clock *race_clock_release(struct exec_race *race,
				      struct race_unit *unit)
{
	struct race_clock *own = clock_make(race, 1);

	if (!own)
		return NULL;
	own->times[0].member = unit->member;
	own->times[0].time = unit->time++;
	race_clock_join(race, &own, unit->known);
	return own;
}

void race_queue_push(struct exec_race *race, struct race_queue *queue,
		     struct race_clock *clock)
{
	struct race_message *message = race_alloc(race, sizeof(*message));

	if (!message) {
		race_clock_put(race, clock);
		return;
	}
	message->next = NULL;
	message->clock = clock;
	if (queue->first)
		queue->last->next = message;
	else
		queue->first = message;
	queue->last = message;
}

struct race_clock *race_queue_pop(struct exec_race *race,
				  struct race_queue *queue)
{
	struct race_message *message = queue->first;
	struct race_clock *clock;

	if (!message)
		return NULL;
	queue->first = message->next;
	clock = message->clock;
	race_free(race, message, sizeof(*message));
	return clock;
}
