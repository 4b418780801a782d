// SPDX-License-Identifier: MIT
/*
 * Other mergers than the first ones: some are dissolved around a point in time,
 * and their parts are merged again with other preferences.  The result is kept
 * if it leaves no more pieces, or hardly more than the fewest so far; else all
 * steps are undone.
 */
#include "merge.h"

/* The pieces that are considered at a point in time, and their levels. */
#define RUIN_PIECES	6
#define RUIN_LEVELS	2

/* The part of the turns at the time of any box, instead of a piece, in percent. */
#define DEEP_PERCENT	20

/* This many pieces more than the fewest are accepted. */
#define TOLERANCE	2

/* It ends after this part of the work without an improvement. */
#define IDLE_PART	8

/* Mergers between two looks at the clock. */
#define CHARGED_WORK	256

static uint32_t draw(struct plan_merge *m, uint32_t below)
{
	m->random ^= m->random >> 12;
	m->random ^= m->random << 25;
	m->random ^= m->random >> 27;
	return (uint32_t)((m->random * 0x2545f4914f6cdd1d >> 32) * below >> 32);
}

static void dissolve(struct plan_merge *m, uint32_t i)
{
	if (merge_note(m, false, i))
		merge_dissolve(m, i);
}

/* Dissolve a piece, and its parts that touch the begin of @section. */
static void crumble(struct plan_merge *m, uint32_t i, uint32_t section,
		    uint32_t levels)
{
	const struct merge_parts *parts;
	uint32_t k;

	if (merge_is_box(m, i) || !levels || m->no_memory)
		return;
	parts = merge_parts_of(m, i);
	dissolve(m, i);
	for (k = 0; k < parts->count; k++) {
		const struct merge_piece *part = &m->piece[parts->piece[k]];

		if (part->l == section || part->r == section)
			crumble(m, parts->piece[k], section, levels - 1);
	}
}

/* Dissolve all pieces that have piece @i. */
static void expose(struct plan_merge *m, uint32_t i)
{
	uint32_t *path = m->index, count = 0;

	for (; m->piece[i].parent != PLAN_NONE; i = m->piece[i].parent)
		path[count++] = m->piece[i].parent;
	while (count && !m->no_memory)
		dissolve(m, path[--count]);
}

/* Get the largest piece that has @i, and also touches the begin of @section. */
static uint32_t top_at(const struct plan_merge *m, uint32_t i, uint32_t section)
{
	uint32_t up = m->piece[i].parent;

	while (up != PLAN_NONE && (m->piece[up].l == section ||
				   m->piece[up].r == section)) {
		i = up;
		up = m->piece[i].parent;
	}
	return i;
}

/* Collect some pieces that touch the begin of @section, a few twice. */
static uint32_t collect(struct plan_merge *m, uint32_t section,
			uint32_t pieces[RUIN_PIECES])
{
	uint32_t first = m->touch_at[section];
	uint32_t count = m->touch_at[section + 1] - first, i, n = 0;
	uint32_t skip = draw(m, count);

	for (i = 0; i < count && n < RUIN_PIECES; i++) {
		uint32_t box = m->touch[first + (i + skip) % count];

		if (draw(m, 2))
			pieces[n++] = top_at(m, box, section);
	}
	return n;
}

static void ruin(struct plan_merge *m)
{
	uint32_t pieces[RUIN_PIECES], count, i, section;
	uint32_t levels = 1 + draw(m, RUIN_LEVELS);

	i = m->root[draw(m, m->roots)];
	if (draw(m, 100) < DEEP_PERCENT)
		section = m->p->box[draw(m, m->p->boxes)].l;
	else
		section = draw(m, 2) ? m->piece[i].l : m->piece[i].r;
	count = collect(m, section, pieces);
	for (i = 0; i < count; i++) {
		if (m->piece[pieces[i]].parent == pieces[i])
			continue;
		expose(m, pieces[i]);
		crumble(m, pieces[i], section, levels);
	}
}

/* Merge the parts of the pieces that were dissolved. */
static void recreate(struct plan_merge *m)
{
	uint32_t ruined = m->steps, i, k;

	for (i = 0; i < ruined; i++) {
		const struct merge_parts *parts = &m->step[i].parts;

		for (k = 0; k < parts->count; k++)
			if (m->piece[parts->piece[k]].parent == PLAN_NONE)
				merge_look(m, parts->piece[k]);
	}
	merge_all(m);
}

static void undo(struct plan_merge *m)
{
	while (m->steps) {
		const struct merge_step *step = &m->step[--m->steps];

		if (step->is_made) {
			merge_dissolve(m, step->id);
			continue;
		}
		/* It is the number that became unused last. */
		m->unuseds--;
		*merge_parts_of(m, step->id) = step->parts;
		m->piece[step->id] = step->piece;
		merge_compose(m, step->id);
	}
}

static void take_turn(struct plan_merge *m, uint32_t fewest)
{
	uint32_t before = m->roots;

	m->turn++;
	m->work++;
	m->steps = 0;
	ruin(m);
	recreate(m);
	if (!m->no_memory && m->roots > before &&
	    m->roots > fewest + TOLERANCE)
		undo(m);
}

bool plan_merge_ruin(struct plan_merge *m, uint64_t work)
{
	uint64_t begin = m->work, charged = begin, improved = begin;
	uint32_t fewest = m->roots;

	while (m->work - begin < work && m->roots > 1 && !m->no_memory &&
	       m->work - improved < work / IDLE_PART) {
		take_turn(m, fewest);
		if (m->roots < fewest) {
			fewest = m->roots;
			improved = m->work;
		}
		if (m->work - charged < CHARGED_WORK)
			continue;
		if (plan_is_spent(m->budget, m->work - charged))
			return !m->no_memory;
		charged = m->work;
	}
	plan_is_spent(m->budget, m->work - charged);
	return !m->no_memory;
}
