// SPDX-License-Identifier: MIT
/* Reading nodes of ONNX. See node.h. */
#include <errno.h>
#include <string.h>

#include "onnx/node.h"
#include "onnx/onnx.h"

/* Fields of NodeProto and AttributeProto. */
enum {
	NODE_INPUT = 1,
	NODE_OUTPUT = 2,
	NODE_NAME = 3,
	NODE_TYPE = 4,
	NODE_ATTRIBUTE = 5,
	NODE_DOMAIN = 7,
};
enum {
	ATTR_NAME = 1,
	ATTR_F = 2,
	ATTR_I = 3,
	ATTR_S = 4,
	ATTR_T = 5,
	ATTR_G = 6,
	ATTR_FLOATS = 7,
	ATTR_INTS = 8,
	ATTR_STRINGS = 9,
	ATTR_TYPE = 20,
};

/* Values of AttributeProto.type that are read. */
static const enum graph_kind kinds[] = {
	GRAPH_OTHER, GRAPH_FLOAT, GRAPH_INT, GRAPH_STRING, GRAPH_TENSOR,
	GRAPH_SUBGRAPH, GRAPH_FLOATS, GRAPH_INTS, GRAPH_STRINGS,
};

static float float_of(uint64_t bits)
{
	uint32_t low = bits;
	float f;

	memcpy(&f, &low, sizeof(f));
	return f;
}

static void add_number(struct graph *g, struct graph_attr *a, uint64_t bits)
{
	if (a->kind == GRAPH_FLOATS) {
		a->floats = store_grow(&g->store, a->floats, a->count,
				       sizeof(*a->floats));
		if (a->floats)
			a->floats[a->count++] = float_of(bits);
	} else {
		a->ints = store_grow(&g->store, a->ints, a->count,
				     sizeof(*a->ints));
		if (a->ints)
			a->ints[a->count++] = bits;
	}
}

static void add_text(struct graph *g, struct graph_attr *a, const char *text)
{
	a->texts = store_grow(&g->store, a->texts, a->count, sizeof(*a->texts));
	if (a->texts)
		a->texts[a->count++] = text;
}

/* Take a field of the attribute's kind; other fields mean nothing. */
static void take_field(struct graph *g, struct graph_attr *a,
		       struct proto_field *f)
{
	static const uint8_t field_of[] = {
		[GRAPH_FLOAT] = ATTR_F, [GRAPH_INT] = ATTR_I,
		[GRAPH_STRING] = ATTR_S, [GRAPH_TENSOR] = ATTR_T,
		[GRAPH_SUBGRAPH] = ATTR_G, [GRAPH_FLOATS] = ATTR_FLOATS,
		[GRAPH_INTS] = ATTR_INTS, [GRAPH_STRINGS] = ATTR_STRINGS,
		[GRAPH_OTHER] = 0,
	};
	bool is_bytes = f->wire == PROTO_BYTES;
	uint64_t bits;

	if (f->number != field_of[a->kind])
		return;
	if (a->kind == GRAPH_FLOAT && f->wire == PROTO_FIXED32)
		a->f = float_of(f->value);
	else if (a->kind == GRAPH_INT && f->wire == PROTO_VARINT)
		a->i = f->value;
	else if (a->kind == GRAPH_FLOATS || a->kind == GRAPH_INTS)
		while (!graph_status(g) &&
		       proto_number(f, a->kind == GRAPH_FLOATS ? PROTO_FIXED32 :
				       PROTO_VARINT, &bits))
			add_number(g, a, bits);
	else if (!is_bytes)
		f->bytes.bad = true;
	else if (a->kind == GRAPH_STRING)
		a->text = store_text(&g->store, f->bytes.at,
				     proto_size(&f->bytes));
	else if (a->kind == GRAPH_STRINGS)
		add_text(g, a, store_text(&g->store, f->bytes.at,
					  proto_size(&f->bytes)));
	else if (a->kind == GRAPH_TENSOR)
		a->tensor = onnx_read_tensor(g, f->bytes.at,
					     proto_size(&f->bytes));
	else if (a->kind == GRAPH_SUBGRAPH)
		a->bytes = (struct graph_span){ f->bytes.at,
						proto_size(&f->bytes) };
	if (f->bytes.bad)
		graph_fail(g, -EINVAL, "attribute '%.60s' is damaged", a->name);
}

/* Get the kind of an attribute: in old files, only the field of the value shows it. */
static enum graph_kind kind_of(struct proto p)
{
	static const enum graph_kind by_field[] = {
		[ATTR_F] = GRAPH_FLOAT, [ATTR_I] = GRAPH_INT,
		[ATTR_S] = GRAPH_STRING, [ATTR_T] = GRAPH_TENSOR,
		[ATTR_G] = GRAPH_SUBGRAPH, [ATTR_FLOATS] = GRAPH_FLOATS,
		[ATTR_INTS] = GRAPH_INTS, [ATTR_STRINGS] = GRAPH_STRINGS,
	};
	enum graph_kind kind = GRAPH_OTHER;
	struct proto_field f;

	while (proto_next(&p, &f)) {
		if (f.number == ATTR_TYPE)
			return f.value < sizeof(kinds) / sizeof(*kinds) ?
				       kinds[f.value] : GRAPH_OTHER;
		if (f.number >= ATTR_F && f.number <= ATTR_STRINGS)
			kind = by_field[f.number];
	}
	return kind;
}

