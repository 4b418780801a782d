// SPDX-License-Identifier: MIT
/*
 * Attention of training as steps on the matrix of all logits, which dropout and
 * the gradient of the bias need.
 *
 * Heads become two dimensions: [batch, head of keys, head that shares it, ...].
 */
#include <float.h>

#include "build_flash.h"

enum { BATCH, HEAD, SHARE, ROW, COLUMN, RANK };

/* Split the heads of a view of 4 dimensions. */
static void split(struct aclnn_view *view, int64_t heads)
{
	struct vnpu_tensor *t = &view->t;
	int64_t group;

	if (t->rank != RANK - 1)
		return;
	group = t->dims[HEAD] % heads ? 0 : t->dims[HEAD] / heads;
	aclnn_insert(view, SHARE);
	if (!group)
		return;
	t->dims[SHARE] = group;
	t->strides[SHARE] = t->strides[HEAD];
	t->dims[HEAD] = heads;
	t->strides[HEAD] *= group;
}

/* Compute alpha * self * other into @out, or into a temporary. */
static struct aclnn_view product(struct aclnn_build *b,
				 const struct aclnn_view *self,
				 const struct aclnn_view *other, double alpha,
				 const struct aclnn_view *out)
{
	aclnn_begin(b, VNPU_OP_MATMUL, 2, 1);
	aclnn_set_float(b, "alpha", alpha);
	aclnn_put(b, 0, self);
	aclnn_put(b, 1, other);
	if (!out)
		return aclnn_result(b);
	aclnn_put(b, 2, out);
	aclnn_end(b);
	return *out;
}

static struct aclnn_view turned(const struct aclnn_view *view)
{
	struct aclnn_view made = *view;

	aclnn_swap(&made, ROW, COLUMN);
	return made;
}

/* Reduce a dimension to size 1. */
static struct aclnn_view reduced(struct aclnn_build *b, unsigned int engine,
				 const struct aclnn_view *view, int64_t dim)
{
	aclnn_begin(b, engine, 1, 1);
	aclnn_set_ints(b, "dims", &dim, 1);
	aclnn_set_int(b, "keepdim", 1);
	aclnn_put(b, 0, view);
	return aclnn_result(b);
}

static struct aclnn_view count_from(struct aclnn_build *b, int64_t start,
				    int64_t count)
{
	struct aclnn_view made = aclnn_temporary(b, VNPU_DT_I64, 1, &count);

	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_set_int(b, "start", start);
	aclnn_put(b, 0, &made);
	aclnn_end(b);
	return made;
}

/* Make a mask of the forbidden keys, or no view. */
static struct aclnn_view forbidden(struct flash *f)
{
	int64_t rows = f->query.t.dims[ROW], keys = f->key.t.dims[ROW];
	struct aclnn_view row, key;

	if (!f->is_causal)
		return f->mask;
	row = count_from(f->b, keys - rows, rows);
	key = count_from(f->b, 0, keys);
	aclnn_insert(&row, 1);
	return aclnn_result2(f->b, VNPU_OP_LT, &row, &key);
}

/*
 * Compute the probabilities; find the largest logit and the sum of each row
 * unless they are given.  If all logits of a row are -inf, no key is allowed
 * for it, and the row becomes 0.
 */
static struct aclnn_view probabilities(struct flash *f, bool is_given,
				       struct aclnn_view *max,
				       struct aclnn_view *sum)
{
	struct aclnn_view least = aclnn_number(-FLT_MAX), zero = aclnn_number(0);
	struct aclnn_view one = aclnn_number(1), shift, none, divisor;
	struct aclnn_view keys = turned(&f->key), p, mask = forbidden(f);
	struct aclnn_build *b = f->b;

	p = product(b, &f->query, &keys, f->scale, NULL);
	if (aclnn_has(&f->bias))
		p = aclnn_result2(b, VNPU_OP_ADD, &p, &f->bias);
	if (aclnn_has(&mask))
		p = aclnn_where(b, &mask, &least, &p);
	if (!is_given)
		*max = reduced(b, VNPU_OP_AMAX, &p, -1);
	shift = aclnn_result2(b, VNPU_OP_MAXIMUM, max, &least);
	p = aclnn_result2(b, VNPU_OP_SUB, &p, &shift);
	p = aclnn_result1(b, VNPU_OP_EXP, &p);
	if (!is_given)
		*sum = reduced(b, VNPU_OP_SUM, &p, -1);
	none = aclnn_result2(b, VNPU_OP_EQ, sum, &zero);
	divisor = aclnn_where(b, &none, &one, sum);
	p = aclnn_result2(b, VNPU_OP_DIV, &p, &divisor);
	return aclnn_has(&mask) ? aclnn_where(b, &mask, &zero, &p) : p;
}

