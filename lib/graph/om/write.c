// SPDX-License-Identifier: MIT
/* The writer of models. See om.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "om/om.h"
#include "om/weights.h"

/**
 * struct gear - a program that becomes a gear
 * @program: the program
 * @moves: places of its weights
 * @move_count: their number
 */
struct gear {
	struct program program;
	struct weights_piece *moves;
	size_t move_count;
};

/**
 * struct writer - a model that is written
 * @o: what the caller wants
 * @gears: the programs
 * @weights: the shared weights
 * @head: the head
 * @data: the model; NULL until its parts have places
 * @text: bytes of names that are written
 */
struct writer {
	const struct om_options *o;
	struct gear gears[OM_GEARS];
	struct weights weights;
	struct om_head head;
	char *data;
	uint64_t text;
};

static uint64_t align(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

/* Get the bytes of a program without its weights. */
static uint64_t program_size(const struct program *p)
{
	const struct program_head *h = p->head;
	const uint64_t ends[] = {
		h->tensors_at + (h->inputs + h->outputs) * sizeof(*p->tensors),
		h->steps_at + h->steps_size,
		h->text_at + h->text_size,
	};
	uint64_t size = 0;
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends[i] > size)
			size = ends[i];
	return size;
}

static uint64_t gear_size(const struct gear *g)
{
	return align(program_size(&g->program), PROGRAM_ALIGN);
}

static int open_gears(struct writer *w, struct program_error *error)
{
	const struct om_options *o = w->o;
	unsigned int i;
	int err;

	if (!o->gear_count || o->gear_count > OM_GEARS)
		return program_fail(error, -1, "a model has 1 to %d gears, given %u",
				    OM_GEARS, o->gear_count);
	for (i = 0; i < o->gear_count; i++) {
		struct gear *g = &w->gears[i];
		struct program *p = &g->program;

		err = program_open(p, o->gears[i].program, o->gears[i].size,
				   error);
		if (err)
			return err;
		if (program_size(p) > p->head->weights_at)
			return program_fail(error, -1, "the weights of gear %u do not come last",
					    i);
		if (p->head->inputs != w->gears[0].program.head->inputs ||
		    p->head->outputs != w->gears[0].program.head->outputs)
			return program_fail(error, -1, "gear %u has other inputs and outputs than gear 0",
					    i);
		if (weights_add(&w->weights, p, &g->moves, &g->move_count)) {
			program_fail(error, -1, "there is no memory for the model");
			return -ENOMEM;
		}
	}
	return 0;
}

/* Add a name, or count its bytes before there is a place for it. */
static uint32_t add_name(struct writer *w, const char *name)
{
	size_t length = strlen(name) + 1;
	uint64_t at = w->text;

	if (w->data)
		memcpy(w->data + w->head.text_at + at, name, length);
	w->text += length;
	return at;
}

static const char *tensor_name(const struct writer *w, uint32_t index)
{
	const struct program *p = &w->gears[0].program;

	return w->o->names ? w->o->names[index] :
			     p->text + p->tensors[index].name;
}

static void add_names(struct writer *w)
{
	const struct program *p = &w->gears[0].program;
	struct om_tensor *t = NULL;
	uint32_t i, name;

	w->text = 0;
	w->head.name = add_name(w, w->o->name ? w->o->name :
						p->text + p->head->name);
	w->head.info = add_name(w, w->o->info ? w->o->info : "");
	if (w->data)
		t = (void *)(w->data + w->head.tensors_at);
	for (i = 0; i < w->head.inputs + w->head.outputs; i++) {
		name = add_name(w, tensor_name(w, i));
		if (t)
			t[i].name = name;
	}
}

static void place_parts(struct writer *w)
{
	struct om_head *h = &w->head;
	uint64_t end;
	unsigned int i;

	memcpy(h->magic, OM_MAGIC, sizeof(h->magic));
	h->version = OM_VERSION;
	h->kind = w->o->kind;
	h->gears = w->o->gear_count;
	h->inputs = w->gears[0].program.head->inputs;
	h->outputs = w->gears[0].program.head->outputs;
	h->tensors_at = align(sizeof(*h), PROGRAM_ALIGN);
	h->gears_at = h->tensors_at +
		      (h->inputs + h->outputs) * sizeof(struct om_tensor);
	h->text_at = h->gears_at + h->gears * sizeof(struct om_gear);
	add_names(w);
	h->text_size = w->text;
	end = align(h->text_at + h->text_size, PROGRAM_ALIGN);
	for (i = 0; i < h->gears; i++)
		end += gear_size(&w->gears[i]);
	h->weights_at = align(end, PROGRAM_PAGE);
	h->weights_size = w->weights.size;
	h->size = h->weights_at + h->weights_size;
}

