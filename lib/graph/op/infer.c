// SPDX-License-Identifier: MIT
/* Inference of types and shapes, and folding of constants. See op.h. */
#include <errno.h>
#include <string.h>

#include "op/op.h"

static int find_row(struct graph *g, struct graph_node *n)
{
	n->op = op_find(n->domain, n->type, n->opset);
	if (!n->op)
		return graph_fail_node(g, n, -EOPNOTSUPP,
				       "the operator is not supported in opset %lld of '%.40s'",
				       (long long)n->opset,
				       *n->domain ? n->domain : "ai.onnx");
	if (n->ins < n->op->min_in ||
	    (n->op->max_in != OP_MANY && n->ins > n->op->max_in))
		return graph_fail_node(g, n, -EINVAL,
				       "expected %u to %u inputs, given %u",
				       n->op->min_in, n->op->max_in, n->ins);
	if (!n->outs ||
	    (n->op->max_out != OP_MANY && n->outs > n->op->max_out))
		return graph_fail_node(g, n, -EINVAL,
				       "expected 1 to %u outputs, given %u",
				       n->op->max_out, n->outs);
	return 0;
}

static int check_inputs(struct graph *g, const struct graph_node *n)
{
	const struct graph_value *v;
	unsigned int i, k;

	for (i = 0; i < n->ins; i++) {
		v = n->in[i];
		if (!v && (i < n->op->min_in || n->op->max_in == OP_MANY))
			return graph_fail_node(g, n, -EINVAL,
					       "input %u is missing", i);
		if (!v)
			continue;
		if (!v->has_shape || !v->dtype)
			return graph_fail_node(g, n, -EINVAL,
					       "input %u, '%.60s', has no known shape",
					       i, v->name);
		for (k = 0; k < v->rank; k++)
			if (v->dims[k] < 0)
				return graph_fail_node(g, n, -EINVAL,
						       "input %u, '%.60s', has the shape %s; give all its sizes",
						       i, v->name,
						       GRAPH_DESCRIBE(v));
		if (v->count)
			return graph_fail_node(g, n, -EOPNOTSUPP,
					       "the shape of input %u, '%.60s', depends on elements",
					       i, v->name);
	}
	return 0;
}

static int check_outputs(struct graph *g, const struct graph_node *n)
{
	unsigned int i;

	for (i = 0; i < n->outs; i++)
		if (n->out[i] && !n->out[i]->has_shape &&
		    (n->out[i]->is_output || graph_uses(g, n->out[i])))
			return graph_fail_node(g, n, -EOPNOTSUPP,
					       "output %u, '%.60s', is not supported",
					       i, n->out[i]->name);
	return 0;
}

int op_fold(struct graph *g, struct graph_node *n, uint64_t limit)
{
	unsigned int i;

	for (i = 0; i < n->outs; i++)
		if (n->out[i] && (n->out[i]->data || !n->out[i]->has_shape))
			return 0;
	for (i = 0; i < n->ins; i++)
		if (n->in[i] && !n->in[i]->data && !(n->op->flags & OP_SHAPE))
			return 0;
	return build_evaluate(g, n, n->op->lower, limit);
}

int op_infer_node(struct graph *g, struct graph_node *n)
{
	struct build b = { .g = g, .node = n, .infers = true };

	if (find_row(g, n) || check_inputs(g, n) || n->op->lower(&b) ||
	    check_outputs(g, n))
		return graph_status(g);
	return op_fold(g, n, GRAPH_SMALL);
}

int op_infer(struct graph *g)
{
	uint32_t i;

	for (i = 0; !graph_status(g) && i < g->node_count; i++)
		if (!strcmp(g->nodes[i]->type, "If") && !*g->nodes[i]->domain)
			op_expand_if(g, i);
		else
			op_infer_node(g, g->nodes[i]);
	return graph_status(g);
}
