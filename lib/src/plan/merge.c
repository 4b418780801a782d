// SPDX-License-Identifier: MIT
/*
 * Boxes that fill a rectangle together, without a gap, become one box.
 *
 * Two boxes of the same time are stacked.  A box is continued by one of the same
 * size that begins when it ends.  Five boxes form a pinwheel, which is the
 * smallest rectangle that cannot be cut in two.  The results are merged again.
 * The bytes that are alive at any time stay the same, so the bound does, too,
 * and a plan for the fewer boxes is a plan for all.  It is found much sooner: a
 * plan without a gap for thousands of boxes may be found in no other way.
 *
 * Boxes may fit together by chance, and their merger may prevent the solution.
 * The more boxes begin or end at the same time, and the smaller the sizes are,
 * the likelier is that.  So the least likely mergers are made first.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/* The most pieces that are compared with another one at each of its ends. */
#define LOOKS		32

/* The most pieces that are looked at for all pinwheels of a piece. */
#define WHEEL_LOOKS	4096

/* Pieces that are looked around between two looks at the clock. */
#define CLOCK_LOOKS	64

/* The noise multiplies chances by 1 to 26, in steps of 1/16. */
#define NOISE_STEPS	400

static uint32_t section_of(const struct merge_piece *piece, enum merge_end end)
{
	return end == MERGE_BEGIN ? piece->l : piece->r;
}

static void link_end(struct plan_merge *m, uint32_t i, enum merge_end end)
{
	struct merge_piece *piece = &m->piece[i];
	uint32_t section = section_of(piece, end);
	uint32_t *head = &m->first[end][section];

	piece->previous[end] = PLAN_NONE;
	piece->next[end] = *head;
	if (*head != PLAN_NONE)
		m->piece[*head].previous[end] = i;
	*head = i;
	m->count[end][section]++;
}

static void unlink_end(struct plan_merge *m, uint32_t i, enum merge_end end)
{
	const struct merge_piece *piece = &m->piece[i];
	uint32_t section = section_of(piece, end);

	if (piece->next[end] != PLAN_NONE)
		m->piece[piece->next[end]].previous[end] = piece->previous[end];
	if (piece->previous[end] != PLAN_NONE)
		m->piece[piece->previous[end]].next[end] = piece->next[end];
	else
		m->first[end][section] = piece->next[end];
	m->count[end][section]--;
}

static void add_root(struct plan_merge *m, uint32_t i)
{
	m->piece[i].parent = PLAN_NONE;
	m->piece[i].place = m->roots;
	m->root[m->roots++] = i;
	link_end(m, i, MERGE_BEGIN);
	link_end(m, i, MERGE_END);
}

static void remove_root(struct plan_merge *m, uint32_t i, uint32_t parent)
{
	uint32_t last = m->root[--m->roots];

	unlink_end(m, i, MERGE_BEGIN);
	unlink_end(m, i, MERGE_END);
	m->root[m->piece[i].place] = last;
	m->piece[last].place = m->piece[i].place;
	m->piece[i].parent = parent;
}

void merge_compose(struct plan_merge *m, uint32_t i)
{
	const struct merge_parts *parts = merge_parts_of(m, i);
	uint32_t k;

	for (k = 0; k < parts->count; k++)
		remove_root(m, parts->piece[k], i);
	add_root(m, i);
	m->work++;
}

void merge_dissolve(struct plan_merge *m, uint32_t i)
{
	const struct merge_parts *parts = merge_parts_of(m, i);
	uint32_t k;

	remove_root(m, i, i);
	for (k = 0; k < parts->count; k++)
		add_root(m, parts->piece[k]);
	m->unused[m->unuseds++] = i;
	m->work++;
}

bool merge_note(struct plan_merge *m, bool is_made, uint32_t i)
{
	if (!plan_grow(&m->step, &m->step_room, m->steps + 1,
		       sizeof(*m->step))) {
		m->no_memory = true;
		return false;
	}
	m->step[m->steps++] = (struct merge_step){
		is_made, i, *merge_parts_of(m, i), m->piece[i],
	};
	return true;
}

