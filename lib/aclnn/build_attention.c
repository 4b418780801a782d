// SPDX-License-Identifier: MIT
/* Attention. */
#include <string.h>

#include "build.h"

/* Arguments of FusedInferAttentionScoreV2. */
enum {
	QUERY, KEY, VALUE, PSE, MASK, LENGTHS, LENGTHS_KV, OTHERS,
	HEADS = 24, SCALE, PRE_TOKENS, NEXT_TOKENS, LAYOUT, KV_HEADS,
	SPARSE_MODE, INNER_PRECISE, BLOCK_SIZE, ANTIQUANT_MODE, LSE_FLAG,
	KEY_MODE, VALUE_MODE, OUT, LSE,
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
static bool arrange(struct aclnn_build *b, unsigned int arg,
		    struct aclnn_view *view, int64_t heads)
{
	const char *layout = b->values[LAYOUT].p;
	bool is_right = view->t.rank == 4;

	if (!strcmp(layout, "BSH"))
		is_right = split_heads(view, heads);
	if (!is_right) {
		aclnn_fail(b, arg, "its %u dimensions do not match layout %s and %lld heads",
			   view->t.rank, layout, (long long)heads);
		return false;
	}
	if (strcmp(layout, "BNSD"))
		aclnn_swap(view, 1, 2);
	if (view->t.dims[1] != heads) {
		aclnn_fail(b, arg, "expected %lld heads, given %lld",
			   (long long)heads, (long long)view->t.dims[1]);
		return false;
	}
	return true;
}

/* Report what this implementation lacks. */
static int check(struct aclnn_build *b)
{
	const char *layout = b->values[LAYOUT].p;
	unsigned int list;

	if (!layout || (strcmp(layout, "BSND") && strcmp(layout, "BNSD") &&
			strcmp(layout, "BSH")))
		return aclnn_fail(b, LAYOUT, "expected BSND, BNSD or BSH, given %.16s",
				  layout ? layout : "NULL");
	for (list = KEY; list <= VALUE; list++)
		if (aclnn_array(b, list)->size != 1)
			return aclnn_fail(b, list, "expected 1 tensor, given %llu",
					  (unsigned long long)
					  aclnn_array(b, list)->size);
	for (unsigned int i = LENGTHS; i < HEADS; i++)
		if (b->object[i])
			return aclnn_fail(b, i,
					  "is not supported; expected NULL");
	if (aclnn_int(b, SPARSE_MODE) < 0 || aclnn_int(b, SPARSE_MODE) > 1)
		return aclnn_fail(b, SPARSE_MODE, "expected 0 or 1, given %lld",
				  (long long)aclnn_int(b, SPARSE_MODE));
	if (aclnn_int(b, LSE_FLAG))
		return aclnn_fail(b, LSE_FLAG, "is not supported; expected false");
	return b->status;
}

/* In mode 0, the numbers of tokens would mask the keys beyond them. */
static int check_tokens(struct aclnn_build *b, int64_t rows, int64_t keys)
{
	const int64_t needed[] = { rows - 1, keys - 1 };

	if (aclnn_int(b, SPARSE_MODE) || !b->object[MASK])
		return 0;
	for (unsigned int i = 0; i < 2; i++)
		if (aclnn_int(b, PRE_TOKENS + i) < needed[i])
			return aclnn_fail(b, PRE_TOKENS + i,
					  "expected at least %lld, given %lld",
					  (long long)needed[i],
					  (long long)
					  aclnn_int(b, PRE_TOKENS + i));
	return 0;
}

int build_attention(struct aclnn_build *b)
{
	int64_t heads = aclnn_int(b, HEADS), kv_heads = aclnn_int(b, KV_HEADS);
	struct aclnn_view query, key, value, pse, mask, out;

	if (check(b))
		return b->status;
	query = aclnn_view(b, QUERY);
	out = aclnn_view(b, OUT);
	pse = aclnn_view(b, PSE);
	mask = aclnn_view(b, MASK);
	key = aclnn_member(b, KEY, 0);
	value = aclnn_member(b, VALUE, 0);
	if (!kv_heads)
		kv_heads = heads;
	if (b->status || !arrange(b, QUERY, &query, heads) ||
	    !arrange(b, KEY, &key, kv_heads) ||
	    !arrange(b, VALUE, &value, kv_heads) ||
	    !arrange(b, OUT, &out, heads) ||
	    check_tokens(b, query.t.dims[2], key.t.dims[2]))
		return b->status;
	/* [batch, row, key] is for all heads. */
	if (mask.t.rank == 3)
		aclnn_insert(&mask, 1);
	aclnn_begin(b, VNPU_OP_ATTENTION, 5, 1);
	aclnn_set_float(b, "scale", aclnn_float(b, SCALE));
	aclnn_put(b, 0, &query);
	aclnn_put(b, 1, &key);
	aclnn_put(b, 2, &value);
	aclnn_put(b, 3, &pse);
	aclnn_put(b, 4, &mask);
	aclnn_put(b, 5, &out);
	return aclnn_end(b);
}
