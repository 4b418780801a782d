// SPDX-License-Identifier: MIT
/* Losses of classification. See op.h. */
#include <string.h>

#include "op/op.h"

static int reduction_of(struct build *b)
{
	static const char *const names[] = { "none", "mean", "sum" };
	const char *name = build_attr_text(b, "reduction", "mean");
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(name, names[i]))
			return i;
	return build_fail(b, "attribute reduction: expected none, mean or sum, given '%.20s'",
			  name);
}

/* Append the loss of logarithms of probabilities, as the first output. */
static int nll(struct build *b, const struct build_view *x)
{
	struct build_view target = build_in(b, 1), weight = build_in(b, 2), y;
	int reduction = reduction_of(b);

	if (reduction < 0 || op_need_rank(b, 0, x, 2, VNPU_TENSOR_DIMS))
		return b->g->err;
	y = build_out(b, 0, x->t.dtype, reduction ? 0 : target.t.rank,
		      target.t.dims);
	build_begin(b, VNPU_OP_NLL_LOSS);
	build_set_int(b, "reduction", reduction);
	build_set_int(b, "ignore", build_attr_int(b, "ignore_index", -100));
	return build_end(b, 3, 1, x, &target, &weight, &y);
}

int op_nll_loss(struct build *b)
{
	struct build_view x = build_in(b, 0);

	return nll(b, &x);
}

int op_cross_entropy(struct build *b)
{
	struct build_view x = build_in(b, 0), p;

	if (op_need_rank(b, 0, &x, 2, VNPU_TENSOR_DIMS))
		return b->g->err;
	p = build_wants(b, 1) ? build_out_like(b, 1, &x) :
				build_temp_like(b, &x);
	build_begin(b, VNPU_OP_LOG_SOFTMAX);
	build_set_int(b, "dim", 1);
	build_end(b, 1, 1, &x, &p);
	return nll(b, &p);
}
