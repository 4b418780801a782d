// SPDX-License-Identifier: MIT
/*
 * The checker of races between the blocks of a launch.
 *
 * Two accesses to a byte of device memory race if one of them writes, they are
 * not both atomic, their blocks differ, and no barrier or flag orders them.
 * The order in which blocks happen to run does not matter, so each run reports
 * a race if it executes its accesses.  Within a block, all is in program order.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

#define MEMORY		(256UL << 20)

static bool is_wanted(const struct exec *exec, const struct exec_launch *launch)
{
	bool is_asked_for = exec->config.check_races;
	uint32_t flags = VNPU_KERNEL_F_ACCESS;

	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++) {
		if (!launch->members[kind])
			continue;
		flags &= launch->kernel->code[kind].kernel->flags;
		is_asked_for |= launch->kernel->code[kind].kernel->flags &
			VNPU_KERNEL_F_RACE;
	}
	return flags && is_asked_for && launch->members[EXEC_ALL] > 1;
}

int exec_race_create(const struct exec *exec, struct exec_launch *launch)
{
	size_t size = exec->config.race_memory ? exec->config.race_memory :
		MEMORY;
	struct exec_race *race;

	launch->race = NULL;
	if (!is_wanted(exec, launch))
		return 0;
	if (size < sizeof(*race))
		return -EINVAL;
	race = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (race == MAP_FAILED)
		return -ENOMEM;
	pthread_mutex_init(&race->lock, NULL);
	race->size = size;
	race->used = (sizeof(*race) + 15) & ~15UL;
	race->random = 1;
	race->site_count = 1;
	launch->race = race;
	return 0;
}

void exec_race_destroy(struct exec_launch *launch)
{
	struct exec_race *race = launch->race;

	if (!race)
		return;
	launch->race = NULL;
	pthread_mutex_destroy(&race->lock);
	munmap(race, race->size);
}

/* Members are numbered: the cube cores first, then the vector cores. */
void exec_race_begin(struct exec_unit *unit)
{
	const struct exec_launch *launch = unit->launch;
	const struct vnpu_block *block = &unit->block;
	uint64_t number = block->index - launch->first;

	if (unit->kind == EXEC_VECTOR)
		number = launch->members[EXEC_CUBE] +
			number * block->sub_count + block->sub_index;
	memset(&unit->race, 0, sizeof(unit->race));
	unit->race.member = number;
	unit->race.time = 1;
}

static void queue_free(struct exec_race *race, struct race_queue *queue)
{
	while (queue->first)
		race_clock_put(race, race_queue_pop(race, queue));
}

void exec_race_end(struct exec_unit *unit)
{
	struct exec_race *race = unit->launch->race;

	pthread_mutex_lock(&race->lock);
	race_clock_put(race, unit->race.known);
	for (unsigned int id = 0; id < VNPU_FLAG_COUNT; id++) {
		queue_free(race, &unit->race.raised[id]);
		for (unsigned int mode = 0; mode <= VNPU_FLAG_CROSS; mode++)
			queue_free(race, &unit->race.set[mode][id]);
	}
	pthread_mutex_unlock(&race->lock);
}

/*
 * Barriers and flags
 */

void exec_race_barrier(struct exec_unit *unit, struct list *waiting)
{
	struct exec_race *race = unit->launch->race;
	struct race_clock *all = NULL, *one;
	struct list *at;

	pthread_mutex_lock(&race->lock);
	all = race_clock_release(race, &unit->race);
	list_for_each(at, waiting) {
		one = race_clock_release(race, &exec_unit_of(at)->race);
		race_clock_join(race, &all, one);
		race_clock_put(race, one);
	}
	race_clock_join(race, &unit->race.known, all);
	list_for_each(at, waiting)
		race_clock_join(race, &exec_unit_of(at)->race.known, all);
	race_clock_put(race, all);
	pthread_mutex_unlock(&race->lock);
}

void exec_race_set(struct exec_unit *unit, uint32_t mode, uint32_t id)
{
	struct exec_race *race = unit->launch->race;

	pthread_mutex_lock(&race->lock);
	race_queue_push(race, &unit->race.set[mode][id],
			race_clock_release(race, &unit->race));
	pthread_mutex_unlock(&race->lock);
}

