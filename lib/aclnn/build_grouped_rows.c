// SPDX-License-Identifier: MIT
/* Products of groups if the first phase knows their rows; see build_grouped.c. */
#include "build_grouped.h"

void grouped_select(struct aclnn_view *view, int64_t index)
{
	aclnn_narrow(view, 0, index, 1, 1);
	for (unsigned int i = 1; i < view->t.rank; i++)
		aclnn_swap(view, i - 1, i);
	view->t.rank--;
}

struct aclnn_view grouped_pick(const struct grouped *s, int arg, uint64_t group)
{
	struct aclnn_view view;

	if (arg < 0)
		return (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	view = aclnn_member(s->b, arg, s->is_stacked ? 0 : group);
	if (s->b->status || !s->is_stacked)
		return view;
	if (!view.t.rank || (uint64_t)view.t.dims[0] != s->count) {
		aclnn_fail(s->b, arg, "expected one for each of %llu groups",
			   (unsigned long long)s->count);
		return view;
	}
	grouped_select(&view, group);
	return view;
}

/* x * weight + bias */
static int plain(const struct grouped *s, const struct aclnn_view *x,
		 const struct aclnn_view *weight, const struct aclnn_view *bias,
		 const struct aclnn_view *out)
{
	struct aclnn_build *b = s->b;

	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_put(b, 0, x);
	aclnn_put(b, 1, weight);
	aclnn_put(b, 2, bias);
	aclnn_put(b, 3, out);
	return aclnn_end(b);
}

/* x * ((weight + offset) * scale) + bias */
static int of_weights(const struct grouped *s, uint64_t group,
		      const struct aclnn_view *x,
		      const struct aclnn_view *weight,
		      const struct aclnn_view *bias,
		      const struct aclnn_view *out)
{
	struct aclnn_build *b = s->b;
	struct aclnn_view scale = grouped_pick(s, s->anti_scale, group);
	struct aclnn_view offset = grouped_pick(s, s->anti_offset, group);
	int64_t parts;

	if (b->status)
		return b->status;
	parts = scale.t.rank == 2 ? scale.t.dims[0] : 1;
	if (parts < 1 || weight->t.dims[0] % parts)
		return aclnn_fail(b, s->anti_scale,
				  "the inner dimension %lld cannot be divided by %lld",
				  (long long)weight->t.dims[0],
				  (long long)parts);
	aclnn_begin(b, VNPU_OP_QUANT_MATMUL, 5, 1);
	aclnn_set_int(b, "group", weight->t.dims[0] / parts);
	aclnn_put(b, 0, x);
	aclnn_put(b, 1, weight);
	aclnn_put(b, 2, &scale);
	aclnn_put(b, 3, &offset);
	aclnn_put(b, 4, bias);
	aclnn_put(b, 5, out);
	return aclnn_end(b);
}

/* (x * weight + bias) * scale of rows from @start on */
static int of_integers(const struct grouped *s, uint64_t group, int64_t start,
		       const struct aclnn_view *x,
		       const struct aclnn_view *weight,
		       const struct aclnn_view *bias,
		       const struct aclnn_view *out)
{
	struct aclnn_build *b = s->b;
	struct aclnn_view scale = grouped_pick(s, s->scale, group);
	struct aclnn_view offset = grouped_pick(s, s->offset, group);
	struct aclnn_view tokens = grouped_tokens(s), sum;
	struct aclnn_view all = { .arg = ACLNN_NO_ARG };

	if (b->status)
		return b->status;
	if (aclnn_has(&tokens)) {
		if (tokens.t.dims[0] < start + x->t.dims[0])
			return aclnn_fail(b, s->tokens,
					  "expected one for each row, given %lld",
					  (long long)tokens.t.dims[0]);
		aclnn_narrow(&tokens, 0, start, x->t.dims[0], 1);
	}
	sum = aclnn_temporary(b, VNPU_DT_I32, out->t.rank, out->t.dims);
	if (plain(s, x, weight, bias, &sum))
		return b->status;
	return grouped_finish(s, sum, scale, &offset, &tokens, &all, out);
}

static int product(const struct grouped *s, uint64_t group, int64_t start,
		   const struct aclnn_view *x, const struct aclnn_view *out)
{
	struct aclnn_view weight = grouped_pick(s, s->weight, group);
	struct aclnn_view bias = grouped_pick(s, s->bias, group);

	if (s->b->status)
		return s->b->status;
	if (weight.t.rank != 2)
		return aclnn_fail(s->b, s->weight,
				  "expected 2 dimensions for each group, given %u",
				  weight.t.rank);
	switch (s->form) {
	case GROUPED_OF_WEIGHTS:
		return of_weights(s, group, x, &weight, &bias, out);
	case GROUPED_OF_INTEGERS:
		return of_integers(s, group, start, x, &weight, &bias, out);
	default:
		return plain(s, x, &weight, &bias, out);
	}
}

/* Take the rows of a group of a tensor that all groups share. */
static int take_rows(const struct grouped *s, int arg, unsigned int dim,
		     int64_t start, int64_t count, struct aclnn_view *view)
{
	*view = aclnn_member(s->b, arg, 0);
	if (s->b->status)
		return s->b->status;
	if (view->t.rank <= dim || count < 0 ||
	    start > view->t.dims[dim] - count)
		return aclnn_fail(s->b, arg,
				  "a group of %lld from %lld on leaves %s",
				  (long long)count, (long long)start,
				  dim ? "the columns" : "the rows");
	aclnn_narrow(view, dim, start, count, 1);
	return 0;
}

/* Multiply groups with known numbers of rows. */
static int known_rows(const struct grouped *s)
{
	const struct aclnn_array *ends = s->is_host ?
		aclnn_array(s->b, s->groups) : NULL;
	bool has_x = s->x_count > 1 || s->count == 1;
	bool has_y = s->y_count > 1 || s->count == 1;
	struct aclnn_view x, y;
	int64_t start = 0, count;

	for (uint64_t i = 0; i < s->count && !s->b->status; i++) {
		x = aclnn_member(s->b, s->x, has_x ? i : 0);
		y = aclnn_member(s->b, s->y, has_y ? i : 0);
		if (s->b->status)
			break;
		if (!x.t.rank || !y.t.rank)
			return aclnn_fail(s->b, x.t.rank ? s->y : s->x,
					  "has no dimensions");
		count = ends ? ends->i[i] - start :
			has_x ? x.t.dims[0] : y.t.dims[0];
		if (ends && s->x_count > 1 && count != x.t.dims[0])
			return aclnn_fail(s->b, s->groups,
					  "expected %lld rows of x in group %llu, given %lld",
					  (long long)x.t.dims[0],
					  (unsigned long long)i,
					  (long long)count);
		if (!has_x || (ends && s->x_count == 1))
			take_rows(s, s->x, 0, start, count, &x);
		if (!has_y || (ends && s->y_count == 1))
			take_rows(s, s->y, 0, start, count, &y);
		if (!s->b->status)
			product(s, i, start, &x, &y);
		start += count;
	}
	return s->b->status;
}

/* Multiply groups with known numbers of inner elements. */
static int known_inner(const struct grouped *s)
{
	const struct aclnn_array *ends = aclnn_array(s->b, s->groups);
	struct aclnn_view x, weight, y, none = { .arg = ACLNN_NO_ARG };
	int64_t start = 0;

	for (uint64_t i = 0; i < ends->size && !s->b->status; i++) {
		int64_t count = ends->i[i] - start;

		if (take_rows(s, s->x, 1, start, count, &x) ||
		    take_rows(s, s->weight, 0, start, count, &weight) ||
		    take_rows(s, s->y, 0, i, 1, &y))
			break;
		grouped_select(&y, 0);
		plain(s, &x, &weight, &none, &y);
		start += count;
	}
	return s->b->status;
}

int grouped_known_build(const struct grouped *s)
{
	return s->type == GROUPED_INNER ? known_inner(s) : known_rows(s);
}
