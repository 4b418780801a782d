// SPDX-License-Identifier: GPL-2.0-only
/* Weights of ONNX models. See weights.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weights.h"
#include "onnx/onnx.h"
#include "rewrite.h"
#include "tensor.h"

#define ATTRIBUTE_IS_INT	2

const char *precision_name(enum precision precision)
{
	static const char *const names[] = { "fp32", "fp16", "bf16", "int8" };

	return names[precision];
}

uint64_t weight_bytes(const struct weight *weight, enum precision precision)
{
	static const unsigned int sizes[] = { 4, 2, 2, 1 };

	return graph_elements(weight->value) * sizes[precision] +
	       (precision == PRECISION_INT8 ? sizeof(float) : 0);
}

bool weight_has(const struct weight *weight, const char *word)
{
	return strcasestr(weight->value->name, word) ||
	       strcasestr(weight->users, word);
}

/* Scales of weights that were tuned before have one element. */
static bool is_weight(const struct graph_value *v)
{
	return v && v->data && v->dtype == VNPU_DT_F32 && v->rank >= 2 &&
	       graph_elements(v) > 1;
}

static char *users_of(const struct graph *g, const struct graph_value *v)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct graph_node *n = g->nodes[i];
		unsigned int at = 0;

		while (at < n->ins && n->in[at] != v)
			at++;
		if (at == n->ins)
			continue;
		fprintf(f, "%s ", n->name);
		for (unsigned int k = 0; k < n->outs; k++)
			fprintf(f, "%s ", n->out[k] ? n->out[k]->name : "");
	}
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static char *add(struct weights *w, const struct graph_value *v, size_t field)
{
	struct weight *more = reallocarray(w->list, w->count + 1,
					   sizeof(*more));
	char *users = more ? users_of(&w->graph, v) : NULL;

	if (more)
		w->list = more;
	if (!users)
		return tensor_message("out of memory");
	more[w->count++] = (struct weight){ v, users, field };
	return NULL;
}

static char *find_weights(struct weights *w)
{
	struct proto model = proto_open(w->file.data, w->file.size);
	struct proto p = rewrite_find(model, MODEL_GRAPH);
	const struct graph_value *v;
	char *message = NULL;
	struct proto_field f;

	for (size_t field = 0; !message && proto_next(&p, &f); field++) {
		if (f.number != GRAPH_INITIALIZER || f.wire != PROTO_BYTES)
			continue;
		v = rewrite_value(&w->graph, rewrite_find(f.bytes, TENSOR_NAME));
		if (is_weight(v))
			message = add(w, v, field);
	}
	return message;
}

/* Count the bytes that an initializer has in another file. */
static double external_bytes(struct proto p)
{
	struct proto_field f;
	uint64_t dim, type = 0;
	double elements = 1;

	if (!rewrite_is_external(p))
		return 0;
	while (proto_next(&p, &f)) {
		if (f.number == TENSOR_TYPE)
			type = f.value;
		while (f.number == TENSOR_DIMS &&
		       proto_number(&f, PROTO_VARINT, &dim))
			elements *= (double)dim;
	}
	for (unsigned int i = 0; i < VNPU_DT_COUNT; i++)
		if (rewrite_type(i) == type)
			return elements * vnpu_dtype_bits(i) / 8;
	return 0;
}

/* Check that the model can be written with all weights in the file itself. */
static char *check_size(const struct file *file, const char *path)
{
	struct proto p = proto_open(file->data, file->size);
	double size = (double)file->size;
	struct proto_field f;

	p = rewrite_find(p, MODEL_GRAPH);
	while (proto_next(&p, &f))
		if (f.number == GRAPH_INITIALIZER && f.wire == PROTO_BYTES)
			size += external_bytes(f.bytes);
	return size <= INT32_MAX ? NULL :
		tensor_message("'%s' has %.0f bytes with its weights, but an ONNX file can have 2 GiB, and a tuned model has all weights in the file itself",
			       path, size);
}

char *weights_open(struct weights *w, const char *path)
{
	char *message;

	*w = (struct weights){ .folder = file_folder(path) };
	w->graph.folder = w->folder;
	message = file_read(&w->file, path);
	if (!message)
		message = check_size(&w->file, path);
	if (!message && onnx_read_model(&w->graph, w->file.data, w->file.size))
		message = tensor_message("'%s': %s", path, w->graph.error);
	if (!message)
		message = find_weights(w);
	if (!message && !w->count)
		message = tensor_message("'%s' has no weights: constants of f32 with two dimensions and two elements at least",
					 path);
	if (message)
		weights_close(w);
	return message;
}

void weights_close(struct weights *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].users);
	free(w->list);
	graph_free(&w->graph);
	file_free(&w->file);
	free(w->folder);
	*w = (struct weights){ 0 };
}

static void put_name(struct message *m, uint32_t field, const char *name,
		     const char *suffix)
{
	char *text;

	if (!suffix)
		return;
	if (asprintf(&text, "%s%s", name, suffix) < 0) {
		m->failed = true;
		return;
	}
	message_text(m, field, text);
	free(text);
}

/*
 * Append a node; names of its inputs and its output are @name and a suffix. A
 * Cast makes f32.
 */
static void put_node(struct message *graph, const char *type, const char *name,
		     const char *input, const char *other, const char *output)
{
	struct message m = { 0 }, to = { 0 };

	put_name(&m, NODE_INPUT, name, input);
	put_name(&m, NODE_INPUT, name, other);
	put_name(&m, NODE_OUTPUT, name, output);
	put_name(&m, NODE_NAME, name, output);
	message_text(&m, NODE_TYPE, type);
	if (!other) {
		message_text(&to, ATTRIBUTE_NAME, "to");
		message_number(&to, ATTRIBUTE_INT, rewrite_type(VNPU_DT_F32));
		message_number(&to, ATTRIBUTE_TYPE, ATTRIBUTE_IS_INT);
		message_take(&m, NODE_ATTRIBUTE, &to);
	}
	message_take(graph, GRAPH_NODE, &m);
}