/* Units set flags for later rounds before others have set them for this one. */
void exec_race_set_all(struct exec_unit *unit, uint32_t id, uint32_t round)
{
	struct exec_race *race = unit->launch->race;
	struct race_queue *queue = &race->all[unit->kind][id];
	struct race_message *message;
	struct race_clock *clock;

	pthread_mutex_lock(&race->lock);
	clock = race_clock_release(race, &unit->race);
	for (message = queue->first; message && round--;)
		message = message->next;
	if (message) {
		race_clock_join(race, &message->clock, clock);
		race_clock_put(race, clock);
	} else {
		race_queue_push(race, queue, clock);
	}
	pthread_mutex_unlock(&race->lock);
}

void exec_race_collect(struct exec_unit *unit, uint32_t mode, uint32_t id)
{
	struct exec_race *race = unit->launch->race;
	struct race_queue *queue = mode == VNPU_FLAG_ALL ?
		&race->all[unit->kind][id] : &unit->race.set[mode][id];
	struct race_clock *clock;

	pthread_mutex_lock(&race->lock);
	clock = race_queue_pop(race, queue);
	race_clock_join(race, &race->round, clock);
	race_clock_put(race, clock);
	pthread_mutex_unlock(&race->lock);
}

void exec_race_raise(struct exec_unit *unit, uint32_t id)
{
	struct exec_race *race = unit->launch->race;

	pthread_mutex_lock(&race->lock);
	if (unit->status == EXEC_AT_FLAG && unit->wait_id == id)
		race_clock_join(race, &unit->race.known, race->round);
	else
		race_queue_push(race, &unit->race.raised[id],
				race_clock_get(race->round));
	pthread_mutex_unlock(&race->lock);
}

void exec_race_round_end(struct exec_launch *launch)
{
	struct exec_race *race = launch->race;

	pthread_mutex_lock(&race->lock);
	race_clock_put(race, race->round);
	race->round = NULL;
	pthread_mutex_unlock(&race->lock);
}

void exec_race_wait(struct exec_unit *unit, uint32_t id)
{
	struct exec_race *race = unit->launch->race;
	struct race_clock *clock;

	pthread_mutex_lock(&race->lock);
	clock = race_queue_pop(race, &unit->race.raised[id]);
	race_clock_join(race, &unit->race.known, clock);
	race_clock_put(race, clock);
	pthread_mutex_unlock(&race->lock);
}

/*
 * Note an access to a flag in device memory.  A block that acquires it knows all
 * that the block knew that released it last.
 */
static void flag_access(struct exec_race *race, struct race_unit *unit,
			uint64_t address, uint32_t flags)
{
	struct race_flag **list = &race->flags[address / 4 % RACE_FLAGS];
	struct race_flag *flag = *list;

	while (flag && flag->address != address)
		flag = flag->next;
	if (flag && (flags & VNPU_GM_ACQUIRE))
		race_clock_join(race, &unit->known, flag->clock);
	if (!(flags & VNPU_GM_RELEASE))
		return;
	if (!flag) {
		flag = race_alloc(race, sizeof(*flag));
		if (!flag)
			return;
		*flag = (struct race_flag){ .next = *list, .address = address };
		*list = flag;
	}
	race_clock_put(race, flag->clock);
	flag->clock = race_clock_release(race, unit);
}

/*
 * Reports
 */

/* Return the index of a place in the table; 0 if the table is full. */
static uint32_t site_find(struct exec_race *race, const struct exec_site *site)
{
	const unsigned char *bytes = (const unsigned char *)site;
	uint64_t hash = 0;
	uint32_t at;

	for (size_t i = 0; i < sizeof(*site); i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	}
	/* Linear probing, in the slots behind the first one. */
	for (at = 1 + (hash >> 32) % (RACE_SITES - 1); race->sites[at].pc;
	     at = at % (RACE_SITES - 1) + 1)
		if (!memcmp(&race->sites[at], site, sizeof(*site)))
			return at;
	if (race->site_count >= RACE_SITES / 4 * 3)
		return 0;
	race->site_count++;
	race->sites[at] = *site;
	return at;
}

static bool is_new(struct exec_race *race, uint32_t site, uint32_t other)
{
	for (uint32_t i = 0; i < race->report_count; i++)
		if ((race->reported[i].site == site &&
		     race->reported[i].other == other) ||
		    (race->reported[i].site == other &&
		     race->reported[i].other == site))
			return false;
	if (race->report_count == RACE_REPORTS)
		return false;
	race->reported[race->report_count].site = site;
	race->reported[race->report_count++].other = other;
	return true;
}

