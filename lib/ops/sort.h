/* SPDX-License-Identifier: MIT */
/* Stable sorting of elements by keys, which NaN ends. */
#ifndef VNPU_OPS_SORT_H
#define VNPU_OPS_SORT_H

#include <stdint.h>

/* The key of NaN. */
#define OPS_KEY_NAN	UINT64_MAX

/**
 * struct ops_item - an element that is sorted
 * @key: compares as an integer
 * @index: where the element was
 */
struct ops_item {
	uint64_t key;
	int64_t index;
};

/**
 * ops_sort_key() - make a key that ascends as numbers do
 * @element: address of the element
 * @dtype: its type
 *
 * Return: the key; 0 and -0 have the same one, and all NaN have the largest.
 */
uint64_t ops_sort_key(const uint8_t *element, unsigned int dtype);

/**
 * ops_sort_items() - sort by keys
 * @x: the elements
 * @spare: memory for as many
 * @n: number of elements
 *
 * Return: where the result is: @x or @spare.
 */
struct ops_item *ops_sort_items(struct ops_item *x, struct ops_item *spare,
				int64_t n);

#endif
