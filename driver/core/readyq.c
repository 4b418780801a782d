// SPDX-License-Identifier: GPL-2.0-only
/* The ready streams of a context. See readyq.h. */
#include "readyq.h"

void vnpu_readyq_init(struct vnpu_readyq *q)
{
	unsigned int prio;

	for (prio = 0; prio < VNPU_READY_PRIORITIES; prio++) {
		q->nodes[prio] = RB_ROOT_CACHED;
		q->vtime[prio] = 0;
		q->passes[prio] = 0;
	}
	q->waiting = 0;
}

static struct vnpu_ready_node *node_of(struct rb_node *rb)
{
	return rb_entry(rb, struct vnpu_ready_node, link);
}

static bool node_less(struct rb_node *a, const struct rb_node *b)
{
	return node_of(a)->vtime <
	       rb_entry(b, struct vnpu_ready_node, link)->vtime;
}

void vnpu_readyq_push(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		      unsigned int prio)
{
	u64 then = q->vtime[node->prio];
	u64 ahead = node->vtime > then ? node->vtime - then : 0;

	/* A node keeps its lead in used time, also in another priority. */
	node->vtime = q->vtime[prio] + ahead;
	node->is_queued = true;
	node->prio = prio;
	rb_add_cached(&node->link, &q->nodes[prio], node_less);
	q->waiting |= 1U << prio;
}

bool vnpu_readyq_remove(struct vnpu_readyq *q, struct vnpu_ready_node *node)
{
	unsigned int prio = node->prio;

	if (!node->is_queued)
		return false;

	rb_erase_cached(&node->link, &q->nodes[prio]);
	node->is_queued = false;
	if (RB_EMPTY_ROOT(&q->nodes[prio].rb_root)) {
		q->waiting &= ~(1U << prio);
		q->passes[prio] = 0;
	}
	return true;
}

/* Choose the highest priority that was passed over often, or the highest. */
static unsigned int next_prio(const struct vnpu_readyq *q)
{
	unsigned int prio;

	for (prio = 0; prio < VNPU_READY_PRIORITIES; prio++)
		if (q->passes[prio] >= VNPU_READY_PASSES)
			return prio;
	return vnpu_readyq_first(q);
}

struct vnpu_ready_node *vnpu_readyq_pop(struct vnpu_readyq *q)
{
	unsigned int prio = next_prio(q), below;
	struct vnpu_ready_node *node;

	if (prio == VNPU_READY_PRIORITIES)
		return NULL;

	for (below = prio + 1; below < VNPU_READY_PRIORITIES; below++)
		q->passes[below] += q->waiting >> below & 1;
	q->passes[prio] = 0;
	node = node_of(rb_first_cached(&q->nodes[prio]));
	q->vtime[prio] = max(q->vtime[prio], node->vtime);
	vnpu_readyq_remove(q, node);
	return node;
}
