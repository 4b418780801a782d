// SPDX-License-Identifier: MIT
/*
 * A node of the search: the consequences of placing a box, or excluding an
 * offset, for all others.  Each change is pushed on a stack to be undone.
 */
#include "search.h"

enum undo {
	UNDO_LOW,
	UNDO_PLACE,
	UNDO_FLOOR,
	UNDO_LOWEST,
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;

	h ^= h >> 31;
	h *= 0x94d049bb133111eb;
	return h ^ h >> 29;
}

/* Add a box to the hash of its first column, or remove it. */
static void toggle(struct search *s, uint32_t b)
{
	s->column[s->box[b].l].hash ^= mix(b + 1, s->low[b]);
}

static bool note(struct search *s, enum undo kind, uint32_t index,
		 uint64_t value)
{
	if (!plan_grow(&s->undo, &s->undo_room, s->undos + 1,
		       sizeof(*s->undo))) {
		s->no_memory = true;
		return false;
	}
	s->undo[s->undos++] = (struct search_undo){ value, index, kind };
	return true;
}

static void touch(struct search *s, uint32_t c)
{
	if (!s->is_dirty[c]) {
		s->is_dirty[c] = true;
		s->dirty[s->dirties++] = c;
	}
}

static bool set_low(struct search *s, uint32_t b, uint64_t low)
{
	const struct search_box *box = &s->box[b];
	uint64_t old = s->low[b];
	uint32_t k, c;

	low = plan_align_up(low, box->align);
	if (low <= old)
		return true;
	if (low + box->real > s->capacity ||
	    (box->fixed != VNPU_PLAN_NO_OFFSET && low > box->fixed) ||
	    !note(s, UNDO_LOW, b, old))
		return false;
	toggle(s, b);
	s->low[b] = low;
	toggle(s, b);
	for (k = box->span; k < box->span + box->spans; k++)
		for (c = s->span[k].l; c < s->span[k].r; c++)
			if (s->column[c].floor == old)
				touch(s, c);
	return true;
}

/* Update columns that may have another lowest box. */
static bool settle(struct search *s)
{
	bool ok = true;

	while (s->dirties) {
		uint32_t c = s->dirty[--s->dirties], lowest = 0, i;
		struct search_column *column = &s->column[c];
		uint64_t floor = UINT64_MAX;

		s->is_dirty[c] = false;
		if (!ok || !column->boxes)
			continue;
		for (i = column->first; i < column->first + column->boxes; i++) {
			uint64_t low = s->low[s->member[i]];

			if (low < floor) {
				floor = low;
				lowest = 0;
			}
			lowest += low == floor;
		}
		if (lowest != column->lowest) {
			ok = note(s, UNDO_LOWEST, c, column->lowest);
			column->lowest = lowest;
		}
		if (ok && floor != column->floor) {
			ok = note(s, UNDO_FLOOR, c, column->floor);
			column->floor = floor;
		}
		if (ok && floor + column->total > s->ceiling) {
			column->weight++;
			ok = false;
		}
	}
	return ok;
}

/* The unplaced boxes are in [first, first + boxes); the placed ones follow. */
static void swap_members(struct search *s, uint32_t c, uint32_t *place,
			 uint32_t to)
{
	uint32_t b = s->member[*place], other = s->member[to], k;

	s->member[to] = b;
	s->member[*place] = other;
	for (k = s->box[other].span; c >= s->span[k].r; k++)
		;
	s->place[s->span[k].at + c - s->span[k].l] = *place;
	*place = to;
}

static void leave_columns(struct search *s, const struct search_box *box)
{
	uint32_t k, c;

	for (k = box->span; k < box->span + box->spans; k++) {
		for (c = s->span[k].l; c < s->span[k].r; c++) {
			struct search_column *column = &s->column[c];

			column->total -= box->size;
			column->boxes--;
			swap_members(s, c,
				     &s->place[s->span[k].at + c - s->span[k].l],
				     column->first + column->boxes);
			touch(s, c);
		}
	}
	for (c = box->l + 1; c < box->r; c++)
		s->column[c].cross--;
}

/* The box left last, so it is the first of the placed ones. */
static void return_to_columns(struct search *s, const struct search_box *box)
{
	uint32_t k, c;

	for (k = box->span; k < box->span + box->spans; k++) {
		for (c = s->span[k].l; c < s->span[k].r; c++) {
			s->column[c].total += box->size;
			s->column[c].boxes++;
		}
	}
	for (c = box->l + 1; c < box->r; c++)
		s->column[c].cross++;
}

bool search_place(struct search *s, uint32_t b)
{
	const struct search_box *box = &s->box[b];
	uint64_t top = s->low[b] + box->size;
	bool ok = note(s, UNDO_PLACE, b, 0);
	uint32_t i;

	if (!ok)
		return false;
	toggle(s, b);
	s->is_placed[b] = true;
	leave_columns(s, box);
	for (i = box->next; ok && i < box->next + box->nexts; i++)
		if (!s->is_placed[s->next[i]])
			ok = set_low(s, s->next[i], top);
	return settle(s) && ok;
}

bool search_raise(struct search *s, uint32_t b, uint64_t low)
{
	bool ok = set_low(s, b, low);

	return settle(s) && ok;
}

void search_undo(struct search *s, uint32_t mark)
{
	while (s->undos > mark) {
		const struct search_undo *u = &s->undo[--s->undos];

		switch (u->kind) {
		case UNDO_LOW:
			toggle(s, u->index);
			s->low[u->index] = u->value;
			toggle(s, u->index);
			break;
		case UNDO_PLACE:
			s->is_placed[u->index] = false;
			toggle(s, u->index);
			return_to_columns(s, &s->box[u->index]);
			break;
		case UNDO_FLOOR:
			s->column[u->index].floor = u->value;
			break;
		case UNDO_LOWEST:
			s->column[u->index].lowest = (uint32_t)u->value;
			break;
		}
	}
}

bool search_begin(struct search *s, uint64_t capacity)
{
	uint32_t b, c;

	search_undo(s, 0);
	s->capacity = capacity;
	s->ceiling = plan_align_up(capacity, s->p->unit);
	for (b = 0; b < s->boxes; b++) {
		const struct search_box *box = &s->box[b];

		s->low[b] = box->fixed == VNPU_PLAN_NO_OFFSET ? 0 : box->fixed;
		if (s->low[b] + box->real > capacity)
			return false;
	}
	for (c = 0; c < s->columns; c++) {
		s->column[c].hash = 0;
		touch(s, c);
	}
	for (b = 0; b < s->boxes; b++)
		toggle(s, b);
	if (!settle(s))
		return false;
	s->undos = 0;
	return true;
}
