// SPDX-License-Identifier: MIT
/* The end of products: factors, bias and limits. See gemm.h. */
#include "vec.h"

/*
 * A factor of 1 and infinite limits change no bits, so there is one loop for each
 * kind of bias. A NaN stays.
 */
#define LOOP(value)							\
	do {								\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			x = value;					\
			x = x < least ? least : x;			\
			d[i] = x > most ? most : x;			\
		}							\
	} while (0)

#define FINISH(name, T)							\
void name(const struct ops_finish *f, const void *bias, bool is_one,	\
	  const void *src, void *dst, int64_t n)			\
{									\
	const T alpha = f->alpha, beta = f->beta;			\
	const T least = f->least, most = f->most;			\
	const T *s = src, *add = bias;					\
	T *d = dst, one, x;						\
	int64_t i;							\
									\
	if (!bias) {							\
		LOOP(s[i] * alpha);					\
	} else if (is_one) {						\
		one = beta * add[0];					\
		LOOP(s[i] * alpha + one);				\
	} else {							\
		LOOP(s[i] * alpha + beta * add[i]);			\
	}								\
}

FINISH(V(ops_finish_f), float)
FINISH(V(ops_finish_d), double)
