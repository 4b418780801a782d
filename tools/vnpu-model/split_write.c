// SPDX-License-Identifier: GPL-2.0-only
/* ONNX models of shards. See split.h. */
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"
#include "split.h"
#include "tensor.h"

/**
 * struct part - a shard that is written
 * @s: the model
 * @from: the place of its first node
 * @end: the place after its last node
 * @is_first: it is the first one
 * @is_last: it is the last one
 * @has_unit: the nodes that it has
 * @has_value: the values that its nodes use, and its outputs
 * @f: filled
 */
struct part {
	const struct split *s;
	uint32_t from;
	uint32_t end;
	bool is_first;
	bool is_last;
	bool *has_unit;
	bool *has_value;
	struct split_file *f;
};

static bool is_inside(const struct part *p, uint32_t place)
{
	return place != SPLIT_NONE && place >= p->from && place < p->end;
}

/* Check whether the nodes of the part make a value. */
static bool is_made(const struct part *p, const struct split_value *v)
{
	return v->unit != SPLIT_NONE && p->has_unit[v->unit];
}

/*
 * A constant that is an output of the model is one of the last part. An input that
 * is an output is one of no part.
 */
static bool is_output(const struct part *p, const struct split_value *v)
{
	if (v->is_output && v->is_const)
		return p->is_last;
	return is_inside(p, v->made) && !v->is_const &&
	       (v->is_output || (v->used != SPLIT_NONE && v->used >= p->end));
}

/* Find the nodes: those with places in the part, and constant ones that it uses. */
static void find_units(struct part *p)
{
	const struct split *s = p->s;

	for (uint32_t i = 0; i < s->output_count; i++)
		p->has_value[s->outputs[i]->index] |=
			is_output(p, split_value(s, s->outputs[i]));
	for (uint32_t i = s->unit_count; i--;) {
		const struct split_unit *u = &s->units[i];

		p->has_unit[i] = is_inside(p, u->place);
		for (unsigned int k = 0; u->is_const && k < u->outs; k++)
			p->has_unit[i] |= p->has_value[u->out[k]->index];
		for (unsigned int k = 0; p->has_unit[i] && k < u->ins; k++)
			p->has_value[u->in[k]->index] = true;
	}
}

static bool is_input(const struct part *p, const struct graph_value *g)
{
	const struct split_value *v = split_value(p->s, g);

	/* The first part has the inputs that nothing uses. */
	if (g->is_input && p->is_first && v->used == SPLIT_NONE &&
	    !v->is_output)
		return true;
	return p->has_value[g->index] && !v->is_const && !is_made(p, v);
}

/* Find the inputs and outputs: those of the model first, in their order. */
static void find_ends(struct part *p)
{
	const struct split *s = p->s;
	struct split_file *f = p->f;

	for (uint32_t i = 0; i < s->g.input_count; i++)
		if (is_input(p, s->g.inputs[i]))
			f->in[f->ins++] = s->g.inputs[i];
	for (uint32_t i = 0; i < s->output_count; i++)
		if (is_output(p, split_value(s, s->outputs[i])))
			f->out[f->outs++] = s->outputs[i];
	for (uint32_t i = 0; i < s->value_count; i++) {
		const struct graph_value *g = s->g.values[i];

		if (!g->is_input && is_input(p, g))
			f->in[f->ins++] = g;
		if (!s->values[i].is_output && is_output(p, &s->values[i]))
			f->out[f->outs++] = g;
	}
}

/* Append an input or output. The size of an output may depend on elements. */
static void put_info(struct message *graph, uint32_t field,
		     const struct graph_value *v)
{
	struct message m = { 0 }, type = { 0 }, tensor = { 0 }, shape = { 0 };

	message_text(&m, INFO_NAME, v->name);
	if (v->has_shape && !v->count) {
		for (unsigned int i = 0; i < v->rank; i++) {
			struct message dim = { 0 };

			message_number(&dim, DIM_VALUE, v->dims[i]);
			message_take(&shape, SHAPE_DIM, &dim);
		}
		message_number(&tensor, TYPE_ELEMENTS, rewrite_type(v->dtype));
		message_take(&tensor, TYPE_SHAPE, &shape);
		message_take(&type, TYPE_TENSOR, &tensor);
		message_take(&m, INFO_TYPE, &type);
	}
	message_take(graph, field, &m);
}

static void put_initializer(struct part *p, struct proto initializer,
			    struct message *graph)
{
	const struct graph_value *g =
		rewrite_value(&p->s->g, rewrite_find(initializer, TENSOR_NAME));

	if (!g || g->index >= p->s->value_count || !p->has_value[g->index] ||
	    p->s->values[g->index].unit != SPLIT_NONE)
		return;
	if (rewrite_is_external(initializer))
		rewrite_constant(graph, g->name, "", g->dtype, g->rank,
				 g->dims, g->data);
	else
		message_bytes(graph, GRAPH_INITIALIZER, initializer.at,
			      proto_size(&initializer));
}

