/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue of one context's streams that are ready to run, by priority.
 *
 * The queue serves the highest priority that has a node. Lower priorities do
 * not starve: after pops of higher ones have passed over a priority
 * VNPU_READY_PASSES times, it is served once ahead of them, and its count
 * starts again. If this holds for several priorities, the highest of them is
 * first. So at most VNPU_READY_PASSES + VNPU_READY_PRIORITIES - 2 pops of
 * higher priorities pass over the head of a priority.
 *
 * Within a priority, the node that has used the least time is first; among
 * equals, the one that was pushed first. A node that returns after a pause gets
 * no turns for the time of the pause.
 *
 * The caller embeds the nodes in its own objects; the queue allocates nothing.
 * All operations are O(log n). Callers serialise.
 */
#ifndef VNPU_CORE_READYQ_H
#define VNPU_CORE_READYQ_H

#include "core_internal.h"

/* 0 is the highest priority. */
#define VNPU_READY_PRIORITIES	8

/*
 * If a stream could keep an engine busy, a stream of a lower priority still
 * gets every 17th chunk of the engine's time, 6 %.
 */
#define VNPU_READY_PASSES	16

/**
 * struct vnpu_ready_node - a member of a queue; initialise it with zeroes
 * @link: private: node in the queue's @nodes
 * @vtime: private: used time, relative to the @vtime of its priority
 * @is_queued: private: true if in a queue
 * @prio: private: the current or, if not queued, the last priority
 */
struct vnpu_ready_node {
	struct rb_node link;
	u64 vtime;
	bool is_queued;
	u8 prio;
};

/**
 * struct vnpu_readyq - a queue of ready nodes
 * @nodes: private: the nodes of each priority, by used time
 * @vtime: private: the most used time of a node when popped, for each priority
 * @passes: private: how often each priority was passed over
 * @waiting: private: a bit for each priority that has nodes
 */
struct vnpu_readyq {
	struct rb_root_cached nodes[VNPU_READY_PRIORITIES];
	u64 vtime[VNPU_READY_PRIORITIES];
	u8 passes[VNPU_READY_PRIORITIES];
	u8 waiting;
};

/**
 * vnpu_readyq_init() - initialise an empty queue
 * @q: the queue
 */
void vnpu_readyq_init(struct vnpu_readyq *q);

/**
 * vnpu_readyq_push() - enqueue a node
 * @q: the queue
 * @node: the node, in no queue; a node may only ever be in one queue
 * @prio: the priority, below VNPU_READY_PRIORITIES
 */
void vnpu_readyq_push(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		      unsigned int prio);

/**
 * vnpu_readyq_remove() - dequeue a node
 * @q: the queue
 * @node: the node, in @q or in no queue
 *
 * Return: true if the node was in @q.
 */
bool vnpu_readyq_remove(struct vnpu_readyq *q, struct vnpu_ready_node *node);

/**
 * vnpu_readyq_pop() - dequeue the next node
 * @q: the queue
 *
 * Return: the node, or NULL if the queue is empty.
 */
struct vnpu_ready_node *vnpu_readyq_pop(struct vnpu_readyq *q);

/**
 * vnpu_readyq_charge() - add to the used time of a node
 * @node: the node, in no queue
 * @time: time used, in any unit
 */
static inline void vnpu_readyq_charge(struct vnpu_ready_node *node, u64 time)
{
	node->vtime += time;
}

/**
 * vnpu_readyq_is_empty() - check if no node waits
 * @q: the queue
 *
 * Return: true if the queue is empty.
 */
static inline bool vnpu_readyq_is_empty(const struct vnpu_readyq *q)
{
	return !q->waiting;
}

/**
 * vnpu_readyq_first() - get the highest priority that has a node
 * @q: the queue
 *
 * Return: the priority, or VNPU_READY_PRIORITIES if the queue is empty.
 */
static inline unsigned int vnpu_readyq_first(const struct vnpu_readyq *q)
{
	return q->waiting ? __ffs64(q->waiting) : VNPU_READY_PRIORITIES;
}

#endif
