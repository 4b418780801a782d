// SPDX-License-Identifier: MIT
/*
 * Products of matrices by groups, for mixtures of experts.
 *
 * If the first phase knows the rows of each group, because each has a tensor or
 * the sizes are an array of the host, then each group is a product of its own: see
 * build_grouped_rows.c.  If the sizes are a tensor, the engine reads them: see
 * build_grouped_sizes.c.
 */
#include "build_grouped.h"
#include "builders.h"

#define GROUPS_MAX	1024

static uint64_t size_of(const struct aclnn_build *b, int arg)
{
	return arg >= 0 && b->object[arg] ? aclnn_array(b, arg)->size : 0;
}

/* Programs pass no list, an empty one, or an empty tensor for no argument. */
static bool is_given(struct aclnn_build *b, int arg)
{
	struct aclnn_view view;

	if (!size_of(b, arg))
		return false;
	view = aclnn_member(b, arg, 0);
	return vnpu_tensor_elements(&view.t) > 0;
}

/* Find the form by the types. */
static int find_form(struct grouped *s, const struct vnpu_tensor *x,
		     const struct vnpu_tensor *weight,
		     const struct vnpu_tensor *y)
{
	bool is_integer = weight->dtype == VNPU_DT_I8 ||
			  weight->dtype == VNPU_DT_I4;

	if (vnpu_dtype_is_float(x->dtype) && vnpu_dtype_is_float(weight->dtype))
		s->form = GROUPED_PLAIN;
	else if (vnpu_dtype_is_float(x->dtype) && is_integer)
		s->form = GROUPED_OF_WEIGHTS;
	else if (x->dtype == VNPU_DT_I8 && weight->dtype == VNPU_DT_I8)
		s->form = GROUPED_OF_INTEGERS;
	else
		return aclnn_fail(s->b, s->weight,
				  "type %s is not supported with x of type %s",
				  vnpu_dtype_name(weight->dtype),
				  vnpu_dtype_name(x->dtype));
	s->is_scaled = s->form == GROUPED_OF_INTEGERS &&
		       y->dtype != VNPU_DT_I32;
	return 0;
}

/* Check an argument that only some forms have. */
static int check_given(struct grouped *s, int *arg, bool is_possible,
		       bool is_needed)
{
	bool given = is_given(s->b, *arg);
	uint64_t size = size_of(s->b, *arg);

	if (s->b->status)
		return s->b->status;
	if (given && !is_possible)
		return aclnn_fail(s->b, *arg,
				  "is not possible with these types; expected NULL");
	if (!given && is_needed)
		return aclnn_fail(s->b, *arg < 0 ? s->weight : *arg,
				  "a scale is needed for these types");
	if (given && *arg != s->tokens && size != s->weight_count)
		return aclnn_fail(s->b, *arg,
				  "expected as many tensors as weight has, %llu, given %llu",
				  (unsigned long long)s->weight_count,
				  (unsigned long long)size);
	if (!given)
		*arg = -1;
	return 0;
}

static int check_lists(struct grouped *s)
{
	bool of_weights_ = s->form == GROUPED_OF_WEIGHTS;
	bool single = s->x_count == 1 && s->y_count == 1;
	struct aclnn_view bias;

	if (check_given(s, &s->bias, s->type != GROUPED_INNER, false) ||
	    check_given(s, &s->scale, s->is_scaled, s->is_scaled) ||
	    check_given(s, &s->offset, s->is_scaled, false) ||
	    check_given(s, &s->anti_scale, of_weights_, of_weights_) ||
	    check_given(s, &s->anti_offset, of_weights_, false) ||
	    check_given(s, &s->tokens, s->is_scaled && single, false))
		return s->b->status;
	if (s->activation && !s->is_scaled)
		return aclnn_fail(s->b, s->activation_arg,
				  "only products of i8 with scales have activations; expected 0, given %lld",
				  (long long)s->activation);
	if (s->bias < 0 || s->form != GROUPED_OF_INTEGERS)
		return 0;
	bias = aclnn_member(s->b, s->bias, 0);
	if (!s->b->status && bias.t.dtype != VNPU_DT_I32)
		return aclnn_fail(s->b, s->bias, "expected type i32, given %s",
				  vnpu_dtype_name(bias.t.dtype));
	return s->b->status;
}

