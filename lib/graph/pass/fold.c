// SPDX-License-Identifier: MIT
/* Nodes with known results, and nodes that change nothing. See pass.h. */
#include <string.h>

#include "op/op.h"
#include "pass/pass.h"

/* Larger results stay nodes: as constants they would only fill the file. */
#define FOLD_MAX (64U << 20)

int pass_fold(struct graph *g)
{
	uint32_t i;
	int folded = 0;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];
		bool had = n->out[0] && n->out[0]->data;

		if (op_fold(g, n, FOLD_MAX))
			return g->err;
		folded += !had && n->out[0] && n->out[0]->data;
	}
	return folded;
}

/* Check whether the steps of a slice are all 1. */
static bool is_forward(const struct graph_node *n)
{
	const struct graph_value *steps;
	int64_t i;

	if (n->ins < 5 || !n->in[4])
		return true;
	steps = n->in[4];
	for (i = 0; steps->data && i < graph_elements(steps); i++)
		if ((steps->dtype == VNPU_DT_I64 ?
			     ((const int64_t *)steps->data)[i] :
			     ((const int32_t *)steps->data)[i]) != 1)
			return false;
	return steps->data;
}

static bool is_ordered(const struct graph_node *n)
{
	const struct graph_attr *a = graph_attr(n, "perm");
	unsigned int rank = n->in[0]->rank, i;

	for (i = 0; a && a->kind == GRAPH_INTS && i < a->count; i++)
		if (a->ints[i] != (int64_t)i)
			return false;
	return rank <= 1 || a;
}

/* Check whether the first output is the first input. */
static bool is_identity(const struct graph_node *n)
{
	static const char *const always[] = {
		"Identity", "Dropout", "Cast", "CastLike", "Reshape", "Flatten",
		"Squeeze", "Unsqueeze", "Expand", "Tile", "Pad",
	};
	static const char *const single[] = {
		"Sum", "Max", "Min", "Mean", "Concat",
	};
	const struct graph_value *in = n->in[0], *out = n->out[0];
	unsigned int i;

	if (*n->domain || n->is_dead || !n->ins || !in || !out ||
	    in->dtype != out->dtype || in->rank != out->rank ||
	    in->count || out->count ||
	    memcmp(in->dims, out->dims, in->rank * sizeof(*in->dims)))
		return false;
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (pass_is(n, always[i]))
			return true;
	for (i = 0; i < sizeof(single) / sizeof(*single); i++)
		if (pass_is(n, single[i]))
			return n->ins == 1;
	return (pass_is(n, "Slice") && is_forward(n)) ||
	       (pass_is(n, "Transpose") && is_ordered(n));
}

/*
 * Make users of the second value use the first. An output of the model keeps
 * its own value, because of its name; the node of the first value then makes
 * it.
 */
static bool join(struct graph *g, struct graph_value *in,
		 struct graph_value *out)
{
	if (!out->is_output) {
		graph_replace(g, out, in);
		return true;
	}
	if (!in->node || in->is_output || in->data || in->is_input)
		return false;
	graph_replace(g, in, out);
	graph_set_output(in->node, in->output, out);
	in->node = NULL;
	return true;
}

int pass_identity(struct graph *g)
{
	int removed = 0;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i];

		/* If the mask of a Dropout is used, the node must stay. */
		if (!is_identity(n) ||
		    (n->outs > 1 && n->out[1] && graph_uses(g, n->out[1])))
			continue;
		if (join(g, n->in[0], n->out[0])) {
			n->is_dead = true;
			removed++;
		}
	}
	return removed;
}
