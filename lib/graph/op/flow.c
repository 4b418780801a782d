// SPDX-License-Identifier: MIT
/*
 * Control flow that is decided when the model is compiled: the nodes of a body
 * take the place of the node that has it. See op.h.
 */
#include "onnx/onnx.h"
#include "op/op.h"

/* Make a value by an Identity of another one. */
static int add_identity(struct graph *g, struct graph_value *from,
			struct graph_value *to, uint32_t at)
{
	struct graph_node *n = graph_new_node(g, "Identity", 1, 1);

	if (!n)
		return graph_status(g);
	n->in[0] = from;
	graph_set_output(n, 0, to);
	return graph_insert(g, n, at);
}

int op_expand_if(struct graph *g, uint32_t at)
{
	struct graph_node *n = g->nodes[at];
	struct build b = { .g = g, .node = n, .infers = true };
	const struct graph_attr *body;
	struct graph_value **made;
	int64_t condition;
	unsigned int i;

	if (build_known(&b, 0, &condition, 1) != 1)
		return build_fail(&b, "expected one condition");
	body = graph_attr(n, condition ? "then_branch" : "else_branch");
	if (!body || body->kind != GRAPH_SUBGRAPH)
		return build_fail(&b, "attribute %s_branch is missing",
				  condition ? "then" : "else");
	made = store_alloc(&g->store, n->outs, sizeof(*made));
	if (!made)
		return graph_status(g);
	n->is_dead = true;
	at++;
	if (onnx_read_body(g, body->bytes, &at, NULL, 0, made, n->outs))
		return g->err;
	for (i = 0; !g->err && i < n->outs; i++)
		if (n->out[i])
			add_identity(g, made[i], n->out[i], at++);
	return graph_status(g);
}
