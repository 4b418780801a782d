/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address map of a client: ranges of device addresses that never overlap.
 *
 * The caller embeds the nodes in its own objects; the map allocates nothing.
 * All operations are O(log n); vnpu_va_next() is O(1) amortised. Callers
 * serialise.
 */
#ifndef VNPU_CORE_VA_H
#define VNPU_CORE_VA_H

#include "core_internal.h"

/**
 * struct vnpu_va_node - a range of addresses
 * @rb: private: node in the map
 * @start: first address; constant while in a map
 * @last: last address, inclusive; constant while in a map
 */
struct vnpu_va_node {
	struct rb_node rb;
	u64 start;
	u64 last;
};

/**
 * struct vnpu_va_map - the ranges of a client
 * @root: private: the tree of ranges
 * @count: number of ranges
 */
struct vnpu_va_map {
	struct rb_root root;
	unsigned long count;
};

/**
 * vnpu_va_init() - initialise an empty map
 * @m: the map
 */
void vnpu_va_init(struct vnpu_va_map *m);

/**
 * vnpu_va_insert() - add a range
 * @m: the map
 * @n: the range, with start and last set
 *
 * Return: 0; -EEXIST if it overlaps a range in the map; -EINVAL if it ends
 * before it starts. On failure the map has not changed.
 */
int vnpu_va_insert(struct vnpu_va_map *m, struct vnpu_va_node *n);

/**
 * vnpu_va_remove() - remove a range
 * @m: the map
 * @n: the range, which is in @m
 */
void vnpu_va_remove(struct vnpu_va_map *m, struct vnpu_va_node *n);

/**
 * vnpu_va_find() - find the range that contains an address
 * @m: the map
 * @addr: the address
 *
 * Return: the range, or NULL if there is none.
 */
struct vnpu_va_node *vnpu_va_find(const struct vnpu_va_map *m, u64 addr);

/**
 * vnpu_va_first() - find the lowest range that overlaps an interval
 * @m: the map
 * @start: first address of the interval
 * @last: last address of the interval
 *
 * Return: the range, or NULL if there is none.
 */
struct vnpu_va_node *vnpu_va_first(const struct vnpu_va_map *m, u64 start,
				   u64 last);

/**
 * vnpu_va_next() - get the next range upwards
 * @n: a range in a map
 *
 * Return: the range, or NULL if @n is the last.
 */
struct vnpu_va_node *vnpu_va_next(const struct vnpu_va_node *n);

#endif
