// SPDX-License-Identifier: MIT
/* Rows of the elementwise operators. See rows.h, and op_list.h for the list. */
#include <math.h>

#include "rows.h"

#define ROWS_D(n, name, ...) ROW##n##_C(d, double, name, __VA_ARGS__)

/* Newton's method on Winitzki's approximation. */
static double erfinv(double x)
{
	double y = fabs(x), log_rest, a, guess, error;
	int i;

	if (!(y < 1))
		return y == 1 ? copysign(INFINITY, x) : NAN;
	if (y == 0)
		return x;
	log_rest = log1p(-y * y);
	a = 2 / (M_PI * 0.147) + log_rest / 2;
	guess = sqrt(sqrt(a * a - log_rest / 0.147) - a);
	for (i = 0; i < 4; i++) {
		error = y < 0.5 ? erf(guess) - y : 1 - y - erfc(guess);
		guess -= error / (M_2_SQRTPI * exp(-guess * guess));
	}
	return copysign(guess, x);
}

#include "rows_unary.h"
#include "rows_binary.h"
#include "rows_many.h"

#define FD(name)	{ row_##name##_f, row_##name##_d },
#define IL(name)	{ NULL, NULL, row_##name##_i, row_##name##_l },
#define FDIL(name)							\
	{ row_##name##_f, row_##name##_d, row_##name##_i, row_##name##_l },

#define ELEM(upper, name, min_in, max_in, in, nout, out, rule, classes, ...) \
	[VNPU_OP_##upper] = classes(name)
#define OP(...)

const ops_row_fn V(ops_rows)[VNPU_OP_COPY][OPS_CLASSES] = {
#include "../op_list.h"
};
