/* SPDX-License-Identifier: MIT */
/*
 * Memory of a graph: it is allocated piece by piece, and freed as a whole.
 *
 * The store remembers a failure, so a caller may check once for many
 * allocations: store_failed().
 */
#ifndef GRAPH_BASE_STORE_H
#define GRAPH_BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct store_block;

/**
 * struct store - memory that is freed at once
 * @blocks: the blocks, the last one first
 * @failed: an allocation has failed
 */
struct store {
	struct store_block *blocks;
	bool failed;
};

/**
 * store_alloc() - allocate zeroed memory, aligned to 64 bytes
 * @s: the store
 * @count: number of elements
 * @size: size of each
 *
 * Return: the memory, also for 0 bytes; NULL if there is none.
 */
void *store_alloc(struct store *s, size_t count, size_t size);

/**
 * store_text() - copy bytes into a string
 * @s: the store
 * @text: the bytes; zeros among them become '?'
 * @length: their number
 *
 * Return: the string; NULL if there is no memory.
 */
char *store_text(struct store *s, const void *text, size_t length);

/**
 * store_grow() - make room for one more element of an array
 * @s: the store; the old array stays there
 * @array: the array, or NULL
 * @count: number of elements; the room is the next power of two
 * @size: size of each
 *
 * Return: the array, which may have moved; NULL if there is no memory.
 */
void *store_grow(struct store *s, void *array, size_t count, size_t size);

/**
 * store_free() - free all memory
 * @s: the store, empty afterwards
 */
void store_free(struct store *s);

#endif
