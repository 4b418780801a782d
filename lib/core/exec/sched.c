// SPDX-License-Identifier: MIT
/*
 * Which block is next, and the ends of blocks and launches.
 *
 * Launches are served by priority, then in the order in which they came.  Within
 * a launch, blocks that others have released come first, then blocks that have
 * not begun.  Blocks that have given way by yield() wait for memory that any
 * launch may write, so they come after all of these.
 *
 * A launch has at most as many blocks at a time as the device has cores, as if it
 * was alone.  Launches may together have more: the cores of a block that waits
 * cost memory only.  So two launches cannot wait for each other's cores.  The same
 * is true of limits of cores that launches share: these limit the blocks that run,
 * and a block that waits makes room for another one.  If the limit is lowered
 * between two launches, the later one does not count the blocks of the earlier one,
 * which may all run until the later one has done its work.
 *
 * The blocks of a group begin together and hold their units until all have ended,
 * because their flags are in the units.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* The least work, in ns, for which another worker is woken. */
#define WAKE_WORTH	10000

static bool can_begin(const struct exec_launch *launch)
{
	return launch->begun < launch->blocks &&
		launch->resident < launch->resident_max;
}

/* Check whether the launches that share a limit of cores leave one for this. */
static bool has_core(const struct exec *exec, const struct exec_launch *launch,
		     enum exec_kind kind)
{
	const struct exec_limit *limit = &launch->limit[kind];
	uint32_t running = 0;
	struct list *at;

	if (!limit->is_shared)
		return true;
	list_for_each(at, &exec->launches) {
		const struct exec_launch *other =
			list_entry(at, struct exec_launch, node);

		if (other->limit[kind].is_shared &&
		    other->limit[kind].cores <= limit->cores)
			running += other->running[kind];
	}
	return running < limit->cores;
}

/* Find the first unit in a list of a launch for which there is a core, or NULL. */
static struct exec_unit *find_unit(const struct exec *exec,
				   const struct exec_launch *launch,
				   const struct list *list)
{
	bool is_full[EXEC_KINDS] = { false };
	struct list *at;

	list_for_each(at, list) {
		struct exec_unit *unit = exec_unit_of(at);

		if (is_full[unit->kind])
			continue;
		if (has_core(exec, launch, unit->kind))
			return unit;
		is_full[unit->kind] = true;
	}
	return NULL;
}

/* Check whether a group can begin, and there is a core for a block of it. */
static bool has_group(const struct exec *exec, const struct exec_launch *launch)
{
	if (!can_begin(launch))
		return false;
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		if (launch->members[kind] && has_core(exec, launch, kind))
			return true;
	return false;
}

static struct exec_unit *unit_begin(struct exec *exec,
				    struct exec_launch *launch,
				    enum exec_kind kind, uint32_t index,
				    uint32_t sub_index)
{
	struct exec_unit *unit = exec_unit_get_locked(exec, kind);
	struct vnpu_block *block;

	if (!unit)
		return NULL;
	block = &unit->block;
	block->index = index;
	block->count = launch->blocks;
	block->kind = kind == EXEC_CUBE ? VNPU_CORE_CUBE : VNPU_CORE_VECTOR;
	block->sub_index = sub_index;
	block->sub_count = launch->ratio ? launch->ratio : 1;
	block->ratio = launch->ratio;
	block->dynamic_bytes = launch->dynamic_bytes;
	unit->launch = launch;
	unit->code = &launch->kernel->code[kind];
	unit->status = EXEC_READY;
	unit->is_fresh = true;
	unit->group = unit;
	/* Other units of its group can set its flags before it runs. */
	memset(unit->set, 0, sizeof(unit->set));
	memset(unit->counter, 0, sizeof(unit->counter));
	if (launch->race)
		exec_race_begin(unit);
	launch->live++;
	list_add_before(&unit->node, &launch->ready);
	return unit;
}

/* Begin the next group, or the next block of a kernel without groups. */
static int group_begin(struct exec *exec, struct exec_launch *launch)
{
	uint32_t index = launch->first +
		exec_order(&exec->config, launch->begun, launch->blocks);
	bool has_cube = launch->members[EXEC_CUBE];
	uint32_t vectors = launch->ratio ? launch->ratio : !has_cube;
	struct exec_unit *first = NULL, *unit;

	launch->begun++;
	launch->resident++;
	for (uint32_t i = 0; i < has_cube + vectors; i++) {
		enum exec_kind kind = has_cube && !i ? EXEC_CUBE : EXEC_VECTOR;

		unit = unit_begin(exec, launch, kind, index, i - (i && has_cube));
		if (!unit)
			return -ENOMEM;
		if (first) {
			unit->group = first->group;
			first->group = unit;
		} else {
			first = unit;
		}
	}
	return 0;
}

/* Let other launches of the same priority be next. */
static void launch_rotate(struct exec *exec, struct exec_launch *launch)
{
	struct list *at = launch->node.next;

	while (at != &exec->launches &&
	       list_entry(at, struct exec_launch, node)->priority ==
	       launch->priority)
		at = at->next;
	list_remove(&launch->node);
	list_add_before(&launch->node, at);
}

