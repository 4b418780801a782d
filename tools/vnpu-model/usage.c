// SPDX-License-Identifier: GPL-2.0-only
/* Tensors in the work memory. See usage.h. */
#include <stdlib.h>

#include "usage.h"

/**
 * struct usage - tensors that are found
 * @p: the program
 * @tensors: the tensors
 * @count: their number
 * @room: how many there is room for
 * @open: numbers of the tensors that later steps may still use, by offset; no
 *	two of them overlap
 * @open_count: their number
 * @open_room: how many there is room for
 */
struct usage {
	const struct program *p;
	struct usage_tensor *tensors;
	size_t count;
	size_t room;
	size_t *open;
	size_t open_count;
	size_t open_room;
};

/* Make room for one more element. */
static bool grow(void **array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return true;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* Find the position of the first open tensor that ends behind an offset. */
static size_t search(const struct usage *u, uint64_t offset)
{
	size_t low = 0, high = u->open_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct usage_tensor *t = &u->tensors[u->open[middle]];

		if (t->offset + t->bytes <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Close the tensors that overlap a place; return the position for a new one. */
static size_t close_overlapping(struct usage *u, uint64_t offset,
				uint64_t bytes)
{
	size_t first = search(u, offset), end = first, i;

	while (end < u->open_count &&
	       u->tensors[u->open[end]].offset < offset + bytes)
		end++;
	for (i = end; i < u->open_count; i++)
		u->open[first + i - end] = u->open[i];
	u->open_count -= end - first;
	return first;
}

static bool open_tensor(struct usage *u, const struct usage_tensor *t)
{
	size_t at, i;

	if (!grow((void **)&u->tensors, u->count, &u->room,
		  sizeof(*u->tensors)) ||
	    !grow((void **)&u->open, u->open_count, &u->open_room,
		  sizeof(*u->open)))
		return false;
	at = close_overlapping(u, t->offset, t->bytes);
	for (i = u->open_count; i > at; i--)
		u->open[i] = u->open[i - 1];
	u->open[at] = u->count;
	u->open_count++;
	u->tensors[u->count++] = *t;
	return true;
}

/* Find the open tensor with exactly this place, or return NULL. */
static struct usage_tensor *find_open(const struct usage *u, uint64_t offset,
				      uint64_t bytes)
{
	size_t at = search(u, offset);
	struct usage_tensor *t;

	if (at == u->open_count)
		return NULL;
	t = &u->tensors[u->open[at]];
	return t->offset == offset && t->bytes == bytes ? t : NULL;
}

static bool is_whole(const struct vnpu_tensor *t)
{
	return !t->offset && vnpu_tensor_is_contiguous(t) &&
	       (uint64_t)vnpu_tensor_elements(t) *
	       (vnpu_dtype_bits(t->dtype) / 8) == t->bytes;
}

/* Note that a step uses a place. */
static bool use(struct usage *u, const struct program_step *s, uint32_t number,
		const struct vnpu_tensor *t, bool writes)
{
	struct usage_tensor *known = find_open(u, t->data, t->bytes);
	struct usage_tensor new = {
		.offset = t->data, .bytes = t->bytes, .first = number,
		.last = number, .name = u->p->text + s->name,
		.type = u->p->text + s->type,
	};

	if (!t->bytes)
		return true;
	/* In place: the step has already been noted as a reader. */
	new.in_place = known && writes && known->last == number &&
		       known->first < number;
	if (known && (!writes || !is_whole(t) || known->first == number)) {
		known->last = number;
		return true;
	}
	return open_tensor(u, &new);
}

static bool use_all(struct usage *u)
{
	const struct program_step *s = NULL;
	uint32_t number;
	unsigned int i;

	for (number = 0; (s = program_next(u->p, s)); number++) {
		const struct vnpu_op_launch *l = program_launch(s);

		for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
			if (s->segments[i] == PROGRAM_WORK &&
			    !use(u, s, number, &l->tensor[i], i >= l->inputs))
				return false;
	}
	return true;
}

struct usage_tensor *usage_find(const struct program *p, size_t *count)
{
	struct usage u = { .p = p };
	bool done;

	done = grow((void **)&u.tensors, 0, &u.room, sizeof(*u.tensors)) &&
	       use_all(&u);
	free(u.open);
	if (!done) {
		free(u.tensors);
		return NULL;
	}
	*count = u.count;
	return u.tensors;
}
