// SPDX-License-Identifier: MIT
/* The passes in their order, and what they share. See pass.h. */
#include <errno.h>
#include <string.h>

#include "pass/pass.h"

static const struct pass passes[] = {
	{ "constant-folding", "nodes computed when compiled", pass_fold },
	{ "identity", "nodes removed that change nothing", pass_identity },
	{ "common-subexpressions", "nodes removed that compute the same",
	  pass_cse },
	{ "transpose-pairs", "transposes joined", pass_transpose },
	{ "cast-pairs", "casts joined", pass_cast },
	{ "pad-conv", "paddings taken into a convolution", pass_pad },
	{ "conv-batch-norm", "normalisations folded into a convolution",
	  pass_batch_norm },
	{ "bias", "sums made the bias of a convolution or product", pass_bias },
	{ "layer-norm", "layer normalisations made one operator",
	  pass_layer_norm },
	{ "activation", "GELU, SiLU, gates and HardSwish made one operator",
	  pass_activation },
	{ "multiply-add", "products and sums made one operator",
	  pass_multiply_add },
	{ "clamp", "Relu and Clip taken into a convolution or product",
	  pass_clamp },
	{ PASS_CHAINS, "elementwise steps joined to the next one", NULL },
	{ PASS_PACKED, "weights of convolutions packed", NULL },
};
#define PASSES (sizeof(passes) / sizeof(*passes))

_Static_assert(PASSES <= PASS_MAX, "PASS_MAX is too small");

const struct pass *pass_at(unsigned int index)
{
	return index < PASSES ? &passes[index] : NULL;
}

int pass_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < PASSES; i++)
		if (!strcmp(passes[i].name, name))
			return i;
	return -ENOENT;
}

int pass_run(struct graph *g, uint64_t without, uint32_t *changes)
{
	unsigned int i;
	int done;

	/* Folding during inference has left nodes that nothing needs. */
	pass_remove_dead(g);
	for (i = 0; !graph_status(g) && i < PASSES; i++) {
		if (!passes[i].run || without & UINT64_C(1) << i)
			continue;
		done = passes[i].run(g);
		if (done < 0)
			return graph_status(g);
		changes[i] = done;
		pass_remove_dead(g);
	}
	return graph_status(g);
}

bool pass_is(const struct graph_node *n, const char *type)
{
	return !n->is_dead && !*n->domain && !strcmp(n->type, type);
}

struct graph_node *pass_source(const struct graph *g,
			       const struct graph_node *n, unsigned int in,
			       const char *type)
{
	struct graph_node *m = n->ins > in && n->in[in] ? n->in[in]->node : NULL;

	if (!m || !pass_is(m, type) || m->out[0] != n->in[in] ||
	    n->in[in]->is_output || n->in[in]->data ||
	    graph_uses(g, n->in[in]) != 1)
		return NULL;
	return m;
}

bool pass_number(const struct graph_value *v, double *number)
{
	if (!v->data || graph_elements(v) != 1)
		return false;
	if (v->dtype == VNPU_DT_F32)
		*number = *(const float *)v->data;
	else if (v->dtype == VNPU_DT_F64)
		*number = *(const double *)v->data;
	else
		return false;
	return true;
}

/* Check whether no output of a node is a value to be computed. */
static bool is_done(const struct graph_node *n)
{
	unsigned int i;

	for (i = 0; i < n->outs; i++)
		if (n->out[i] && !n->out[i]->data)
			return false;
	return true;
}

int pass_remove_dead(struct graph *g)
{
	uint32_t *uses, i, k, kept = 0, removed = 0;

	uses = store_alloc(&g->store, g->value_count, sizeof(*uses));
	if (!uses)
		return graph_status(g);
	for (i = 0; i < g->output_count; i++)
		uses[g->outputs[i]->index]++;
	for (i = g->node_count; i--;) {
		struct graph_node *n = g->nodes[i];
		bool used = false;

		for (k = 0; k < n->outs; k++)
			used |= n->out[k] && uses[n->out[k]->index];
		n->is_dead |= !used || is_done(n);
		for (k = 0; !n->is_dead && k < n->ins; k++)
			if (n->in[k])
				uses[n->in[k]->index]++;
	}
	for (i = 0; i < g->node_count; i++) {
		if (!g->nodes[i]->is_dead)
			g->nodes[kept++] = g->nodes[i];
		else
			removed++;
	}
	/* Constants have no node any more. */
	for (i = 0; i < g->value_count; i++)
		if (g->values[i]->data)
			g->values[i]->node = NULL;
	g->node_count = kept;
	return removed;
}
