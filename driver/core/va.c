// SPDX-License-Identifier: GPL-2.0-only
/* Address map of a client. See va.h. */
#include "va.h"

static inline struct vnpu_va_node *to_node(const struct rb_node *rb)
{
	return rb ? rb_entry(rb, struct vnpu_va_node, rb) : NULL;
}

void vnpu_va_init(struct vnpu_va_map *m)
{
	m->root = RB_ROOT;
	m->count = 0;
}

int vnpu_va_insert(struct vnpu_va_map *m, struct vnpu_va_node *n)
{
	struct rb_node **link = &m->root.rb_node;
	struct rb_node *parent = NULL;

	if (n->last < n->start)
		return -EINVAL;

	while (*link) {
		struct vnpu_va_node *at = to_node(*link);

		parent = *link;
		if (n->last < at->start)
			link = &parent->rb_left;
		else if (n->start > at->last)
			link = &parent->rb_right;
		else
			return -EEXIST;
	}

	rb_link_node(&n->rb, parent, link);
	rb_insert_color(&n->rb, &m->root);
	m->count++;
	return 0;
}

void vnpu_va_remove(struct vnpu_va_map *m, struct vnpu_va_node *n)
{
	rb_erase(&n->rb, &m->root);
	m->count--;
}

struct vnpu_va_node *vnpu_va_find(const struct vnpu_va_map *m, u64 addr)
{
	struct rb_node *rb = m->root.rb_node;

	while (rb) {
		struct vnpu_va_node *at = to_node(rb);

		if (addr < at->start)
			rb = rb->rb_left;
		else if (addr > at->last)
			rb = rb->rb_right;
		else
			return at;
	}
	return NULL;
}

struct vnpu_va_node *vnpu_va_first(const struct vnpu_va_map *m, u64 start,
				   u64 last)
{
	struct rb_node *rb = m->root.rb_node;
	struct vnpu_va_node *best = NULL;

	/* Find the lowest range that does not end before the interval. */
	while (rb) {
		struct vnpu_va_node *at = to_node(rb);

		if (at->last < start) {
			rb = rb->rb_right;
		} else {
			best = at;
			rb = rb->rb_left;
		}
	}
	return best && start <= last && best->start <= last ? best : NULL;
}

struct vnpu_va_node *vnpu_va_next(const struct vnpu_va_node *n)
{
	return to_node(rb_next(&n->rb));
}
