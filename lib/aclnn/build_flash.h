/* SPDX-License-Identifier: MIT */
/* Attention of training; see build_flash.c. */
#ifndef ACLNN_BUILD_FLASH_H
#define ACLNN_BUILD_FLASH_H

#include "build.h"

/* Equal elements of statistics of a row. */
#define FLASH_LANES	8

/**
 * struct flash_options - positions of the arguments that all operators have
 * @heads: the number of heads; layout, innerPrecise and sparseMode follow
 * @scale: the scale; keepProb, preTokens and nextTokens follow
 * @drop: dropMask; paddingMask and attenMask follow
 * @bias: realShift
 * @prefix: prefix
 * @is_packed: the layout is TND
 */
struct flash_options {
	unsigned int heads, scale, drop, bias, prefix;
	bool is_packed;
};

/**
 * struct flash - attention of views [batch, head, row, feature]
 * @b: the operator
 * @query: the rows
 * @key: the keys; several heads of @query may share one of their heads
 * @value: the values
 * @bias: added to logits that have the scale; or no view
 * @mask: keys are forbidden where it is not 0; or no view
 * @drop: bits of probabilities that stay; or no view
 * @is_causal: a row allows keys up to its own, counted from the ends
 * @scale: of logits
 * @keep: the probability that dropout keeps a weight
 */
struct flash {
	struct aclnn_build *b;
	struct aclnn_view query, key, value, bias, mask, drop;
	bool is_causal;
	double scale, keep;
};

/**
 * struct flash_grad - what the gradient needs, and its results
 * @grad: the gradient of @out
 * @out: the result
 * @max: the largest logit of each row, [batch, head, row]
 * @sum: the sum of each row, likewise
 * @of: the gradients of query, key and value
 * @of_bias: that of the bias, with the dimensions of it; or no view
 */
struct flash_grad {
	struct aclnn_view grad, out, max, sum, of[3], of_bias;
};

/* Report what this implementation lacks. */
int flash_check(struct aclnn_build *b, const struct flash_options *o);

/*
 * Modes 2 and 3 are causal, from the first key or to the last one.  In mode 0, the
 * numbers of tokens would mask the keys beyond them.
 */
int flash_check_mode(struct aclnn_build *b, const struct flash_options *o,
		     int64_t rows, int64_t keys);

/*
 * Collect the arguments that all operators have.  A mask [batch, row, key] is
 * for all heads.
 */
struct flash flash_collect(struct aclnn_build *b, const struct flash_options *o,
			   const struct aclnn_view *view);

/* Append the engine's operator, and make temporaries for @max and @sum. */
int flash_fused(const struct flash *f, const struct aclnn_view *out,
		struct aclnn_view *max, struct aclnn_view *sum);

/* Append its gradient. */
int flash_fused_grad(const struct flash *f, const struct flash_grad *g);

/* build_flash_whole.c: likewise, by steps on the matrix of all logits. */
int flash_whole(struct flash *f, struct aclnn_view out, struct aclnn_view *max,
		struct aclnn_view *sum);
int flash_whole_grad(struct flash *f, struct flash_grad *g);

#endif /* ACLNN_BUILD_FLASH_H */
