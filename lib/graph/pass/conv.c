// SPDX-License-Identifier: MIT
/* Passes that fuse padding, normalisation and biases into convolutions and products. */
#include <math.h>
#include <string.h>

#include "op/op.h"
#include "pass/pass.h"

/* Make a node produce the output of another one, and mark that one as dead. */
static void take_output(struct graph_node *n, struct graph_node *from)
{
	graph_set_output(n, 0, from->out[0]);
	from->is_dead = true;
}

static int64_t int_attr(const struct graph_node *n, const char *name,
			int64_t otherwise)
{
	const struct graph_attr *a = graph_attr(n, name);

	return a && a->kind == GRAPH_INT ? a->i : otherwise;
}

static double float_attr(const struct graph_node *n, const char *name,
			 float otherwise)
{
	const struct graph_attr *a = graph_attr(n, name);

	return a && a->kind == GRAPH_FLOAT ? a->f : otherwise;
}

static bool is_plain_conv(const struct graph_node *n)
{
	const struct graph_attr *a = graph_attr(n, "auto_pad");

	return !a || (a->kind == GRAPH_STRING && !strcmp(a->text, "NOTSET"));
}

/* Get the padding of a Pad if a convolution can do it; else return false. */
static bool get_pads(const struct graph_node *pad, int64_t *pads)
{
	const struct graph_value *x = pad->in[0];
	const struct graph_attr *mode = graph_attr(pad, "mode"), *list;
	unsigned int rank = x->rank, i;
	const int64_t *from;
	double value = 0;

	if (mode && (mode->kind != GRAPH_STRING || strcmp(mode->text, "constant")))
		return false;
	if (pad->opset >= 11) {
		if (pad->ins < 2 || pad->in[1]->dtype != VNPU_DT_I64 ||
		    !pad->in[1]->data || (pad->ins > 3 && pad->in[3]) ||
		    (pad->ins > 2 && pad->in[2] &&
		     (!pass_number(pad->in[2], &value) || value != 0)))
			return false;
		from = pad->in[1]->data;
	} else {
		list = graph_attr(pad, "pads");
		if (!list || list->kind != GRAPH_INTS ||
		    list->count != 2 * rank)
			return false;
		if (float_attr(pad, "value", 0) != 0)
			return false;
		from = list->ints;
	}
	for (i = 0; i < 2 * rank; i++) {
		if (from[i] < 0 || (i % rank < 2 && from[i]))
			return false;
		pads[i] = from[i];
	}
	return true;
}

int pass_pad(struct graph *g)
{
	int64_t pads[2 * VNPU_TENSOR_DIMS];
	int joined = 0;
	uint32_t i;
	unsigned int k, space;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i], *pad;
		struct graph_attr *a;

		pad = pass_is(n, "Conv") && is_plain_conv(n) ?
			pass_source(g, n, 0, "Pad") : NULL;
		if (!pad || pad->in[0]->rank < 3 || !get_pads(pad, pads))
			continue;
		space = pad->in[0]->rank - 2;
		a = (struct graph_attr *)graph_attr(n, "pads");
		if (a && (a->kind != GRAPH_INTS || a->count != 2 * space))
			continue;
		for (k = 0; a && k < 2 * space; k++)
			pads[k < space ? 2 + k : 4 + k] += a->ints[k];
		if (!a)
			a = graph_add_attr(g, n, "pads", GRAPH_INTS);
		if (!a)
			return graph_status(g);
		a->count = 2 * space;
		a->ints = store_alloc(&g->store, a->count, sizeof(*a->ints));
		if (!a->ints)
			return graph_status(g);
		memcpy(a->ints, pads + 2, space * sizeof(*pads));
		memcpy(a->ints + space, pads + 4 + space, space * sizeof(*pads));
		n->in[0] = pad->in[0];
		joined++;
	}
	return joined;
}

/* Get the elements of a constant vector of f32, or NULL. */
static const float *floats_of(const struct graph_value *v, int64_t count)
{
	return v && v->data && v->dtype == VNPU_DT_F32 &&
	       graph_elements(v) == count ? v->data : NULL;
}

static bool is_inference(const struct graph_node *bn)
{
	unsigned int i;

	for (i = 1; i < bn->outs; i++)
		if (bn->out[i])
			return false;
	return !int_attr(bn, "training_mode", 0) &&
	       (bn->opset >= 7 || int_attr(bn, "is_test", 0));
}

