// SPDX-License-Identifier: MIT
/* The pass that fuses elementwise operators into one of the engine. See pass.h. */
#include <math.h>
#include <string.h>

#include "op/op.h"
#include "pass/pass.h"

/* Replace a node by one of the engine with these inputs, which exist before. */
static int replace(struct graph *g, struct graph_node *n, const char *type,
		   unsigned int ins, struct graph_value *const *in)
{
	struct graph_node *made = graph_new_node(g, type, ins, 1);
	uint32_t i;

	if (!made)
		return graph_status(g);
	made->name = n->name;
	made->domain = OP_OWN;
	memcpy(made->in, in, ins * sizeof(*in));
	made->op = op_find(made->domain, type, made->opset);
	graph_set_output(made, 0, n->out[0]);
	for (i = 0; g->nodes[i] != n; i++)
		;
	/* It takes the place of the node, so the order stays. */
	g->nodes[i] = made;
	n->is_dead = true;
	return 1;
}

static bool has_shape_of(const struct graph_value *a,
			 const struct graph_value *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

static bool is_near(const struct graph_value *v, double want)
{
	double number;

	return pass_number(v, &number) && fabs(number - want) <= 1e-4 * want;
}

/* x * sigmoid(x), y * sigmoid(x), x * hardsigmoid(x). */
static int fuse_gate(struct graph *g, struct graph_node *n)
{
	struct graph_value *in[2];
	const struct graph_attr *alpha, *beta;
	struct graph_node *m;
	unsigned int side;

	for (side = 0; side < 2; side++) {
		struct graph_value *other = n->in[1 - side];

		m = pass_source(g, n, side, "Sigmoid");
		if (m && has_shape_of(other, m->out[0])) {
			in[0] = m->in[0];
			in[1] = other;
			return other == in[0] ? replace(g, n, "Silu", 1, in) :
						replace(g, n, "SigmoidMul", 2, in);
		}
		m = pass_source(g, n, side, "HardSigmoid");
		if (!m || other != m->in[0])
			continue;
		alpha = graph_attr(m, "alpha");
		beta = graph_attr(m, "beta");
		if (alpha && alpha->kind == GRAPH_FLOAT &&
		    (!beta || beta->kind == GRAPH_FLOAT) && fabs(alpha->f - 1.0 / 6) < 1e-6 &&
		    (!beta || beta->f == 0.5f)) {
			in[0] = other;
			return replace(g, n, "HardSwish", 1, in);
		}
	}
	return 0;
}

/* Return the other input, if one is a number near @want; else NULL. */
static struct graph_value *beside(const struct graph_node *n, double want)
{
	if (is_near(n->in[1], want))
		return n->in[0];
	return is_near(n->in[0], want) ? n->in[1] : NULL;
}

/* Find x of 1 + erf(x / sqrt(2)), or return NULL. */
static struct graph_value *find_erf(const struct graph *g,
				    const struct graph_node *n,
				    unsigned int side)
{
	struct graph_node *sum = pass_source(g, n, side, "Add"), *erf, *m;
	unsigned int i;

	for (i = 0; sum && i < 2; i++) {
		erf = pass_source(g, sum, i, "Erf");
		if (!erf || !is_near(sum->in[1 - i], 1))
			continue;
		m = pass_source(g, erf, 0, "Div");
		if (m && is_near(m->in[1], M_SQRT2))
			return m->in[0];
		m = pass_source(g, erf, 0, "Mul");
		return m ? beside(m, M_SQRT1_2) : NULL;
	}
	return NULL;
}

/* x * 0.5 * (1 + erf(x / sqrt(2))), the factors in any order. */
static int fuse_gelu(struct graph *g, struct graph_node *n)
{
	struct graph_value *x, *in[1];
	struct graph_node *m;
	unsigned int side;

	for (side = 0; side < 2; side++) {
		x = find_erf(g, n, side);
		m = x ? pass_source(g, n, 1 - side, "Mul") : NULL;
		if (m && beside(m, 0.5) == x && has_shape_of(x, n->out[0])) {
			in[0] = x;
			return replace(g, n, "Gelu", 1, in);
		}
		/* (x * (1 + erf)) * 0.5 */
		m = pass_source(g, n, side, "Mul");
		if (!m || !is_near(n->in[1 - side], 0.5))
			continue;
		x = find_erf(g, m, 0);
		if (x && m->in[1] == x) {
			in[0] = x;
			return replace(g, n, "Gelu", 1, in);
		}
		x = find_erf(g, m, 1);
		if (x && m->in[0] == x) {
			in[0] = x;
			return replace(g, n, "Gelu", 1, in);
		}
	}
	return 0;
}

int pass_activation(struct graph *g)
{
	int fused = 0, done;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		if (!pass_is(n, "Mul") || n->opset < 7 ||
		    !vnpu_dtype_is_float(n->out[0]->dtype))
			continue;
		done = fuse_gelu(g, n);
		if (!done)
			done = fuse_gate(g, n);
		if (done < 0)
			return done;
		fused += done;
	}
	return fused;
}

/* c + a * b */
int pass_multiply_add(struct graph *g)
{
	struct graph_value *in[3];
	struct graph_node *m;
	unsigned int side;
	int fused = 0, done;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		if (!pass_is(n, "Add") || n->opset < 7 ||
		    !vnpu_dtype_is_float(n->out[0]->dtype))
			continue;
		for (side = 0; side < 2; side++) {
			m = pass_source(g, n, side, "Mul");
			if (!m)
				continue;
			in[0] = n->in[1 - side];
			in[1] = m->in[0];
			in[2] = m->in[1];
			done = replace(g, n, "MultiplyAdd", 3, in);
			if (done < 0)
				return done;
			fused++;
			break;
		}
	}
	return fused;
}
