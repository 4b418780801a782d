// SPDX-License-Identifier: GPL-2.0-only
/* The nodes of a file that is split. See split.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"
#include "split.h"
#include "tensor.h"

/* Levels of graphs within graphs. */
#define LEVELS	32

static bool is_text(struct proto p, const char *text)
{
	return proto_size(&p) == strlen(text) &&
	       !memcmp(p.at, text, strlen(text));
}

/* Check whether the reader makes a constant of a node, and no node. */
static bool is_constant(struct proto node)
{
	struct proto domain = rewrite_find(node, NODE_DOMAIN);

	return is_text(rewrite_find(node, NODE_TYPE), "Constant") &&
	       (!domain.at || is_text(domain, "") || is_text(domain, "ai.onnx"));
}

static void add(struct split *s, struct graph_value ***list,
		unsigned int *count, struct graph_value *v)
{
	struct graph_value **more = store_grow(&s->g.store, *list, *count,
					       sizeof(*more));

	if (!more)
		return;
	*list = more;
	more[(*count)++] = v;
}

/* Add the value of a name in a subgraph, if a node before has made it. */
static void add_name(struct split *s, struct split_unit *u, struct proto name)
{
	struct graph_value *v = rewrite_value(&s->g, name);

	if (v && (v->is_input || v->data ||
		  s->values[v->index].unit != SPLIT_NONE))
		add(s, &u->in, &u->ins, v);
}

static void add_subgraphs(struct split *s, struct split_unit *u,
			  struct proto node, unsigned int level);

/* Add the values that a subgraph may use of the graphs around it. */
static void add_subgraph(struct split *s, struct split_unit *u,
			 struct proto graph, unsigned int level)
{
	struct proto_field f, name;

	while (proto_next(&graph, &f)) {
		if (f.wire != PROTO_BYTES)
			continue;
		if (f.number == GRAPH_OUTPUT)
			add_name(s, u, rewrite_find(f.bytes, INFO_NAME));
		if (f.number != GRAPH_NODE)
			continue;
		for (struct proto p = f.bytes; proto_next(&p, &name);)
			if (name.number == NODE_INPUT &&
			    name.wire == PROTO_BYTES)
				add_name(s, u, name.bytes);
		add_subgraphs(s, u, f.bytes, level + 1);
	}
}

static void add_subgraphs(struct split *s, struct split_unit *u,
			  struct proto node, unsigned int level)
{
	struct proto_field f, a;

	if (level == LEVELS) {
		graph_fail(&s->g, -EOPNOTSUPP, "node '%.60s' has more than %d levels of graphs",
			   u->name, LEVELS);
		return;
	}
	while (proto_next(&node, &f)) {
		if (f.number != NODE_ATTRIBUTE || f.wire != PROTO_BYTES)
			continue;
		while (proto_next(&f.bytes, &a))
			if ((a.number == ATTRIBUTE_GRAPH ||
			     a.number == ATTRIBUTE_GRAPHS) &&
			    a.wire == PROTO_BYTES)
				add_subgraph(s, u, a.bytes, level);
	}
}

static void take_constant(struct split *s, struct split_unit *u)
{
	struct proto p = u->bytes;
	struct proto_field f;

	while (proto_next(&p, &f)) {
		struct graph_value *v = f.number == NODE_OUTPUT ?
			rewrite_value(&s->g, f.bytes) : NULL;

		if (v)
			add(s, &u->out, &u->outs, v);
	}
	u->type = "Constant";
}

static void take_node(struct split *s, struct split_unit *u,
		      const struct graph_node *n)
{
	u->type = n->type;
	u->name = n->name;
	for (unsigned int i = 0; i < n->outs; i++)
		if (n->out[i])
			add(s, &u->out, &u->outs, n->out[i]);
	for (unsigned int i = 0; i < n->ins; i++)
		if (n->in[i])
			add(s, &u->in, &u->ins, n->in[i]);
	u->own = u->ins;
	add_subgraphs(s, u, u->bytes, 0);
}