static void read_attr(struct graph *g, struct graph_node *n, struct proto p)
{
	struct graph_attr *a = graph_add_attr(g, n, "", kind_of(p));
	struct proto_field f;

	if (a && a->kind == GRAPH_STRING)
		a->text = "";
	while (a && !graph_status(g) && proto_next(&p, &f)) {
		if (f.number == ATTR_NAME && f.wire == PROTO_BYTES)
			a->name = store_text(&g->store, f.bytes.at,
					     proto_size(&f.bytes));
		else
			take_field(g, a, &f);
	}
	if (p.bad)
		graph_fail(g, -EINVAL, "an attribute is damaged");
	if (!graph_status(g) && a->kind == GRAPH_TENSOR && !a->tensor)
		graph_fail(g, -EINVAL, "attribute '%.60s' has no tensor",
			   a->name);
}

/* Make the value of a node Constant. */
static void add_constant(struct graph *g, const struct graph_node *n,
			 const char *name)
{
	const struct graph_attr *a = n->attr_count ? n->attrs : NULL;
	int64_t dims[1] = { a ? (int64_t)a->count : 0 };
	struct graph_value *v;

	v = graph_add_value(g, name);
	if (!v)
		return;
	if (a && a->kind == GRAPH_TENSOR) {
		graph_set_shape(v, a->tensor->dtype, a->tensor->rank,
				a->tensor->dims);
		v->data = a->tensor->data;
	} else if (a && (a->kind == GRAPH_FLOAT || a->kind == GRAPH_INT)) {
		graph_set_shape(v, a->kind == GRAPH_INT ? VNPU_DT_I64 :
				VNPU_DT_F32, 0, NULL);
		v->data = &a->f;
	} else if (a && (a->kind == GRAPH_FLOATS || a->kind == GRAPH_INTS)) {
		graph_set_shape(v, a->kind == GRAPH_INTS ? VNPU_DT_I64 :
				VNPU_DT_F32, 1, dims);
		v->data = a->count ? a->ints : store_alloc(&g->store, 0, 1);
	} else {
		graph_fail(g, -EOPNOTSUPP,
			   "constant '%.60s' is no tensor of numbers", name);
	}
	graph_enter(g, name, v);
}

static int64_t opset_of(const struct graph *g, const char *domain)
{
	uint32_t i;

	for (i = 0; i < g->domain_count; i++)
		if (!strcmp(g->domains[i].name, domain))
			return g->domains[i].opset;
	return 0;
}

static void count_tensors(struct graph_node *n, struct proto p)
{
	struct proto_field f;

	while (proto_next(&p, &f)) {
		n->ins += f.number == NODE_INPUT;
		n->outs += f.number == NODE_OUTPUT;
	}
}

static void link_input(struct graph *g, struct graph_node *n,
		       unsigned int index, const char *name)
{
	struct graph_value *v;

	if (!*name)
		return;
	v = graph_find(g, name);
	if (!v)
		graph_fail(g, -EINVAL,
			   "node '%.60s' (%.40s): input %u, '%.60s', is made by no node before it",
			   n->name, n->type, index, name);
	n->in[index] = v;
}

static void link_output(struct graph *g, struct graph_node *n,
			unsigned int index, const char *name)
{
	struct graph_value *v;

	if (!*name)
		return;
	v = graph_add_value(g, name);
	if (!v)
		return;
	graph_set_output(n, index, v);
	graph_enter(g, name, v);
}

/* Read what is needed before the tensors can be linked. */
static void read_head(struct graph *g, struct graph_node *n, struct proto p)
{
	struct proto_field f;

	while (!graph_status(g) && proto_next(&p, &f)) {
		const char **to = f.number == NODE_NAME ? &n->name :
				  f.number == NODE_TYPE ? &n->type :
				  f.number == NODE_DOMAIN ? &n->domain : NULL;

		if (f.wire != PROTO_BYTES)
			continue;
		if (to)
			*to = store_text(&g->store, f.bytes.at,
					 proto_size(&f.bytes));
		else if (f.number == NODE_ATTRIBUTE)
			read_attr(g, n, f.bytes);
	}
	if (p.bad)
		graph_fail(g, -EINVAL, "a node is damaged");
	if (graph_status(g))
		return;
	if (!strcmp(n->domain, "ai.onnx"))
		n->domain = "";
	n->opset = opset_of(g, n->domain);
}

static void link_tensors(struct graph *g, struct graph_node *n, struct proto p)
{
	bool is_constant = !*n->domain && !strcmp(n->type, "Constant");
	unsigned int in = 0, out = 0;
	struct proto_field f;
	const char *name;

	while (!graph_status(g) && proto_next(&p, &f)) {
		if (f.number != NODE_INPUT && f.number != NODE_OUTPUT)
			continue;
		name = store_text(&g->store, f.bytes.at, proto_size(&f.bytes));
		if (graph_status(g))
			return;
		if (f.number == NODE_INPUT)
			link_input(g, n, in++, name);
		else if (is_constant)
			add_constant(g, n, name);
		else
			link_output(g, n, out++, name);
	}
}

struct graph_node *onnx_read_node(struct graph *g, struct proto p)
{
	struct graph_node counts = { 0 }, *n;

	count_tensors(&counts, p);
	if (counts.ins > GRAPH_MAX || counts.outs > GRAPH_MAX) {
		graph_fail(g, -E2BIG, "a node has more than %u tensors",
			   GRAPH_MAX);
		return NULL;
	}
	n = graph_new_node(g, "", counts.ins, counts.outs);
	if (!n)
		return NULL;
	read_head(g, n, p);
	if (!graph_status(g))
		link_tensors(g, n, p);
	if (graph_status(g) || (!*n->domain && !strcmp(n->type, "Constant")))
		return NULL;
	return n;
}
