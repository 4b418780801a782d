/* SPDX-License-Identifier: MIT */
/*
 * Functions of a line, that is of all elements along some dimensions: softmax
 * and normalisations. Sums are those of reduce.h.
 */
#ifndef VNPU_OPS_VEC_LINES_H
#define VNPU_OPS_VEC_LINES_H

#include <stddef.h>
#include <stdint.h>

#define OPS_LINE_OPERANDS	10

/**
 * enum ops_line_kind - functions of a line
 * @OPS_LINE_SOFTMAX: x -> softmax(x)
 * @OPS_LINE_LOG_SOFTMAX: x -> log(softmax(x))
 * @OPS_LINE_SOFTMAX_BACKWARD: grad, y -> (grad - sum(grad * y)) * y
 * @OPS_LINE_LOG_SOFTMAX_BACKWARD: grad, y -> grad - exp(y) * sum(grad)
 * @OPS_LINE_NORM: x, weight, bias -> y, mean, rstd
 * @OPS_LINE_RMS_NORM: x, weight -> y, rstd
 * @OPS_LINE_ADD_RMS_NORM: x, other, weight -> y, rstd, x + other
 * @OPS_LINE_NORM_BACKWARD: grad, x, mean, rstd, weight -> grad of x
 * @OPS_LINE_RMS_NORM_BACKWARD: grad, x, rstd, weight -> grad of x
 * @OPS_LINE_CROSS_ENTROPY: features, labels -> loss, grad of features
 * @OPS_LINES: number of functions
 */
enum ops_line_kind {
	OPS_LINE_SOFTMAX,
	OPS_LINE_LOG_SOFTMAX,
	OPS_LINE_SOFTMAX_BACKWARD,
	OPS_LINE_LOG_SOFTMAX_BACKWARD,
	OPS_LINE_NORM,
	OPS_LINE_RMS_NORM,
	OPS_LINE_ADD_RMS_NORM,
	OPS_LINE_NORM_BACKWARD,
	OPS_LINE_RMS_NORM_BACKWARD,
	OPS_LINE_CROSS_ENTROPY,
	OPS_LINES,
};

/**
 * struct ops_line - a line
 * @n: number of elements
 * @at: elements by operand, inputs first; NULL for one that is absent. An
 *	operand that has one element for a line has that one.
 * @eps: what is added to a variance
 */
struct ops_line {
	int64_t n;
	void *at[OPS_LINE_OPERANDS];
	double eps;
};

typedef void (*ops_line_fn)(const struct ops_line *l);

#endif
