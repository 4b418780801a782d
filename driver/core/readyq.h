/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is ready to run, by priority: first in, first out within one.
 *
 * The highest priority that waits is served, but nobody starves: a priority
 * that has been passed over VNPU_READY_PASSES times, by pops of higher ones, is
 * served once ahead of them, and counts anew. Where several have been, the
 * highest of them is first; so the head of a priority sees at most
 * VNPU_READY_PASSES + VNPU_READY_PRIORITIES - 2 pops of higher ones go by, as
 * long as nothing is pushed in front of it.
 *
 * The nodes are the caller's, embedded in what they stand for; nothing here
 * allocates. All is O(1). Callers serialise.
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
 * @is_queued: private
 * @prio: private
 */
struct vnpu_ready_node {
	struct list_head link;
	bool is_queued;
	u8 prio;
};

/**
 * struct vnpu_readyq - what waits
 * @head: private: the nodes of each priority
 * @passes: private: how often each priority was passed over
 * @waiting: private: a bit for each priority that has nodes
 */
struct vnpu_readyq {
	struct list_head head[VNPU_READY_PRIORITIES];
	u8 passes[VNPU_READY_PRIORITIES];
	u8 waiting;
};

/**
 * vnpu_readyq_init() - make a queue, empty
 * @q: the queue
 */
void vnpu_readyq_init(struct vnpu_readyq *q);

/**
 * vnpu_readyq_push() - let a node wait behind the others of its priority
 * @q: the queue
 * @node: the node, in no queue
 * @prio: the priority, below VNPU_READY_PRIORITIES
 */
void vnpu_readyq_push(struct vnpu_readyq *q, struct vnpu_ready_node *node,
		      unsigned int prio);

/**
 * vnpu_readyq_push_front() - let a node wait before the others of its priority
 * @q: the queue
 * @node: the node, in no queue
 * @prio: the priority, below VNPU_READY_PRIORITIES
 */
void vnpu_readyq_push_front(struct vnpu_readyq *q, struct vnpu_ready_node *node,
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
