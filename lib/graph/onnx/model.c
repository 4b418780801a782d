// SPDX-License-Identifier: MIT
/* Reading models and graphs of ONNX. See onnx.h. */
#include <errno.h>
#include <string.h>

#include "onnx/node.h"
#include "onnx/onnx.h"
#include "onnx/proto.h"

/* Fields of ModelProto, OperatorSetIdProto, GraphProto and ValueInfoProto. */
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum {
	GRAPH_NODE = 1,
	GRAPH_NAME = 2,
	GRAPH_INITIALIZER = 5,
	GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	GRAPH_SPARSE = 15,
};
enum { INFO_NAME = 1, INFO_TYPE = 2 };
enum { TYPE_TENSOR = 1 };
enum { TENSOR_TYPE = 1, TENSOR_SHAPE = 2 };
enum { DIM_VALUE = 1, DIM_PARAM = 2 };

static char *text_of(struct graph *g, const struct proto_field *f)
{
	return store_text(&g->store, f->bytes.at, proto_size(&f->bytes));
}

static void damaged(struct graph *g, const struct proto *p, const char *part)
{
	if (p->bad)
		graph_fail(g, -EINVAL, "%s is damaged: it ends within a field",
			   part);
}

static void read_dim(struct graph *g, struct graph_value *v, struct proto p)
{
	struct proto_field f;

	if (v->rank == VNPU_TENSOR_DIMS) {
		graph_fail(g, -EOPNOTSUPP,
			   "input '%.60s' has more than %d dimensions",
			   v->name, VNPU_TENSOR_DIMS);
		return;
	}
	v->dims[v->rank] = -1;
	while (proto_next(&p, &f)) {
		if (f.number == DIM_VALUE && f.wire == PROTO_VARINT)
			v->dims[v->rank] = f.value;
		else if (f.number == DIM_PARAM && f.wire == PROTO_BYTES)
			v->symbols[v->rank] = text_of(g, &f);
	}
	damaged(g, &p, "a shape");
	/* Some exporters write 0 or -1 for a size that is not known. */
	if (v->dims[v->rank] > VNPU_TENSOR_MAX)
		graph_fail(g, -EINVAL, "input '%.60s' has a size of %lld",
			   v->name, (long long)v->dims[v->rank]);
	if (v->dims[v->rank] < 0)
		v->dims[v->rank] = -1;
	v->rank++;
}

static void read_type(struct graph *g, struct graph_value *v, struct proto p)
{
	struct proto_field f, dim;

	while (!g->err && proto_next(&p, &f)) {
		if (f.number == TENSOR_TYPE)
			v->dtype = onnx_dtype(g, f.value, "input", v->name);
		if (f.number != TENSOR_SHAPE || f.wire != PROTO_BYTES)
			continue;
		v->has_shape = true;
		v->rank = 0;
		while (!g->err && proto_next(&f.bytes, &dim))
			if (dim.number == 1 && dim.wire == PROTO_BYTES)
				read_dim(g, v, dim.bytes);
		damaged(g, &f.bytes, "a shape");
	}
	damaged(g, &p, "a type");
}

/* Read the name and the type of an input or output. */
static const char *read_info(struct graph *g, struct proto p,
			     struct proto *type)
{
	const char *name = "";
	struct proto_field f;

	*type = proto_open(p.at, 0);
	while (!g->err && proto_next(&p, &f)) {
		if (f.number == INFO_NAME && f.wire == PROTO_BYTES)
			name = text_of(g, &f);
		else if (f.number == INFO_TYPE && f.wire == PROTO_BYTES)
			*type = f.bytes;
	}
	damaged(g, &p, "an input or output");
	return name;
}

static struct graph_value *add_input(struct graph *g, struct proto_field *f)
{
	struct graph_value *v, **inputs;
	struct proto_field tensor;
	struct proto type;
	const char *name;

	name = read_info(g, f->bytes, &type);
	if (graph_status(g) || graph_find(g, name))
		return NULL;	/* an input with a constant as its default */
	v = graph_add_value(g, name);
	inputs = store_grow(&g->store, g->inputs, g->input_count,
			    sizeof(*inputs));
	if (!v || !inputs)
		return NULL;
	g->inputs = inputs;
	inputs[g->input_count++] = v;
	v->is_input = true;
	if (proto_next(&type, &tensor)) {
		if (tensor.number == TYPE_TENSOR && tensor.wire == PROTO_BYTES)
			read_type(g, v, tensor.bytes);
		else
			graph_fail(g, -EOPNOTSUPP,
				   "input '%.60s' is no tensor, but a sequence, a map or an optional",
				   name);
	}
	damaged(g, &type, "a type");
	graph_enter(g, v->name, v);
	return v;
}

static void add_initializer(struct graph *g, struct proto_field *f)
{
	struct graph_value *v, *t;

	t = onnx_read_tensor(g, f->bytes.at, proto_size(&f->bytes));
	v = t ? graph_add_value(g, t->name) : NULL;
	if (!v)
		return;
	graph_set_shape(v, t->dtype, t->rank, t->dims);
	v->data = t->data;
	graph_enter(g, v->name, v);
}

/**
 * struct body - a graph that is read
 * @with: values of its inputs; those of a model are not given
 * @with_count: their number
 * @inputs: number of inputs so far
 * @is_body: it is the graph of an attribute
 */
struct body {
	struct graph_value *const *with;
	unsigned int with_count;
	unsigned int inputs;
	bool is_body;
};

