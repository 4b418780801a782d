// SPDX-License-Identifier: MIT
/*
 * Attention of training, and its gradient.
 *
 * The largest logit and the sum of a row have 8 equal elements in the tensors of
 * these operators, and one each in the engine.
 */
#include <string.h>

#include "build.h"

/* Equal elements of statistics of a row. */
#define LANES	8

/**
 * struct options - where the arguments are that both operators have
 * @heads: the number of heads; layout, innerPrecise and sparseMode follow
 * @scale: the scale; keepProb, preTokens and nextTokens follow
 * @drop: dropMask; paddingMask and attenMask follow
 * @bias: realShift
 * @prefix: prefix
 */
struct options {
	unsigned int heads, scale, drop, bias, prefix;
};

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
static bool arrange(struct aclnn_build *b, const struct options *o,
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
static int64_t key_heads(const struct aclnn_build *b, const struct options *o,
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

/* Report what this implementation lacks. */
static int check(struct aclnn_build *b, const struct options *o)
{
	static const char *const layouts[] = { "BSH", "SBH", "BSND", "BNSD" };
	const char *layout = b->values[o->heads + 1].p;
	int64_t mode = aclnn_int(b, o->heads + 3);
	bool is_known = false;

	for (unsigned int i = 0; i < 4; i++)
		is_known |= layout && !strcmp(layout, layouts[i]);
	if (!is_known)
		return aclnn_fail(b, o->heads + 1,
				  "expected BSH, SBH, BSND or BNSD, given %.16s",
				  layout ? layout : "NULL");
	if (mode < 0 || mode > 3)
		return aclnn_fail(b, o->heads + 3, "expected 0 to 3, given %lld",
				  (long long)mode);
	if (aclnn_float(b, o->scale + 1) != 1)
		return aclnn_fail(b, o->scale + 1, "expected 1, given %g",
				  aclnn_float(b, o->scale + 1));
	for (unsigned int i = o->drop; i < o->drop + 2; i++)
		if (b->object[i])
			return aclnn_fail(b, i,
					  "is not supported; expected NULL");
	if (b->object[o->prefix])
		return aclnn_fail(b, o->prefix,
				  "is not supported; expected NULL");
	return b->status;
}

/*
 * Modes 2 and 3 are causal, from the first key or to the last one.  In mode 0, the
 * numbers of tokens would mask the keys beyond them.
 */
static int check_mode(struct aclnn_build *b, const struct options *o,
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

/* View query, key and value, whose arguments follow each other. */
static int view_inputs(struct aclnn_build *b, const struct options *o,
		       struct aclnn_view *view, int64_t *kv_heads)
{
	int64_t heads = aclnn_int(b, o->heads);

	if (check(b, o))
		return b->status;
	for (unsigned int i = 0; i < 3; i++)
		view[i] = aclnn_view(b, i);
	*kv_heads = key_heads(b, o, &view[0], &view[1]);
	for (unsigned int i = 0; i < 3; i++)
		if (!arrange(b, o, i, &view[i], i ? *kv_heads : heads))
			return b->status;
	return check_mode(b, o, view[0].t.dims[2], view[1].t.dims[2]);
}

/* Put bias and mask, of which [batch, row, key] is for all heads. */
static void put_masks(struct aclnn_build *b, const struct options *o,
		      unsigned int at)
{
	struct aclnn_view bias = aclnn_view(b, o->bias);
	struct aclnn_view mask = aclnn_view(b, o->drop + 2);
	bool is_causal = aclnn_int(b, o->heads + 3) > 1;

	/* The mask of these modes is a corner of the causal one. */
	if (is_causal)
		mask = (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	if (mask.t.rank == 3)
		aclnn_insert(&mask, 1);
	aclnn_set_int(b, "causal", is_causal);
	aclnn_set_float(b, "scale", aclnn_float(b, o->scale));
	aclnn_put(b, at, &bias);
	aclnn_put(b, at + 1, &mask);
}

/* Copy a statistic of rows to all lanes. */
static int spread(struct aclnn_build *b, struct aclnn_view from,
		  unsigned int out_arg)
{
	struct aclnn_view out = aclnn_view(b, out_arg);

	aclnn_insert(&from, 3);
	from.t.dims[3] = LANES;
	from.t.strides[3] = 0;
	return aclnn_step1(b, VNPU_OP_COPY, &from, &out);
}

int build_flash_attention(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, BIAS, DROP, PADDING, MASK, PREFIX, SCALE,
	       KEEP, PRE, NEXT, HEADS, LAYOUT, INNER, SPARSE, MAX, SUM,
	       SOFTMAX, OUT };
	static const struct options o = { HEADS, SCALE, DROP, BIAS, PREFIX };
	struct aclnn_view view[3], out = aclnn_view(b, OUT), max, sum;
	int64_t kv_heads;

	if (view_inputs(b, &o, view, &kv_heads) ||
	    !arrange(b, &o, OUT, &out, aclnn_int(b, HEADS)))
		return b->status;
	max = aclnn_temporary(b, VNPU_DT_F32, 3, view[0].t.dims);
	sum = aclnn_temporary(b, VNPU_DT_F32, 3, view[0].t.dims);
	aclnn_begin(b, VNPU_OP_ATTENTION, 5, 3);
	for (unsigned int i = 0; i < 3; i++)
		aclnn_put(b, i, &view[i]);
	put_masks(b, &o, 3);
	aclnn_put(b, 5, &out);
	aclnn_put(b, 6, &max);
	aclnn_put(b, 7, &sum);
	if (aclnn_end(b))
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
	if (view->t.rank != 4 || view->t.dims[3] != LANES) {
		aclnn_fail(b, arg, "expected shape [batch, head, row, %d]",
			   LANES);
		return false;
	}
	view->t.rank = 3;
	return true;
}

int build_flash_attention_grad(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, GRAD, BIAS, DROP, PADDING, MASK, MAX, SUM,
	       SOFTMAX, ATTENTION, PREFIX, SCALE, KEEP, PRE, NEXT, HEADS,
	       LAYOUT, INNER, SPARSE, OF_QUERY, OF_KEY, OF_VALUE, OF_BIAS };
	static const struct options o = { HEADS, SCALE, DROP, BIAS, PREFIX };
	struct aclnn_view view[3], grad = aclnn_view(b, GRAD);
	struct aclnn_view out = aclnn_view(b, ATTENTION), max, sum, of[3];
	struct aclnn_view of_bias = aclnn_view(b, OF_BIAS);
	int64_t heads = aclnn_int(b, HEADS), kv_heads;

	if (aclnn_has(&of_bias) && vnpu_tensor_elements(&of_bias.t))
		return aclnn_fail(b, OF_BIAS,
				  "is not supported; expected NULL or no elements");
	if (view_inputs(b, &o, view, &kv_heads) ||
	    !arrange(b, &o, GRAD, &grad, heads) ||
	    !arrange(b, &o, ATTENTION, &out, heads) ||
	    !first_lane(b, MAX, &max) || !first_lane(b, SUM, &sum))
		return b->status;
	for (unsigned int i = 0; i < 3; i++) {
		of[i] = aclnn_view(b, OF_QUERY + i);
		if (!arrange(b, &o, OF_QUERY + i, &of[i], i ? kv_heads : heads))
			return b->status;
	}
	aclnn_begin(b, VNPU_OP_ATTENTION_BACKWARD, 9, 3);
	aclnn_put(b, 0, &grad);
	for (unsigned int i = 0; i < 3; i++) {
		aclnn_put(b, 1 + i, &view[i]);
		aclnn_put(b, 9 + i, &of[i]);
	}
	aclnn_put(b, 4, &out);
	aclnn_put(b, 5, &max);
	aclnn_put(b, 6, &sum);
	put_masks(b, &o, 7);
	return aclnn_end(b);
}