static bool is_sooner(const struct merge_proposal *a,
		      const struct merge_proposal *b)
{
	return a->chance != b->chance ? a->chance < b->chance :
					a->number < b->number;
}

static void push(struct plan_merge *m, uint64_t chance, uint32_t a, uint32_t b)
{
	const struct merge_proposal new = { chance, m->numbers++, a, b };
	uint32_t i = m->proposals, up;

	if (!plan_grow(&m->heap, &m->proposal_room, m->proposals + 1,
		       sizeof(*m->heap))) {
		m->no_memory = true;
		return;
	}
	m->proposals++;
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!is_sooner(&new, &m->heap[up]))
			break;
		m->heap[i] = m->heap[up];
	}
	m->heap[i] = new;
}

static struct merge_proposal pop(struct plan_merge *m)
{
	struct merge_proposal best = m->heap[0];
	struct merge_proposal last = m->heap[--m->proposals];
	uint32_t i = 0, down;

	while ((down = 2 * i + 1) < m->proposals) {
		if (down + 1 < m->proposals &&
		    is_sooner(&m->heap[down + 1], &m->heap[down]))
			down++;
		if (!is_sooner(&m->heap[down], &last))
			break;
		m->heap[i] = m->heap[down];
		i = down;
	}
	m->heap[i] = last;
	return best;
}

static bool divides(uint64_t a, uint64_t b)
{
	return a % b == 0 || b % a == 0;
}

static bool is_stack(const struct merge_piece *a, const struct merge_piece *b)
{
	return a->l == b->l && a->r == b->r && divides(a->align, b->align) &&
	       (a->size % b->align == 0 || b->size % a->align == 0);
}

static bool is_chain(const struct merge_piece *a, const struct merge_piece *b)
{
	return a->r == b->l && a->size == b->size && divides(a->align, b->align);
}

/* Compute the chance that some pair at two times fits in one of @range ways. */
static uint64_t chance(const struct plan_merge *m, uint32_t end, uint32_t begin,
		       uint64_t range, uint64_t noise)
{
	uint64_t pairs = (uint64_t)m->count[MERGE_END][end] *
			 m->count[MERGE_BEGIN][begin];

	return (pairs << 20) / range * noise;
}

static uint64_t noise_of(const struct plan_merge *m, uint32_t a, uint32_t b)
{
	uint64_t h = (a + 1) * 0x9e3779b97f4a7c15 ^
		     (b + 1) * 0xbf58476d1ce4e5b9 ^
		     m->turn * 0x94d049bb133111eb;

	h ^= h >> 31;
	h *= 0x9e3779b97f4a7c15;
	return 16 + (m->turn ? (h >> 32) % NOISE_STEPS : 0);
}

/* Compute the chance that a pair fits by chance; UINT64_MAX if it does not. */
static uint64_t chance_of(const struct plan_merge *m, uint32_t a, uint32_t b)
{
	const struct merge_piece *x = &m->piece[a], *y = &m->piece[b];

	if (is_stack(x, y))
		return chance(m, x->r, x->l, x->r - x->l, noise_of(m, a, b));
	if (is_chain(x, y))
		return chance(m, x->r, x->r, x->size / m->unit,
			      noise_of(m, a, b));
	return UINT64_MAX;
}

static bool propose(struct plan_merge *m, uint32_t a, uint32_t b)
{
	uint64_t chance = chance_of(m, a, b);

	if (chance == UINT64_MAX)
		return false;
	push(m, chance, a, b);
	return true;
}

static void look_along(struct plan_merge *m, uint32_t i, enum merge_end end,
		       uint32_t section)
{
	uint32_t looks = LOOKS, k;

	for (k = m->first[end][section]; k != PLAN_NONE && looks;
	     k = m->piece[k].next[end], looks--)
		if (k != i && !propose(m, i, k))
			propose(m, k, i);
}

