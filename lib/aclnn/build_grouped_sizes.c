// SPDX-License-Identifier: MIT
/*
 * Products of groups if a tensor has their sizes; see build_grouped.c.  The engine
 * reads the sizes.  Sums of integers are scaled afterwards: the scale of each row
 * is that of its group, which is a product by groups, too, of a column of ones.
 */
#include "build_grouped.h"
#include "build_quant.h"

static struct aclnn_view activate(const struct grouped *s,
				  const struct aclnn_view *x)
{
	struct aclnn_build *b = s->b;

	switch (s->activation) {
	case GROUPED_RELU:
		return aclnn_result1(b, VNPU_OP_RELU, x);
	case GROUPED_GELU:
		aclnn_begin(b, VNPU_OP_GELU, 1, 1);
		aclnn_set_int(b, "approximate", 1);
		aclnn_put(b, 0, x);
		return aclnn_result(b);
	case GROUPED_FAST_GELU:
		aclnn_begin(b, VNPU_OP_SWISH, 1, 1);
		aclnn_set_float(b, "beta", 1.702);
		aclnn_put(b, 0, x);
		return aclnn_result(b);
	case GROUPED_SILU:
		return aclnn_result1(b, VNPU_OP_SILU, x);
	default:
		return *x;
	}
}

/* Rows that the mask leaves out stay as they are. */
static int store(struct aclnn_build *b, const struct aclnn_view *from,
		 const struct aclnn_view *mask, const struct aclnn_view *out)
{
	struct aclnn_view same;

	if (b->status || !aclnn_has(mask))
		return b->status ? b->status :
				   aclnn_step1(b, VNPU_OP_COPY, from, out);
	same = aclnn_temporary(b, out->t.dtype, out->t.rank, out->t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, from, &same))
		return b->status;
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, mask);
	aclnn_put(b, 1, &same);
	aclnn_put(b, 2, out);
	aclnn_put(b, 3, out);
	return aclnn_end(b);
}

int grouped_finish(const struct grouped *s, struct aclnn_view sum,
		   struct aclnn_view scale, const struct aclnn_view *offset,
		   const struct aclnn_view *tokens,
		   const struct aclnn_view *mask, const struct aclnn_view *out)
{
	struct aclnn_build *b = s->b;

	if (out->t.dtype == VNPU_DT_I32)
		return store(b, &sum, mask, out);
	aclnn_unpack_scale(&scale);
	sum = aclnn_result2(b, VNPU_OP_MUL, &sum, &scale);
	if (aclnn_has(tokens))
		sum = aclnn_result2(b, VNPU_OP_MUL, &sum, tokens);
	if (aclnn_has(offset))
		sum = aclnn_result2(b, VNPU_OP_ADD, &sum, offset);
	sum = activate(s, &sum);
	if (out->t.dtype == VNPU_DT_I8)
		sum = aclnn_result1(b, VNPU_OP_ROUND, &sum);
	return store(b, &sum, mask, out);
}

struct aclnn_view grouped_tokens(const struct grouped *s)
{
	struct aclnn_view tokens = { .arg = ACLNN_NO_ARG };

	if (s->tokens < 0)
		return tokens;
	tokens = aclnn_member(s->b, s->tokens, 0);
	if (!s->b->status && tokens.t.rank == 1)
		aclnn_insert(&tokens, 1);
	return tokens;
}

/*
 * Get what an argument has for all groups, or for one of them, with the groups as
 * the first of @rank dimensions, or no view.
 */
