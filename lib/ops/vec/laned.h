/* SPDX-License-Identifier: MIT */
/* Reductions in lanes, of which the order is fixed. See reduce.h. */
#ifndef VNPU_OPS_VEC_LANED_H
#define VNPU_OPS_VEC_LANED_H

#include "reduce.h"

#define LANES	OPS_LANES

/* Combine @value(x) of all elements into @result by @combine(lane, value). */
#define LANED(T, x, n, A, first, value, combine, result)		\
	do {								\
		A lane[LANES];						\
		size_t e, h;						\
									\
		if ((size_t)(n) < LANES)				\
			for (h = 0; h < LANES; h++)			\
				lane[h] = first;			\
		else							\
			for (h = 0; h < LANES; h++) {			\
				A v = value((x)[h]);			\
				lane[h] = combine((A)(first), v);	\
			}						\
		e = (size_t)(n) < LANES ? 0 : LANES;			\
		for (; e + LANES <= (size_t)(n); e += LANES)		\
			for (h = 0; h < LANES; h++) {			\
				A v = value((x)[e + h]);		\
				lane[h] = combine(lane[h], v);		\
			}						\
		for (h = 0; e + h < (size_t)(n); h++) {			\
			A v = value((x)[e + h]);			\
			lane[h] = combine(lane[h], v);			\
		}							\
		for (e = LANES / 2; e; e /= 2)				\
			for (h = 0; h < e; h++)				\
				lane[h] = combine(lane[h], lane[h + e]); \
		result = lane[0];					\
	} while (0)

#define PLUS(x, y)	((x) + (y))
#define TIMES(x, y)	((x) * (y))
#define SAME(x)		(x)

#endif
