/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The streams of one client that are ready to run, by priority.
 *
 * The highest priority with a ready node is served. A lower one does not starve:
 * a priority that was passed over VNPU_READY_PASSES times, by pops of higher
 * ones, is served once ahead of them, and its count begins anew. Where several
 * were, the highest of them is first; so the head of a priority sees at most
 * VNPU_READY_PASSES + VNPU_READY_PRIORITIES - 2 pops of higher ones go by.
 *
 * Within a priority the node that has used the least time is first; of two that
 * have used the same, the one that came first. A node that comes back after a
 * while gets no turns for the time in which it wanted none.
 *
 * The nodes are the caller's, embedded in what they stand for; nothing here
 * allocates. All is O(log n). Callers serialise.
 */
#ifndef VNPU_CORE_READYQ_H
#define VNPU_CORE_READYQ_H

#include "core_internal.h"

/* 0 is the highest priority. */
#define VNPU_READY_PRIORITIES	8

/*
 * Beside a stream that would keep an engine busy, one of a lower priority still
 * has every 17th chunk of it, 6 %.
 */
#define VNPU_READY_PASSES	16

/**
 * struct vnpu_ready_node - what may wait in a queue; zeroes for what does not
 * @link: private
 * @vtime: private: the time that it has used, as its priority counts
 * @is_queued: private
 * @prio: private: where it is queued, or was the last time
 */
struct vnpu_ready_node {
	struct rb_node link;
	u64 vtime;
	bool is_queued;
	u8 prio;
};

/**
 * struct vnpu_readyq - what waits
 * @nodes: private: the nodes of each priority, by the time that they have used
 * @vtime: private: the most that a node had used when it was popped, by priority
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
 * vnpu_readyq_init() - make a queue, empty
 * @q: the queue
 */
void vnpu_readyq_init(struct vnpu_readyq *q);

/**
 * vnpu_readyq_push() - let a node wait for its turn
 * @q: the queue
 * @node: the node, in no queue, and never in another one than @q
 * @prio: the priority, below VNPU_READY_PRIORITIES
 */
void vnpu_readyq_push(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		      unsigned int prio);

/**
 * vnpu_readyq_remove() - take a node out
 * @q: the queue
 * @node: the node, in @q or in none
 *
 * Return: whether it was in @q.
 */
bool vnpu_readyq_remove(struct vnpu_readyq *q, struct vnpu_ready_node *node);

/**
 * vnpu_readyq_pop() - take out the node whose turn it is
 * @q: the queue
 *
 * Return: the node, or NULL if none waits.
 */
struct vnpu_ready_node *vnpu_readyq_pop(struct vnpu_readyq *q);

/**
 * vnpu_readyq_charge() - count the time that a node has used
 * @node: the node, in no queue
 * @time: how much, in any unit
 */
static inline void vnpu_readyq_charge(struct vnpu_ready_node *node, u64 time)
{
	node->vtime += time;
}

/**
 * vnpu_readyq_is_empty() - whether no node waits
 * @q: the queue
 *
 * Return: that.
 */
static inline bool vnpu_readyq_is_empty(const struct vnpu_readyq *q)
{
	return !q->waiting;
}

/**
 * vnpu_readyq_first() - the highest priority that waits
 * @q: the queue
 *
 * Return: it, or VNPU_READY_PRIORITIES if none waits.
 */
static inline unsigned int vnpu_readyq_first(const struct vnpu_readyq *q)
{
	return q->waiting ? __ffs64(q->waiting) : VNPU_READY_PRIORITIES;
}

#endif