/* Print the name of a member, such as "block 3"; GetBlockIdx() counts the same. */
static void member_name(const struct exec_launch *launch, uint64_t member,
			char *name, size_t size)
{
	uint64_t cubes = launch->members[EXEC_CUBE], block = launch->first;
	bool is_cube = member < cubes;

	if (is_cube)
		block += member;
	else
		block = block * (launch->ratio ? launch->ratio : 1) +
			member - cubes;
	snprintf(name, size, "%sblock %llu", !launch->ratio ? "" : is_cube ?
		 "cube " : "vector ", (unsigned long long)block);
}

static void conflict_report(const struct exec_unit *unit,
			    const struct race_cell *access,
			    const struct race_conflict *conflict,
			    struct exec_report *report)
{
	static const char *const verbs[] = {
		[RACE_READ] = "reads", [RACE_WRITE] = "writes",
		[RACE_ATOMIC] = "atomically updates",
	};
	const struct exec_launch *launch = unit->launch;
	const struct exec_race *race = launch->race;
	uint64_t bytes = conflict->end - conflict->start;
	char name[64], other[64];

	member_name(launch, access->member, name, sizeof(name));
	member_name(launch, conflict->other.member, other, sizeof(other));
	exec_report_init(report, unit, VNPU_FAULT_RACE, EIO);
	report->is_write = access->kind != RACE_READ;
	report->address = conflict->start;
	report->pc = race->sites[access->site].pc;
	memcpy(report->callers, race->sites[access->site].callers,
	       sizeof(race->sites[0].callers));
	report->other = race->sites[conflict->other.site];
	snprintf(report->text, sizeof(report->text),
		 "%s %s %llu byte%s that %s %s, and no barrier or flag orders the two",
		 name, verbs[access->kind], (unsigned long long)bytes,
		 bytes == 1 ? "" : "s", other, verbs[conflict->other.kind]);
}

static void full_report(const struct exec_unit *unit,
			struct exec_report *report)
{
	const struct exec_race *race = unit->launch->race;

	exec_report_init(report, unit, VNPU_FAULT_RACE, EIO);
	snprintf(report->text, sizeof(report->text),
		 "the checker of races has used its %zu MiB, so it does not check the rest of the launch",
		 race->size >> 20);
}

static bool access_note(struct exec_unit *unit, const struct exec_site *site,
			uint64_t address, uint64_t length, uint32_t flags,
			struct exec_report *report)
{
	struct exec_race *race = unit->launch->race;
	const struct race_cell access = {
		.member = unit->race.member,
		.time = unit->race.time,
		.kind = flags & VNPU_GM_ATOMIC ? RACE_ATOMIC :
			flags & VNPU_GM_WRITE ? RACE_WRITE : RACE_READ,
		.site = site_find(race, site),
	};
	struct race_conflict conflict = {};

	race_shadow_note(race, address, address + length, &access,
			 unit->race.known, &conflict);
	if (!conflict.end || !is_new(race, access.site, conflict.other.site))
		return false;
	conflict_report(unit, &access, &conflict, report);
	return true;
}

bool exec_race_access(struct exec_unit *unit, const void *address,
		      uint64_t length, uint32_t flags,
		      struct exec_report *report)
{
	struct exec_race *race = unit->launch->race;
	uint64_t start = (uintptr_t)address;
	struct exec_site site = { .pc = (uintptr_t)unit->service_pc - 1 };
	bool is_report = false;

	if (!length || length > UINT64_MAX - start)
		return false;
	exec_site_callers(site.callers, EXEC_SITE_CALLERS, unit,
			  (uintptr_t)__builtin_frame_address(0));
	pthread_mutex_lock(&race->lock);
	if (flags & (VNPU_GM_ACQUIRE | VNPU_GM_RELEASE))
		flag_access(race, &unit->race, start, flags);
	else if (!race->is_full)
		is_report = access_note(unit, &site, start, length, flags,
					report);
	if (race->is_full && !race->was_full) {
		race->was_full = true;
		full_report(unit, report);
		is_report = true;
	}
	pthread_mutex_unlock(&race->lock);
	return is_report;
}
