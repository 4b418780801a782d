// SPDX-License-Identifier: MIT
/*
 * Pinwheels: four pieces around a middle one.
 *
 *	+--------+-----------+
 *	|        |   after   |
 *	| before +------+----+	offset ^
 *	|        |middle|    |	       |
 *	+--------+------+over|	       +--> time
 *	|     under     |    |
 *	+---------------+----+
 *
 * The mirror image consists of the same pieces.
 */
#include "merge.h"

static const struct merge_piece *piece_of(const struct plan_merge *m,
					  const struct merge_wheel *w,
					  enum merge_role role)
{
	return &m->piece[w->piece[role]];
}

/* Check that all have the same alignment, and whole multiples of it. */
static bool is_aligned(const struct plan_merge *m, const struct merge_wheel *w)
{
	uint64_t align = piece_of(m, w, WHEEL_MIDDLE)->align;
	int i;

	for (i = WHEEL_MIDDLE; i <= WHEEL_OVER; i++) {
		const struct merge_piece *x = &m->piece[w->piece[i]];

		if (x->align != align || x->size % align)
			return false;
	}
	return true;
}

/* Check the piece of @role against those that were found before it. */
static bool fits(const struct plan_merge *m, const struct merge_wheel *w,
		 enum merge_role role)
{
	const struct merge_piece *middle = piece_of(m, w, WHEEL_MIDDLE);
	const struct merge_piece *x = piece_of(m, w, role);

	if (w->role == role && w->piece[role] != w->fixed)
		return false;
	switch (role) {
	case WHEEL_MIDDLE:
		break;
	case WHEEL_BEFORE:
		return x->size > middle->size;
	case WHEEL_AFTER:
		return x != middle && x->size + middle->size ==
				      piece_of(m, w, WHEEL_BEFORE)->size;
	case WHEEL_UNDER:
		return x != middle && x->l == piece_of(m, w, WHEEL_BEFORE)->l;
	case WHEEL_OVER:
		return x->r == piece_of(m, w, WHEEL_AFTER)->r &&
		       x->size == middle->size +
				  piece_of(m, w, WHEEL_UNDER)->size &&
		       is_aligned(m, w);
	}
	return true;
}

/* Find a piece for @role, and for those that follow. */
static bool find_from(const struct plan_merge *m, struct merge_wheel *w,
		      enum merge_role role)
{
	const struct merge_piece *middle = piece_of(m, w, WHEEL_MIDDLE);
	bool ends = role == WHEEL_BEFORE || role == WHEEL_UNDER;
	enum merge_end end = ends ? MERGE_END : MERGE_BEGIN;
	uint32_t section = role <= WHEEL_AFTER ? middle->l : middle->r;
	uint32_t i;

	for (i = m->first[end][section]; i != PLAN_NONE && w->looks;
	     i = m->piece[i].next[end]) {
		w->looks--;
		w->piece[role] = i;
		if (fits(m, w, role) &&
		    (role == WHEEL_OVER ||
		     find_from(m, w, (enum merge_role)(role + 1))))
			return true;
	}
	return false;
}

bool merge_wheel_find(const struct plan_merge *m, struct merge_wheel *w,
		      uint32_t middle, enum merge_role role, uint32_t fixed)
{
	w->piece[WHEEL_MIDDLE] = middle;
	w->role = role;
	w->fixed = fixed;
	return find_from(m, w, WHEEL_BEFORE);
}

void merge_wheel_join(const struct plan_merge *m, const struct merge_wheel *w,
		      struct merge_parts *parts, struct merge_piece *whole)
{
	const struct merge_piece *before = piece_of(m, w, WHEEL_BEFORE);
	const struct merge_piece *under = piece_of(m, w, WHEEL_UNDER);
	const struct merge_piece *over = piece_of(m, w, WHEEL_OVER);
	uint32_t i;

	*parts = (struct merge_parts){
		.count = MERGE_PARTS,
		.within = {
			[WHEEL_MIDDLE] = under->size,
			[WHEEL_BEFORE] = under->size,
			[WHEEL_AFTER] = over->size,
		},
	};
	for (i = 0; i < MERGE_PARTS; i++)
		parts->piece[i] = w->piece[i];
	*whole = (struct merge_piece){
		.l = before->l, .r = over->r, .align = before->align,
		.size = under->size + before->size,
	};
}