static int check_counts(struct grouped *s, int split_arg)
{
	int64_t split = aclnn_int(s->b, split_arg);

	if (split < 0 || split > 3)
		return aclnn_fail(s->b, split_arg, "expected 0 to 3, given %lld",
				  (long long)split);
	if (!s->count || s->count > GROUPS_MAX)
		return aclnn_fail(s->b, s->weight,
				  "expected 1 to %d groups, given %llu",
				  GROUPS_MAX, (unsigned long long)s->count);
	if (split > 1 ? s->y_count != 1 : s->y_count != s->count)
		return aclnn_fail(s->b, s->y,
				  "expected %llu tensors for splitItem %lld, given %llu",
				  split > 1 ? 1ULL : (unsigned long long)s->count,
				  (long long)split,
				  (unsigned long long)s->y_count);
	if (s->x_count != 1 && s->x_count != s->count)
		return aclnn_fail(s->b, s->x,
				  "expected 1 tensor or %llu, given %llu",
				  (unsigned long long)s->count,
				  (unsigned long long)s->x_count);
	return 0;
}

/* Find the kind of groups, and check whether a list of them is missing. */
static int check_type(struct grouped *s, int split_arg)
{
	bool is_inner = s->type == GROUPED_INNER;
	bool has_list = s->b->object[s->groups];

	if (s->type < GROUPED_NONE || s->type > GROUPED_INNER || s->type == 1)
		return aclnn_fail(s->b, s->type_arg,
				  "expected -1, 0 or 2, given %lld; groups of columns are not supported",
				  (long long)s->type);
	if (s->type == GROUPED_NONE && has_list)
		return aclnn_fail(s->b, s->groups,
				  "expected NULL for groupType -1");
	if (s->type == GROUPED_NONE &&
	    (s->x_count != s->count || s->y_count != s->count || s->is_stacked))
		return aclnn_fail(s->b, s->x,
				  "groupType -1 needs as many tensors as weight and the output have, given %llu",
				  (unsigned long long)s->x_count);
	if (!is_inner && check_counts(s, split_arg))
		return s->b->status;
	if (is_inner && (s->x_count != 1 || s->weight_count != 1 ||
			 s->y_count != 1 || s->form != GROUPED_PLAIN))
		return aclnn_fail(s->b, s->weight,
				  "groupType 2 needs one tensor each, of floats, for x, weight and the output");
	if (!has_list && (is_inner ||
			  (s->x_count == 1 && s->y_count == 1 &&
			   s->count > 1)))
		return aclnn_fail(s->b, s->groups,
				  "is NULL, but x and the output are one tensor for all groups");
	return 0;
}

/* Sizes of the host must name all groups, in ascending order. */
static int check_ends(const struct grouped *s)
{
	const struct aclnn_array *ends = aclnn_array(s->b, s->groups);

	if (s->type == GROUPED_ROWS && ends->size != s->count)
		return aclnn_fail(s->b, s->groups,
				  "expected %llu numbers, given %llu",
				  (unsigned long long)s->count,
				  (unsigned long long)ends->size);
	for (uint64_t i = 0; i < ends->size; i++)
		if (ends->i[i] < (i ? ends->i[i - 1] : 0))
			return aclnn_fail(s->b, s->groups,
					  "expected ascending numbers, given %lld at %llu",
					  (long long)ends->i[i],
					  (unsigned long long)i);
	return 0;
}

static int grouped_build(struct grouped *s, int split_arg)
{
	struct aclnn_build *b = s->b;
	struct aclnn_view x, weight, y;

	s->x_count = size_of(b, s->x);
	s->weight_count = size_of(b, s->weight);
	s->y_count = size_of(b, s->y);
	if (!s->x_count || !s->weight_count || !s->y_count)
		return aclnn_fail(b, !s->x_count ? s->x : !s->weight_count ?
				  s->weight : s->y, "has no tensors");
	x = aclnn_member(b, s->x, 0);
	weight = aclnn_member(b, s->weight, 0);
	y = aclnn_member(b, s->y, 0);
	if (b->status || find_form(s, &x.t, &weight.t, &y.t))
		return b->status;
	s->is_stacked = s->weight_count == 1 && weight.t.rank == 3;
	s->count = s->is_stacked ? (uint64_t)weight.t.dims[0] :
				   s->weight_count;
	if (check_type(s, split_arg) || check_lists(s))
		return b->status;
	s->is_host = b->object[s->groups] &&
		     b->op->args[s->groups].kind == ACLNN_INTS;
	if (s->is_host && check_ends(s))
		return b->status;
	if (b->object[s->groups] && !s->is_host && s->x_count == 1 &&
	    s->y_count == 1)
		return grouped_sizes_build(s);
	return grouped_known_build(s);
}

