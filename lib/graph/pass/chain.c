// SPDX-License-Identifier: MIT
/* Transposes and casts that follow each other. See pass.h. */
#include <string.h>

#include "op/op.h"
#include "pass/pass.h"

/* The order of a Transpose; without the attribute, it is reversed. */
static void order_of(const struct graph_node *n, int64_t *perm)
{
	const struct graph_attr *a = graph_attr(n, "perm");
	unsigned int rank = n->in[0]->rank, i;

	for (i = 0; i < rank; i++)
		perm[i] = a && a->kind == GRAPH_INTS && a->count == rank ?
			a->ints[i] : rank - 1 - i;
}

/* Give a node one list of integers as its only attribute. */
static int set_ints(struct graph *g, struct graph_node *n, const char *name,
		    const int64_t *values, unsigned int count)
{
	struct graph_attr *a;

	n->attrs = NULL;
	n->attr_count = 0;
	a = graph_add_attr(g, n, name, GRAPH_INTS);
	if (!a)
		return graph_status(g);
	a->ints = store_alloc(&g->store, count, sizeof(*values));
	if (!a->ints)
		return graph_status(g);
	memcpy(a->ints, values, count * sizeof(*values));
	a->count = count;
	return 0;
}

/* Make a Transpose of a Transpose read the input of the first one. */
int pass_transpose(struct graph *g)
{
	int64_t first[VNPU_TENSOR_DIMS], second[VNPU_TENSOR_DIMS];
	int joined = 0;
	uint32_t i;
	unsigned int k;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i], *m;

		m = pass_is(n, "Transpose") ? n->in[0]->node : NULL;
		if (!m || !pass_is(m, "Transpose"))
			continue;
		order_of(m, first);
		order_of(n, second);
		for (k = 0; k < n->in[0]->rank; k++)
			second[k] = first[second[k]];
		if (set_ints(g, n, "perm", second, n->in[0]->rank))
			return g->err;
		n->in[0] = m->in[0];
		joined++;
	}
	/* Remove transposes that became the identity. */
	return joined && pass_identity(g) < 0 ? g->err : joined;
}

/* Bits of the integers that a type has without a loss. */
static unsigned int exact_bits(unsigned int dtype)
{
	switch (dtype) {
	case VNPU_DT_F64:
		return 53;
	case VNPU_DT_F32:
		return 24;
	case VNPU_DT_F16:
		return 11;
	case VNPU_DT_BF16:
		return 8;
	case VNPU_DT_BOOL:
		return 1;
	default:
		return vnpu_dtype_bits(dtype);
	}
}

/* Check whether a conversion keeps each element. */
static bool is_exact(unsigned int from, unsigned int to)
{
	bool is_unsigned = from == VNPU_DT_U8 || from == VNPU_DT_U16 ||
			   from == VNPU_DT_U32;

	if (from == to || from == VNPU_DT_BOOL)
		return true;
	if (vnpu_dtype_is_float(from))
		return to == VNPU_DT_F64 ||
		       (to == VNPU_DT_F32 && from != VNPU_DT_F64);
	if (to == VNPU_DT_U8 || to == VNPU_DT_U16 || to == VNPU_DT_U32)
		return is_unsigned && exact_bits(from) <= exact_bits(to);
	return exact_bits(from) + is_unsigned <= exact_bits(to);
}

int pass_cast(struct graph *g)
{
	int joined = 0;
	uint32_t i;

	for (i = 0; i < g->node_count; i++) {
		struct graph_node *n = g->nodes[i], *m;

		m = pass_is(n, "Cast") ? n->in[0]->node : NULL;
		if (!m || !pass_is(m, "Cast") ||
		    !is_exact(m->in[0]->dtype, m->out[0]->dtype))
			continue;
		n->in[0] = m->in[0];
		joined++;
	}
	return joined && pass_identity(g) < 0 ? g->err : joined;
}