static struct aclnn_view stack(const struct grouped *s, int arg, uint64_t group,
			       unsigned int rank)
{
	struct aclnn_view view;

	if (arg < 0)
		return (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	view = aclnn_member(s->b, arg, s->is_stacked ? 0 : group);
	if (s->b->status)
		return view;
	if (!s->is_stacked && view.t.rank < VNPU_TENSOR_DIMS)
		aclnn_insert(&view, 0);
	if (!view.t.rank) {
		aclnn_fail(s->b, arg, "has no dimensions");
		return view;
	}
	while (view.t.rank < rank)
		aclnn_insert(&view, 1);
	return view;
}

/* The factors and the bias of one product by groups. */
struct factors {
	struct aclnn_view weight, scale, offset, bias;
};

static int product(const struct grouped *s, uint64_t group,
		   const struct aclnn_view *x, const struct factors *f,
		   const struct aclnn_view *out)
{
	struct aclnn_view groups = aclnn_view(s->b, s->groups);

	if (s->b->status)
		return s->b->status;
	aclnn_begin(s->b, VNPU_OP_GROUPED_MATMUL, 6, 1);
	aclnn_set_int(s->b, "axis", s->type == GROUPED_INNER);
	aclnn_set_int(s->b, "kind", s->kind);
	aclnn_set_int(s->b, "first", s->is_stacked ? 0 : group);
	aclnn_put(s->b, 0, x);
	aclnn_put(s->b, 1, &f->weight);
	aclnn_put(s->b, 2, &groups);
	aclnn_put(s->b, 3, &f->scale);
	aclnn_put(s->b, 4, &f->offset);
	aclnn_put(s->b, 5, &f->bias);
	aclnn_put(s->b, 6, out);
	return aclnn_end(s->b);
}

static const struct aclnn_view none = { .arg = ACLNN_NO_ARG };

/* Multiply the rows of each group. */
static int products(const struct grouped *s, const struct aclnn_view *x,
		    const struct aclnn_view *out)
{
	uint64_t steps = s->is_stacked ? 1 : s->count;

	for (uint64_t i = 0; i < steps && !s->b->status; i++) {
		struct factors f = {
			.weight = stack(s, s->weight, i, 3),
			.scale = stack(s, s->anti_scale, i, 3),
			.offset = stack(s, s->anti_offset, i, 3),
			.bias = stack(s, s->bias, i, 2),
		};

		product(s, i, x, &f, out);
	}
	return s->b->status;
}

/* Get the values of an argument for the group of each row, or no view. */
static struct aclnn_view of_rows(const struct grouped *s, int arg,
				 const struct aclnn_view *like)
{
	struct aclnn_view ones, one = aclnn_number(1), made;
	uint64_t steps = s->is_stacked ? 1 : s->count;
	int64_t column[] = { like->t.dims[0], 1 };

	if (arg < 0 || s->b->status)
		return none;
	ones = aclnn_temporary(s->b, VNPU_DT_F32, 2, column);
	made = aclnn_temporary(s->b, VNPU_DT_F32, 2, like->t.dims);
	aclnn_step1(s->b, VNPU_OP_COPY, &one, &ones);
	for (uint64_t i = 0; i < steps && !s->b->status; i++) {
		struct factors f = {
			.weight = stack(s, arg, i, 3),
			.scale = none, .offset = none, .bias = none,
		};
		struct vnpu_tensor *t = &f.weight.t;

		if (s->b->status)
			break;
		aclnn_unpack_scale(&f.weight);
		if (t->rank == 3 && t->dims[2] == 1) {
			t->dims[2] = like->t.dims[1];
			t->strides[2] = 0;
		}
		product(s, i, &ones, &f, &made);
	}
	return made;
}

/* Make a column that marks the rows that belong to groups: the first ones. */
static struct aclnn_view find_rows(const struct grouped *s, int64_t rows)
{
	struct aclnn_view total = aclnn_view(s->b, s->groups), number, mask;

	if (s->b->status)
		return none;
	if (s->kind == 2) {
		aclnn_narrow(&total, 1, 1, 1, 1);
		total = aclnn_result1(s->b, VNPU_OP_SUM, &total);
	} else if (s->kind == 1) {
		total = aclnn_result1(s->b, VNPU_OP_SUM, &total);
	} else {
		aclnn_narrow(&total, 0, total.t.dims[0] - 1, 1, 1);
	}
	number = aclnn_temporary(s->b, VNPU_DT_I64, 1, &rows);
	aclnn_begin(s->b, VNPU_OP_ARANGE, 0, 1);
	aclnn_put(s->b, 0, &number);
	aclnn_end(s->b);
	mask = aclnn_result2(s->b, VNPU_OP_LT, &number, &total);
	if (!s->b->status)
		aclnn_insert(&mask, 1);
	return mask;
}

int grouped_sizes_build(const struct grouped *s)
{
	struct aclnn_view x = aclnn_member(s->b, s->x, 0), sum, mask;
	struct aclnn_view y = aclnn_member(s->b, s->y, 0), scale, offset;
	struct aclnn_view groups = aclnn_view(s->b, s->groups), tokens;

	if (s->b->status)
		return s->b->status;
	if (groups.t.rank != (s->kind == 2 ? 2 : 1) ||
	    (s->type == GROUPED_ROWS &&
	     (uint64_t)groups.t.dims[0] != s->count))
		return aclnn_fail(s->b, s->groups,
				  "expected shape [%llu%s], given %u dimensions of size %lld first",
				  (unsigned long long)s->count,
				  s->kind == 2 ? ", 2" : "", groups.t.rank,
				  (long long)(groups.t.rank ?
					      groups.t.dims[0] : 1));
	if (s->type == GROUPED_INNER) {
		struct factors f = {
			.weight = aclnn_member(s->b, s->weight, 0),
			.scale = none, .offset = none, .bias = none,
		};

		return product(s, 0, &x, &f, &y);
	}
	if (s->form != GROUPED_OF_INTEGERS || y.t.dtype == VNPU_DT_I32)
		return products(s, &x, &y);
	sum = aclnn_temporary(s->b, VNPU_DT_I32, y.t.rank, y.t.dims);
	if (products(s, &x, &sum))
		return s->b->status;
	scale = of_rows(s, s->scale, &sum);
	offset = of_rows(s, s->offset, &sum);
	tokens = grouped_tokens(s);
	mask = find_rows(s, sum.t.dims[0]);
	return grouped_finish(s, sum, scale, &offset, &tokens, &mask, &y);
}
