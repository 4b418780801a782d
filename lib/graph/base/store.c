// SPDX-License-Identifier: MIT
/* Memory of a graph. See store.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

#define ALIGN	64
#define BLOCK	(64 << 10)

/* The memory follows this header. */
struct store_block {
	struct store_block *next;
	size_t used;
	size_t size;
	char pad[ALIGN - 3 * sizeof(size_t)];
};

static struct store_block *new_block(struct store *s, size_t bytes)
{
	size_t size = bytes > BLOCK ? bytes : BLOCK;
	struct store_block *b;

	b = aligned_alloc(ALIGN, sizeof(*b) + size);
	if (!b)
		return NULL;
	b->used = 0;
	b->size = size;
	/* A block for one large piece does not replace the current block. */
	if (bytes > BLOCK && s->blocks) {
		b->next = s->blocks->next;
		s->blocks->next = b;
	} else {
		b->next = s->blocks;
		s->blocks = b;
	}
	return b;
}

void *store_alloc(struct store *s, size_t count, size_t size)
{
	struct store_block *b = s->blocks;
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > PTRDIFF_MAX - BLOCK) {
		s->failed = true;
		return NULL;
	}
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!b || b->size - b->used < bytes)
		b = new_block(s, bytes);
	if (!b) {
		s->failed = true;
		return NULL;
	}
	p = (char *)(b + 1) + b->used;
	b->used += bytes;
	return memset(p, 0, bytes);
}

char *store_text(struct store *s, const void *text, size_t length)
{
	const char *from = text;
	char *copy = store_alloc(s, length + 1, 1);
	size_t i;

	for (i = 0; copy && i < length; i++)
		copy[i] = from[i] ? from[i] : '?';
	return copy;
}

void *store_grow(struct store *s, void *array, size_t count, size_t size)
{
	void *more;

	if (count & (count - 1) || (array && !count))
		return array;
	more = store_alloc(s, count ? 2 * count : 1, size);
	if (more && count)
		memcpy(more, array, count * size);
	return more;
}

void store_free(struct store *s)
{
	struct store_block *b;

	while ((b = s->blocks)) {
		s->blocks = b->next;
		free(b);
	}
	s->failed = false;
}