/* The arguments that all versions have first. */
enum { X, WEIGHT, BIAS, SCALE, OFFSET, ANTI_SCALE, ANTI_OFFSET };

static struct grouped begin(struct aclnn_build *b)
{
	return (struct grouped){
		.b = b, .x = X, .weight = WEIGHT, .bias = BIAS, .scale = SCALE,
		.offset = OFFSET, .anti_scale = ANTI_SCALE,
		.anti_offset = ANTI_OFFSET, .tokens = -1,
	};
}

/* The first version: a list, or one output of several inputs, means rows. */
int build_grouped_matmul(struct aclnn_build *b)
{
	enum { GROUPS = ANTI_OFFSET + 1, SPLIT, Y };
	struct grouped s = begin(b);

	s.groups = GROUPS;
	s.y = Y;
	s.type_arg = SPLIT;
	s.type = b->object[GROUPS] || aclnn_int(b, SPLIT) > 1 ? GROUPED_ROWS :
								GROUPED_NONE;
	return grouped_build(&s, SPLIT);
}

/* Build a version with groupType; groups are an array, or a tensor. */
int build_grouped_matmul_type(struct aclnn_build *b)
{
	enum { GROUPS = ANTI_OFFSET + 1, SPLIT, TYPE, Y };
	struct grouped s = begin(b);

	s.groups = GROUPS;
	s.y = Y;
	s.type_arg = TYPE;
	s.type = aclnn_int(b, TYPE);
	return grouped_build(&s, SPLIT);
}

static int check_reserved(struct aclnn_build *b, int first, int last)
{
	for (int i = first; i <= last && !b->status; i++)
		if (is_given(b, i))
			aclnn_fail(b, i, "is reserved; expected NULL");
	return b->status;
}

/*
 * Build a version with scales of rows and activations; @y is the output's
 * number.
 */
static int grouped_active(struct aclnn_build *b, int y)
{
	enum { TOKENS = ANTI_OFFSET + 1, GROUPS, ACTIVATION_INPUT,
	       ACTIVATION_SCALE, ACTIVATION_OFFSET, SPLIT, TYPE, KIND,
	       ACTIVATION };
	struct grouped s = begin(b);

	if (check_reserved(b, ACTIVATION_INPUT, ACTIVATION_OFFSET) ||
	    check_reserved(b, y + 1, y + 2))
		return b->status;
	s.tokens = TOKENS;
	s.groups = GROUPS;
	s.y = y;
	s.type_arg = TYPE;
	s.type = aclnn_int(b, TYPE);
	s.kind = aclnn_int(b, KIND);
	s.activation_arg = ACTIVATION;
	s.activation = aclnn_int(b, ACTIVATION);
	if (s.kind < 0 || s.kind > 2)
		return aclnn_fail(b, KIND, "expected 0 to 2, given %lld",
				  (long long)s.kind);
	if (s.activation < 0 || s.activation > GROUPED_SILU ||
	    s.activation == 3)
		return aclnn_fail(b, ACTIVATION,
				  "expected 0, 1, 2, 4 or 5, given %lld",
				  (long long)s.activation);
	return grouped_build(&s, SPLIT);
}

int build_grouped_matmul_v4(struct aclnn_build *b)
{
	return grouped_active(b, 16);
}

int build_grouped_matmul_v5(struct aclnn_build *b)
{
	return grouped_active(b, 17);
}

/*
 * Build a version with quantGroupSize, which also follows from the shapes of
 * the scales.
 */
int build_grouped_matmul_weight_nz(struct aclnn_build *b)
{
	return grouped_active(b, 18);
}