/* Append a weight of 16 bits. */
static void put_half(struct message *graph, const struct graph_value *v,
		     unsigned int dtype, const char *suffix)
{
	int64_t count = graph_elements(v);
	struct vnpu_op_launch l;
	void *halves = calloc(count, 2);

	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&l.tensor[0], VNPU_DT_F32, 1, &count,
			 (void *)(uintptr_t)v->data);
	vnpu_tensor_init(&l.tensor[1], dtype, 1, &count, halves);
	if (!halves || vnpu_op_compute(&l, NULL))
		graph->failed = true;
	else
		rewrite_constant(graph, v->name, suffix, dtype, v->rank,
				 v->dims, halves);
	free(halves);
	put_node(graph, "Cast", v->name, suffix, NULL, "");
}

/* Append a weight of integers, and its scale. */
static void put_int8(struct message *graph, const struct graph_value *v)
{
	static const int64_t ones[VNPU_TENSOR_DIMS] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	int64_t count = graph_elements(v);
	const float *from = v->data;
	int8_t *numbers = malloc(count);
	float largest = 1e-12f, scale;

	for (int64_t i = 0; i < count; i++)
		largest = fmaxf(largest, fabsf(from[i]));
	scale = largest / 127;
	if (!numbers) {
		graph->failed = true;
		return;
	}
	/* A NaN becomes -127. */
	for (int64_t i = 0; i < count; i++)
		numbers[i] = (int8_t)fminf(fmaxf(rintf(from[i] / scale), -127),
					   127);
	rewrite_constant(graph, v->name, "/int8", VNPU_DT_I8, v->rank,
			 v->dims, numbers);
	rewrite_constant(graph, v->name, "/scale", VNPU_DT_F32, v->rank, ones,
			 &scale);
	put_node(graph, "Cast", v->name, "/int8", NULL, "/wide");
	put_node(graph, "Mul", v->name, "/wide", "/scale", "");
	free(numbers);
}

static void put_weight(struct message *graph, const struct graph_value *v,
		       enum precision precision)
{
	if (precision == PRECISION_FP16)
		put_half(graph, v, VNPU_DT_F16, "/fp16");
	else if (precision == PRECISION_BF16)
		put_half(graph, v, VNPU_DT_BF16, "/bf16");
	else
		put_int8(graph, v);
}

/* Check whether a weight, which is also an input, is converted. */
static bool is_converted(const struct weights *w,
			 const enum precision *precisions, struct proto name)
{
	const struct graph_value *v = rewrite_value(&w->graph, name);

	for (size_t i = 0; v && i < w->count; i++)
		if (w->list[i].value == v)
			return precisions[i] != PRECISION_FP32;
	return false;
}

/* Append the fields of the graph that stay. */
static void put_rest(const struct weights *w, const enum precision *precisions,
		     struct proto p, struct message *graph)
{
	const uint8_t *start = p.at;
	const struct graph_value *v;
	struct proto_field f;
	size_t next = 0;

	for (size_t field = 0; proto_next(&p, &f); field++, start = p.at) {
		bool is_bytes = f.wire == PROTO_BYTES;
		bool is_constant = is_bytes && f.number == GRAPH_INITIALIZER;

		if (next < w->count && w->list[next].field == field &&
		    precisions[next++] != PRECISION_FP32)
			continue;
		if (is_bytes && f.number == GRAPH_INPUT &&
		    is_converted(w, precisions,
				 rewrite_find(f.bytes, INFO_NAME)))
			continue;
		v = is_constant && rewrite_is_external(f.bytes) ?
			rewrite_value(&w->graph,
				      rewrite_find(f.bytes, TENSOR_NAME)) :
			NULL;
		if (v)
			rewrite_constant(graph, v->name, "", v->dtype, v->rank,
					 v->dims, v->data);
		else
			message_put(graph, start, p.at - start);
	}
}

static void put_graph(const struct weights *w, const enum precision *precisions,
		      struct proto p, struct message *model)
{
	struct message graph = { 0 };

	/* Nodes that convert come before those that use their results. */
	for (size_t i = 0; i < w->count; i++)
		if (precisions[i] != PRECISION_FP32)
			put_weight(&graph, w->list[i].value, precisions[i]);
	put_rest(w, precisions, p, &graph);
	message_take(model, MODEL_GRAPH, &graph);
}

char *weights_convert(const struct weights *w, const enum precision *precisions,
		      char **data, size_t *size)
{
	struct proto p = proto_open(w->file.data, w->file.size);
	const uint8_t *start = p.at;
	struct message model = { 0 };
	struct proto_field f;

	for (; proto_next(&p, &f); start = p.at) {
		if (f.number == MODEL_GRAPH && f.wire == PROTO_BYTES)
			put_graph(w, precisions, f.bytes, &model);
		else if (f.number == MODEL_IR && f.value < REWRITE_IR_VERSION)
			message_number(&model, MODEL_IR, REWRITE_IR_VERSION);
		else
			message_put(&model, start, p.at - start);
	}
	*data = model.data;
	*size = model.size;
	if (!model.failed && model.size <= INT32_MAX)
		return NULL;
	free(model.data);
	return model.failed ? tensor_message("out of memory") :
		tensor_message("the model has %zu bytes, but an ONNX file can have 2 GiB",
			       model.size);
}
