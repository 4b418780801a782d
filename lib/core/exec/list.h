/* SPDX-License-Identifier: MIT */
/*
 * Doubly linked lists with a head, as in the kernel.
 */
#ifndef VNPU_CORE_LIST_H
#define VNPU_CORE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct list - a head, or a node in a list
 * @next: the first, or the next one
 * @prev: the last, or the previous one
 */
struct list {
	struct list *next;
	struct list *prev;
};

#define list_entry(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))

#define list_for_each(node, head) \
	for ((node) = (head)->next; (node) != (head); (node) = (node)->next)

static inline void list_init(struct list *head)
{
	head->next = head->prev = head;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

/* Insert @node before @before; at the end if that is the head. */
static inline void list_add_before(struct list *node, struct list *before)
{
	node->prev = before->prev;
	node->next = before;
	before->prev->next = node;
	before->prev = node;
}

static inline void list_add_first(struct list *node, struct list *head)
{
	list_add_before(node, head->next);
}

static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = node->prev = node;
}

/* Remove and return the first node, or NULL. */
static inline struct list *list_pop(struct list *head)
{
	struct list *node = head->next;

	if (node == head)
		return NULL;
	list_remove(node);
	return node;
}

/* Append all nodes of @from to @to. */
static inline void list_move_all(struct list *from, struct list *to)
{
	if (list_is_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#endif /* VNPU_CORE_LIST_H */
