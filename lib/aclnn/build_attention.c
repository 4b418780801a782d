// SPDX-License-Identifier: MIT
/*
 * Attention of inference.  Its operators have the same arguments at different
 * positions, and some lack a few.
 */
#include <string.h>

#include "build.h"
#include "builders.h"

/* Arguments that all of them have first; key and value may be lists. */
enum { QUERY, KEY, VALUE, PSE, MASK };

/* Numbers of the views: those arguments, and the output. */
enum { OUT = MASK + 1, VIEWS };

#define ABSENT	255

/**
 * struct form - where the arguments of an operator are; ABSENT if it has none
 * @is_list: key and value are lists
 * @lengths: rows of the query, for each batch
 * @lengths_kv: keys, for each batch
 * @refused: the first of the tensors that are not supported
 * @heads: number of heads, behind those tensors
 * @scale: the scale
 * @pre: keys before a row that count
 * @next: keys after it that count
 * @layout: the layout
 * @kv_heads: heads of keys; 0 stands for @heads
 * @sparse: the mode of the mask
 * @lse: whether the logarithm of the sum is wanted
 * @out: the output
 */
struct form {
	bool is_list;
	uint8_t lengths, lengths_kv, refused, heads, scale, pre, next, layout,
		kv_heads, sparse, lse, out;
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
static bool arrange(struct aclnn_build *b, const struct form *f,
		    unsigned int arg, struct aclnn_view *view, int64_t heads)
{
	const char *layout = b->values[f->layout].p;
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

static int64_t mode_of(const struct aclnn_build *b, const struct form *f)
{
	return f->sparse == ABSENT ? 0 : aclnn_int(b, f->sparse);
}

/* Report what this implementation lacks. */
static int check(struct aclnn_build *b, const struct form *f)
{
	const char *layout = b->values[f->layout].p;

	if (!layout || (strcmp(layout, "BSND") && strcmp(layout, "BNSD") &&
			strcmp(layout, "BSH")))
		return aclnn_fail(b, f->layout,
				  "expected BSND, BNSD or BSH, given %.16s",
				  layout ? layout : "NULL");
	for (unsigned int list = KEY; f->is_list && list <= VALUE; list++)
		if (aclnn_array(b, list)->size != 1)
			return aclnn_fail(b, list, "expected 1 tensor, given %llu",
					  (unsigned long long)
					  aclnn_array(b, list)->size);
	for (unsigned int i = f->refused; i < f->heads; i++)
		if (b->object[i])
			return aclnn_fail(b, i,
					  "is not supported; expected NULL");
	if (mode_of(b, f) < 0 || mode_of(b, f) > 3)
		return aclnn_fail(b, f->sparse, "expected 0 to 3, given %lld",
				  (long long)mode_of(b, f));
	if (f->lse != ABSENT && aclnn_int(b, f->lse))
		return aclnn_fail(b, f->lse,
				  "is not supported; expected false");
	return b->status;
}

/*
 * In mode 0, the numbers of tokens would mask the keys beyond them.  Modes 2 and 3 are
 * causal, from the first key or to the last one.
 */
static int check_tokens(struct aclnn_build *b, const struct form *f,
			int64_t rows, int64_t keys)
{
	const int64_t needed[] = { rows - 1, keys - 1 };
	const uint8_t args[] = { f->pre, f->next };

	if (mode_of(b, f) == 2 && rows != keys)
		return aclnn_fail(b, f->sparse,
				  "2 needs as many keys as rows, %lld, given %lld",
				  (long long)rows, (long long)keys);
	if (mode_of(b, f) || !b->object[MASK] || f->pre == ABSENT)
		return 0;
	for (unsigned int i = 0; i < 2; i++)
		if (aclnn_int(b, args[i]) < needed[i])
			return aclnn_fail(b, args[i],
					  "expected at least %lld, given %lld",
					  (long long)needed[i],
					  (long long)aclnn_int(b, args[i]));
	return 0;
}

/* Read the length of a batch from a list, in which one may stand for all. */
static bool length_of(struct aclnn_build *b, unsigned int arg, int64_t batch,
		      int64_t most, int64_t *length)
{
	const struct aclnn_array *list = arg == ABSENT ? NULL :
							 aclnn_array(b, arg);
	uint64_t at = list && list->size == 1 ? 0 : (uint64_t)batch;

	*length = most;
	if (!list)
		return true;
	if (at >= list->size || list->i[at] < 0 || list->i[at] > most) {
		aclnn_fail(b, arg, "batch %lld: expected a length from 0 to %lld",
			   (long long)batch, (long long)most);
		return false;
	}
	*length = list->i[at];
	return true;
}

/*
 * Keep @count batches of a bias or mask, which may have one for all, or fewer
 * dimensions.
 */
static void keep_batches(struct aclnn_view *view, int64_t batch, int64_t count,
			 int64_t rows, int64_t keys)
{
	struct vnpu_tensor *t = &view->t;

	if (!aclnn_has(view))
		return;
	if (t->rank == 4 && t->dims[0] != 1)
		aclnn_narrow(view, 0, batch, count, 1);
	if (t->rank >= 2 && t->dims[t->rank - 2] > rows)
		aclnn_narrow(view, t->rank - 2, 0, rows, 1);
	if (t->rank >= 1 && t->dims[t->rank - 1] > keys)
		aclnn_narrow(view, t->rank - 1, 0, keys, 1);
}

/* Append a step of attention. */
static int attend(struct aclnn_build *b, const struct form *f,
		  struct aclnn_view view[VIEWS])
{
	bool is_causal = mode_of(b, f) > 1;

	if (check_tokens(b, f, view[QUERY].t.dims[2], view[KEY].t.dims[2]))
		return b->status;
	/* The mask of these modes is a corner of the causal one. */
	if (is_causal)
		view[MASK] = (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	aclnn_begin(b, VNPU_OP_ATTENTION, 5, 1);
	aclnn_set_float(b, "scale", aclnn_float(b, f->scale));
	aclnn_set_int(b, "causal", is_causal);
	for (unsigned int i = 0; i < VIEWS; i++)
		aclnn_put(b, i, &view[i]);
	return aclnn_end(b);
}

/* Compare a dimension with that of another tensor before both are narrowed. */
static bool has_size(struct aclnn_build *b, const struct aclnn_view *view,
		     unsigned int dim, int64_t size)
{
	if (view->t.dims[dim] == size)
		return true;
	aclnn_fail(b, view->arg, "dimension %u: expected %lld, given %lld", dim,
		   (long long)size, (long long)view->t.dims[dim]);
	return false;
}

/* Check that all tensors have the batches and rows that lengths are a part of. */
static bool have_same_sizes(struct aclnn_build *b,
			    const struct aclnn_view view[VIEWS])
{
	int64_t batches = view[QUERY].t.dims[0];

	for (unsigned int i = KEY; i <= MASK; i++)
		if (aclnn_has(&view[i]) && view[i].t.rank == 4 &&
		    (i <= VALUE || view[i].t.dims[0] != 1) &&
		    !has_size(b, &view[i], 0, batches))
			return false;
	return has_size(b, &view[VALUE], 2, view[KEY].t.dims[2]) &&
	       has_size(b, &view[OUT], 0, batches) &&
	       has_size(b, &view[OUT], 2, view[QUERY].t.dims[2]);
}

/**
 * struct run - batches that follow each other and have the same lengths
 * @rows: rows of the query
 * @keys: keys
 */
struct run {
	int64_t rows, keys;
};

static bool run_of(struct aclnn_build *b, const struct form *f,
		   const struct aclnn_view view[VIEWS], int64_t batch,
		   struct run *run)
{
	return length_of(b, f->lengths, batch, view[QUERY].t.dims[2],
			 &run->rows) &&
	       length_of(b, f->lengths_kv, batch, view[KEY].t.dims[2],
			 &run->keys);
}

/* Check whether one length stands for all batches. */
static bool is_uniform(const struct aclnn_build *b, unsigned int arg)
{
	return arg == ABSENT || !b->object[arg] ||
	       aclnn_array(b, arg)->size == 1;
}

/* Append a step for @count batches, with their rows and keys. */
static int attend_run(struct aclnn_build *b, const struct form *f,
		      const struct aclnn_view view[VIEWS], int64_t batch,
		      int64_t count, const struct run *run)
{
	struct aclnn_view part[VIEWS];

	memcpy(part, view, sizeof(part));
	for (unsigned int i = 0; i < VIEWS; i++) {
		if (i == PSE || i == MASK) {
			keep_batches(&part[i], batch, count, run->rows,
				     run->keys);
			continue;
		}
		aclnn_narrow(&part[i], 0, batch, count, 1);
		aclnn_narrow(&part[i], 2, 0, i == KEY || i == VALUE ?
			     run->keys : run->rows, 1);
	}
	return attend(b, f, part);
}

/* Append a step for each run of batches with the same lengths. */
static int attend_batches(struct aclnn_build *b, const struct form *f,
			  const struct aclnn_view view[VIEWS])
{
	int64_t batches = view[QUERY].t.dims[0], batch, end;
	bool is_one = is_uniform(b, f->lengths) && is_uniform(b, f->lengths_kv);
	struct run run, next;

	if (!have_same_sizes(b, view))
		return b->status;
	for (batch = 0; batch < batches; batch = end) {
		if (!run_of(b, f, view, batch, &run))
			break;
		end = is_one ? batches : batch + 1;
		for (; end < batches; end++) {
			if (!run_of(b, f, view, end, &next))
				return b->status;
			if (next.rows != run.rows || next.keys != run.keys)
				break;
		}
		if (attend_run(b, f, view, batch, end - batch, &run))
			break;
	}
	return b->status;
}

static int build(struct aclnn_build *b, const struct form *f)
{
	int64_t heads = aclnn_int(b, f->heads);
	int64_t kv_heads = aclnn_int(b, f->kv_heads);
	struct aclnn_view view[VIEWS];

	if (check(b, f))
		return b->status;
	if (!kv_heads)
		kv_heads = heads;
	for (unsigned int i = QUERY; i <= MASK; i++)
		view[i] = f->is_list && (i == KEY || i == VALUE) ?
				  aclnn_member(b, i, 0) : aclnn_view(b, i);
	view[OUT] = aclnn_view(b, f->out);
	if (b->status || !arrange(b, f, QUERY, &view[QUERY], heads) ||
	    !arrange(b, f, KEY, &view[KEY], kv_heads) ||
	    !arrange(b, f, VALUE, &view[VALUE], kv_heads) ||
	    !arrange(b, f, f->out, &view[OUT], heads))
		return b->status;
	/* A mask [batch, row, key] is for all heads. */
	if (view[MASK].t.rank == 3)
		aclnn_insert(&view[MASK], 1);
	/* A mask [batch, key] is for the single row. */
	while (view[QUERY].t.dims[2] == 1 && view[MASK].t.rank >= 2 &&
	       view[MASK].t.rank < 4)
		aclnn_insert(&view[MASK], 1);
	if ((f->lengths != ABSENT && b->object[f->lengths]) ||
	    (f->lengths_kv != ABSENT && b->object[f->lengths_kv]))
		return attend_batches(b, f, view);
	return attend(b, f, view);
}

int build_attention(struct aclnn_build *b)
{
	static const struct form v2 = {
		true, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 34, 37,
	};

	return build(b, &v2);
}

int build_attention_v3(struct aclnn_build *b)
{
	static const struct form v3 = {
		true, 5, 6, 7, 27, 28, 29, 30, 31, 32, 33, 37, 40,
	};

	return build(b, &v3);
}

int build_attention_v4(struct aclnn_build *b)
{
	static const struct form v4 = {
		true, 5, 6, 7, 29, 30, 31, 32, 33, 34, 35, 39, 43,
	};

	return build(b, &v4);
}

int build_attention_v5(struct aclnn_build *b)
{
	enum { PSE_TYPE = 45 };
	static const struct form v5 = {
		true, 5, 6, 7, 31, 32, 33, 34, 35, 36, 37, 41, 46,
	};

	if (aclnn_int(b, PSE_TYPE))
		return aclnn_fail(b, PSE_TYPE, "expected 0, given %lld",
				  (long long)aclnn_int(b, PSE_TYPE));
	return build(b, &v5);
}

/* Build attention of one row of a query to the keys of earlier rows. */
int build_attention_increment(struct aclnn_build *b)
{
	static const struct form increment = {
		true, ABSENT, 5, 6, 15, 16, ABSENT, ABSENT, 17, 18, ABSENT,
		ABSENT, 21,
	};

	return build(b, &increment);
}

int build_attention_prompt(struct aclnn_build *b)
{
	static const struct form prompt = {
		false, 5, ABSENT, 6, 6, 7, 8, 9, 10, 11, ABSENT, ABSENT, 12,
	};

	if (b->object[PSE])
		return aclnn_fail(b, PSE, "is not supported; expected NULL");
	return build(b, &prompt);
}

int build_attention_prompt_v2(struct aclnn_build *b)
{
	/* The third version has innerPrecise before the output. */
	const struct form prompt = {
		false, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, ABSENT,
		b->op->count - 1,
	};

	return build(b, &prompt);
}
