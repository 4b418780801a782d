// SPDX-License-Identifier: MIT
/* Limits that convolutions and products apply to their results. See pass.h. */
#include <math.h>
#include <string.h>

#include "op/op.h"
#include "pass/pass.h"

/* Get a limit of a Clip, which may be left out; false if it is not constant. */
static bool get_limit(const struct graph_node *n, unsigned int in,
		      const char *name, double *limit)
{
	const struct graph_attr *a = graph_attr(n, name);

	if (n->opset >= 11)
		return n->ins <= in || !n->in[in] ||
		       pass_number(n->in[in], limit);
	if (a && a->kind == GRAPH_FLOAT)
		*limit = a->f;
	return true;
}

static bool get_limits(const struct graph_node *n, double *least, double *most)
{
	*least = -INFINITY;
	*most = INFINITY;
	if (pass_is(n, "Relu")) {
		*least = 0;
		return true;
	}
	/* The last three are false for a NaN, and attributes are of f32. */
	return pass_is(n, "Clip") && get_limit(n, 1, "min", least) &&
	       get_limit(n, 2, "max", most) && *least <= *most &&
	       *least == (float)*least && *most == (float)*most;
}

/* Find the node that makes the input of an activation and can limit it. */
static struct graph_node *find_maker(const struct graph *g,
				     const struct graph_node *n)
{
	static const char *const types[] = { "Conv", "Gemm", "MatMul" };
	struct graph_node *m = NULL;
	unsigned int i;

	for (i = 0; !m && i < sizeof(types) / sizeof(*types); i++)
		m = pass_source(g, n, 0, types[i]);
	/* MatMulBias is of our own domain. */
	if (!m && n->in[0]->node && !n->in[0]->is_output &&
	    !strcmp(n->in[0]->node->domain, OP_OWN) &&
	    !strcmp(n->in[0]->node->type, "MatMulBias") &&
	    graph_uses(g, n->in[0]) == 1)
		m = n->in[0]->node;
	return m && !graph_attr(m, OP_LEAST) ? m : NULL;
}

static int add_limit(struct graph *g, struct graph_node *n, const char *name,
		     double limit)
{
	struct graph_attr *a = graph_add_attr(g, n, name, GRAPH_FLOAT);

	if (!a)
		return graph_status(g);
	a->f = limit;
	return 0;
}

int pass_clamp(struct graph *g)
{
	double least, most;
	struct graph_node *m;
	int joined = 0;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		if (!get_limits(n, &least, &most) ||
		    !vnpu_dtype_is_float(n->out[0]->dtype))
			continue;
		m = find_maker(g, n);
		if (!m)
			continue;
		if (add_limit(g, m, OP_LEAST, least) ||
		    add_limit(g, m, OP_MOST, most))
			return g->err;
		graph_set_output(m, 0, n->out[0]);
		n->is_dead = true;
		joined++;
	}
	return joined;
}
