// SPDX-License-Identifier: GPL-2.0-only
/* What is ready to run, by priority. See readyq.h. */
#include "readyq.h"

void vnpu_readyq_init(struct vnpu_readyq *q)
{
	unsigned int prio;

	for (prio = 0; prio < VNPU_READY_PRIORITIES; prio++) {
		INIT_LIST_HEAD(&q->head[prio]);
		q->passes[prio] = 0;
	}
	q->waiting = 0;
}

static void set_queued(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		       unsigned int prio)
{
	node->is_queued = true;
	node->prio = prio;
	q->waiting |= 1U << prio;
}

void vnpu_readyq_push(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		      unsigned int prio)
{
	list_add_tail(&node->link, &q->head[prio]);
	set_queued(q, node, prio);
}

void vnpu_readyq_push_front(struct vnpu_readyq *q, struct vnpu_ready_node *node,
			    unsigned int prio)
{
	list_add(&node->link, &q->head[prio]);
	set_queued(q, node, prio);
}

bool vnpu_readyq_remove(struct vnpu_readyq *q, struct vnpu_ready_node *node)
{
	unsigned int prio = node->prio;

	if (!node->is_queued)
		return false;

	list_del(&node->link);
	node->is_queued = false;
	if (list_empty(&q->head[prio])) {
		q->waiting &= ~(1U << prio);
		q->passes[prio] = 0;
	}
	return true;
}

/* The highest priority that was passed over often enough, or the highest. */
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
	node = list_first_entry(&q->head[prio], struct vnpu_ready_node, link);
	vnpu_readyq_remove(q, node);
	return node;
}