/* Propose pinwheels in which piece @i has @role. */
static void look_around(struct plan_merge *m, struct merge_wheel *w, uint32_t i,
			enum merge_role role)
{
	enum merge_end end = role <= WHEEL_AFTER ? MERGE_BEGIN : MERGE_END;
	bool ends = role == WHEEL_BEFORE || role == WHEEL_UNDER;
	uint32_t section = ends ? m->piece[i].r : m->piece[i].l;
	uint32_t looks = LOOKS, middle;

	for (middle = m->first[end][section]; middle != PLAN_NONE && looks;
	     middle = m->piece[middle].next[end], looks--)
		if (merge_wheel_find(m, w, middle, role, i))
			push(m, 0, middle, middle);
}

void merge_look(struct plan_merge *m, uint32_t i)
{
	const struct merge_piece *piece = &m->piece[i];
	struct merge_wheel w = { .looks = WHEEL_LOOKS };
	int role;

	look_along(m, i, MERGE_BEGIN, piece->l);
	look_along(m, i, MERGE_BEGIN, piece->r);
	look_along(m, i, MERGE_END, piece->l);
	if (merge_wheel_find(m, &w, i, WHEEL_MIDDLE, i))
		push(m, 0, i, i);
	for (role = WHEEL_BEFORE; role <= WHEEL_OVER; role++)
		look_around(m, &w, i, (enum merge_role)role);
}

static void merge(struct plan_merge *m, const struct merge_parts *parts,
		  const struct merge_piece *whole)
{
	uint32_t i = m->unused[--m->unuseds];

	*merge_parts_of(m, i) = *parts;
	m->piece[i] = *whole;
	merge_compose(m, i);
	if (merge_note(m, true, i))
		merge_look(m, i);
}

static void merge_pair(struct plan_merge *m, uint32_t a, uint32_t b)
{
	const struct merge_piece *x = &m->piece[a], *y = &m->piece[b];
	struct merge_parts parts = { .count = 2, .piece = { a, b } };
	struct merge_piece whole = {
		.l = x->l, .r = y->r, .size = x->size,
		.align = x->align > y->align ? x->align : y->align,
	};

	if (is_stack(x, y)) {
		bool is_first_below = x->size % y->align == 0;

		whole.size += y->size;
		parts.within[is_first_below] = is_first_below ? x->size :
								y->size;
	}
	merge(m, &parts, &whole);
}

static void merge_wheel(struct plan_merge *m, const struct merge_wheel *w)
{
	struct merge_piece whole;
	struct merge_parts parts;

	merge_wheel_join(m, w, &parts, &whole);
	merge(m, &parts, &whole);
}

/* Check whether the time is up, once in a while. */
static bool is_late(const struct plan_merge *m, uint32_t looks)
{
	return looks % CLOCK_LOOKS == 0 && plan_is_spent(m->budget, 0);
}

void merge_all(struct plan_merge *m)
{
	uint32_t looks = 0;

	while (m->proposals && !m->no_memory && !is_late(m, ++looks)) {
		struct merge_proposal best = pop(m);
		struct merge_wheel w = { .looks = WHEEL_LOOKS };

		if (m->piece[best.a].parent != PLAN_NONE ||
		    m->piece[best.b].parent != PLAN_NONE)
			continue;
		if (best.a == best.b) {
			if (merge_wheel_find(m, &w, best.a, WHEEL_MIDDLE,
					     best.a))
				merge_wheel(m, &w);
			continue;
		}
		/* Other mergers may have changed it since. */
		if (chance_of(m, best.a, best.b) > best.chance)
			propose(m, best.a, best.b);
		else
			merge_pair(m, best.a, best.b);
	}
}

bool merge_is_simple(const struct plan_problem *p, const struct plan_box *box)
{
	return box->segments == 1 && !p->segment[box->segment].is_part &&
	       box->fixed == VNPU_PLAN_NO_OFFSET;
}

