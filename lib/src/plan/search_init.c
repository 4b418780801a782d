// SPDX-License-Identifier: MIT
/*
 * The data of the search: the problem as boxes in columns, and the neighbours
 * of each box, before any box is placed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

/* With more boxes, the search hardly progresses. */
#define MAX_BOXES	8192

/* Limit on the listed neighbours: 128 MiB of them. */
#define MAX_NEIGHBOURS	(1U << 25)

/* Number the columns: one for each end that follows a beginning. */
static void make_columns(struct search *s, uint32_t *column_of)
{
	const struct plan_problem *p = s->p;
	bool has_begun = false;
	uint32_t i;

	for (i = 0; i <= p->sections; i++)
		column_of[i] = 0;
	for (i = 0; i < p->segments; i++) {
		column_of[p->segment[i].l] |= 1;
		column_of[p->segment[i].r] |= 2;
	}
	for (i = 0; i <= p->sections; i++) {
		uint32_t what = column_of[i];

		if (what & 2 && has_begun) {
			s->columns++;
			has_begun = false;
		}
		has_begun |= what & 1;
		column_of[i] = s->columns;
	}
}

/* Find the common divisor of all offsets of boxes that are pushed down. */
static void find_step(struct search *s)
{
	uint64_t before;
	uint32_t b;

	s->step = 0;
	for (b = 0; b < s->boxes; b++) {
		s->step = plan_gcd(s->step, s->box[b].size);
		if (s->box[b].fixed != VNPU_PLAN_NO_OFFSET)
			s->step = plan_gcd(s->step, s->box[b].fixed);
	}
	do {
		before = s->step;
		for (b = 0; b < s->boxes; b++)
			if (s->step % s->box[b].align)
				s->step = plan_gcd(s->step, s->box[b].align);
	} while (s->step != before);
}

/* Keep separated boxes in one part: neither side can be solved alone. */
static void join_parts(struct search *s)
{
	const struct plan_problem *p = s->p;
	uint32_t b, i, c;

	for (b = 0; b < p->boxes; b++) {
		for (i = 0; i < plan_aparts(p, b); i++) {
			const struct search_box *to =
				&s->box[p->apart[p->apart_at[b] + i]];

			for (c = s->box[b].r; c <= to->l; c++)
				s->column[c].cross++;
		}
	}
}

static void make_boxes(struct search *s, const uint32_t *column_of)
{
	const struct plan_problem *p = s->p;
	uint32_t b, k, c, at = 0;

	for (k = 0; k < p->segments; k++) {
		s->span[k] = (struct search_span){
			column_of[p->segment[k].l], column_of[p->segment[k].r],
			at,
		};
		at += s->span[k].r - s->span[k].l;
		s->is_exact &= !p->segment[k].is_part;
	}
	for (b = 0; b < p->boxes; b++) {
		const struct plan_box *from = &p->box[b];
		struct search_box *box = &s->box[b];

		*box = (struct search_box){
			.size = plan_align_up(from->size, p->unit),
			.real = from->size,
			.align = from->align,
			.fixed = from->fixed,
			.span = from->segment,
			.spans = from->segments,
		};
		s->is_scattered |= box->spans > 1;
		box->l = s->span[box->span].l;
		box->r = s->span[box->span + box->spans - 1].r;
		for (c = box->l + 1; c < box->r; c++)
			s->column[c].cross++;
		for (k = box->span; k < box->span + box->spans; k++) {
			for (c = s->span[k].l; c < s->span[k].r; c++) {
				s->column[c].boxes++;
				s->column[c].total += box->size;
			}
		}
	}
}

/* List the boxes of each column; @fill has room for an index of each column. */
static void make_members(struct search *s, uint32_t *fill)
{
	uint32_t b, k, c, at = 0;

	for (c = 0; c < s->columns; c++) {
		s->column[c].first = at;
		fill[c] = at;
		at += s->column[c].boxes;
	}
	for (b = 0; b < s->boxes; b++) {
		const struct search_box *box = &s->box[b];

		for (k = box->span; k < box->span + box->spans; k++) {
			for (c = s->span[k].l; c < s->span[k].r; c++) {
				s->place[s->span[k].at + c - s->span[k].l] =
					fill[c];
				s->member[fill[c]++] = b;
			}
		}
	}
}

/* Boxes by the column in which a span begins, while neighbours are listed. */
struct starts {
	uint32_t *box;
	uint32_t *first;	/* by column, and the end */
	uint32_t *seen;		/* by box: the last one that it was found for */
};

static void make_starts(const struct search *s, struct starts *starts)
{
	uint32_t b, k, c;

	for (k = 0; k < s->p->segments; k++)
		starts->first[s->span[k].l + 1]++;
	for (c = 0; c < s->columns; c++)
		starts->first[c + 1] += starts->first[c];
	for (b = 0; b < s->boxes; b++)
		for (k = s->box[b].span; k < s->box[b].span + s->box[b].spans; k++)
			starts->box[starts->first[s->span[k].l]++] = b;
	/* Each start is now that of the next one. */
	for (c = s->columns; c > 0; c--)
		starts->first[c] = starts->first[c - 1];
	starts->first[0] = 0;
}

