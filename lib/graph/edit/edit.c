// SPDX-License-Identifier: MIT
/* Other outputs, and other types of inputs and outputs. See edit.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit/edit.h"

struct graph_value *edit_find_input(struct graph *g, const char *name)
{
	uint32_t i;

	for (i = 0; i < g->input_count; i++)
		if (!strcmp(g->inputs[i]->name, name))
			return g->inputs[i];
	graph_fail(g, -EINVAL, "the model has no input '%.60s'; its first input is '%.60s'",
		   name, g->input_count ? g->inputs[0]->name : "");
	return NULL;
}

struct graph_value *edit_replace_input(struct graph *g, struct graph_value *v)
{
	struct graph_value *input = graph_add_value(g, v->name);
	uint32_t i;

	if (!input)
		return NULL;
	for (i = 0; i < g->input_count; i++)
		if (g->inputs[i] == v)
			g->inputs[i] = input;
	input->is_input = true;
	v->is_input = false;
	return input;
}

struct graph_value *edit_add_node(struct graph *g, uint32_t *at,
				  const char *type, unsigned int ins,
				  struct graph_value *const *in,
				  struct graph_value *out)
{
	struct graph_node *n = graph_new_node(g, type, ins, 1);
	unsigned int i;

	if (!out)
		out = graph_add_value(g, "");
	if (!n || !out)
		return NULL;
	n->opset = GRAPH_OPSET;
	for (i = 0; i < ins; i++) {
		if (!in[i])
			return NULL;
		n->in[i] = in[i];
	}
	graph_set_output(n, 0, out);
	return graph_insert(g, n, (*at)++) ? NULL : out;
}

/* Get the number of a type in TensorProto.DataType, or 0. */
static int onnx_number(unsigned int dtype)
{
	switch (dtype) {
	case VNPU_DT_F32:
		return 1;
	case VNPU_DT_U8:
		return 2;
	case VNPU_DT_I8:
		return 3;
	case VNPU_DT_F16:
		return 10;
	default:
		return 0;
	}
}

struct graph_value *edit_add_cast(struct graph *g, uint32_t *at,
				  struct graph_value *in, unsigned int dtype,
				  struct graph_value *out)
{
	struct graph_value *v;
	struct graph_attr *to;

	v = edit_add_node(g, at, "Cast", 1, &in, out);
	to = v ? graph_add_attr(g, v->node, "to", GRAPH_INT) : NULL;
	if (!to)
		return NULL;
	to->i = onnx_number(dtype);
	return v;
}

static struct graph_node *find_node(const struct graph *g, const char *name,
				    size_t length)
{
	uint32_t i;

	for (i = 0; i < g->node_count; i++)
		if (strlen(g->nodes[i]->name) == length &&
		    !memcmp(g->nodes[i]->name, name, length))
			return g->nodes[i];
	return NULL;
}

/* Find a value by "NODE:INDEX", or by its own name. */
static struct graph_value *find_value(struct graph *g, const char *name)
{
	struct graph_value *v = graph_find(g, name);
	const char *colon = strrchr(name, ':');
	struct graph_node *n;
	unsigned long index;
	char *end;

	if (v || !colon)
		goto out;
	n = find_node(g, name, colon - name);
	index = strtoul(colon + 1, &end, 10);
	if (n && colon[1] && !*end && index < n->outs)
		v = n->out[index];
	else if (n)
		graph_fail(g, -EINVAL, "node '%.60s' (%.40s) has %u outputs, given '%.60s'",
			   n->name, n->type, n->outs, name);
out:
	if (!v)
		graph_fail(g, -EINVAL, "the model has no node or tensor '%.60s': give NODE:INDEX, or the name of a tensor",
			   name);
	return v;
}

int edit_outputs(struct graph *g, const char *const *names,
		 unsigned int count)
{
	struct graph_value **outputs;
	uint32_t i;

	outputs = store_alloc(&g->store, count, sizeof(*outputs));
	if (!outputs)
		return graph_status(g);
	for (i = 0; i < count; i++) {
		outputs[i] = find_value(g, names[i]);
		if (!outputs[i])
			return g->err;
	}
	for (i = 0; i < g->output_count; i++)
		g->outputs[i]->is_output = false;
	for (i = 0; i < count; i++)
		outputs[i]->is_output = true;
	g->outputs = outputs;
	g->output_count = count;
	return 0;
}

int edit_output_type(struct graph *g, const char *name, unsigned int dtype)
{
	struct graph_value *wanted = name ? find_value(g, name) : NULL, *v, *to;
	uint32_t i, k, at = g->node_count, done = 0;

	if (name && !wanted)
		return g->err;
	for (i = 0; i < g->output_count; i++) {
		v = g->outputs[i];
		if (wanted && v != wanted)
			continue;
		to = graph_add_value(g, v->name);
		if (!to || !edit_add_cast(g, &at, v, dtype, to))
			return graph_status(g);
		to->is_output = true;
		v->is_output = false;
		for (k = i; k < g->output_count; k++)
			if (g->outputs[k] == v)
				g->outputs[k] = to;
		done++;
	}
	return done ? 0 : graph_fail(g, -EINVAL, "'%.60s' is no output of the model",
				     name);
}

int edit_input_type(struct graph *g, const char *name, unsigned int dtype)
{
	struct graph_value *v = edit_find_input(g, name), *input;
	uint32_t at = 0;

	if (!v)
		return g->err;
	if (!v->has_shape)
		return graph_fail(g, -EINVAL, "input '%.60s' is %s: give its shape",
				  v->name, GRAPH_DESCRIBE(v));
	input = edit_replace_input(g, v);
	if (!input)
		return graph_status(g);
	graph_set_shape(input, dtype, v->rank, v->dims);
	memcpy(input->symbols, v->symbols, sizeof(v->symbols));
	if (!onnx_number(v->dtype))
		return graph_fail(g, -EOPNOTSUPP, "input '%.60s' is %s: only floating-point inputs can have another type",
				  v->name, GRAPH_DESCRIBE(v));
	if (!edit_add_cast(g, &at, input, v->dtype, v))
		return graph_status(g);
	return 0;
}
