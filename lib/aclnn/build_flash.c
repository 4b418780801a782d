// SPDX-License-Identifier: MIT
/*
 * Attention of training, and its gradient.
 *
 * The largest logit and the sum of a row have 8 equal elements in the tensors of
 * these operators, and one each in the engine.  The engine's operator has neither
 * dropout nor the gradient of the bias, for which build_flash_whole.c has steps.
 * build_flash_packed.c is for sequences of any length in one tensor.
 */
#include <string.h>

#include "build_flash.h"
#include "builders.h"

/* View [batch, row, head * feature] as [batch, row, head, feature]. */
static bool split_heads(struct aclnn_view *view, int64_t heads)
{
	struct vnpu_tensor *t = &view->t;

	if (heads < 1 || t->rank != 3 || t->dims[2] % heads)
		return false;
	t->rank = 4;
	t->dims[3] = t->dims[2] / heads;
	t->strides[3] = t->strides[2];
	t->dims[2] = heads;
	t->strides[2] = t->dims[3] * t->strides[3];
	return true;
}

/* View a tensor of a layout as [batch, head, row, feature]. */
static bool arrange(struct aclnn_build *b, const struct flash_options *o,
		    unsigned int arg, struct aclnn_view *view, int64_t heads)
{
	const char *layout = b->values[o->heads + 1].p;
	bool is_right = view->t.rank == 4;

	if (!strcmp(layout, "BSH") || !strcmp(layout, "SBH"))
		is_right = split_heads(view, heads);
	if (is_right && !strcmp(layout, "SBH"))
		aclnn_swap(view, 0, 1);
	if (is_right && strcmp(layout, "BNSD"))
		aclnn_swap(view, 1, 2);
	if (is_right && view->t.dims[1] == heads)
		return true;
	aclnn_fail(b, arg, "its %u dimensions do not match layout %s and %lld heads",
		   view->t.rank, layout, (long long)heads);
	return false;
}

/* The heads of keys, which several heads of queries may share. */
static int64_t key_heads(const struct aclnn_build *b,
			 const struct flash_options *o,
			 const struct aclnn_view *query,
			 const struct aclnn_view *key)
{
	const char *layout = b->values[o->heads + 1].p;
	int64_t heads = aclnn_int(b, o->heads), features;

	if (query->t.rank != key->t.rank || heads < 1)
		return heads;
	if (query->t.rank == 4)
		return key->t.dims[strcmp(layout, "BNSD") ? 2 : 1];
	features = query->t.rank == 3 ? query->t.dims[2] / heads : 0;
	return features ? key->t.dims[2] / features : heads;
}

int flash_check(struct aclnn_build *b, const struct flash_options *o)
{
	static const char *const layouts[] = { "BSH", "SBH", "BSND", "BNSD" };
	const char *layout = b->values[o->heads + 1].p;
	int64_t mode = aclnn_int(b, o->heads + 3);
	double keep = aclnn_float(b, o->scale + 1);
	bool is_known = false;

	for (unsigned int i = 0; i < 4; i++)
		is_known |= layout && !strcmp(layout, layouts[i]);
	if (o->is_packed && (!layout || strcmp(layout, "TND")))
		return aclnn_fail(b, o->heads + 1, "expected TND, given %.16s",
				  layout ? layout : "NULL");
	if (!o->is_packed && !is_known)
		return aclnn_fail(b, o->heads + 1,
				  "expected BSH, SBH, BSND or BNSD, given %.16s",
				  layout ? layout : "NULL");
	if (mode < 0 || mode > 3)
		return aclnn_fail(b, o->heads + 3, "expected 0 to 3, given %lld",
				  (long long)mode);
	if (!(keep > 0 && keep <= 1))
		return aclnn_fail(b, o->scale + 1,
				  "expected a number above 0, up to 1, given %g",
				  keep);
	if (keep < 1 && !b->object[o->drop])
		return aclnn_fail(b, o->drop, "is NULL, but keepProb is %g",
				  keep);
	if (b->object[o->drop + 1])
		return aclnn_fail(b, o->drop + 1,
				  "is not supported; expected NULL");
	if (b->object[o->prefix])
		return aclnn_fail(b, o->prefix,
				  "is not supported; expected NULL");
	return b->status;
}

