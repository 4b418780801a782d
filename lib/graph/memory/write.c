// SPDX-License-Identifier: MIT
/* Writing programs. See memory.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/plan.h"
#include "program/program.h"

/* Steps of fewer elements run in one block. */
#define LARGE	8192

/**
 * struct text - names
 * @data: the names; allocated
 * @size: their bytes
 * @room: bytes that are allocated
 */
struct text {
	char *data;
	size_t size;
	size_t room;
};

/**
 * struct writer - a program that is written
 * @b: the lowered graph
 * @offsets: of each buffer in its segment
 * @text: the names
 * @names: the name and type of each step
 * @head: the head
 */
struct writer {
	struct build *b;
	uint64_t *offsets;
	struct text text;
	uint32_t (*names)[2];
	struct program_head head;
};

static uint64_t align(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

/* Add a name; return where it is. */
static uint32_t add_name(struct writer *w, const char *name)
{
	size_t length = strlen(name) + 1, at = w->text.size;
	size_t room = w->text.room ? w->text.room : 4096;
	char *data;

	while (room - w->text.size < length)
		room *= 2;
	if (room != w->text.room) {
		data = realloc(w->text.data, room);
		if (!data) {
			graph_fail(w->b->g, -ENOMEM, "there is no memory for names");
			return 0;
		}
		w->text.data = data;
		w->text.room = room;
	}
	memcpy(w->text.data + at, name, length);
	w->text.size += length;
	return at;
}

/* Names of steps: those of a node are one entry. */
static void add_names(struct writer *w)
{
	const struct build *b = w->b;
	uint32_t i;

	for (i = 0; !b->g->err && i < b->step_count; i++) {
		const struct graph_node *n = b->steps[i].node;

		if (i && n == b->steps[i - 1].node) {
			memcpy(w->names[i], w->names[i - 1], sizeof(*w->names));
			continue;
		}
		/* Copies at the end belong to no node. */
		w->names[i][0] = add_name(w, !n ? "" : *n->name || !n->out[0] ?
					  n->name : n->out[0]->name);
		w->names[i][1] = add_name(w, n ? n->type : "Output");
	}
}

/* Place constants, then the other parts. */
static void place_parts(struct writer *w, uint64_t work)
{
	struct program_head *h = &w->head;
	const struct build *b = w->b;
	const struct graph *g = b->g;
	uint32_t i;

	memcpy(h->magic, PROGRAM_MAGIC, sizeof(h->magic));
	h->version = PROGRAM_VERSION;
	h->inputs = g->input_count;
	h->outputs = g->output_count;
	h->steps = b->step_count;
	h->work = work;
	for (i = 0; i < b->buffer_count; i++) {
		if (b->buffers[i].kind != BUILD_CONST)
			continue;
		w->offsets[i] = h->weights_size;
		h->weights_size += align(b->buffers[i].bytes, PROGRAM_ALIGN);
	}
	for (i = 0; i < g->input_count; i++)
		if (g->inputs[i]->is_frozen)
			h->weights_size += align(graph_bytes(g->inputs[i]),
						 PROGRAM_ALIGN);
	h->tensors_at = align(sizeof(*h), PROGRAM_ALIGN);
	h->steps_at = h->tensors_at + (h->inputs + h->outputs) *
		      sizeof(struct program_tensor);
	for (i = 0; i < b->step_count; i++)
		h->steps_size += sizeof(struct program_step) +
				 b->steps[i].launch->size;
	h->text_at = h->steps_at + h->steps_size;
}

static uint16_t segment_of(const struct build *b, uint32_t buffer)
{
	const struct build_buffer *at = &b->buffers[buffer];

	switch (at->kind) {
	case BUILD_CONST:
		return PROGRAM_WEIGHTS;
	case BUILD_WORK:
		return PROGRAM_WORK;
	case BUILD_INPUT:
		return PROGRAM_IO + at->index;
	default:
		return PROGRAM_IO + b->g->input_count + at->index;
	}
}

/* Count the blocks that a launch gains from, before it has addresses. */
static uint32_t count_parts(const struct vnpu_op_launch *launch)
{
	struct vnpu_op_launch l;
	struct vnpu_op_job job;
	int64_t most = 0;
	unsigned int i;

	memcpy(&l, launch, launch->size);
	for (i = 0; i < (unsigned int)l.inputs + l.outputs; i++) {
		struct vnpu_tensor *t = &l.tensor[i];

		if (!t->dtype || t->flags & VNPU_TENSOR_F_IMMEDIATE)
			continue;
		t->data = PROGRAM_PAGE;
		if (vnpu_tensor_elements(t) > most)
			most = vnpu_tensor_elements(t);
	}
	return most >= LARGE &&
	       !vnpu_op_prepare(&job, &l, l.size, NULL, NULL) ? job.parts : 1;
}

static void write_steps(const struct writer *w, char *to)
{
	const struct build *b = w->b;
	uint32_t i, k;

	for (i = 0; i < b->step_count; i++) {
		const struct build_step *s = &b->steps[i];
		struct program_step *step = (void *)to;
		struct vnpu_op_launch *l = (void *)(step + 1);

		step->size = sizeof(*step) + s->launch->size;
		step->name = w->names[i][0];
		step->type = w->names[i][1];
		step->parts = count_parts(s->launch);
		memcpy(l, s->launch, s->launch->size);
		for (k = 0; k < (unsigned int)l->inputs + l->outputs; k++) {
			step->segments[k] = PROGRAM_IMMEDIATE;
			if (s->buffers[k] == BUILD_NONE)
				continue;
			step->segments[k] = segment_of(b, s->buffers[k]);
			l->tensor[k].data = w->offsets[s->buffers[k]];
		}
		to += step->size;
	}
}

static void write_tensor(struct program_tensor *t, const struct graph_value *v,
			 uint32_t name)
{
	t->name = name;
	t->dtype = v->dtype;
	t->rank = v->rank;
	memcpy(t->dims, v->dims, v->rank * sizeof(*t->dims));
	t->bytes = graph_bytes(v);
	t->count_at = t->frozen_at = PROGRAM_NONE;
}

static void write_tensors(const struct writer *w, char *data,
			  const uint32_t *names)
{
	struct program_tensor *t = (void *)(data + w->head.tensors_at);
	const struct graph *g = w->b->g;
	uint64_t end = w->head.weights_size;
	uint32_t i, at;

	for (i = 0; i < g->output_count; i++) {
		const struct graph_value *v = g->outputs[i];
		struct program_tensor *to = &t[g->input_count + i];

		write_tensor(to, v, names[g->input_count + i]);
		if (!v->count)
			continue;
		at = w->b->views[v->count->index].buffer;
		to->count_at = w->offsets[at];
		to->count_dim = v->count_dim;
	}
	/* Elements of frozen inputs are the last weights. */
	for (i = g->input_count; i--;) {
		const struct graph_value *v = g->inputs[i];

		write_tensor(&t[i], v, names[i]);
		if (!v->is_frozen)
			continue;
		end -= align(graph_bytes(v), PROGRAM_ALIGN);
		t[i].frozen_at = end;
		memcpy(data + w->head.weights_at + end, v->data, graph_bytes(v));
	}
}

static void *write_all(struct writer *w, const uint32_t *names)
{
	struct program_head *h = &w->head;
	const struct build *b = w->b;
	uint32_t i;
	char *data;

	h->text_size = w->text.size;
	h->weights_at = align(h->text_at + h->text_size, PROGRAM_PAGE);
	h->size = h->weights_at + h->weights_size;
	data = aligned_alloc(PROGRAM_PAGE, align(h->size, PROGRAM_PAGE));
	if (!data)
		return NULL;
	memset(data, 0, h->size);
	memcpy(data + h->text_at, w->text.data, w->text.size);
	write_steps(w, data + h->steps_at);
	for (i = 0; i < b->buffer_count; i++)
		if (b->buffers[i].kind == BUILD_CONST)
			memcpy(data + h->weights_at + w->offsets[i],
			       b->buffers[i].data, b->buffers[i].bytes);
	write_tensors(w, data, names);
	memcpy(data, h, sizeof(*h));
	((struct program_head *)data)->checksum =
		program_checksum(data, h->size);
	return data;
}

int memory_write(struct build *b, unsigned int flags,
		 struct memory_report *report, void **program, size_t *size)
{
	struct writer w = { .b = b };
	struct graph *g = b->g;
	uint32_t *names, i;

	*report = (struct memory_report){ 0 };
	w.offsets = store_alloc(&b->store, b->buffer_count + 1,
				sizeof(*w.offsets));
	w.names = store_alloc(&b->store, b->step_count + 1, sizeof(*w.names));
	names = store_alloc(&b->store, g->input_count + g->output_count,
			    sizeof(*names));
	if (!w.offsets || !w.names || !names)
		return graph_fail(g, -ENOMEM, "there is no memory for the program");
	_Static_assert(BUILD_STEPS <= PROGRAM_STEPS, "too many steps");
	if ((uint64_t)g->input_count + g->output_count > PROGRAM_TENSORS)
		return graph_fail(g, -E2BIG, "the model has %u inputs and %u outputs; at most %d are supported",
				  g->input_count, g->output_count,
				  PROGRAM_TENSORS);
	if (memory_plan(b, flags, w.offsets, report))
		return g->err;
	w.head.name = add_name(&w, g->name ? g->name : "");
	for (i = 0; i < g->input_count; i++)
		names[i] = add_name(&w, g->inputs[i]->name);
	for (i = 0; i < g->output_count; i++)
		names[g->input_count + i] = add_name(&w, g->outputs[i]->name);
	add_names(&w);
	place_parts(&w, report->peak);
	w.head.work_plain = report->plain;
	report->weights = w.head.weights_size;
	*program = g->err ? NULL : write_all(&w, names);
	if (!*program)
		graph_fail(g, -ENOMEM, "there is no memory for the program");
	*size = w.head.size;
	free(w.text.data);
	return g->err;
}
