// SPDX-License-Identifier: MIT
/* Graphs: errors, values, nodes. See ir.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

void graph_free(struct graph *g)
{
	store_free(&g->store);
}

int graph_fail(struct graph *g, int err, const char *format, ...)
{
	va_list args;

	if (g->err)
		return g->err;
	g->err = err;
	va_start(args, format);
	vsnprintf(g->error, sizeof(g->error), format, args);
	va_end(args);
	return err;
}

int graph_fail_node(struct graph *g, const struct graph_node *n, int err,
		    const char *format, ...)
{
	char text[384];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!n)
		return graph_fail(g, err, "an output of the model: %s", text);
	/* Models of some exporters have nodes without names. */
	if (!*n->name && n->outs && n->out[0])
		return graph_fail(g, err, "node of '%.60s' (%.40s): %s",
				  n->out[0]->name, n->type, text);
	return graph_fail(g, err, "node '%.60s' (%.40s): %s", n->name, n->type,
			  text);
}

int graph_status(struct graph *g)
{
	if (!g->err && g->store.failed)
		graph_fail(g, -ENOMEM, "there is no memory for the graph");
	return g->err;
}

struct graph_value *graph_add_value(struct graph *g, const char *name)
{
	struct graph_value *v, **values;

	if (g->value_count >= GRAPH_MAX) {
		graph_fail(g, -E2BIG, "the graph has more than %u values",
			   GRAPH_MAX);
		return NULL;
	}
	values = store_grow(&g->store, g->values, g->value_count,
			    sizeof(*values));
	v = store_alloc(&g->store, 1, sizeof(*v));
	if (!values || !v)
		return NULL;
	g->values = values;
	v->name = name;
	v->index = g->value_count;
	values[g->value_count++] = v;
	return v;
}

struct graph_value *graph_add_constant(struct graph *g, unsigned int dtype,
				       unsigned int rank, const int64_t *dims,
				       const void *data, bool copy)
{
	struct graph_value *v = graph_add_value(g, "");
	void *to;

	if (!v)
		return NULL;
	graph_set_shape(v, dtype, rank, dims);
	v->data = data;
	if (copy) {
		to = store_alloc(&g->store, graph_bytes(v), 1);
		if (!to)
			return NULL;
		memcpy(to, data, graph_bytes(v));
		v->data = to;
	}
	return v;
}

struct graph_node *graph_new_node(struct graph *g, const char *type,
				  unsigned int ins, unsigned int outs)
{
	struct graph_node *n = store_alloc(&g->store, 1, sizeof(*n));

	if (!n)
		return NULL;
	n->name = "";
	n->type = type;
	n->domain = "";
	n->opset = g->opset;
	n->ins = ins;
	n->outs = outs;
	n->in = store_alloc(&g->store, ins, sizeof(*n->in));
	n->out = store_alloc(&g->store, outs, sizeof(*n->out));
	return n->in && n->out ? n : NULL;
}

int graph_insert(struct graph *g, struct graph_node *n, uint32_t at)
{
	struct graph_node **nodes;

	if (g->node_count >= GRAPH_MAX)
		return graph_fail(g, -E2BIG, "the graph has more than %u nodes",
				  GRAPH_MAX);
	nodes = store_grow(&g->store, g->nodes, g->node_count, sizeof(*nodes));
	if (!nodes)
		return graph_status(g);
	g->nodes = nodes;
	memmove(&nodes[at + 1], &nodes[at],
		(g->node_count - at) * sizeof(*nodes));
	nodes[at] = n;
	g->node_count++;
	return 0;
}

void graph_set_output(struct graph_node *n, unsigned int index,
		      struct graph_value *v)
{
	n->out[index] = v;
	v->node = n;
	v->output = index;
}

struct graph_attr *graph_add_attr(struct graph *g, struct graph_node *n,
				  const char *name, enum graph_kind kind)
{
	struct graph_attr *attrs;

	attrs = store_grow(&g->store, n->attrs, n->attr_count, sizeof(*attrs));
	if (!attrs)
		return NULL;
	n->attrs = attrs;
	attrs += n->attr_count++;
	attrs->name = name;
	attrs->kind = kind;
	return attrs;
}

const struct graph_attr *graph_attr(const struct graph_node *n,
				    const char *name)
{
	unsigned int i;

	for (i = 0; i < n->attr_count; i++)
		if (!strcmp(n->attrs[i].name, name))
			return &n->attrs[i];
	return NULL;
}

void graph_replace(struct graph *g, struct graph_value *old,
		   struct graph_value *with)
{
	unsigned int i, k;

	for (i = 0; i < g->node_count; i++)
		for (k = 0; k < g->nodes[i]->ins; k++)
			if (g->nodes[i]->in[k] == old)
				g->nodes[i]->in[k] = with;
	for (i = 0; i < g->output_count; i++)
		if (g->outputs[i] == old)
			g->outputs[i] = with;
	with->is_output |= old->is_output;
	old->is_output = false;
	old->instead = with;
}

unsigned int graph_uses(const struct graph *g, const struct graph_value *v)
{
	unsigned int i, k, uses = 0;

	for (i = 0; i < g->node_count; i++)
		for (k = 0; k < g->nodes[i]->ins; k++)
			uses += !g->nodes[i]->is_dead &&
				g->nodes[i]->in[k] == v;
	for (i = 0; i < g->output_count; i++)
		uses += g->outputs[i] == v;
	return uses;
}
