/* SPDX-License-Identifier: MIT */
/*
 * The softmax of attention, for a block of keys after others. The logits of
 * OPS_NR rows are neighbours, so each row is a lane; a panel of them is also the
 * right factor of the product with the values. Sums are in f32.
 */
#ifndef VNPU_OPS_VEC_ATTENTION_H
#define VNPU_OPS_VEC_ATTENTION_H

#include <stdint.h>

#include "gemm.h"

/**
 * struct ops_softmax - the state of OPS_NR rows
 * @most: the largest logit up to now; -INFINITY before the first block
 * @sum: the sum of the weights up to now, relative to it
 */
struct ops_softmax {
	float most[OPS_NR];
	float sum[OPS_NR];
};

/**
 * typedef ops_softmax_fn - make weights of logits
 * @s: the state
 * @x: the logits, which become weights: @n times OPS_NR
 * @n: number of keys
 * @scale: factor of the logits; positive
 * @result: what the blocks before have made, which is made relative to the new
 *	largest logit: @features times OPS_NR
 * @features: number of features
 */
typedef void (*ops_softmax_fn)(struct ops_softmax *s, float *x, int64_t n,
			       float scale, float *result, int64_t features);

/**
 * typedef ops_slopes_fn - make weights, and gradients of logits
 * @x: the logits, which become weights: @n times OPS_NR
 * @slope: the gradients of the weights, which become those of the logits
 * @n: number of keys
 * @scale: factor of the logits
 * @out_scale: factor of their gradients
 * @most: the largest logit of each row
 * @factor: the reciprocal of the sum of each row
 * @dot: the product of gradient and result of each row
 */
typedef void (*ops_slopes_fn)(float *x, float *slope, int64_t n, float scale,
			      float out_scale, const float *most,
			      const float *factor, const float *dot);

#endif