static void see(const struct starts *starts, uint32_t b, uint32_t other,
		uint32_t *list, uint32_t *count)
{
	if (starts->seen[other] == b)
		return;
	starts->seen[other] = b;
	if (list)
		list[*count] = other;
	++*count;
}

/* Count the neighbours of @b, and list them if there is an array. */
static uint32_t find_neighbours(const struct search *s,
				const struct starts *starts, uint32_t b,
				uint32_t *list)
{
	const struct search_box *box = &s->box[b];
	uint32_t count = 0, k, i;

	starts->seen[b] = b;
	for (i = 0; i < plan_aparts(s->p, b); i++)
		see(starts, b, s->p->apart[s->p->apart_at[b] + i], list,
		    &count);
	for (k = box->span; k < box->span + box->spans; k++) {
		const struct search_span *span = &s->span[k];
		const struct search_column *column = &s->column[span->l];

		for (i = column->first; i < column->first + column->boxes; i++)
			see(starts, b, s->member[i], list, &count);
		for (i = starts->first[span->l + 1]; i < starts->first[span->r];
		     i++)
			see(starts, b, starts->box[i], list, &count);
	}
	return count;
}

static int list_neighbours(struct search *s, const struct starts *starts)
{
	uint64_t count = 0;
	uint32_t b;

	memset(starts->seen, 0xff, s->boxes * sizeof(*starts->seen));
	for (b = 0; b < s->boxes; b++) {
		s->box[b].next = (uint32_t)count;
		s->box[b].nexts = find_neighbours(s, starts, b, NULL);
		count += s->box[b].nexts;
		if (count > MAX_NEIGHBOURS)
			return -E2BIG;
	}
	s->next = malloc((count + 1) * sizeof(*s->next));
	if (!s->next)
		return -ENOMEM;
	memset(starts->seen, 0xff, s->boxes * sizeof(*starts->seen));
	for (b = 0; b < s->boxes; b++)
		find_neighbours(s, starts, b, s->next + s->box[b].next);
	return 0;
}

static int make_neighbours(struct search *s)
{
	struct starts starts = {
		.box = malloc(s->p->segments * sizeof(*starts.box)),
		.first = calloc((size_t)s->columns + 1, sizeof(*starts.first)),
		.seen = malloc(s->boxes * sizeof(*starts.seen)),
	};
	int err = -ENOMEM;

	if (starts.box && starts.first && starts.seen) {
		make_starts(s, &starts);
		err = list_neighbours(s, &starts);
	}
	free(starts.seen);
	free(starts.first);
	free(starts.box);
	return err;
}

/* Allocate everything but the neighbours. */
static bool make_room(struct search *s, uint64_t places)
{
	const struct plan_problem *p = s->p;

	s->box = calloc(p->boxes, sizeof(*s->box));
	s->span = calloc(p->segments, sizeof(*s->span));
	s->column = calloc((size_t)s->columns + 1, sizeof(*s->column));
	s->member = malloc(places * sizeof(*s->member));
	s->place = malloc(places * sizeof(*s->place));
	s->low = calloc(p->boxes, sizeof(*s->low));
	s->is_placed = calloc(p->boxes, sizeof(*s->is_placed));
	s->failed_bits = 10;
	while (s->failed_bits < 18 && p->boxes >> (s->failed_bits - 8))
		s->failed_bits++;
	s->failed = calloc((size_t)1 << s->failed_bits, sizeof(*s->failed));
	/* The root, one node for each box, and one without boxes to place. */
	s->path = malloc(((size_t)p->boxes + 2) * sizeof(*s->path));
	s->dirty = calloc(s->columns, sizeof(*s->dirty));
	s->is_dirty = calloc(s->columns, sizeof(*s->is_dirty));
	return s->box && s->span && s->column && s->member && s->place &&
	       s->low && s->is_placed && s->failed && s->path && s->dirty &&
	       s->is_dirty;
}

/* @work has room for a number of each section and box, and two more. */
static int search_make(struct search *s, uint32_t *work)
{
	const struct plan_problem *p = s->p;
	uint64_t places = 0;
	uint32_t k;

	make_columns(s, work);
	for (k = 0; k < p->segments; k++)
		places += work[p->segment[k].r] - work[p->segment[k].l];
	if (places > MAX_NEIGHBOURS)
		return -E2BIG;
	if (!make_room(s, places))
		return -ENOMEM;
	make_boxes(s, work);
	s->is_scattered |= !!p->apart;
	join_parts(s);
	find_step(s);
	make_members(s, work);
	return make_neighbours(s);
}

int search_init(struct search *s, const struct plan_problem *p)
{
	uint32_t *work;
	int err;

	*s = (struct search){ .p = p, .boxes = p->boxes, .is_exact = true };
	if (p->boxes > MAX_BOXES)
		return -E2BIG;
	work = calloc((size_t)p->sections + p->boxes + 2, sizeof(*work));
	err = work ? search_make(s, work) : -ENOMEM;
	free(work);
	if (err)
		search_fini(s);
	return err;
}

void search_fini(struct search *s)
{
	free(s->failed);
	free(s->path);
	free(s->undo);
	free(s->is_dirty);
	free(s->dirty);
	free(s->is_placed);
	free(s->low);
	free(s->place);
	free(s->member);
	free(s->next);
	free(s->column);
	free(s->span);
	free(s->box);
}