/* Scale the weight and the bias of a convolution in the way of @bn. */
static int fold_norm(struct graph *g, struct graph_node *conv,
		     const struct graph_node *bn)
{
	double eps = float_attr(bn, "epsilon", 1e-5f);
	const struct graph_value *w = conv->in[1];
	int64_t made = w->dims[0], each, i, k;
	const float *scale, *bias, *mean, *var, *old = NULL, *from = w->data;
	struct graph_value *weight, *sum;
	float *to, *add;

	scale = floats_of(bn->in[1], made);
	bias = floats_of(bn->in[2], made);
	mean = floats_of(bn->in[3], made);
	var = floats_of(bn->in[4], made);
	if (conv->ins > 2 && conv->in[2]) {
		old = floats_of(conv->in[2], made);
		if (!old)
			return 0;
	}
	if (!from || w->dtype != VNPU_DT_F32 || !scale || !bias || !mean || !var)
		return 0;
	weight = graph_add_constant(g, VNPU_DT_F32, w->rank, w->dims, from, true);
	sum = graph_add_constant(g, VNPU_DT_F32, 1, &made, bias, true);
	if (!weight || !sum)
		return graph_status(g);
	to = (float *)weight->data;
	add = (float *)sum->data;
	each = made ? graph_elements(w) / made : 0;
	for (i = 0; i < made; i++) {
		double factor = scale[i] / sqrt(var[i] + eps);

		for (k = 0; k < each; k++)
			to[i * each + k] = from[i * each + k] * factor;
		add[i] = bias[i] + ((old ? old[i] : 0) - mean[i]) * factor;
	}
	if (conv->ins < 3) {
		struct graph_value **in = store_alloc(&g->store, 3, sizeof(*in));

		if (!in)
			return graph_status(g);
		in[0] = conv->in[0];
		conv->in = in;
		conv->ins = 3;
	}
	conv->in[1] = weight;
	conv->in[2] = sum;
	return 1;
}

int pass_batch_norm(struct graph *g)
{
	int joined = 0, done;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i], *conv;

		conv = pass_is(n, "BatchNormalization") && is_inference(n) ?
			pass_source(g, n, 0, "Conv") : NULL;
		if (!conv)
			continue;
		done = fold_norm(g, conv, n);
		if (done < 0)
			return done;
		if (done)
			take_output(conv, n);
		joined += done;
	}
	return joined;
}

/* Check whether a constant has one element for each channel of @x, and no more. */
static bool is_channel(const struct graph_value *v, const struct graph_value *x)
{
	unsigned int at, i;

	if (!v->data || v->rank > x->rank || v->rank + 1U < x->rank)
		return false;
	at = v->rank + 1U == x->rank ? 0 : 1;
	for (i = 0; i < v->rank; i++)
		if (v->dims[i] != (i == at ? x->dims[1] : 1))
			return false;
	return v->rank > at;
}

static bool can_expand(const struct graph_value *v, const struct graph_value *to)
{
	unsigned int i;

	for (i = 0; i < v->rank; i++)
		if (v->rank > to->rank ||
		    (v->dims[i] != 1 &&
		     v->dims[i] != to->dims[to->rank - v->rank + i]))
			return false;
	return true;
}

/* Check whether a value exists before node @n in the order. */
static bool is_before(const struct graph *g, const struct graph_value *v,
		      const struct graph_node *n)
{
	uint32_t i;

	for (i = 0; v->node && i < g->node_count && g->nodes[i] != n; i++)
		if (g->nodes[i] == v->node)
			return true;
	return !v->node;
}

/* Add a third input, the bias, and take over the output of the sum. */
static int add_bias(struct graph *g, struct graph_node *n,
		    struct graph_node *sum, struct graph_value *bias)
{
	struct graph_value **in = store_alloc(&g->store, 3, sizeof(*in));

	if (!in)
		return graph_status(g);
	memcpy(in, n->in, 2 * sizeof(*in));
	in[2] = bias;
	n->in = in;
	n->ins = 3;
	take_output(n, sum);
	return 1;
}

static int join_bias(struct graph *g, struct graph_node *sum, unsigned int side)
{
	struct graph_value *bias = sum->in[1 - side], *flat;
	struct graph_node *n;

	n = pass_source(g, sum, side, "Conv");
	if (n && (n->ins < 3 || !n->in[2]) && is_channel(bias, n->out[0]) &&
	    bias->dtype == n->out[0]->dtype) {
		flat = graph_add_constant(g, bias->dtype, 1,
					  &n->out[0]->dims[1], bias->data,
					  false);
		return flat ? add_bias(g, n, sum, flat) : graph_status(g);
	}
	n = pass_source(g, sum, side, "MatMul");
	if (n && can_expand(bias, n->out[0]) && is_before(g, bias, n) &&
	    vnpu_dtype_is_float(bias->dtype)) {
		n->domain = OP_OWN;
		n->type = "MatMulBias";
		n->op = op_find(n->domain, n->type, n->opset);
		return add_bias(g, n, sum, bias);
	}
	return 0;
}

int pass_bias(struct graph *g)
{
	int joined = 0, done;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		if (!pass_is(n, "Add") || n->opset < 7)
			continue;
		done = join_bias(g, n, 0);
		if (!done && !n->is_dead)
			done = join_bias(g, n, 1);
		if (done < 0)
			return done;
		joined += done;
	}
	return joined;
}
