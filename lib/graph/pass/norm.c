// SPDX-License-Identifier: MIT
/* The pass that fuses the parts of a layer normalisation. See pass.h. */
#include "op/op.h"
#include "pass/pass.h"

/**
 * struct norm - the parts
 * @x: the input
 * @eps: the number that is added to the variance
 * @scale: factors, or NULL
 * @bias: or NULL
 * @last: the last node
 */
struct norm {
	struct graph_value *x;
	float eps;
	struct graph_value *scale;
	struct graph_value *bias;
	struct graph_node *last;
};

/* Check whether a node is the mean along the last dimension, which is kept. */
static bool is_mean(const struct graph_node *n)
{
	const struct graph_attr *axes = graph_attr(n, "axes");
	const struct graph_attr *keeps = graph_attr(n, "keepdims");
	int64_t last = n->in[0]->rank - 1;

	return axes && axes->kind == GRAPH_INTS && axes->count == 1 &&
	       (axes->ints[0] == -1 || axes->ints[0] == last) &&
	       (!keeps || (keeps->kind == GRAPH_INT && keeps->i == 1));
}

/* Find the only node that uses a value, if it has the given type. */
static struct graph_node *user_of(const struct graph *g,
				  const struct graph_value *v, const char *type)
{
	struct graph_node *user = NULL;
	uint32_t i;
	unsigned int k;

	if (v->is_output || graph_uses(g, v) != 1)
		return NULL;
	for (i = 0; i < g->node_count; i++)
		for (k = 0; k < g->nodes[i]->ins; k++)
			if (g->nodes[i]->in[k] == v && !g->nodes[i]->is_dead)
				user = g->nodes[i];
	return user && pass_is(user, type) ? user : NULL;
}

/* Find the base of a square: a product with itself, or a power of 2. */
static bool is_square(const struct graph_node *n, const struct graph_value *of)
{
	double two;

	if (pass_is(n, "Mul"))
		return n->in[0] == of && n->in[1] == of;
	return pass_is(n, "Pow") && n->in[0] == of &&
	       pass_number(n->in[1], &two) && two == 2;
}

/*
 * Get the vector that a node combines with @v: an element for each of a line.
 */
static struct graph_value *vector_of(const struct graph_node *n,
				     const struct graph_value *v)
{
	struct graph_value *w = n->in[0] == v ? n->in[1] : n->in[0];

	return w->data && w->rank == 1 && w->dtype == v->dtype &&
	       w->dims[0] == v->dims[v->rank - 1] ? w : NULL;
}

/* Find the parts of a normalisation that end with a division. */
static bool find_norm(const struct graph *g, struct graph_node *div,
		      struct norm *norm)
{
	struct graph_node *root = pass_source(g, div, 1, "Sqrt"), *sum, *var;
	struct graph_node *less = div->in[0]->node, *mean, *square, *next;
	struct graph_value *v;
	double eps;

	sum = root ? pass_source(g, root, 0, "Add") : NULL;
	if (!sum || !less || !pass_is(less, "Sub") || !less->in[0]->rank ||
	    less->out[0]->is_output || !pass_number(sum->in[1], &eps))
		return false;
	mean = pass_source(g, less, 1, "ReduceMean");
	var = pass_source(g, sum, 0, "ReduceMean");
	square = var ? var->in[0]->node : NULL;
	if (!mean || !var || !square || mean->in[0] != less->in[0] ||
	    !is_mean(mean) || !is_mean(var) ||
	    !is_square(square, less->out[0]) ||
	    square->out[0]->is_output || graph_uses(g, square->out[0]) != 1 ||
	    graph_uses(g, less->out[0]) != (pass_is(square, "Mul") ? 3 : 2))
		return false;
	*norm = (struct norm){ .x = less->in[0], .eps = eps, .last = div };
	next = user_of(g, div->out[0], "Mul");
	v = next ? vector_of(next, div->out[0]) : NULL;
	if (!v)
		return true;
	norm->scale = v;
	norm->last = next;
	next = user_of(g, next->out[0], "Add");
	v = next ? vector_of(next, norm->last->out[0]) : NULL;
	if (v) {
		norm->bias = v;
		norm->last = next;
	}
	return true;
}

/* Make a vector of ones, for a normalisation without factors. */
static struct graph_value *ones(struct graph *g, int64_t count)
{
	float *values = store_alloc(&g->store, count, sizeof(*values));
	int64_t i;

	for (i = 0; values && i < count; i++)
		values[i] = 1;
	return values ? graph_add_constant(g, VNPU_DT_F32, 1, &count, values,
					   false) : NULL;
}

/* Put the one node at the place of the last part. */
static int replace(struct graph *g, const struct norm *norm)
{
	const struct graph_value *x = norm->x;
	struct graph_node *n = graph_new_node(g, "LayerNorm", 3, 1);
	struct graph_attr *eps;
	uint32_t i;

	if (!n)
		return graph_status(g);
	n->name = norm->last->name;
	n->domain = OP_OWN;
	n->op = op_find(n->domain, n->type, n->opset);
	n->in[0] = norm->x;
	n->in[1] = norm->scale ? norm->scale : ones(g, x->dims[x->rank - 1]);
	n->in[2] = norm->bias;
	eps = graph_add_attr(g, n, "epsilon", GRAPH_FLOAT);
	if (!n->in[1] || !eps)
		return graph_status(g);
	eps->f = norm->eps;
	graph_set_output(n, 0, norm->last->out[0]);
	for (i = 0; g->nodes[i] != norm->last; i++)
		;
	g->nodes[i] = n;
	norm->last->is_dead = true;
	return 0;
}

int pass_layer_norm(struct graph *g)
{
	struct norm norm;
	int fused = 0;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		if (!pass_is(n, "Div") || n->opset < 7 ||
		    n->out[0]->dtype != VNPU_DT_F32 || !find_norm(g, n, &norm))
			continue;
		if (replace(g, &norm))
			return g->err;
		fused++;
	}
	return fused;
}
