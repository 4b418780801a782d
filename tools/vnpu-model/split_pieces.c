// SPDX-License-Identifier: GPL-2.0-only
/* The pieces of a model, and the cuts between them. See split.h. */
#include <stdlib.h>

#include "split.h"
#include "tensor.h"

/* A node makes constants if all its inputs are constants. */
static void find_constants(struct split *s)
{
	for (uint32_t i = 0; i < s->value_count; i++)
		s->values[i].is_const = s->g.values[i]->data;
	for (uint32_t i = 0; i < s->unit_count; i++) {
		struct split_unit *u = &s->units[i];

		u->is_const = true;
		for (unsigned int k = 0; k < u->ins; k++)
			u->is_const &= split_value(s, u->in[k])->is_const;
		for (unsigned int k = 0; u->is_const && k < u->outs; k++)
			split_value(s, u->out[k])->is_const = true;
	}
}

static bool has_live_output(const struct split *s, const struct split_unit *u)
{
	for (unsigned int i = 0; i < u->outs; i++) {
		const struct split_value *v = split_value(s, u->out[i]);

		/* Until nodes have places, this means that a node needs it. */
		if (!v->is_const && (v->is_output || v->used != SPLIT_NONE))
			return true;
	}
	return false;
}

/* Find the nodes on which outputs depend. */
static void find_live(struct split *s)
{
	for (uint32_t i = s->unit_count; i--;) {
		struct split_unit *u = &s->units[i];

		u->is_live = has_live_output(s, u);
		for (unsigned int k = 0; u->is_live && k < u->ins; k++)
			split_value(s, u->in[k])->used = 0;
	}
}

/* Give nodes their places. A constant output of a node is copied, not crossed. */
static bool set_places(struct split *s)
{
	s->run = store_alloc(&s->g.store, s->unit_count + 1, sizeof(*s->run));
	if (!s->run)
		return false;
	for (uint32_t i = 0; i < s->unit_count; i++) {
		struct split_unit *u = &s->units[i];

		if (!u->is_live)
			continue;
		u->place = s->places;
		s->run[s->places++] = u;
		for (unsigned int k = 0; k < u->ins; k++)
			split_value(s, u->in[k])->used = u->place;
		for (unsigned int k = 0; k < u->outs; k++)
			split_value(s, u->out[k])->made = u->place;
	}
	return true;
}

/* Check whether a value lies in memory of its own, in the order of its elements. */
static bool is_plain(const struct split *s, const struct graph_value *v)
{
	const struct build_view *view = &s->b.views[v->index];

	return v->has_shape && v->dtype && !v->count && view_has(view) &&
	       view->buffer != BUILD_NONE &&
	       vnpu_tensor_is_contiguous(&view->t);
}

/* Find the values that exist in the compiled model. */
static void find_crossable(struct split *s)
{
	for (uint32_t i = 0; i < s->g.node_count; i++) {
		const struct graph_node *n = s->g.nodes[i];

		for (unsigned int k = 0; k < n->outs; k++) {
			struct split_value *v = split_value(s, n->out[k]);

			if (v)
				v->may_cross = is_plain(s, n->out[k]) &&
					graph_find(&s->g, n->out[k]->name) ==
					n->out[k];
		}
	}
}

/* Get the bytes that cross before each place; UINT64_MAX where no cut is possible. */
static uint64_t *count_crossing(const struct split *s)
{
	uint64_t *bytes = calloc(s->places + 1, sizeof(*bytes));
	int64_t *change = calloc(s->places + 1, sizeof(*change));
	int64_t *wrong = calloc(s->places + 1, sizeof(*wrong)), sum = 0, bad = 0;

	for (uint32_t i = 0; bytes && change && wrong && i < s->value_count;
	     i++) {
		const struct split_value *v = &s->values[i];
		int64_t size;

		if (v->is_const || v->made == SPLIT_NONE ||
		    v->used == SPLIT_NONE || v->used <= v->made)
			continue;
		size = v->may_cross ? graph_bytes(s->g.values[i]) : 0;
		change[v->made + 1] += size;
		change[v->used + 1] -= size;
		wrong[v->made + 1] += !v->may_cross;
		wrong[v->used + 1] -= !v->may_cross;
	}
	for (uint32_t i = 0; bytes && change && wrong && i < s->places; i++) {
		sum += change[i];
		bad += wrong[i];
		bytes[i] = bad ? UINT64_MAX : (uint64_t)sum;
	}
	if (!change || !wrong) {
		free(bytes);
		bytes = NULL;
	}
	free(change);
	free(wrong);
	return bytes;
}

/* Keep the cheapest cut of each group of places. */
static void make_cuts(struct split *s, const uint64_t *bytes)
{
	uint32_t group = s->places / SPLIT_PIECES + 1;

	s->cuts[s->pieces++] = 0;
	for (uint32_t at = 1; at < s->places; at += group) {
		uint32_t best = at;

		for (uint32_t i = at; i < at + group && i < s->places; i++)
			if (bytes[i] < bytes[best])
				best = i;
		if (bytes[best] != UINT64_MAX)
			s->cuts[s->pieces++] = best;
	}
	s->cuts[s->pieces] = s->places;
}

static void set_pieces(struct split *s, uint32_t *piece_of)
{
	for (uint32_t i = 0; i < s->pieces; i++)
		for (uint32_t at = s->cuts[i]; at < s->cuts[i + 1]; at++)
			piece_of[at] = i;
	for (uint32_t i = 0; i < s->value_count; i++) {
		struct split_value *v = &s->values[i];

		if (v->made != SPLIT_NONE)
			v->first = piece_of[v->made];
		if (v->used != SPLIT_NONE && s->places)
			v->last = piece_of[v->used];
	}
}

/* Find the piece of each step by the values that its node makes. */
static void set_steps(struct split *s)
{
	uint32_t piece = 0;

	for (uint32_t i = 0; i < s->b.step_count; i++) {
		const struct graph_node *n = s->b.steps[i].node;

		for (unsigned int k = 0; n && k < n->outs; k++) {
			const struct split_value *v = split_value(s, n->out[k]);

			if (v && v->first != SPLIT_NONE)
				piece = v->first;
		}
		s->step_piece[i] = piece;
	}
}

char *split_find_pieces(struct split *s)
{
	struct store *store = &s->g.store;
	uint64_t *bytes;

	find_constants(s);
	find_live(s);
	if (!set_places(s))
		return tensor_message("out of memory");
	if (!s->places)
		return tensor_message("'%s' cannot be split: its outputs depend on no node that runs",
				      s->path);
	find_crossable(s);
	bytes = count_crossing(s);
	s->cuts = store_alloc(store, SPLIT_PIECES + 2, sizeof(*s->cuts));
	s->step_piece = store_alloc(store, s->b.step_count + 1,
				    sizeof(*s->step_piece));
	if (bytes && s->cuts && s->step_piece) {
		uint32_t *piece_of = store_alloc(store, s->places,
						 sizeof(*piece_of));

		make_cuts(s, bytes);
		if (piece_of) {
			set_pieces(s, piece_of);
			set_steps(s);
		}
	}
	free(bytes);
	return store->failed || !bytes ? tensor_message("out of memory") : NULL;
}
