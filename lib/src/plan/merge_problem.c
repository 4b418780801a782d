// SPDX-License-Identifier: MIT
/*
 * The problem that is left after the mergers, and offsets from its solution.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/* Add a piece, with the segments of its box if it was not merged. */
static void add_box(const struct plan_merge *m, uint32_t i,
		    struct plan_problem *left)
{
	const struct merge_piece *piece = &m->piece[i];
	struct plan_segment *segment = &left->segment[left->segments];
	struct plan_box *box = &left->box[left->boxes++];

	if (merge_is_box(m, i)) {
		*box = m->p->box[i];
		memcpy(segment, &m->p->segment[box->segment],
		       box->segments * sizeof(*segment));
	} else {
		*box = (struct plan_box){
			.size = piece->size, .align = piece->align,
			.fixed = VNPU_PLAN_NO_OFFSET,
			.l = piece->l, .r = piece->r, .segments = 1,
		};
		*segment = (struct plan_segment){
			.l = piece->l, .r = piece->r, .hi = piece->size,
		};
	}
	box->segment = left->segments;
	left->segments += box->segments;
}

bool plan_merge_problem(struct plan_merge *m, struct plan_problem *left)
{
	const struct plan_problem *p = m->p;
	uint32_t i;

	*left = *p;
	left->box_of = NULL;
	left->within = NULL;
	left->boxes = 0;
	left->segments = 0;
	left->box = malloc(((size_t)p->boxes + 1) * sizeof(*left->box));
	left->segment = malloc(((size_t)p->segments + 1) *
			       sizeof(*left->segment));
	if (!left->box || !left->segment) {
		plan_merge_release(left);
		return false;
	}
	for (i = 0; i < 2 * p->boxes; i++) {
		bool is_own = merge_is_box(m, i) &&
			      !merge_is_simple(p, &p->box[i]);

		m->index[i] = PLAN_NONE;
		if (m->piece[i].parent != PLAN_NONE && !is_own)
			continue;
		m->index[i] = left->boxes;
		add_box(m, i, left);
	}
	return true;
}

void plan_merge_release(struct plan_problem *left)
{
	free(left->segment);
	free(left->box);
}

bool plan_merge_expand(const struct plan_merge *m, const uint64_t *from,
		       uint64_t *offset)
{
	size_t pieces = 2 * (size_t)m->p->boxes + 1;
	uint32_t *todo = malloc(pieces * sizeof(*todo));
	uint64_t *at = malloc(pieces * sizeof(*at));
	uint32_t count = 0, i, k;
	bool ok = todo && at;

	for (i = 0; ok && i < 2 * m->p->boxes; i++) {
		if (m->index[i] == PLAN_NONE)
			continue;
		at[i] = from[m->index[i]];
		todo[count++] = i;
	}
	while (count) {
		const struct merge_parts *parts;

		i = todo[--count];
		if (merge_is_box(m, i)) {
			offset[i] = at[i];
			continue;
		}
		parts = merge_parts_of(m, i);
		for (k = 0; k < parts->count; k++) {
			at[parts->piece[k]] = at[i] + parts->within[k];
			todo[count++] = parts->piece[k];
		}
	}
	free(at);
	free(todo);
	return ok;
}