/* Divide the weights that dropout keeps by the probability of keeping them. */
static struct aclnn_view dropped(const struct flash *f,
				 const struct aclnn_view *p)
{
	if (!aclnn_has(&f->drop))
		return *p;
	aclnn_begin(f->b, VNPU_OP_DROPOUT_APPLY, 2, 1);
	aclnn_set_float(f->b, "p", 1 - f->keep);
	aclnn_put(f->b, 0, p);
	aclnn_put(f->b, 1, &f->drop);
	return aclnn_result(f->b);
}

static void split_all(struct flash *f)
{
	int64_t heads = f->key.t.dims[HEAD], bytes;

	split(&f->query, heads);
	split(&f->key, heads);
	split(&f->value, heads);
	split(&f->bias, heads);
	split(&f->mask, heads);
	bytes = vnpu_tensor_elements(&f->drop.t);
	aclnn_flatten(f->b, &f->drop, 1, &bytes);
}

int flash_whole(struct flash *f, struct aclnn_view out, struct aclnn_view *max,
		struct aclnn_view *sum)
{
	int64_t dims[3] = { f->query.t.dims[0], f->query.t.dims[1],
			    f->query.t.dims[2] };
	struct aclnn_view p;

	split_all(f);
	split(&out, f->key.t.dims[HEAD]);
	p = probabilities(f, false, max, sum);
	if (f->b->status)
		return f->b->status;
	p = dropped(f, &p);
	product(f->b, &p, &f->value, 1, &out);
	aclnn_reshape(max, 3, dims);
	aclnn_reshape(sum, 3, dims);
	return f->b->status;
}

/* Multiply, and add the heads that share keys. */
static void add_shares(struct flash *f, const struct aclnn_view *self,
		       const struct aclnn_view *other, double alpha,
		       const struct aclnn_view *out)
{
	struct aclnn_view all = turned(self), sum;

	if (f->query.t.dims[SHARE] == 1) {
		product(f->b, &all, other, alpha, out);
		return;
	}
	sum = product(f->b, &all, other, alpha, NULL);
	sum = reduced(f->b, VNPU_OP_SUM, &sum, SHARE);
	if (!f->b->status)
		aclnn_step1(f->b, VNPU_OP_COPY, &sum, out);
}

/*
 * Sum the gradient of a bias over the dimensions to which the bias was
 * expanded.
 */
static void bias_gradient(struct flash *f, struct aclnn_view logits,
			  const struct aclnn_view *out)
{
	const struct vnpu_tensor *t = &f->query.t;
	int64_t dims[] = { t->dims[BATCH], t->dims[HEAD] * t->dims[SHARE],
			   t->dims[ROW], f->key.t.dims[ROW] };
	struct aclnn_view scale = aclnn_number(f->scale);

	if (f->b->status)
		return;
	if (out->t.rank != 4) {
		aclnn_fail(f->b, out->arg, "expected 4 dimensions, given %u",
			   out->t.rank);
		return;
	}
	aclnn_reshape(&logits, 4, dims);
	for (unsigned int i = 0; i < 4; i++)
		if (out->t.dims[i] == 1 && dims[i] != 1)
			logits = reduced(f->b, VNPU_OP_SUM, &logits, i);
	if (!f->b->status)
		aclnn_step2(f->b, VNPU_OP_MUL, &logits, &scale, out);
}

int flash_whole_grad(struct flash *f, struct flash_grad *g)
{
	int64_t heads = f->key.t.dims[HEAD];
	struct aclnn_view values, p, of, rows;
	struct aclnn_build *b = f->b;

	split_all(f);
	split(&g->grad, heads);
	split(&g->out, heads);
	for (unsigned int i = 0; i < 3; i++)
		split(&g->of[i], heads);
	aclnn_insert(&g->max, 3);
	aclnn_insert(&g->sum, 3);
	split(&g->max, heads);
	split(&g->sum, heads);
	p = probabilities(f, true, &g->max, &g->sum);
	if (b->status)
		return b->status;
	of = dropped(f, &p);
	add_shares(f, &of, &g->grad, 1, &g->of[2]);
	values = turned(&f->value);
	of = product(b, &g->grad, &values, 1, NULL);
	of = dropped(f, &of);
	rows = aclnn_result2(b, VNPU_OP_MUL, &g->grad, &g->out);
	rows = reduced(b, VNPU_OP_SUM, &rows, -1);
	of = aclnn_result2(b, VNPU_OP_SUB, &of, &rows);
	of = aclnn_result2(b, VNPU_OP_MUL, &p, &of);
	product(b, &of, &f->key, f->scale, &g->of[0]);
	add_shares(f, &of, &f->query, f->scale, &g->of[1]);
	if (aclnn_has(&g->of_bias))
		bias_gradient(f, of, &g->of_bias);
	return b->status;
}
