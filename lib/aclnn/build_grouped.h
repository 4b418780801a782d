/* SPDX-License-Identifier: MIT */
/* Products of matrices by groups; see build_grouped.c. */
#ifndef ACLNN_BUILD_GROUPED_H
#define ACLNN_BUILD_GROUPED_H

#include "build.h"

/* Values of groupType: 1 would be columns. */
enum grouped_type {
	GROUPED_NONE = -1,
	GROUPED_ROWS = 0,
	GROUPED_INNER = 2,
};

/* Values of actType: 3, GELU by the error function, is not supported there. */
enum grouped_activation {
	GROUPED_RELU = 1,
	GROUPED_GELU = 2,
	GROUPED_FAST_GELU = 4,
	GROUPED_SILU = 5,
};

/**
 * enum grouped_form - which of the factors are quantised
 * @GROUPED_PLAIN: neither
 * @GROUPED_OF_WEIGHTS: the weights; their scales and offsets are applied first
 * @GROUPED_OF_INTEGERS: both; their exact product is scaled
 */
enum grouped_form {
	GROUPED_PLAIN,
	GROUPED_OF_WEIGHTS,
	GROUPED_OF_INTEGERS,
};

/**
 * struct grouped - products by groups
 * @b: the operator
 * @x: the arguments; -1 for those that are missing; this and the next ones
 * @weight: as @x
 * @bias: as @x
 * @scale: of products of integers
 * @offset: of products of integers
 * @anti_scale: of weights
 * @anti_offset: of weights
 * @tokens: scales of rows
 * @groups: ends or sizes of groups
 * @y: the results
 * @type_arg: the argument of @type
 * @activation_arg: the argument of @activation
 * @type: enum grouped_type
 * @kind: kind of numbers in @groups, as of VNPU_OP_GROUPED_MATMUL
 * @activation: enum grouped_activation, or 0
 * @form: found by the types
 * @is_scaled: the result is a scaled product of integers
 * @is_stacked: one tensor has the weights of all groups
 * @is_host: @groups is an array of the host
 * @count: number of groups
 * @x_count: number of tensors in the list; this and the next ones
 * @weight_count: as @x_count
 * @y_count: as @x_count
 */
struct grouped {
	struct aclnn_build *b;
	int x, weight, bias, scale, offset, anti_scale, anti_offset, tokens;
	int groups, y, type_arg, activation_arg;
	int64_t type, kind, activation;
	enum grouped_form form;
	bool is_scaled, is_stacked, is_host;
	uint64_t count, x_count, weight_count, y_count;
};

/* Select one index of the first dimension, which vanishes. */
void grouped_select(struct aclnn_view *view, int64_t index);

/* Get what an argument has for a group, or no view. */
struct aclnn_view grouped_pick(const struct grouped *s, int arg, uint64_t group);

/* Get the scales of rows as a column, or no view. */
struct aclnn_view grouped_tokens(const struct grouped *s);

/* Scale sums of integers, and store those rows that the mask has, if there is one. */
int grouped_finish(const struct grouped *s, struct aclnn_view sum,
		   struct aclnn_view scale, const struct aclnn_view *offset,
		   const struct aclnn_view *tokens,
		   const struct aclnn_view *mask, const struct aclnn_view *out);

/* build_grouped_rows.c: the first phase knows the sizes of the groups. */
int grouped_known_build(const struct grouped *s);

/* build_grouped_sizes.c: the sizes of the groups are a tensor. */
int grouped_sizes_build(const struct grouped *s);

#endif /* ACLNN_BUILD_GROUPED_H */
