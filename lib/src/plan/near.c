// SPDX-License-Identifier: MIT
/*
 * The boxes with an offset that are alive at given times, in a tree over time.
 *
 * A node stands for the sections with numbers that begin with the same bits,
 * and has the boxes that are alive on both sides of its middle, so each box is
 * in one node.  Its memory is linear in the number of boxes.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* Insertion sorts fewer than this faster than qsort(). */
#define FEW	32

/* A segment in a node of the tree. */
struct entry {
	uint64_t from, to;
	uint32_t l, r;
	uint32_t next;		/* in the node, or PLAN_NONE */
};

struct plan_near {
	const struct plan_problem *p;
	struct entry *entry;
	uint32_t entries;
	uint32_t depth;		/* of the tree: log2 of its leaves */
	uint32_t *node;		/* first entry of each node; the root is 1 */
	bool *is_used;		/* whether it or a node below has an entry */
	struct plan_bytes *found;	/* by the last call */
	uint32_t finds, find_room;
	uint32_t *alive;	/* segments by section: alive in it, */
	uint32_t *begun;	/* and begun in it or before */
};

/* Count the segments by section, which limits the number of neighbours. */
static void count_segments(struct plan_near *near)
{
	const struct plan_problem *p = near->p;
	uint32_t alive = 0, begun = 0, i;

	/* Ends are counted in @alive, until they are subtracted. */
	for (i = 0; i < p->segments; i++) {
		near->begun[p->segment[i].l]++;
		near->alive[p->segment[i].r]++;
	}
	for (i = 0; i <= p->sections; i++) {
		alive += near->begun[i] - near->alive[i];
		begun += near->begun[i];
		near->alive[i] = alive;
		near->begun[i] = begun;
	}
}

struct plan_near *plan_near_create(const struct plan_problem *p)
{
	struct plan_near *near = calloc(1, sizeof(*near));
	size_t sections = (size_t)p->sections + 1, nodes;

	if (!near)
		return NULL;
	near->p = p;
	while ((UINT32_C(1) << near->depth) < sections)
		near->depth++;
	nodes = (size_t)2 << near->depth;
	near->entry = malloc(((size_t)p->segments + 1) * sizeof(*near->entry));
	near->node = malloc(nodes * sizeof(*near->node));
	near->is_used = malloc(nodes * sizeof(*near->is_used));
	near->alive = calloc(sections, sizeof(*near->alive));
	near->begun = calloc(sections, sizeof(*near->begun));
	if (!near->entry || !near->node || !near->is_used || !near->alive ||
	    !near->begun) {
		plan_near_destroy(near);
		return NULL;
	}
	count_segments(near);
	plan_near_reset(near);
	return near;
}

void plan_near_destroy(struct plan_near *near)
{
	if (!near)
		return;
	free(near->begun);
	free(near->alive);
	free(near->found);
	free(near->is_used);
	free(near->node);
	free(near->entry);
	free(near);
}

void plan_near_reset(struct plan_near *near)
{
	size_t nodes = (size_t)2 << near->depth;

	near->entries = 0;
	memset(near->node, 0xff, nodes * sizeof(*near->node));
	memset(near->is_used, 0, nodes * sizeof(*near->is_used));
}

/* Find the number of the node with all segments like [@l, @r). */
static uint32_t node_of(const struct plan_near *near, uint32_t l,
			uint32_t r)
{
	uint32_t differ = l ^ (r - 1), level = 0;

	if (differ)
		level = 32 - (uint32_t)__builtin_clz(differ);
	return (UINT32_C(1) << (near->depth - level)) | l >> level;
}

void plan_near_add(struct plan_near *near, const struct plan_segment *seg,
		   uint64_t offset)
{
	uint32_t n = node_of(near, seg->l, seg->r);

	near->entry[near->entries] = (struct entry){
		offset + seg->lo, offset + seg->hi, seg->l, seg->r,
		near->node[n],
	};
	near->node[n] = near->entries++;
	for (; n && !near->is_used[n]; n /= 2)
		near->is_used[n] = true;
}

/* Collect the neighbours in a node; there is room. */
static void collect_node(struct plan_near *near, uint32_t n, uint32_t l,
			 uint32_t r)
{
	uint32_t i;

	for (i = near->node[n]; i != PLAN_NONE; i = near->entry[i].next) {
		const struct entry *e = &near->entry[i];

		if (e->l < r && e->r > l)
			near->found[near->finds++] = (struct plan_bytes){
				e->from, e->to,
			};
	}
}

/*
 * Collect the neighbours in node @n, which begins at section @begin and has
 * 2^@level of them, and below.
 */
static void collect(struct plan_near *near, uint32_t n, uint32_t begin,
		    uint32_t level, uint32_t l, uint32_t r)
{
	if (!near->is_used[n] || begin >= r ||
	    (uint64_t)begin + (UINT64_C(1) << level) <= l)
		return;
	collect_node(near, n, l, r);
	if (!level)
		return;
	level--;
	collect(near, 2 * n, begin, level, l, r);
	collect(near, 2 * n + 1, begin + (UINT32_C(1) << level), level, l, r);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct plan_bytes *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void sort_by_offset(struct plan_bytes *bytes, uint32_t count)
{
	uint32_t i, k;

	if (count > FEW) {
		qsort(bytes, count, sizeof(*bytes), compare_offsets);
		return;
	}
	for (i = 1; i < count; i++) {
		struct plan_bytes b = bytes[i];

		for (k = i; k > 0 && bytes[k - 1].from > b.from; k--)
			bytes[k] = bytes[k - 1];
		bytes[k] = b;
	}
}

uint32_t plan_near_count(const struct plan_near *near, uint32_t l, uint32_t r)
{
	return near->alive[l] + near->begun[r - 1] - near->begun[l];
}

const struct plan_bytes *plan_near_collect(struct plan_near *near, uint32_t l,
					   uint32_t r, uint32_t *count)
{
	if (!plan_grow(&near->found, &near->find_room,
		       plan_near_count(near, l, r) + 1, sizeof(*near->found)))
		return NULL;
	near->finds = 0;
	collect(near, 1, 0, near->depth, l, r);
	sort_by_offset(near->found, near->finds);
	*count = near->finds;
	return near->found;
}