/* Append constants that nodes of other parts make, such as shapes. */
static void put_known(struct part *p, struct message *graph)
{
	for (uint32_t i = 0; i < p->s->value_count; i++) {
		const struct split_value *v = &p->s->values[i];
		const struct graph_value *g = p->s->g.values[i];

		if (p->has_value[i] && v->is_const && v->unit != SPLIT_NONE &&
		    !is_made(p, v))
			rewrite_constant(graph, g->name, "", g->dtype, g->rank,
					 g->dims, g->data);
	}
}

/* Append a node, with the values that it uses in the place of others. */
static void put_node(struct part *p, struct proto node, struct message *graph)
{
	const uint8_t *start = node.at;
	struct message m = { 0 };
	struct proto_field f;

	for (; proto_next(&node, &f); start = node.at) {
		const struct split_value *v = f.number == NODE_INPUT ?
			split_value(p->s, rewrite_value(&p->s->g, f.bytes)) :
			NULL;

		if (v && v->same)
			message_text(&m, NODE_INPUT, v->same->name);
		else
			message_put(&m, start, node.at - start);
	}
	message_take(graph, GRAPH_NODE, &m);
}

static void put_graph(struct part *p, struct message *model)
{
	struct proto graph = split_graph(p->s);
	struct message m = { 0 };
	struct proto_field f;
	uint32_t unit = 0;

	while (proto_next(&graph, &f)) {
		if (f.wire != PROTO_BYTES)
			continue;
		if (f.number == GRAPH_NAME)
			message_bytes(&m, GRAPH_NAME, f.bytes.at,
				      proto_size(&f.bytes));
		else if (f.number == GRAPH_NODE && p->has_unit[unit])
			put_node(p, f.bytes, &m);
		else if (f.number == GRAPH_INITIALIZER)
			put_initializer(p, f.bytes, &m);
		unit += f.number == GRAPH_NODE;
	}
	put_known(p, &m);
	for (uint32_t i = 0; i < p->f->ins; i++)
		put_info(&m, GRAPH_INPUT, p->f->in[i]);
	for (uint32_t i = 0; i < p->f->outs; i++)
		put_info(&m, GRAPH_OUTPUT, p->f->out[i]);
	message_take(model, MODEL_GRAPH, &m);
}

/* Append the model; the last graph of a file is the one that counts. */
static void put_model(struct part *p, struct message *model)
{
	struct proto file = proto_open(p->s->file.data, p->s->file.size);
	const uint8_t *start = file.at;
	struct proto_field f;

	for (; proto_next(&file, &f); start = file.at) {
		if (f.number == MODEL_GRAPH && f.wire == PROTO_BYTES)
			continue;
		if (f.number == MODEL_IR && f.value < REWRITE_IR_VERSION)
			message_number(model, MODEL_IR, REWRITE_IR_VERSION);
		else
			message_put(model, start, file.at - start);
	}
	put_graph(p, model);
}

static char *write_part(struct part *p, struct split_shard *shard)
{
	struct message model = { 0 };

	find_units(p);
	find_ends(p);
	shard->nodes = 0;
	for (uint32_t i = 0; i < p->s->unit_count; i++)
		shard->nodes += p->has_unit[i];
	put_model(p, &model);
	p->f->data = model.data;
	p->f->size = model.size;
	if (model.failed)
		return tensor_message("out of memory");
	if (model.size > INT32_MAX)
		return tensor_message("a shard has %zu bytes, but an ONNX file can have 2 GiB; make more shards",
				      model.size);
	return NULL;
}

char *split_write(const struct split *s, struct split_shard *shard,
		  struct split_file *f)
{
	struct part p = {
		.s = s, .from = s->cuts[shard->first],
		.end = s->cuts[shard->end], .is_first = !shard->first,
		.is_last = shard->end == s->pieces, .f = f,
		.has_unit = calloc(s->unit_count + 1, sizeof(bool)),
		.has_value = calloc(s->value_count + 1, sizeof(bool)),
	};
	char *message;

	*f = (struct split_file){
		.in = calloc(s->value_count + 1, sizeof(*f->in)),
		.out = calloc(s->value_count + s->output_count + 1,
			      sizeof(*f->out)),
	};
	message = p.has_unit && p.has_value && f->in && f->out ?
		  write_part(&p, shard) : tensor_message("out of memory");
	free(p.has_unit);
	free(p.has_value);
	if (message)
		split_file_free(f);
	return message;
}

void split_file_free(struct split_file *f)
{
	free(f->data);
	free(f->in);
	free(f->out);
	*f = (struct split_file){ 0 };
}
