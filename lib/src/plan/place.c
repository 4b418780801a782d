// SPDX-License-Identifier: MIT
/*
 * Boxes that have an offset, in order of their offsets.
 *
 * They are in blocks of up to BLOCK, so that adding one moves few others.  In a
 * block, the values to compare are adjacent, so that the compiler can vectorize
 * the comparison.  The search for a place walks up through the boxes that are
 * alive at the same time, and ends at the first gap that is large enough, which
 * for most boxes of a crowded plan is soon.  For a box with few neighbours
 * among very many boxes, near.c finds them faster.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define BLOCK	128

/* Always collect this number of neighbours. */
#define FEW	32

struct block {
	uint32_t count;
	uint32_t l_min, r_max;
	uint32_t l[BLOCK], r[BLOCK];	/* sections */
	uint64_t from[BLOCK], to[BLOCK];	/* bytes */
};

struct span {
	int64_t after, before;	/* an offset between these two is taken */
};

struct plan_placer {
	const struct plan_problem *p;
	struct block **block;	/* in order of offsets; unused ones follow */
	uint32_t blocks, made, block_room;
	struct span *span;
	uint32_t span_room;
	struct plan_near *near;
	uint64_t *at;		/* by box, if there are separations */
};

struct plan_placer *plan_placer_create(const struct plan_problem *p)
{
	struct plan_placer *placer = calloc(1, sizeof(*placer));

	if (!placer)
		return NULL;
	placer->p = p;
	placer->near = plan_near_create(p);
	if (p->apart)
		placer->at = malloc(((size_t)p->boxes + 1) *
				    sizeof(*placer->at));
	if (!placer->near || (p->apart && !placer->at)) {
		plan_placer_destroy(placer);
		return NULL;
	}
	plan_placer_reset(placer);
	return placer;
}

void plan_placer_destroy(struct plan_placer *placer)
{
	uint32_t i;

	if (!placer)
		return;
	for (i = 0; i < placer->made; i++)
		free(placer->block[i]);
	free(placer->block);
	plan_near_destroy(placer->near);
	free(placer->at);
	free(placer->span);
	free(placer);
}

void plan_placer_reset(struct plan_placer *placer)
{
	placer->blocks = 0;
	plan_near_reset(placer->near);
	if (placer->at)
		memset(placer->at, 0xff, placer->p->boxes * sizeof(*placer->at));
}

/* Insert an empty block at index @at. */
static struct block *new_block(struct plan_placer *placer, uint32_t at)
{
	struct block *block;

	if (placer->blocks == placer->made) {
		if (!plan_grow(&placer->block, &placer->block_room,
			       placer->made + 1, sizeof(*placer->block)))
			return NULL;
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		placer->block[placer->made++] = block;
	}
	block = placer->block[placer->blocks];
	memmove(&placer->block[at + 1], &placer->block[at],
		(placer->blocks - at) * sizeof(*placer->block));
	placer->block[at] = block;
	placer->blocks++;
	/* Unused entries are compared, too, and must not be alive. */
	memset(block, 0, sizeof(*block));
	block->l_min = UINT32_MAX;
	return block;
}

/*
 * Find the entries of @block that are alive in sections [@l, @r): a bit each.
 */
static void alive(const struct block *block, uint32_t l, uint32_t r,
		  uint64_t bits[BLOCK / 64])
{
	uint8_t is_alive[BLOCK];
	uint32_t i, k;

	for (i = 0; i < BLOCK; i++)
		is_alive[i] = (block->l[i] < r) & (block->r[i] > l);
	for (k = 0; k < BLOCK / 64; k++) {
		bits[k] = 0;
		for (i = 0; i < 64; i += 8) {
			uint64_t eight;

			/* Gathers the lowest bits of eight bytes. */
			memcpy(&eight, &is_alive[64 * k + i], 8);
			bits[k] |= (le64toh(eight) * 0x0102040810204080 >> 56)
				   << i;
		}
	}
}

/*
 * Visit the boxes that are alive in sections [@l, @r) from the bottom: for
 * (cursor_start(...); cursor_next(...); ).  Only one cursor at a time.
 */
struct cursor {
	const struct plan_placer *placer;
	uint64_t from, to;	/* the bytes of the current box */
	uint32_t l, r;
	const struct plan_bytes *near;	/* the neighbours, or NULL */
	uint32_t nears;
	uint32_t i;		/* the next neighbour, or the block */
	uint32_t word;		/* of the block */
	uint64_t bits[BLOCK / 64];
};

