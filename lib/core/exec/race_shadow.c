// SPDX-License-Identifier: MIT
/*
 * The accesses to each byte of device memory, as a skip list of nodes that do not
 * overlap.  A node is split where an access begins or ends, and joined with its
 * neighbour when both have the same accesses, so it is exact to the byte.
 *
 * A node keeps the last write.  Of other accesses it keeps those that a later one
 * may race with: a read or an atomic operation is dropped once another one of its
 * kind is known to be after it.
 */
#include "race.h"

/* Where a new node would be linked, and the node in front of that. */
struct walk {
	struct race_node **at[RACE_HEIGHT];
	struct race_node *before;
};

static size_t node_size(uint32_t height)
{
	return sizeof(struct race_node) + height * sizeof(struct race_node *);
}

static void walk_begin(struct exec_race *race, struct walk *walk,
		       uint64_t address)
{
	struct race_node *before = NULL;

	for (unsigned int level = RACE_HEIGHT; level--;) {
		struct race_node **link = before ? &before->next[level] :
			&race->nodes[level];

		while (*link && (*link)->start < address) {
			before = *link;
			link = &before->next[level];
		}
		walk->at[level] = link;
	}
	walk->before = before;
}

static void walk_step(struct walk *walk, struct race_node *node)
{
	for (uint32_t level = 0; level < node->height; level++)
		walk->at[level] = &node->next[level];
	walk->before = node;
}

/* One node in four is in the level above. */
static uint32_t random_height(struct exec_race *race)
{
	uint32_t height = 1;
	uint64_t bits;

	race->random ^= race->random << 13;
	race->random ^= race->random >> 7;
	race->random ^= race->random << 17;
	for (bits = race->random; height < RACE_HEIGHT && !(bits & 3);
	     bits >>= 2)
		height++;
	return height;
}

static struct race_node *node_insert(struct exec_race *race, struct walk *walk,
				     uint64_t start, uint64_t end)
{
	uint32_t height = random_height(race);
	struct race_node *node = race_alloc(race, node_size(height));

	if (!node)
		return NULL;
	node->start = start;
	node->end = end;
	node->cells = NULL;
	node->height = height;
	for (uint32_t level = 0; level < height; level++) {
		node->next[level] = *walk->at[level];
		*walk->at[level] = node;
	}
	return node;
}

static void cells_free(struct exec_race *race, struct race_cell *cell)
{
	while (cell) {
		struct race_cell *next = cell->next;

		race_free(race, cell, sizeof(*cell));
		cell = next;
	}
}

/* Remove the node that @walk is at. */
static void node_remove(struct exec_race *race, struct walk *walk)
{
	struct race_node *node = *walk->at[0];

	for (uint32_t level = 0; level < node->height; level++)
		*walk->at[level] = node->next[level];
	cells_free(race, node->cells);
	race_free(race, node, node_size(node->height));
}

static bool cell_add(struct exec_race *race, struct race_cell **at,
		     const struct race_cell *from)
{
	struct race_cell *cell = race_alloc(race, sizeof(*cell));

	if (!cell)
		return false;
	*cell = *from;
	cell->next = *at;
	*at = cell;
	return true;
}

/* Divide a node at @address; @walk is behind it. */
static void node_split(struct exec_race *race, struct walk *walk,
		       struct race_node *node, uint64_t address)
{
	struct race_node *rest = node_insert(race, walk, address, node->end);
	struct race_cell **at;

	if (!rest)
		return;
	node->end = address;
	at = &rest->cells;
	for (const struct race_cell *cell = node->cells; cell;
	     cell = cell->next) {
		if (!cell_add(race, at, cell))
			return;
		at = &(*at)->next;
	}
}

static bool is_same(const struct race_cell *a, const struct race_cell *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->member != b->member || a->time != b->time ||
		    a->kind != b->kind || a->site != b->site)
			return false;
	return a == b;
}

/* Join the node that @walk is at with the one before; false if they differ. */
static bool node_join(struct exec_race *race, struct walk *walk)
{
	struct race_node *node = *walk->at[0], *before = walk->before;

	if (!node || !before || before->end != node->start ||
	    !is_same(before->cells, node->cells))
		return false;
	before->end = node->end;
	node_remove(race, walk);
	return true;
}

/* Check whether two accesses must be ordered. */
static bool is_conflict(uint32_t a, uint32_t b)
{
	if (a == RACE_WRITE || b == RACE_WRITE)
		return true;
	return a != b;
}

static void conflict_add(struct race_conflict *conflict,
			 const struct race_node *node,
			 const struct race_cell *other)
{
	if (!conflict->end) {
		conflict->start = node->start;
		conflict->other = *other;
	} else if (conflict->end != node->start ||
		   conflict->other.member != other->member ||
		   conflict->other.site != other->site) {
		return;
	}
	conflict->end = node->end;
}

/* Compare an access to all bytes of a node with the earlier ones, and add it. */
static void node_note(struct exec_race *race, struct race_node *node,
		      const struct race_cell *access,
		      const struct race_clock *known,
		      struct race_conflict *conflict)
{
	struct race_cell **at = &node->cells, *cell;
	bool is_covered = false;

	while ((cell = *at)) {
		bool is_own = cell->member == access->member;
		bool is_before = is_own || race_clock_time(known, cell->member)
			>= cell->time;

		if (!is_before && is_conflict(cell->kind, access->kind))
			conflict_add(conflict, node, cell);
		/* All accesses that race with the new one race with this one. */
		if (is_own && cell->kind == RACE_WRITE &&
		    cell->time == access->time && access->kind != RACE_WRITE)
			is_covered = true;
		if (access->kind == RACE_WRITE ||
		    (is_before && cell->kind == access->kind)) {
			*at = cell->next;
			race_free(race, cell, sizeof(*cell));
		} else {
			at = &cell->next;
		}
	}
	if (!is_covered)
		cell_add(race, &node->cells, access);
}

void race_shadow_note(struct exec_race *race, uint64_t start, uint64_t end,
		      const struct race_cell *access,
		      const struct race_clock *known,
		      struct race_conflict *conflict)
{
	struct walk walk;

	walk_begin(race, &walk, start);
	if (walk.before && walk.before->end > start)
		node_split(race, &walk, walk.before, start);
	while (start < end && !race->is_full) {
		struct race_node *node = *walk.at[0];

		if (!node || node->start > start) {
			node = node_insert(race, &walk, start,
					   node && node->start < end ?
					   node->start : end);
		} else if (node->end > end) {
			struct walk behind = walk;

			walk_step(&behind, node);
			node_split(race, &behind, node, end);
		}
		if (race->is_full)
			return;
		node_note(race, node, access, known, conflict);
		start = node->end;
		if (!node_join(race, &walk))
			walk_step(&walk, node);
	}
	if (!race->is_full)
		node_join(race, &walk);
}