static void take_input(struct graph *g, struct proto_field *f, struct body *b)
{
	struct proto type;
	const char *name;

	if (!b->is_body) {
		add_input(g, f);
		return;
	}
	name = read_info(g, f->bytes, &type);
	if (b->inputs == b->with_count) {
		graph_fail(g, -EINVAL, "the body of a node has more than %u inputs",
			   b->with_count);
		return;
	}
	graph_enter(g, name, b->with[b->inputs++]);
}

/* Read all fields of one number in their order. */
static void read_fields(struct graph *g, struct proto p, uint32_t number,
			struct body *b, uint32_t *at)
{
	struct graph_node *n;
	struct proto_field f;

	while (!graph_status(g) && proto_next(&p, &f)) {
		if (f.number != number || f.wire != PROTO_BYTES)
			continue;
		if (number == GRAPH_INITIALIZER)
			add_initializer(g, &f);
		else if (number == GRAPH_INPUT)
			take_input(g, &f, b);
		else if (number == GRAPH_SPARSE)
			graph_fail(g, -EOPNOTSUPP,
				   "a constant is sparse, which is not supported");
		else if ((n = onnx_read_node(g, f.bytes)) &&
			 !graph_insert(g, n, *at))
			++*at;
	}
	damaged(g, &p, "a graph");
}

static void add_output(struct graph *g, struct graph_value *v)
{
	struct graph_value **outputs;

	outputs = store_grow(&g->store, g->outputs, g->output_count,
			     sizeof(*outputs));
	if (!outputs)
		return;
	g->outputs = outputs;
	outputs[g->output_count++] = v;
	v->is_output = true;
}

/* Read the outputs into an array, or as those of the model. */
static unsigned int read_outputs(struct graph *g, struct proto p,
				 struct graph_value **to, unsigned int room)
{
	struct graph_value *v;
	struct proto_field f;
	unsigned int count = 0;
	struct proto type;
	const char *name;

	while (!graph_status(g) && proto_next(&p, &f)) {
		if (f.number != GRAPH_OUTPUT || f.wire != PROTO_BYTES)
			continue;
		name = read_info(g, f.bytes, &type);
		v = graph_status(g) ? NULL : graph_find(g, name);
		if (!v)
			graph_fail(g, -EINVAL, "output '%.60s' is made by no node",
				   name);
		else if (!to)
			add_output(g, v);
		else if (count < room)
			to[count] = v;
		count++;
	}
	damaged(g, &p, "a graph");
	return count;
}

static void read_graph(struct graph *g, struct proto p, struct body *b,
		       uint32_t *at)
{
	read_fields(g, p, GRAPH_INITIALIZER, b, at);
	read_fields(g, p, GRAPH_SPARSE, b, at);
	read_fields(g, p, GRAPH_INPUT, b, at);
	read_fields(g, p, GRAPH_NODE, b, at);
}

int onnx_read_body(struct graph *g, struct graph_span bytes, uint32_t *at,
		   struct graph_value *const *with, unsigned int with_count,
		   struct graph_value **outputs, unsigned int output_count)
{
	struct body b = { .with = with, .with_count = with_count,
			  .is_body = true };
	struct proto p = proto_open(bytes.data, bytes.size);
	unsigned int made;

	read_graph(g, p, &b, at);
	made = read_outputs(g, p, outputs, output_count);
	if (!graph_status(g) && made != output_count)
		graph_fail(g, -EINVAL, "the body of a node has %u outputs, expected %u",
			   made, output_count);
	return graph_status(g);
}

static void add_domain(struct graph *g, struct proto p)
{
	struct graph_domain *domains, d = { .name = "", .opset = 0 };
	struct proto_field f;

	while (proto_next(&p, &f)) {
		if (f.number == OPSET_DOMAIN && f.wire == PROTO_BYTES)
			d.name = text_of(g, &f);
		else if (f.number == OPSET_VERSION)
			d.opset = f.value;
	}
	damaged(g, &p, "a set of operators");
	if (graph_status(g))
		return;
	if (!strcmp(d.name, "ai.onnx"))
		d.name = "";
	if (!*d.name)
		g->opset = d.opset;
	domains = store_grow(&g->store, g->domains, g->domain_count, sizeof(d));
	if (!domains)
		return;
	g->domains = domains;
	domains[g->domain_count++] = d;
}

int onnx_read_model(struct graph *g, const void *data, size_t size)
{
	struct proto p = proto_open(data, size);
	struct proto graph = { 0 };
	struct body b = { 0 };
	struct proto_field f;
	uint32_t at = 0;

	while (!graph_status(g) && proto_next(&p, &f)) {
		if (f.wire != PROTO_BYTES)
			continue;
		if (f.number == MODEL_OPSET)
			add_domain(g, f.bytes);
		else if (f.number == MODEL_GRAPH)
			graph = f.bytes;
	}
	if (p.bad || !graph.at)
		graph_fail(g, -EINVAL, "the file is no ONNX model, or is damaged");
	if (graph_status(g))
		return g->err;
	if (g->opset < 1 || g->opset > GRAPH_OPSET)
		return graph_fail(g, -EOPNOTSUPP,
				  "the model needs opset %lld of ONNX; 1 to %d are supported",
				  (long long)g->opset, GRAPH_OPSET);
	read_graph(g, graph, &b, &at);
	read_outputs(g, graph, NULL, 0);
	while (!graph_status(g) && proto_next(&graph, &f))
		if (f.number == GRAPH_NAME && f.wire == PROTO_BYTES)
			g->name = text_of(g, &f);
	if (!g->name)
		g->name = "";
	if (!graph_status(g) && !g->output_count)
		graph_fail(g, -EINVAL, "the model has no output");
	return graph_status(g);
}
