// SPDX-License-Identifier: MIT
/*
 * Attention of training for sequences that follow each other in one tensor, [row of
 * all sequences, head, feature].  Arrays contain the ends of the sequences;
 * each sequence is a step.
 */
#include "build_flash.h"
#include "builders.h"

/* Get the number of an array of ends; the arrays follow the prefix. */
static unsigned int ends_arg(const struct flash_options *o, bool of_keys)
{
	return o->prefix + 1 + of_keys;
}

/* Find where a sequence begins, and how long it is. */
static int64_t find(const struct aclnn_array *ends, uint64_t number,
		    int64_t *start)
{
	*start = number ? ends->i[number - 1] : 0;
	return ends->i[number] - *start;
}

/* Check that ends ascend, and that all rows exist. */
static int check_ends(struct aclnn_build *b, unsigned int arg, int64_t rows)
{
	const struct aclnn_array *ends = aclnn_array(b, arg);
	int64_t start = 0;

	for (uint64_t i = 0; i < ends->size; start = ends->i[i++])
		if (ends->i[i] < start || ends->i[i] > rows)
			return aclnn_fail(b, arg,
					  "expected %lld to %lld, given %lld",
					  (long long)start, (long long)rows,
					  (long long)ends->i[i]);
	return 0;
}

static int check(struct aclnn_build *b, const struct flash_options *o)
{
	const struct aclnn_array *rows, *keys;
	struct aclnn_view view[3];

	if (flash_check(b, o))
		return b->status;
	for (unsigned int i = 0; i < 3; i++) {
		view[i] = aclnn_view(b, i);
		if (view[i].t.rank != 3)
			return aclnn_fail(b, i, "expected 3 dimensions, given %u",
					  view[i].t.rank);
	}
	if (view[0].t.dims[1] != aclnn_int(b, o->heads))
		return aclnn_fail(b, o->heads, "expected %lld, given %lld",
				  (long long)view[0].t.dims[1],
				  (long long)aclnn_int(b, o->heads));
	if (b->object[o->bias])
		return aclnn_fail(b, o->bias, "is not supported; expected NULL");
	if (aclnn_float(b, o->scale + 1) != 1)
		return aclnn_fail(b, o->scale + 1, "expected 1, given %g",
				  aclnn_float(b, o->scale + 1));
	rows = aclnn_array(b, ends_arg(o, false));
	keys = aclnn_array(b, ends_arg(o, true));
	if (rows->size != keys->size)
		return aclnn_fail(b, ends_arg(o, true),
				  "expected %llu numbers, given %llu",
				  (unsigned long long)rows->size,
				  (unsigned long long)keys->size);
	if (check_ends(b, ends_arg(o, false), view[0].t.dims[0]))
		return b->status;
	return check_ends(b, ends_arg(o, true), view[1].t.dims[0]);
}

/* Clear the rows of a result behind the last sequence. */
static int clear_rest(struct aclnn_build *b, const struct flash_options *o,
		      unsigned int arg, bool of_keys)
{
	const struct aclnn_array *ends = aclnn_array(b, ends_arg(o, of_keys));
	struct aclnn_view zero = aclnn_number(0), view;
	int64_t end = ends->size ? ends->i[ends->size - 1] : 0;

	if (b->status || !b->object[arg])
		return b->status;
	view = aclnn_view(b, arg);
	if (view.t.rank != 3)
		return aclnn_fail(b, arg, "expected 3 dimensions, given %u",
				  view.t.rank);
	if (view.t.dims[0] <= end)
		return 0;
	aclnn_narrow(&view, 0, end, view.t.dims[0] - end, 1);
	return aclnn_step1(b, VNPU_OP_COPY, &zero, &view);
}

/* View a sequence of an argument as [1, head, row, feature]. */
static int take(struct aclnn_build *b, const struct flash_options *o,
		unsigned int arg, bool of_keys, uint64_t number,
		struct aclnn_view *view)
{
	const struct aclnn_array *ends = aclnn_array(b, ends_arg(o, of_keys));
	int64_t start, count = find(ends, number, &start);

	*view = aclnn_view(b, arg);
	if (view->t.rank != 3 || view->t.dims[0] < start + count)
		return aclnn_fail(b, arg,
				  "expected 3 dimensions and %lld rows, given %u and %lld",
				  (long long)(start + count), view->t.rank,
				  (long long)view->t.dims[0]);
	aclnn_narrow(view, 0, start, count, 1);
	aclnn_insert(view, 0);
	aclnn_swap(view, 1, 2);
	return 0;
}

