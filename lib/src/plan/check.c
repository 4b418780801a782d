// SPDX-License-Identifier: MIT
/*
 * Verification of a placement.
 *
 * The check sweeps through time and keeps the live tensors in order of their
 * offsets.  As long as these do not overlap, a new one can only overlap with
 * its two neighbours.  The check only uses the tensors as they were added, not
 * the data that the search derives from them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

struct piece {
	uint64_t begin, end;	/* time */
	uint64_t from, to;	/* bytes */
	uint32_t tensor;
};

struct checker {
	struct vnpu_plan *plan;
	const uint64_t *offset;
	uint64_t *until;	/* end of a tensor and its views */
	uint64_t *streams;	/* of a tensor and its views */
	bool *is_contended;	/* of a tensor and its views; see plan.h */
	bool *is_used;		/* it takes memory at some time */
	struct piece *piece;
	uint32_t pieces;
	uint32_t *by_begin, *by_end, *live;
	uint32_t lives;
};

static int overlap(const struct checker *c, uint32_t a, uint32_t b)
{
	const struct piece *x = &c->piece[a], *y = &c->piece[b];

	return plan_fail(c->plan, -EEXIST, "tensor %u at [%" PRIu64 ", %" PRIu64
			 ") overlaps with tensor %u at [%" PRIu64 ", %" PRIu64
			 ")", x->tensor, x->from, x->to, y->tensor, y->from,
			 y->to);
}

/* Check one tensor alone: alignment, fixed offset, position inside its base. */
static int check_alone(struct checker *c, uint32_t i, uint64_t align)
{
	const struct vnpu_plan_tensor *t = &c->plan->tensor[i].in;
	uint64_t at = c->offset[i];

	if (t->flags & VNPU_PLAN_ON_CHIP)
		return at == VNPU_PLAN_NO_OFFSET ? 0 :
			plan_fail(c->plan, -EEXIST,
				  "tensor %u is on the chip, and has an offset",
				  i);
	if (at >= VNPU_PLAN_MAX_BYTES * 8 - t->size)
		return plan_fail(c->plan, -EEXIST, "tensor %u has no offset",
				 i);
	if (t->flags & VNPU_PLAN_VIEW)
		return at == c->offset[t->of] + t->offset ? 0 :
			plan_fail(c->plan, -EEXIST,
				  "tensor %u is not inside tensor %u, of which it is a view",
				  i, t->of);
	if (t->size && (at % t->align || at % align))
		return plan_fail(c->plan, -EEXIST,
				 "tensor %u at %" PRIu64 " is not aligned", i,
				 at);
	if (t->flags & VNPU_PLAN_FIXED && at != t->offset)
		return plan_fail(c->plan, -EEXIST,
				 "tensor %u is not at its fixed offset", i);
	return 0;
}

/* A tensor also lives as long as its views. */
static void with_views(struct checker *c, uint64_t *since)
{
	const struct vnpu_plan *plan = c->plan;
	uint64_t *until = c->until;
	uint32_t i;

	for (i = 0; i < plan->tensors; i++) {
		since[i] = plan->tensor[i].in.lower;
		until[i] = plan->tensor[i].in.upper;
		c->streams[i] = plan->tensor[i].streams;
		c->is_contended[i] = plan->tensor[i].is_contended;
	}
	for (i = plan->tensors; i-- > 0; ) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;

		if (!(t->flags & VNPU_PLAN_VIEW))
			continue;
		if (since[i] < since[t->of])
			since[t->of] = since[i];
		c->streams[t->of] |= c->streams[i];
		if (until[i] >= until[t->of])
			c->is_contended[t->of] = c->is_contended[i] ||
				(until[i] == until[t->of] &&
				 c->is_contended[t->of]);
		if (until[i] > until[t->of])
			until[t->of] = until[i];
	}
}

static void add_piece(struct checker *c, uint32_t i, uint64_t begin,
		      uint64_t end, uint64_t lo, uint64_t hi)
{
	if (begin < end && lo < hi)
		c->piece[c->pieces++] = (struct piece){
			begin, end, c->offset[i] + lo, c->offset[i] + hi, i,
		};
}

static void add_pieces(struct checker *c, uint32_t i, uint64_t since,
		       uint64_t until)
{
	const struct plan_tensor *t = &c->plan->tensor[i];
	uint32_t g;

	for (g = t->gap; g != PLAN_NONE; g = c->plan->gap[g].next) {
		const struct vnpu_plan_gap *gap = &c->plan->gap[g].in;

		add_piece(c, i, since, gap->lower, 0, t->in.size);
		add_piece(c, i, gap->lower, gap->upper, gap->from, gap->to);
		since = gap->upper;
	}
	add_piece(c, i, since, until, 0, t->in.size);
}

/* Check whether @new may overlap @old at the only time when both are alive. */
static bool may_share(const struct checker *c, uint32_t old, uint32_t new)
{
	const struct plan_tensor *n = &c->plan->tensor[new];
	const struct plan_tensor *o = &c->plan->tensor[old];

	return n->in.flags & VNPU_PLAN_INPLACE && n->in.of == old &&
	       o->in.size == n->in.size && !c->is_contended[old] &&
	       c->offset[old] == c->offset[new];
}

