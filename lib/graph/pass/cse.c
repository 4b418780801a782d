// SPDX-License-Identifier: MIT
/* The pass that removes nodes with the same result as another one. See pass.h. */
#include <string.h>

#include "pass/pass.h"

static bool same_list(const void *a, const void *b, size_t count, size_t size)
{
	return !count || !memcmp(a, b, count * size);
}

static bool same_attr(const struct graph_attr *a, const struct graph_attr *b)
{
	size_t i;

	if (!b || a->kind != b->kind)
		return false;
	switch (a->kind) {
	case GRAPH_FLOAT:
		return !memcmp(&a->f, &b->f, sizeof(a->f));
	case GRAPH_INT:
		return a->i == b->i;
	case GRAPH_STRING:
		return !strcmp(a->text, b->text);
	case GRAPH_INTS:
		return a->count == b->count &&
		       same_list(a->ints, b->ints, a->count, sizeof(*a->ints));
	case GRAPH_FLOATS:
		return a->count == b->count &&
		       same_list(a->floats, b->floats, a->count,
				 sizeof(*a->floats));
	case GRAPH_STRINGS:
		for (i = 0; a->count == b->count && i < a->count; i++)
			if (strcmp(a->texts[i], b->texts[i]))
				return false;
		return a->count == b->count;
	case GRAPH_TENSOR:
		return a->tensor->dtype == b->tensor->dtype &&
		       graph_bytes(a->tensor) == graph_bytes(b->tensor) &&
		       a->tensor->rank == b->tensor->rank &&
		       !memcmp(a->tensor->dims, b->tensor->dims,
			       a->tensor->rank * sizeof(*a->tensor->dims)) &&
		       !memcmp(a->tensor->data, b->tensor->data,
			       graph_bytes(a->tensor));
	default:
		return false;
	}
}

static bool same_node(const struct graph_node *a, const struct graph_node *b)
{
	unsigned int i;

	if (strcmp(a->type, b->type) || strcmp(a->domain, b->domain) ||
	    a->opset != b->opset || a->ins != b->ins || a->outs != b->outs ||
	    a->attr_count != b->attr_count ||
	    (a->ins && memcmp(a->in, b->in, a->ins * sizeof(*a->in))))
		return false;
	for (i = 0; i < a->outs; i++)
		if (!a->out[i] != !b->out[i])
			return false;
	for (i = 0; i < a->attr_count; i++)
		if (!same_attr(&a->attrs[i], graph_attr(b, a->attrs[i].name)))
			return false;
	return true;
}

static uint32_t hash(const struct graph_node *n)
{
	uint64_t h = n->ins;
	const char *c;
	unsigned int i;

	for (c = n->type; *c; c++)
		h = h * 31 + (uint8_t)*c;
	for (i = 0; i < n->ins; i++)
		h = h * 0x9e3779b97f4a7c15U + (n->in[i] ? n->in[i]->index + 1 : 0);
	return h >> 32 ^ h;
}

static bool makes_output(const struct graph_node *n)
{
	unsigned int i;

	for (i = 0; i < n->outs; i++)
		if (n->out[i] && n->out[i]->is_output)
			return true;
	return false;
}

int pass_cse(struct graph *g)
{
	struct graph_node **table;
	uint32_t room = 64, i, k, at;
	int removed = 0;

	while (room < 2 * g->node_count)
		room *= 2;
	table = store_alloc(&g->store, room, sizeof(*table));
	if (!table)
		return graph_status(g);
	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		at = hash(n) & (room - 1);
		while (table[at] && !same_node(table[at], n))
			at = (at + 1) & (room - 1);
		if (!table[at]) {
			table[at] = n;
			continue;
		}
		/* Outputs of the model keep their names. */
		if (makes_output(n))
			continue;
		for (k = 0; k < n->outs; k++)
			if (n->out[k])
				graph_replace(g, n->out[k], table[at]->out[k]);
		n->is_dead = true;
		removed++;
	}
	return removed;
}
