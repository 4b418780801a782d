/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client's map of device addresses: ranges that never overlap, by address.
 *
 * The nodes are the caller's, embedded in what they describe; nothing here
 * allocates. All is O(log n), next is O(1) amortised. Callers serialise.
 */
#ifndef VNPU_CORE_VA_H
#define VNPU_CORE_VA_H

#include "core_internal.h"

/**
 * struct vnpu_va_node - one range
 * @rb: private
 * @start: first address; not changed while in a map
 * @last: last address, inclusive; not changed while in a map
 */
struct vnpu_va_node {
	struct rb_node rb;
	u64 start;
	u64 last;
};

/**
 * struct vnpu_va_map - the ranges of a client
 * @root: private
 * @count: how many there are
 */
struct vnpu_va_map {
	struct rb_root root;
	unsigned long count;
};

/**
 * vnpu_va_init() - make a map, empty
 * @m: the map
 */
void vnpu_va_init(struct vnpu_va_map *m);

/**
 * vnpu_va_insert() - add a range
 * @m: the map
 * @n: the range: start and last are set
 *
 * Return: 0, -EEXIST if it overlaps one that is there, -EINVAL if it ends
 * before it starts. The map has changed only if 0.
 */
int vnpu_va_insert(struct vnpu_va_map *m, struct vnpu_va_node *n);

/**
 * vnpu_va_remove() - take a range out
 * @m: the map
 * @n: the range, which is in @m
 */
void vnpu_va_remove(struct vnpu_va_map *m, struct vnpu_va_node *n);

/**
 * vnpu_va_find() - the range that contains an address
 * @m: the map
 * @addr: the address
 *
 * Return: the range or NULL.
 */
struct vnpu_va_node *vnpu_va_find(const struct vnpu_va_map *m, u64 addr);

/**
 * vnpu_va_first() - the lowest range that has an address in an interval
 * @m: the map
 * @start: first address of the interval
 * @last: last address of the interval
 *
 * Return: the range or NULL.
 */
struct vnpu_va_node *vnpu_va_first(const struct vnpu_va_map *m, u64 start,
				   u64 last);

/**
 * vnpu_va_next() - the next range upwards
 * @n: a range in a map
 *
 * Return: the range or NULL.
 */
struct vnpu_va_node *vnpu_va_next(const struct vnpu_va_node *n);

#endif