/* The mask is that of the longest sequence. */
static int narrow_mask(const struct flash_options *o, struct flash *f)
{
	const int64_t size[] = { f->query.t.dims[2], f->key.t.dims[2] };

	if (!aclnn_has(&f->mask))
		return 0;
	if (f->mask.t.rank != 2 || f->mask.t.dims[0] < size[0] ||
	    f->mask.t.dims[1] < size[1])
		return aclnn_fail(f->b, o->drop + 2,
				  "expected 2 dimensions of at least %lld and %lld",
				  (long long)size[0], (long long)size[1]);
	for (unsigned int i = 0; i < 2; i++)
		aclnn_narrow(&f->mask, i, 0, size[i], 1);
	return 0;
}

static int begin(struct aclnn_build *b, const struct flash_options *o,
		 uint64_t number, struct flash *f)
{
	struct aclnn_view view[3];

	for (unsigned int i = 0; i < 3; i++)
		if (take(b, o, i, i, number, &view[i]))
			return b->status;
	*f = flash_collect(b, o, view);
	if (flash_check_mode(b, o, view[0].t.dims[2], view[1].t.dims[2]))
		return b->status;
	return narrow_mask(o, f);
}

/* Copy a statistic of rows to all lanes of [row, head, lane]. */
static int spread(struct aclnn_build *b, const struct flash_options *o,
		  uint64_t number, struct aclnn_view from, unsigned int out_arg)
{
	struct aclnn_view out;

	if (b->status || !b->object[out_arg])
		return b->status;
	if (take(b, o, out_arg, false, number, &out))
		return b->status;
	aclnn_insert(&from, 3);
	from.t.dims[3] = FLASH_LANES;
	from.t.strides[3] = 0;
	return aclnn_step1(b, VNPU_OP_COPY, &from, &out);
}

int build_flash_attention_packed(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, BIAS, DROP, PADDING, MASK, PREFIX, ROWS, KEYS,
	       SCALE, KEEP, PRE, NEXT, HEADS, LAYOUT, INNER, SPARSE, MAX, SUM,
	       SOFTMAX, OUT };
	static const struct flash_options o = {
		HEADS, SCALE, DROP, BIAS, PREFIX, true,
	};
	struct aclnn_view out, max, sum;
	struct flash f;

	if (check(b, &o))
		return b->status;
	for (uint64_t i = 0; i < aclnn_array(b, ROWS)->size; i++) {
		if (begin(b, &o, i, &f) || take(b, &o, OUT, false, i, &out) ||
		    flash_fused(&f, &out, &max, &sum))
			break;
		spread(b, &o, i, max, MAX);
		spread(b, &o, i, sum, SUM);
	}
	clear_rest(b, &o, MAX, false);
	clear_rest(b, &o, SUM, false);
	return clear_rest(b, &o, OUT, false);
}

/* View the first lane of a statistic as [1, head, row]. */
static int first_lane(struct aclnn_build *b, const struct flash_options *o,
		      unsigned int arg, uint64_t number, struct aclnn_view *view)
{
	if (take(b, o, arg, false, number, view))
		return b->status;
	if (view->t.dims[3] != FLASH_LANES)
		return aclnn_fail(b, arg, "expected shape [row, head, %d]",
				  FLASH_LANES);
	view->t.rank = 3;
	return 0;
}

int build_flash_attention_packed_grad(struct aclnn_build *b)
{
	enum { QUERY, KEY, VALUE, GRAD, BIAS, DROP, PADDING, MASK, MAX, SUM,
	       SOFTMAX, ATTENTION, PREFIX, ROWS, KEYS, SCALE, KEEP, PRE, NEXT,
	       HEADS, LAYOUT, INNER, SPARSE, OF_QUERY, OF_KEY, OF_VALUE,
	       OF_BIAS };
	static const struct flash_options o = {
		HEADS, SCALE, DROP, BIAS, PREFIX, true,
	};
	struct flash_grad g;
	struct flash f;

	if (check(b, &o))
		return b->status;
	for (uint64_t i = 0; i < aclnn_array(b, ROWS)->size; i++) {
		if (begin(b, &o, i, &f) ||
		    take(b, &o, GRAD, false, i, &g.grad) ||
		    take(b, &o, ATTENTION, false, i, &g.out) ||
		    first_lane(b, &o, MAX, i, &g.max) ||
		    first_lane(b, &o, SUM, i, &g.sum))
			break;
		for (unsigned int k = 0; k < 3; k++)
			take(b, &o, OF_QUERY + k, k, i, &g.of[k]);
		if (b->status || flash_fused_grad(&f, &g))
			break;
	}
	for (unsigned int k = 0; k < 3; k++)
		clear_rest(b, &o, OF_QUERY + k, k);
	return b->status;
}