struct exec_unit *exec_pick_locked(struct exec *exec)
{
	struct exec_unit *unit;
	struct list *at;

	list_for_each(at, &exec->launches) {
		struct exec_launch *launch =
			list_entry(at, struct exec_launch, node);

		unit = find_unit(exec, launch, &launch->ready);
		if (!unit && has_group(exec, launch)) {
			if (group_begin(exec, launch)) {
				exec_launch_fail_locked(exec, launch, ENOMEM);
				/* The list may have changed. */
				return exec_pick_locked(exec);
			}
			unit = find_unit(exec, launch, &launch->ready);
		}
		if (unit) {
			list_remove(&unit->node);
			return unit;
		}
	}
	list_for_each(at, &exec->launches) {
		struct exec_launch *launch =
			list_entry(at, struct exec_launch, node);

		unit = find_unit(exec, launch, &launch->yielded);
		if (!unit)
			continue;
		list_remove(&unit->node);
		launch_rotate(exec, launch);
		return unit;
	}
	return NULL;
}

bool exec_is_worth_waking_locked(struct exec *exec)
{
	uint64_t work = 0;
	struct list *at;

	list_for_each(at, &exec->launches) {
		const struct exec_launch *launch =
			list_entry(at, struct exec_launch, node);
		uint64_t count = has_group(exec, launch) ?
			launch->blocks - launch->begun : 0;
		uint64_t ns = launch->kernel->block_ns;

		/* More need not be counted. */
		if (find_unit(exec, launch, &launch->ready))
			count++;
		if (count > WAKE_WORTH)
			count = WAKE_WORTH;
		/* The first launch of a kernel has not been measured. */
		work += count * (ns ? ns : WAKE_WORTH);
		if (work >= WAKE_WORTH)
			return true;
	}
	return false;
}

void exec_units_ready_locked(struct exec *exec, struct exec_launch *launch,
			     struct list *list, uint32_t count)
{
	struct list *at;

	list_for_each(at, list)
		exec_unit_of(at)->status = EXEC_READY;
	list_move_all(list, &launch->ready);
	launch->waiting -= count;
	/* The worker that released them continues its own block. */
	exec_wake_locked(exec);
}

static void group_put(struct exec *exec, struct exec_unit *first)
{
	struct exec_launch *launch = first->launch;
	struct exec_unit *unit = first, *next;

	do {
		next = unit->group;
		list_remove(&unit->node);
		if (launch->race)
			exec_race_end(unit);
		exec_unit_put_locked(exec, unit);
		unit = next;
	} while (unit != first);
	launch->resident--;
}

void exec_unit_end_locked(struct exec *exec, struct exec_unit *unit)
{
	struct exec_launch *launch = unit->launch;
	const struct exec_unit *other;

	unit->status = EXEC_ENDED;
	launch->live--;
	list_add_before(&unit->node, &launch->held);
	if (launch->keeps_units && !launch->is_failed)
		return;
	for (other = unit->group; other != unit; other = other->group)
		if (other->status != EXEC_ENDED)
			return;
	group_put(exec, unit);
}

/* Take the units of a list that are not running to their end. */
static void end_all(struct exec *exec, struct list *list)
{
	struct list *node;

	while ((node = list_pop(list)))
		exec_unit_end_locked(exec, exec_unit_of(node));
}

void exec_launch_fail_locked(struct exec *exec, struct exec_launch *launch,
			     int error)
{
	if (launch->is_failed)
		return;
	launch->is_failed = true;
	launch->result = error;
	launch->begun = launch->blocks;
	launch->waiting = 0;
	end_all(exec, &launch->ready);
	end_all(exec, &launch->yielded);
	end_all(exec, &launch->flagged);
	for (unsigned int i = 0; i < EXEC_KINDS + 1; i++)
		end_all(exec, &launch->barriers[i].waiting);
	for (uint32_t i = 0; launch->live && i < exec->worker_count; i++) {
		struct exec_worker *worker = &exec->workers[i];

		if (worker->unit && worker->unit->launch == launch)
			exec_signals_interrupt(worker);
	}
	exec_launch_look_locked(exec, launch);
}

void exec_launch_look_locked(struct exec *exec, struct exec_launch *launch)
{
	struct list *node;

	if (launch->live || launch->begun < launch->blocks) {
		if (launch->waiting && launch->waiting == launch->live &&
		    !can_begin(launch))
			exec_deadlock_locked(exec, launch);
		return;
	}
	if (!launch->is_active)
		return;
	/* Give back the units kept for their flags, group by group. */
	while ((node = list_pop(&launch->held))) {
		list_add_first(node, &launch->held);
		group_put(exec, exec_unit_of(node));
	}
	launch->is_active = false;
	list_remove(&launch->node);
	list_add_before(&launch->node, &exec->finished);
}