/* Find the position of @offset among the live tensors. */
static uint32_t locate(const struct checker *c, uint64_t offset)
{
	uint32_t low = 0, high = c->lives;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->piece[c->live[middle]].from < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Checking neighbours is enough: a tensor between two others already has the
 * required distance from one of them.
 */
static int check_guard(const struct checker *c, uint32_t at)
{
	const struct piece *low, *high;

	if (!c->plan->guard || at + 1 >= c->lives)
		return 0;
	low = &c->piece[c->live[at]];
	high = &c->piece[c->live[at + 1]];
	if (!plan_is_guarded(c->streams[low->tensor],
			     c->streams[high->tensor]) ||
	    high->from - low->to >= c->plan->guard)
		return 0;
	return plan_fail(c->plan, -EEXIST, "tensors %u and %u are on different streams, and %"
			 PRIu64 " bytes apart", low->tensor, high->tensor,
			 high->from - low->to);
}

static int begin(struct checker *c, uint32_t i)
{
	const struct piece *new = &c->piece[i];
	uint32_t at = locate(c, new->from);
	int err;

	if (at && c->piece[c->live[at - 1]].to > new->from)
		return overlap(c, c->live[at - 1], i);
	if (at < c->lives && c->piece[c->live[at]].from < new->to) {
		struct piece *old = &c->piece[c->live[at]];

		if (!may_share(c, old->tensor, new->tensor) ||
		    old->end - 1 != new->begin)
			return overlap(c, c->live[at], i);
		/* It belongs to the new tensor from here on. */
		old->begin = old->end;
		c->live[at] = i;
	} else {
		memmove(&c->live[at + 1], &c->live[at],
			(c->lives - at) * sizeof(*c->live));
		c->live[at] = i;
		c->lives++;
	}
	err = at ? check_guard(c, at - 1) : 0;
	return err ? err : check_guard(c, at);
}

static void end(struct checker *c, uint32_t i)
{
	uint32_t at = locate(c, c->piece[i].from);

	/* Another tensor has taken over its place. */
	if (c->piece[i].begin == c->piece[i].end)
		return;
	c->lives--;
	memmove(&c->live[at], &c->live[at + 1],
		(c->lives - at) * sizeof(*c->live));
}

static int sweep(struct checker *c, uint64_t *key)
{
	uint32_t b, e = 0, i;
	int err;

	for (i = 0; i < c->pieces; i++) {
		c->by_begin[i] = i;
		c->by_end[i] = i;
		key[i] = c->piece[i].begin;
	}
	plan_sort(c->by_begin, c->live, c->pieces, key);
	for (i = 0; i < c->pieces; i++)
		key[i] = c->piece[i].end;
	plan_sort(c->by_end, c->live, c->pieces, key);
	for (b = 0; b < c->pieces; b++) {
		uint64_t now = c->piece[c->by_begin[b]].begin;

		while (c->piece[c->by_end[e]].end <= now)
			end(c, c->by_end[e++]);
		err = begin(c, c->by_begin[b]);
		if (err)
			return err;
	}
	return 0;
}

static int check_separations(const struct checker *c)
{
	const struct vnpu_plan *plan = c->plan;
	uint32_t i;

	for (i = 0; i < plan->pairs; i++) {
		uint32_t a = plan->pair[i].a, b = plan->pair[i].b;
		const struct vnpu_plan_tensor *x = &plan->tensor[a].in;
		const struct vnpu_plan_tensor *y = &plan->tensor[b].in;

		if (c->is_used[a] && c->is_used[b] &&
		    c->offset[a] < c->offset[b] + y->size &&
		    c->offset[b] < c->offset[a] + x->size)
			return plan_fail(c->plan, -EEXIST, "tensor %u at %" PRIu64
					 " is not apart from tensor %u at %" PRIu64,
					 a, c->offset[a], b, c->offset[b]);
	}
	return 0;
}

static int check(struct checker *c, uint64_t align, uint64_t *peak,
		 uint64_t *since)
{
	const struct vnpu_plan *plan = c->plan;
	uint64_t top = 0;
	uint32_t i;
	int err;

	with_views(c, since);
	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;
		uint32_t before = c->pieces;

		err = check_alone(c, i, align);
		if (err)
			return err;
		if (t->flags & (VNPU_PLAN_ON_CHIP | VNPU_PLAN_VIEW))
			continue;
		add_pieces(c, i, since[i], c->until[i]);
		c->is_used[i] = c->pieces > before;
		if (c->is_used[i] && c->offset[i] + t->size > top)
			top = c->offset[i] + t->size;
	}
	if (peak)
		*peak = top;
	return check_separations(c);
}

int vnpu_plan_check(struct vnpu_plan *plan, const uint64_t *offsets,
		    uint64_t align, uint64_t *peak)
{
	struct checker c = { .plan = plan, .offset = offsets };
	size_t room;
	uint64_t *key;
	int err = -ENOMEM;

	if (!plan || (!offsets && !plan->offset))
		return -EINVAL;
	plan->fault[0] = '\0';
	if (!offsets)
		c.offset = plan->offset;
	err = plan_graph_live(plan);
	if (err)
		return err;
	err = -ENOMEM;
	room = plan->tensors + 2 * (size_t)plan->gaps + 1;
	c.until = malloc(room * sizeof(*c.until));
	c.streams = malloc(room * sizeof(*c.streams));
	c.is_contended = malloc(room * sizeof(*c.is_contended));
	c.is_used = calloc(room, sizeof(*c.is_used));
	c.piece = malloc(room * sizeof(*c.piece));
	c.by_begin = malloc(3 * room * sizeof(*c.by_begin));
	key = malloc(room * sizeof(*key));
	if (c.until && c.streams && c.is_contended && c.is_used && c.piece &&
	    c.by_begin && key) {
		c.by_end = c.by_begin + room;
		c.live = c.by_end + room;
		err = check(&c, align ? align : 1, peak, key);
		err = err ? err : sweep(&c, key);
	}
	free(key);
	free(c.by_begin);
	free(c.piece);
	free(c.is_used);
	free(c.is_contended);
	free(c.streams);
	free(c.until);
	return err;
}