static void take(struct split *s, struct proto node, uint32_t *next)
{
	struct split_unit *u = &s->units[s->unit_count];

	*u = (struct split_unit){ .bytes = node, .name = "",
				  .place = SPLIT_NONE };
	if (is_constant(node))
		take_constant(s, u);
	else if (*next < s->g.node_count)
		take_node(s, u, s->g.nodes[(*next)++]);
	for (unsigned int i = 0; i < u->outs; i++) {
		s->values[u->out[i]->index].unit = s->unit_count;
		/* Shards know values by their names alone. */
		if (graph_find(&s->g, u->out[i]->name) != u->out[i])
			graph_fail(&s->g, -EINVAL, "two nodes make a value '%.60s'",
				   u->out[i]->name);
	}
	if (!*u->name && u->outs)
		u->name = u->out[0]->name;
	s->unit_count++;
}

static bool make_room(struct split *s)
{
	struct proto p = split_graph(s);
	struct proto_field f;
	size_t nodes = 0;

	while (proto_next(&p, &f))
		nodes += f.number == GRAPH_NODE && f.wire == PROTO_BYTES;
	s->value_count = s->g.value_count;
	s->output_count = s->g.output_count;
	s->units = store_alloc(&s->g.store, nodes + 1, sizeof(*s->units));
	s->values = store_alloc(&s->g.store, s->value_count + 1,
				sizeof(*s->values));
	s->outputs = store_alloc(&s->g.store, s->output_count + 1,
				 sizeof(*s->outputs));
	return s->units && s->values && s->outputs;
}

char *split_read_units(struct split *s)
{
	struct proto p = split_graph(s);
	struct proto_field f;
	uint32_t next = 0;

	if (!make_room(s))
		return tensor_message("out of memory");
	for (uint32_t i = 0; i < s->value_count; i++)
		s->values[i] = (struct split_value){
			.unit = SPLIT_NONE, .first = SPLIT_NONE,
			.last = SPLIT_NONE, .made = SPLIT_NONE,
			.used = SPLIT_NONE,
		};
	for (uint32_t i = 0; i < s->output_count; i++) {
		s->outputs[i] = s->g.outputs[i];
		s->values[s->outputs[i]->index].is_output = true;
	}
	while (!graph_status(&s->g) && proto_next(&p, &f))
		if (f.number == GRAPH_NODE && f.wire == PROTO_BYTES)
			take(s, f.bytes, &next);
	if (graph_status(&s->g))
		return tensor_message("'%s': %s", s->path, s->g.error);
	return NULL;
}

/* Check whether the file makes a value before a node. */
static bool is_before(const struct split *s, const struct graph_value *v,
		      uint32_t unit)
{
	uint32_t made;

	if (v->index >= s->value_count || graph_find(&s->g, v->name) != v)
		return false;
	made = s->values[v->index].unit;
	return v->is_input || (made == SPLIT_NONE ? !!v->data : made < unit);
}

/*
 * Find the value of the file that is used instead of another one, or NULL. A pass
 * may also replace a value by a later one, which has its node then.
 */
static struct graph_value *find_same(const struct split *s,
				     const struct graph_value *v)
{
	uint32_t unit = s->values[v->index].unit;
	struct graph_value *same = NULL;

	for (struct graph_value *next = v->instead; next; next = next->instead)
		if (unit != SPLIT_NONE && is_before(s, next, unit))
			same = next;
	return same;
}

void split_replace(struct split *s)
{
	for (uint32_t i = 0; i < s->value_count; i++)
		s->values[i].same = find_same(s, s->g.values[i]);
	for (uint32_t i = 0; i < s->unit_count; i++) {
		struct split_unit *u = &s->units[i];

		for (unsigned int k = 0; k < u->own; k++) {
			struct graph_value *same =
				s->values[u->in[k]->index].same;

			if (same)
				u->in[k] = same;
		}
	}
}