int flash_check_mode(struct aclnn_build *b, const struct flash_options *o,
		      int64_t rows, int64_t keys)
{
	const int64_t needed[] = { rows - 1, keys - 1 };
	int64_t mode = aclnn_int(b, o->heads + 3);

	if (mode == 2 && rows != keys)
		return aclnn_fail(b, o->heads + 3,
				  "2 needs as many keys as rows, %lld, given %lld",
				  (long long)rows, (long long)keys);
	if (mode || !b->object[o->drop + 2])
		return 0;
	for (unsigned int i = 0; i < 2; i++)
		if (aclnn_int(b, o->scale + 2 + i) < needed[i])
			return aclnn_fail(b, o->scale + 2 + i,
					  "expected at least %lld, given %lld",
					  (long long)needed[i],
					  (long long)
					  aclnn_int(b, o->scale + 2 + i));
	return 0;
}

/* View query, key and value; their arguments follow each other. */
static int view_inputs(struct aclnn_build *b, const struct flash_options *o,
		       struct aclnn_view *view, int64_t *kv_heads)
{
	int64_t heads = aclnn_int(b, o->heads);

	if (flash_check(b, o))
		return b->status;
	for (unsigned int i = 0; i < 3; i++)
		view[i] = aclnn_view(b, i);
	*kv_heads = key_heads(b, o, &view[0], &view[1]);
	if (*kv_heads < 1)
		return aclnn_fail(b, 1, "has no heads");
	for (unsigned int i = 0; i < 3; i++)
		if (!arrange(b, o, i, &view[i], i ? *kv_heads : heads))
			return b->status;
	return flash_check_mode(b, o, view[0].t.dims[2], view[1].t.dims[2]);
}

/* Scale the bias, as logits are scale * (query * key + realShift). */
static struct aclnn_view scale_bias(struct aclnn_build *b,
				    const struct flash_options *o)
{
	struct aclnn_view scale = aclnn_number(aclnn_float(b, o->scale));
	struct aclnn_view bias = aclnn_view(b, o->bias);

	return aclnn_has(&bias) ?
		       aclnn_result2(b, VNPU_OP_MUL, &bias, &scale) : bias;
}

struct flash flash_collect(struct aclnn_build *b, const struct flash_options *o,
			    const struct aclnn_view *view)
{
	struct flash f = {
		.b = b,
		.query = view[0], .key = view[1], .value = view[2],
		.bias = scale_bias(b, o),
		.mask = { .arg = ACLNN_NO_ARG },
		.drop = { .arg = ACLNN_NO_ARG },
		/* The mask of these modes is a corner of the causal one. */
		.is_causal = aclnn_int(b, o->heads + 3) > 1,
		.scale = aclnn_float(b, o->scale),
		.keep = aclnn_float(b, o->scale + 1),
	};

	if (!f.is_causal)
		f.mask = aclnn_view(b, o->drop + 2);
	if (f.mask.t.rank == 3)
		aclnn_insert(&f.mask, 1);
	if (f.keep < 1)
		f.drop = aclnn_view(b, o->drop);
	return f;
}

static void put_masks(const struct flash *f, unsigned int at)
{
	aclnn_set_int(f->b, "causal", f->is_causal);
	aclnn_set_float(f->b, "scale", f->scale);
	aclnn_put(f->b, at, &f->bias);
	aclnn_put(f->b, at + 1, &f->mask);
}

/* Copy a statistic of rows to all lanes. */
static int spread(struct aclnn_build *b, struct aclnn_view from,
		  unsigned int out_arg)
{
	struct aclnn_view out = aclnn_view(b, out_arg);

	aclnn_insert(&from, 3);
	from.t.dims[3] = FLASH_LANES;
	from.t.strides[3] = 0;
	return aclnn_step1(b, VNPU_OP_COPY, &from, &out);
}

int flash_fused(const struct flash *f, const struct aclnn_view *out,
		 struct aclnn_view *max, struct aclnn_view *sum)
{
	struct aclnn_build *b = f->b;

	*max = aclnn_temporary(b, VNPU_DT_F32, 3, f->query.t.dims);
	*sum = aclnn_temporary(b, VNPU_DT_F32, 3, f->query.t.dims);
	aclnn_begin(b, VNPU_OP_ATTENTION, 5, 3);
	aclnn_put(b, 0, &f->query);
	aclnn_put(b, 1, &f->key);
	aclnn_put(b, 2, &f->value);
	put_masks(f, 3);
	aclnn_put(b, 5, out);
	aclnn_put(b, 6, max);
	aclnn_put(b, 7, sum);
	return aclnn_end(b);
}