/* List the boxes by the sections that they begin and end at. */
static void list_touches(struct plan_merge *m)
{
	uint32_t *at = m->touch_at, i;

	for (i = 0; i < m->p->boxes; i++) {
		if (m->piece[i].parent != PLAN_NONE)
			continue;
		at[m->piece[i].l + 1]++;
		at[m->piece[i].r + 1]++;
	}
	for (i = 0; i <= m->p->sections; i++)
		at[i + 1] += at[i];
	for (i = 0; i < m->p->boxes; i++) {
		if (m->piece[i].parent != PLAN_NONE)
			continue;
		m->touch[at[m->piece[i].l]++] = i;
		m->touch[at[m->piece[i].r]++] = i;
	}
	/* Each start is now that of the next section. */
	for (i = m->p->sections + 1; i > 0; i--)
		at[i] = at[i - 1];
	at[0] = 0;
}

static bool make_room(struct plan_merge *m)
{
	size_t sections = (size_t)m->p->sections + 1, end;
	size_t pieces = 2 * (size_t)m->p->boxes + 1;
	bool ok = true;

	m->piece = calloc(pieces, sizeof(*m->piece));
	m->parts = calloc((size_t)m->p->boxes + 1, sizeof(*m->parts));
	m->unused = malloc(pieces * sizeof(*m->unused));
	m->root = malloc(pieces * sizeof(*m->root));
	m->index = malloc(pieces * sizeof(*m->index));
	m->touch = malloc(pieces * sizeof(*m->touch));
	m->touch_at = calloc(sections + 2, sizeof(*m->touch_at));
	for (end = MERGE_BEGIN; end <= MERGE_END; end++) {
		m->first[end] = malloc(sections * sizeof(*m->first[end]));
		m->count[end] = calloc(sections, sizeof(*m->count[end]));
		ok &= m->first[end] && m->count[end];
		if (m->first[end])
			memset(m->first[end], 0xff,
			       sizeof(*m->first[end]) * sections);
	}
	return ok && m->piece && m->parts && m->unused && m->root && m->index &&
	       m->touch && m->touch_at;
}

static void add_pieces(struct plan_merge *m)
{
	const struct plan_problem *p = m->p;
	uint32_t i;

	for (i = 2 * p->boxes; i-- > p->boxes;) {
		m->piece[i].parent = i;
		m->unused[m->unuseds++] = i;
	}
	for (i = 0; i < p->boxes; i++) {
		const struct plan_box *box = &p->box[i];

		m->piece[i] = (struct merge_piece){
			.size = box->size, .align = box->align,
			.l = box->l, .r = box->r, .parent = i,
		};
		m->unit = plan_gcd(m->unit, box->size);
		if (merge_is_simple(p, box))
			add_root(m, i);
	}
	list_touches(m);
	for (i = 0; i < p->boxes && !is_late(m, i + 1); i++)
		if (m->piece[i].parent == PLAN_NONE)
			merge_look(m, i);
}

struct plan_merge *plan_merge_create(const struct plan_problem *p,
				     struct plan_budget *budget)
{
	struct plan_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->p = p;
	m->budget = budget;
	m->random = 1;
	m->no_memory = !make_room(m);
	if (!m->no_memory) {
		add_pieces(m);
		merge_all(m);
	}
	if (m->no_memory) {
		plan_merge_destroy(m);
		return NULL;
	}
	return m;
}

void plan_merge_destroy(struct plan_merge *m)
{
	size_t end;

	if (!m)
		return;
	for (end = MERGE_BEGIN; end <= MERGE_END; end++) {
		free(m->first[end]);
		free(m->count[end]);
	}
	free(m->touch_at);
	free(m->touch);
	free(m->index);
	free(m->step);
	free(m->heap);
	free(m->root);
	free(m->unused);
	free(m->parts);
	free(m->piece);
	free(m);
}