static void cursor_enter(struct cursor *c)
{
	const struct plan_placer *placer = c->placer;

	while (c->i < placer->blocks &&
	       (placer->block[c->i]->l_min >= c->r ||
		placer->block[c->i]->r_max <= c->l))
		c->i++;
	c->word = 0;
	if (c->i < placer->blocks)
		alive(placer->block[c->i], c->l, c->r, c->bits);
}

/*
 * It is faster to collect the neighbours if they are few beside the number of
 * blocks; without memory for them, there are the blocks.
 */
static void cursor_start(struct cursor *c, struct plan_placer *placer,
			 uint32_t l, uint32_t r)
{
	*c = (struct cursor){ .placer = placer, .l = l, .r = r };
	if (plan_near_count(placer->near, l, r) <= FEW + placer->blocks / 8)
		c->near = plan_near_collect(placer->near, l, r, &c->nears);
	if (!c->near)
		cursor_enter(c);
}

static bool cursor_next_in_block(struct cursor *c)
{
	const struct plan_placer *placer = c->placer;

	while (c->i < placer->blocks) {
		const struct block *block = placer->block[c->i];

		for (; c->word < BLOCK / 64; c->word++) {
			uint64_t *bits = &c->bits[c->word];
			uint32_t i;

			if (!*bits)
				continue;
			i = 64 * c->word + (uint32_t)__builtin_ctzll(*bits);
			*bits &= *bits - 1;
			c->from = block->from[i];
			c->to = block->to[i];
			return true;
		}
		c->i++;
		cursor_enter(c);
	}
	return false;
}

static bool cursor_next(struct cursor *c)
{
	if (!c->near)
		return cursor_next_in_block(c);
	if (c->i == c->nears)
		return false;
	c->from = c->near[c->i].from;
	c->to = c->near[c->i].to;
	c->i++;
	return true;
}

/* Find a place for a box that has its full size for its whole life. */
static uint64_t find_simple(struct plan_placer *placer,
			    const struct plan_box *box, enum plan_fit fit)
{
	uint64_t at = 0, best = VNPU_PLAN_NO_OFFSET, least = UINT64_MAX;
	struct cursor c;

	cursor_start(&c, placer, box->l, box->r);
	while (cursor_next(&c)) {
		const uint64_t from = c.from, to = c.to;

		if (from >= at + box->size) {
			if (fit == PLAN_FIRST_FIT)
				return at;
			if (from - at < least) {
				least = from - at;
				best = at;
			}
		}
		if (to > at)
			at = plan_align_up(to, box->align);
	}
	return best == VNPU_PLAN_NO_OFFSET ? at : best;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->after > y->after) - (x->after < y->after);
}

static uint32_t index_of(const struct plan_placer *placer,
			 const struct plan_box *box)
{
	return (uint32_t)(box - placer->p->box);
}

static bool exclude(struct plan_placer *placer, uint32_t *count,
		    uint64_t after, uint64_t before)
{
	if (!plan_grow(&placer->span, &placer->span_room, *count + 1,
		       sizeof(*placer->span)))
		return false;
	placer->span[(*count)++] = (struct span){
		(int64_t)after, (int64_t)before,
	};
	return true;
}

/* Exclude the bytes of boxes that have an offset and that @box is apart from. */
static bool exclude_apart(struct plan_placer *placer,
			  const struct plan_box *box, uint32_t *count)
{
	const struct plan_problem *p = placer->p;
	uint32_t b = index_of(placer, box), i;

	for (i = 0; i < plan_aparts(p, b); i++) {
		uint32_t other = p->apart[p->apart_at[b] + i];
		uint64_t at = placer->at[other];

		if (at != VNPU_PLAN_NO_OFFSET &&
		    !exclude(placer, count, at - box->size,
			     at + p->box[other].size))
			return false;
	}
	return true;
}

/* Find a place for a box of several pieces; each one excludes some offsets. */
static uint64_t find_among(struct plan_placer *placer,
			   const struct plan_box *box)
{
	uint32_t count = 0, s;
	int64_t at = 0;

	if (!exclude_apart(placer, box, &count))
		return VNPU_PLAN_NO_OFFSET;
	for (s = box->segment; s < box->segment + box->segments; s++) {
		const struct plan_segment *seg = &placer->p->segment[s];
		struct cursor c;

		cursor_start(&c, placer, seg->l, seg->r);
		while (cursor_next(&c))
			if (!exclude(placer, &count, c.from - seg->hi,
				     c.to - seg->lo))
				return VNPU_PLAN_NO_OFFSET;
	}
	if (count)
		qsort(placer->span, count, sizeof(*placer->span),
		      compare_spans);
	for (s = 0; s < count && placer->span[s].after < at; s++)
		if (placer->span[s].before > at)
			at = (int64_t)plan_align_up(placer->span[s].before,
						    box->align);
	return (uint64_t)at;
}

