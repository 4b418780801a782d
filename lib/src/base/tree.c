// SPDX-License-Identifier: MIT
/*
 * A treap: a search tree by key that is a heap by random priorities, which
 * keeps it balanced whatever the order of operations.
 */
#include <stdbool.h>
#include <stddef.h>

#include "tree.h"

static bool key_is_less(uint64_t hi, uint64_t lo,
			const struct vnpu_tree_node *node)
{
	return hi != node->hi ? hi < node->hi : lo < node->lo;
}

static bool node_is_less(const struct vnpu_tree_node *node,
			 uint64_t hi, uint64_t lo)
{
	return node->hi != hi ? node->hi < hi : node->lo < lo;
}

/* The finalizer of SplitMix64: as good as random, and reproducible. */
static uint64_t mix(uint64_t value)
{
	value += 0x9e3779b97f4a7c15;
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

/* Split @tree into the nodes below and above @node's key. */
static void split(struct vnpu_tree_node *tree, struct vnpu_tree_node *node)
{
	struct vnpu_tree_node **below = &node->left;
	struct vnpu_tree_node **above = &node->right;

	while (tree) {
		if (node_is_less(tree, node->hi, node->lo)) {
			*below = tree;
			below = &tree->right;
			tree = tree->right;
		} else {
			*above = tree;
			above = &tree->left;
			tree = tree->left;
		}
	}
	*below = NULL;
	*above = NULL;
}

void vnpu_tree_add(struct vnpu_tree_node **root, struct vnpu_tree_node *node)
{
	node->priority = mix(node->hi ^ mix(node->lo));

	while (*root && (*root)->priority >= node->priority)
		root = node_is_less(*root, node->hi, node->lo) ?
			&(*root)->right : &(*root)->left;

	split(*root, node);
	*root = node;
}

void vnpu_tree_remove(struct vnpu_tree_node **root, struct vnpu_tree_node *node)
{
	struct vnpu_tree_node *left = node->left;
	struct vnpu_tree_node *right = node->right;

	while (*root != node)
		root = node_is_less(*root, node->hi, node->lo) ?
			&(*root)->right : &(*root)->left;

	/* Merge the two subtrees in the place of the node. */
	while (left && right) {
		if (left->priority >= right->priority) {
			*root = left;
			root = &left->right;
			left = left->right;
		} else {
			*root = right;
			root = &right->left;
			right = right->left;
		}
	}
	*root = left ? left : right;
}

struct vnpu_tree_node *vnpu_tree_at_most(struct vnpu_tree_node *root,
					 uint64_t hi, uint64_t lo)
{
	struct vnpu_tree_node *found = NULL;

	while (root) {
		if (key_is_less(hi, lo, root)) {
			root = root->left;
		} else {
			found = root;
			root = root->right;
		}
	}
	return found;
}

struct vnpu_tree_node *vnpu_tree_at_least(struct vnpu_tree_node *root,
					  uint64_t hi, uint64_t lo)
{
	struct vnpu_tree_node *found = NULL;

	while (root) {
		if (node_is_less(root, hi, lo)) {
			root = root->right;
		} else {
			found = root;
			root = root->left;
		}
	}
	return found;
}
