/* SPDX-License-Identifier: MIT */
/*
 * A balanced search tree (a treap).  Its nodes are embedded in the caller's
 * objects.
 *
 * Keys are pairs of numbers, compared as one of 128 bits, and unique in a tree.
 * All operations take O(log n) expected time and allocate nothing.  The caller
 * provides locking.
 */
#ifndef VNPU_LIB_TREE_H
#define VNPU_LIB_TREE_H

#include <stdint.h>

struct vnpu_tree_node {
	struct vnpu_tree_node *left;
	struct vnpu_tree_node *right;
	uint64_t hi;		/* the key; constant while in a tree */
	uint64_t lo;
	uint64_t priority;	/* children have at most that of their parent */
};

/* Add a node that has its key. */
void vnpu_tree_add(struct vnpu_tree_node **root, struct vnpu_tree_node *node);

/* Remove a node that is in the tree. */
void vnpu_tree_remove(struct vnpu_tree_node **root,
		      struct vnpu_tree_node *node);

/* Find the node with the greatest key that is at most {@hi, @lo}, or NULL. */
struct vnpu_tree_node *vnpu_tree_at_most(struct vnpu_tree_node *root,
					 uint64_t hi, uint64_t lo);

/* Find the node with the least key that is at least {@hi, @lo}, or NULL. */
struct vnpu_tree_node *vnpu_tree_at_least(struct vnpu_tree_node *root,
					  uint64_t hi, uint64_t lo);

#endif /* VNPU_LIB_TREE_H */