int build_flash_attention(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, BIAS, DROP, PADDING, MASK, PREFIX, SCALE,
	       KEEP, PRE, NEXT, HEADS, LAYOUT, INNER, SPARSE, MAX, SUM,
	       SOFTMAX, OUT };
	static const struct flash_options o = {
		HEADS, SCALE, DROP, BIAS, PREFIX, false,
	};
	struct aclnn_view view[3], out = aclnn_view(b, OUT), max, sum;
	struct flash f;
	int64_t kv_heads;

	if (view_inputs(b, &o, view, &kv_heads) ||
	    !arrange(b, &o, OUT, &out, aclnn_int(b, HEADS)))
		return b->status;
	f = flash_collect(b, &o, view);
	if (aclnn_has(&f.drop) ? flash_whole(&f, out, &max, &sum) :
				 flash_fused(&f, &out, &max, &sum))
		return b->status;
	if (b->object[MAX])
		spread(b, max, MAX);
	if (b->object[SUM])
		spread(b, sum, SUM);
	return b->status;
}

/* View the first lane of a statistic. */
static bool first_lane(struct aclnn_build *b, unsigned int arg,
		       struct aclnn_view *view)
{
	*view = aclnn_view(b, arg);
	if (view->t.rank != 4 || view->t.dims[3] != FLASH_LANES) {
		aclnn_fail(b, arg, "expected shape [batch, head, row, %d]",
			   FLASH_LANES);
		return false;
	}
	view->t.rank = 3;
	return true;
}

int flash_fused_grad(const struct flash *f, const struct flash_grad *g)
{
	struct aclnn_build *b = f->b;

	aclnn_begin(b, VNPU_OP_ATTENTION_BACKWARD, 9, 3);
	aclnn_put(b, 0, &g->grad);
	aclnn_put(b, 1, &f->query);
	aclnn_put(b, 2, &f->key);
	aclnn_put(b, 3, &f->value);
	aclnn_put(b, 4, &g->out);
	aclnn_put(b, 5, &g->max);
	aclnn_put(b, 6, &g->sum);
	put_masks(f, 7);
	for (unsigned int i = 0; i < 3; i++)
		aclnn_put(b, 9 + i, &g->of[i]);
	return aclnn_end(b);
}

int build_flash_attention_grad(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, GRAD, BIAS, DROP, PADDING, MASK, MAX, SUM,
	       SOFTMAX, ATTENTION, PREFIX, SCALE, KEEP, PRE, NEXT, HEADS,
	       LAYOUT, INNER, SPARSE, OF_QUERY, OF_KEY, OF_VALUE, OF_BIAS };
	static const struct flash_options o = {
		HEADS, SCALE, DROP, BIAS, PREFIX, false,
	};
	struct flash_grad g = {
		.grad = aclnn_view(b, GRAD),
		.out = aclnn_view(b, ATTENTION),
		.of_bias = aclnn_view(b, OF_BIAS),
	};
	int64_t heads = aclnn_int(b, HEADS), kv_heads;
	struct aclnn_view view[3];
	struct flash f;

	if (view_inputs(b, &o, view, &kv_heads) ||
	    !arrange(b, &o, GRAD, &g.grad, heads) ||
	    !arrange(b, &o, ATTENTION, &g.out, heads) ||
	    !first_lane(b, MAX, &g.max) || !first_lane(b, SUM, &g.sum))
		return b->status;
	for (unsigned int i = 0; i < 3; i++) {
		g.of[i] = aclnn_view(b, OF_QUERY + i);
		if (!arrange(b, &o, OF_QUERY + i, &g.of[i],
			     i ? kv_heads : heads))
			return b->status;
	}
	f = flash_collect(b, &o, view);
	/* Programs also pass a tensor without elements where there is no bias. */
	if (!aclnn_has(&f.bias) || !vnpu_tensor_elements(&g.of_bias.t))
		g.of_bias = (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	if (aclnn_has(&f.drop) || aclnn_has(&g.of_bias))
		return flash_whole_grad(&f, &g);
	return flash_fused_grad(&f, &g);
}
