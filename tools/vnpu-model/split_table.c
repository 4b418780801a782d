// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that sequences of pieces need. See split.h.
 *
 * The steps of the whole model are those of its shards, so weights, inputs and
 * outputs are known. The work memory is the largest sum of buffers that live at
 * once, or down to half of it, as the planner may place an output over an input.
 */
#include <stdlib.h>
#include <string.h>

#include "split.h"
#include "tensor.h"

/**
 * struct span - where a buffer is used
 * @first: its first step, or SPLIT_NONE
 * @last: its last step
 * @first_piece: its first piece
 * @last_piece: its last piece
 * @seen: the first piece of the last sequence that has counted it, plus 1
 */
struct span {
	uint32_t first;
	uint32_t last;
	uint32_t first_piece;
	uint32_t last_piece;
	uint32_t seen;
};

/**
 * struct row - the sequences that begin with a piece
 * @s: the model
 * @begin: the first piece
 * @spans: of all buffers
 * @seen: for each value, the first piece of the last sequence that has counted it
 *	as input, plus 1
 * @ended: likewise, that has ended it as output
 * @live: bytes of buffers at each step
 * @order: the steps by their pieces
 * @starts: of each piece in @order
 * @peak: the largest of @live
 * @shift: 1 to count half of it
 * @bytes: the sums
 */
struct row {
	const struct split *s;
	uint32_t begin;
	struct span *spans;
	uint32_t *seen;
	uint32_t *ended;
	uint64_t *live;
	uint32_t *order;
	uint32_t *starts;
	uint64_t peak;
	unsigned int shift;
	struct split_bytes bytes;
};

static void find_spans(struct row *r)
{
	const struct split *s = r->s;

	for (uint32_t i = 0; i < s->b.step_count; i++) {
		const struct build_step *step = &s->b.steps[i];
		uint32_t piece = s->step_piece[i];

		for (unsigned int k = 0;
		     k < (unsigned int)step->launch->inputs +
			 step->launch->outputs; k++) {
			struct span *span;

			if (step->buffers[k] == BUILD_NONE)
				continue;
			span = &r->spans[step->buffers[k]];
			if (span->first == SPLIT_NONE)
				*span = (struct span){ i, i, piece, piece, 0 };
			span->last = i;
			if (piece < span->first_piece)
				span->first_piece = piece;
			if (piece > span->last_piece)
				span->last_piece = piece;
		}
	}
}

static void sort_steps(struct row *r)
{
	const struct split *s = r->s;
	uint32_t at;

	for (uint32_t i = 0; i < s->b.step_count; i++)
		r->starts[s->step_piece[i] + 1]++;
	for (uint32_t i = 0; i < s->pieces; i++)
		r->starts[i + 1] += r->starts[i];
	/* Each start moves to the end of its piece, which is the next start. */
	for (uint32_t i = 0; i < s->b.step_count; i++) {
		at = r->starts[s->step_piece[i]]++;
		r->order[at] = i;
	}
	memmove(r->starts + 1, r->starts, s->pieces * sizeof(*r->starts));
	r->starts[0] = 0;
}

static void add_buffer(struct row *r, uint32_t step, uint32_t piece,
		       uint32_t index)
{
	const struct build_buffer *buffer = &r->s->b.buffers[index];
	struct span *span = &r->spans[index];
	bool is_inside = span->first_piece >= r->begin &&
			 span->last_piece == piece && span->last == step;

	if (span->seen == r->begin + 1)
		return;
	if (buffer->kind == BUILD_CONST)
		r->bytes.weights += buffer->bytes;
	else if (buffer->kind != BUILD_WORK || !is_inside)
		return;
	span->seen = r->begin + 1;
	for (uint32_t i = span->first;
	     buffer->kind == BUILD_WORK && i <= span->last; i++) {
		r->live[i] += buffer->bytes;
		if (r->live[i] > r->peak)
			r->peak = r->live[i];
	}
}

static void add_steps(struct row *r, uint32_t piece)
{
	for (uint32_t i = r->starts[piece]; i < r->starts[piece + 1]; i++) {
		const struct build_step *step = &r->s->b.steps[r->order[i]];
		unsigned int count = step->launch->inputs +
				     step->launch->outputs;

		for (unsigned int k = 0; k < count; k++)
			if (step->buffers[k] != BUILD_NONE)
				add_buffer(r, r->order[i], piece,
					   step->buffers[k]);
	}
}

