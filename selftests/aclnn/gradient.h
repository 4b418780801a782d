/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gradients against differences of results: the loss is the sum of the results, each
 * multiplied by the gradient that it gets.
 */
#ifndef SELFTESTS_ACLNN_GRADIENT_H
#define SELFTESTS_ACLNN_GRADIENT_H

#include "aclnn_test.h"

enum { ROOM = 256 };

static float x[ROOM], w[ROOM], v[ROOM], out[ROOM], up[ROOM];
static float of_x[ROOM], of_w[ROOM], of_v[ROOM], mean[ROOM], rstd[ROOM];
static unsigned int results;

/* Make numbers for all tensors, and a gradient for each of the results. */
static inline void prepare(unsigned int count)
{
	numbers(x, ROOM, 1);
	numbers(w, ROOM, 2);
	numbers(v, ROOM, 3);
	numbers(up, ROOM, 4);
	results = count;
}

static inline double loss_of(bool (*run)(void))
{
	double sum = 0;

	if (!run())
		return NAN;
	for (unsigned int i = 0; i < results; i++)
		sum += (double)out[i] * up[i];
	forget();
	return sum;
}

/* Check whether elements of a gradient are the slope of the loss. */
static inline bool is_slope(bool (*run)(void), float *of, unsigned int count,
		     const float *gradient)
{
	const float step = 1.0f / 64;

	for (unsigned int i = 0; i < count; i++) {
		float before = of[i];
		double low, high, slope;

		of[i] = before + step;
		high = loss_of(run);
		of[i] = before - step;
		low = loss_of(run);
		of[i] = before;
		slope = (high - low) / (2 * step);
		if (!(fabs(slope - gradient[i]) <
		      0.01 * (1 + fabs(slope)))) {
			note("element %u: gradient %g, slope %g", i,
			     gradient[i], slope);
			return false;
		}
	}
	return true;
}

#endif /* SELFTESTS_ACLNN_GRADIENT_H */