static bool is_simple(const struct plan_placer *placer,
		      const struct plan_box *box)
{
	return box->segments == 1 &&
	       !placer->p->segment[box->segment].is_part &&
	       !plan_aparts(placer->p, index_of(placer, box));
}

uint64_t plan_placer_find(struct plan_placer *placer,
			  const struct plan_box *box, enum plan_fit fit)
{
	return is_simple(placer, box) ? find_simple(placer, box, fit) :
					find_among(placer, box);
}

bool plan_placer_is_free(struct plan_placer *placer,
			 const struct plan_box *box, uint64_t offset)
{
	const struct plan_problem *p = placer->p;
	uint32_t b = index_of(placer, box), s, i;

	for (i = 0; i < plan_aparts(p, b); i++) {
		uint32_t other = p->apart[p->apart_at[b] + i];
		uint64_t at = placer->at[other];

		if (at != VNPU_PLAN_NO_OFFSET && at < offset + box->size &&
		    offset < at + p->box[other].size)
			return false;
	}
	for (s = box->segment; s < box->segment + box->segments; s++) {
		const struct plan_segment *seg = &p->segment[s];
		struct cursor c;

		cursor_start(&c, placer, seg->l, seg->r);
		while (cursor_next(&c))
			if (c.from < offset + seg->hi &&
			    c.to > offset + seg->lo)
				return false;
	}
	return true;
}

static void insert(struct block *block, uint32_t i,
		   const struct plan_segment *seg, uint64_t offset)
{
	uint32_t after = block->count - i;

	memmove(&block->l[i + 1], &block->l[i], after * sizeof(block->l[0]));
	memmove(&block->r[i + 1], &block->r[i], after * sizeof(block->r[0]));
	memmove(&block->from[i + 1], &block->from[i],
		after * sizeof(block->from[0]));
	memmove(&block->to[i + 1], &block->to[i], after * sizeof(block->to[0]));
	block->l[i] = seg->l;
	block->r[i] = seg->r;
	block->from[i] = offset + seg->lo;
	block->to[i] = offset + seg->hi;
	block->count++;
	if (seg->l < block->l_min)
		block->l_min = seg->l;
	if (seg->r > block->r_max)
		block->r_max = seg->r;
}

/* Split block @at, which is full; its span is not recomputed. */
static bool split(struct plan_placer *placer, uint32_t at)
{
	struct block *upper = new_block(placer, at + 1);
	struct block *block = placer->block[at];
	const uint32_t half = BLOCK / 2;

	if (!upper)
		return false;
	memcpy(upper->l, &block->l[half], half * sizeof(upper->l[0]));
	memcpy(upper->r, &block->r[half], half * sizeof(upper->r[0]));
	memcpy(upper->from, &block->from[half], half * sizeof(upper->from[0]));
	memcpy(upper->to, &block->to[half], half * sizeof(upper->to[0]));
	memset(&block->r[half], 0, half * sizeof(block->r[0]));
	upper->l_min = block->l_min;
	upper->r_max = block->r_max;
	upper->count = half;
	block->count = half;
	return true;
}

/* Find the last block that begins at or below @from, or the first one. */
static uint32_t block_of(const struct plan_placer *placer, uint64_t from)
{
	uint32_t low = 0, high = placer->blocks;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (placer->block[middle]->from[0] <= from)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool add_segment(struct plan_placer *placer,
			const struct plan_segment *seg, uint64_t offset)
{
	uint64_t from = offset + seg->lo;
	struct block *block;
	uint32_t at, i = 0;

	if (!placer->blocks && !new_block(placer, 0))
		return false;
	at = block_of(placer, from);
	if (placer->block[at]->count == BLOCK) {
		if (!split(placer, at))
			return false;
		at += placer->block[at + 1]->from[0] <= from;
	}
	block = placer->block[at];
	while (i < block->count && block->from[i] <= from)
		i++;
	insert(block, i, seg, offset);
	plan_near_add(placer->near, seg, offset);
	return true;
}

bool plan_placer_add(struct plan_placer *placer, const struct plan_box *box,
		     uint64_t offset)
{
	uint32_t s;

	if (placer->at)
		placer->at[index_of(placer, box)] = offset;
	for (s = box->segment; s < box->segment + box->segments; s++)
		if (!add_segment(placer, &placer->p->segment[s], offset))
			return false;
	return true;
}
