// SPDX-License-Identifier: MIT
/*
 * Weights that several programs share. See weights.h.
 *
 * The tensors of a program's steps say which bytes belong together: pieces are
 * the ranges that they use, and two programs have a piece in common if the bytes
 * are equal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "om/weights.h"

/**
 * struct list - ranges of one program
 * @pieces: the ranges; allocated
 * @count: their number
 * @room: how many are allocated
 * @failed: there was no memory
 */
struct list {
	struct weights_piece *pieces;
	size_t count;
	size_t room;
	bool failed;
};

static void list_add(struct list *l, uint64_t at, uint64_t size)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		void *more = realloc(l->pieces, room * sizeof(*l->pieces));

		if (!more) {
			l->failed = true;
			return;
		}
		l->pieces = more;
		l->room = room;
	}
	l->pieces[l->count++] = (struct weights_piece){
		.at = at,
		.size = size,
	};
}

static void find_ranges(struct list *l, const struct program *p)
{
	const struct program_step *s = NULL;
	uint32_t i;

	while ((s = program_next(p, s))) {
		const struct vnpu_op_launch *launch = program_launch(s);

		for (i = 0; i < (unsigned int)launch->inputs + launch->outputs;
		     i++)
			if (s->segments[i] == PROGRAM_WEIGHTS)
				list_add(l, launch->tensor[i].data,
					 launch->tensor[i].bytes);
	}
	for (i = 0; i < p->head->inputs; i++)
		if (p->tensors[i].frozen_at != PROGRAM_NONE)
			list_add(l, p->tensors[i].frozen_at,
				 p->tensors[i].bytes);
}

static int compare(const void *a, const void *b)
{
	const struct weights_piece *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Sort the ranges, and merge those that overlap. */
static void merge(struct list *l)
{
	size_t i, kept = 0;

	if (l->count)
		qsort(l->pieces, l->count, sizeof(*l->pieces), compare);
	for (i = 1; i < l->count; i++) {
		struct weights_piece *last = &l->pieces[kept];
		uint64_t end = l->pieces[i].at + l->pieces[i].size;

		if (l->pieces[i].at > last->at + last->size ||
		    (l->pieces[i].at == last->at + last->size && last->size))
			l->pieces[++kept] = l->pieces[i];
		else if (end > last->at + last->size)
			last->size = end - last->at;
	}
	l->count = l->count ? kept + 1 : 0;
}

static uint64_t hash_bytes(const void *data, uint64_t size)
{
	const uint8_t *bytes = data;
	uint64_t hash = size, word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 32;
		bytes += sizeof(word);
	}
	while (size--)
		hash = (hash ^ *bytes++) * 0x9e3779b97f4a7c15U;
	return hash;
}

/* Find the place of a piece; add it if it is new. */
static void place(struct weights *w, struct weights_piece *piece)
{
	/* Tensors keep the alignment that they have. */
	uint64_t shift = piece->at % PROGRAM_ALIGN;
	size_t i;

	for (i = 0; i < w->count; i++) {
		const struct weights_piece *known = &w->pieces[i];

		if (known->size == piece->size && known->hash == piece->hash &&
		    known->to % PROGRAM_ALIGN == shift &&
		    !memcmp(known->data, piece->data, piece->size)) {
			piece->to = known->to;
			return;
		}
	}
	piece->to = (w->size + PROGRAM_ALIGN - 1) / PROGRAM_ALIGN *
		    PROGRAM_ALIGN + shift;
	w->size = piece->to + piece->size;
	w->pieces[w->count++] = *piece;
}

int weights_add(struct weights *w, const struct program *p,
		struct weights_piece **moves, size_t *count)
{
	struct list l = { 0 };
	void *more;
	size_t i;

	*moves = NULL;
	*count = 0;
	find_ranges(&l, p);
	merge(&l);
	more = realloc(w->pieces,
		       (w->count + l.count + 1) * sizeof(*w->pieces));
	if (more)
		w->pieces = more;
	if (l.failed || !more) {
		free(l.pieces);
		return -ENOMEM;
	}
	for (i = 0; i < l.count; i++) {
		struct weights_piece *piece = &l.pieces[i];

		piece->data = (const char *)p->weights + piece->at;
		piece->hash = hash_bytes(piece->data, piece->size);
		place(w, piece);
	}
	*moves = l.pieces;
	*count = l.count;
	return 0;
}

uint64_t weights_find(const struct weights_piece *moves, size_t count,
		      uint64_t at)
{
	size_t low = 0, high = count;

	/* Find the last piece that does not begin behind the byte. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (moves[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return moves[low].to + (at - moves[low].at);
}

void weights_write(const struct weights *w, void *data)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		memcpy((char *)data + w->pieces[i].to, w->pieces[i].data,
		       w->pieces[i].size);
}