/* Count an input of a node, which may be one of the shard. */
static void add_input(struct row *r, uint32_t piece, struct graph_value *g)
{
	const struct split_value *v = split_value(r->s, g);
	bool is_input = v->first == SPLIT_NONE || v->first < r->begin;

	if (v->is_const)
		return;
	if (is_input && r->seen[g->index] != r->begin + 1) {
		r->seen[g->index] = r->begin + 1;
		r->bytes.in += graph_bytes(g);
	}
	if (is_input || v->is_output || v->last != piece || v->first == piece ||
	    r->ended[g->index] == r->begin + 1)
		return;
	r->ended[g->index] = r->begin + 1;
	r->bytes.out -= graph_bytes(g);
}

static void add_output(struct row *r, uint32_t piece, struct graph_value *g)
{
	const struct split_value *v = split_value(r->s, g);

	if (!v->is_const && (v->is_output || (v->last != SPLIT_NONE &&
					      v->last > piece)))
		r->bytes.out += graph_bytes(g);
}

static void add_values(struct row *r, uint32_t piece)
{
	const struct split *s = r->s;

	for (uint32_t at = s->cuts[piece]; at < s->cuts[piece + 1]; at++) {
		const struct split_unit *u = s->run[at];

		for (unsigned int i = 0; i < u->ins; i++)
			add_input(r, piece, u->in[i]);
		for (unsigned int i = 0; i < u->outs; i++)
			add_output(r, piece, u->out[i]);
	}
}

static void fill_row(struct row *r, struct split_table *t)
{
	memset(r->live, 0, r->s->b.step_count * sizeof(*r->live));
	r->bytes = (struct split_bytes){ 0 };
	r->peak = 0;
	for (uint32_t piece = r->begin; piece < t->pieces; piece++) {
		size_t at = split_at(t, r->begin, piece + 1);

		add_steps(r, piece);
		add_values(r, piece);
		r->bytes.work = r->peak >> r->shift;
		t->need[at] = split_sum(&r->bytes);
		t->moved[at] = r->bytes.in + r->bytes.out;
	}
	t->reach[r->begin] = t->pieces;
}

static void fill(struct row *r, struct split_table *t)
{
	for (uint32_t i = 0; i < r->s->b.buffer_count; i++)
		r->spans[i].first = SPLIT_NONE;
	find_spans(r);
	sort_steps(r);
	for (r->begin = 0; r->begin < t->pieces; r->begin++)
		fill_row(r, t);
}

char *split_table_make(struct split_table *t, const struct split *s,
		       bool is_least)
{
	size_t steps = s->b.step_count + 1, count = s->pieces;
	struct row r = {
		.s = s, .shift = is_least,
		.spans = calloc(s->b.buffer_count + 1, sizeof(*r.spans)),
		.seen = calloc(s->value_count + 1, sizeof(*r.seen)),
		.ended = calloc(s->value_count + 1, sizeof(*r.ended)),
		.live = calloc(steps, sizeof(*r.live)),
		.order = calloc(steps, sizeof(*r.order)),
		.starts = calloc(count + 2, sizeof(*r.starts)),
	};
	bool is_complete;

	*t = (struct split_table){
		.pieces = count, .need = calloc(count * count, sizeof(*t->need)),
		.moved = calloc(count * count, sizeof(*t->moved)),
		.is_exact = calloc(count * count, sizeof(*t->is_exact)),
		.reach = calloc(count, sizeof(*t->reach)),
	};
	is_complete = r.spans && r.seen && r.ended && r.live && r.order &&
		      r.starts && t->need && t->moved && t->is_exact && t->reach;
	if (is_complete)
		fill(&r, t);
	free(r.spans);
	free(r.seen);
	free(r.ended);
	free(r.live);
	free(r.order);
	free(r.starts);
	return is_complete ? NULL : tensor_message("out of memory");
}

void split_table_free(struct split_table *t)
{
	free(t->need);
	free(t->moved);
	free(t->is_exact);
	free(t->reach);
	*t = (struct split_table){ 0 };
}