/* Describe a tensor; sizes that differ between gears become -1. */
static void write_tensor(const struct writer *w, struct om_tensor *to,
			 uint32_t index)
{
	unsigned int i, k;

	to->format = w->o->formats ? w->o->formats[index] : OM_FORMAT_ND;
	for (i = 0; i < w->head.gears; i++) {
		const struct program_tensor *t =
			&w->gears[i].program.tensors[index];

		if (!i) {
			to->dtype = t->dtype;
			to->rank = t->rank;
			memcpy(to->dims, t->dims, sizeof(to->dims));
		}
		for (k = 0; k < to->rank; k++)
			if (to->dims[k] != t->dims[k])
				to->dims[k] = -1;
		if (t->bytes > to->bytes)
			to->bytes = t->bytes;
	}
	if (w->o->dims && index < w->head.inputs)
		memcpy(to->dims, w->o->dims[index],
		       to->rank * sizeof(*to->dims));
}

/* Copy a program, and move its weights. */
static void write_gear(const struct gear *g, char *to, uint64_t size,
		       uint64_t weights)
{
	struct program_head *h = (void *)to;
	struct program p = {
		.head = h,
	};
	const struct program_step *at = NULL;
	struct program_tensor *t;
	uint32_t i;

	memcpy(to, g->program.head, program_size(&g->program));
	h->size = size;
	h->weights_at = 0;
	h->weights_size = weights;
	t = (void *)(to + h->tensors_at);
	for (i = 0; i < h->inputs; i++)
		if (t[i].frozen_at != PROGRAM_NONE)
			t[i].frozen_at = weights_find(g->moves, g->move_count,
						      t[i].frozen_at);
	while ((at = program_next(&p, at))) {
		struct vnpu_op_launch *l =
			(void *)(to + ((const char *)(at + 1) - to));

		for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
			if (at->segments[i] == PROGRAM_WEIGHTS)
				l->tensor[i].data =
					weights_find(g->moves, g->move_count,
						     l->tensor[i].data);
	}
	h->checksum = program_checksum(to, size);
}

static void write_parts(struct writer *w)
{
	struct om_head *h = &w->head;
	struct om_tensor *t = (void *)(w->data + h->tensors_at);
	struct om_gear *gears = (void *)(w->data + h->gears_at);
	uint64_t end = align(h->text_at + h->text_size, PROGRAM_ALIGN);
	uint32_t i;

	for (i = 0; i < h->inputs + h->outputs; i++)
		write_tensor(w, &t[i], i);
	add_names(w);
	for (i = 0; i < h->gears; i++) {
		gears[i].at = end;
		gears[i].size = gear_size(&w->gears[i]);
		write_gear(&w->gears[i], w->data + end, gears[i].size,
			   h->weights_size);
		end += gears[i].size;
	}
	weights_write(&w->weights, w->data + h->weights_at);
	memcpy(w->data, h, sizeof(*h));
	((struct om_head *)w->data)->checksum =
		program_checksum(w->data, h->size);
}

static int write_all(struct writer *w, struct program_error *error)
{
	struct om om;
	int err;

	err = open_gears(w, error);
	if (err)
		return err;
	place_parts(w);
	w->data = aligned_alloc(PROGRAM_PAGE, align(w->head.size, PROGRAM_PAGE));
	if (!w->data) {
		program_fail(error, -1, "there is no memory for the model");
		return -ENOMEM;
	}
	memset(w->data, 0, w->head.size);
	write_parts(w);
	/* Gears may not fit together. The reader finds this, too. */
	return om_open(&om, w->data, w->head.size, error);
}

int om_write(const struct om_options *o, void **data, size_t *size,
	     struct program_error *error)
{
	struct writer *w = calloc(1, sizeof(*w));
	unsigned int i;
	int err;

	*data = NULL;
	*size = 0;
	if (!w) {
		program_fail(error, -1, "there is no memory for the model");
		return -ENOMEM;
	}
	w->o = o;
	err = write_all(w, error);
	if (err) {
		free(w->data);
	} else {
		*data = w->data;
		*size = w->head.size;
	}
	for (i = 0; i < OM_GEARS; i++)
		free(w->gears[i].moves);
	free(w->weights.pieces);
	free(w);
	return err;
}
