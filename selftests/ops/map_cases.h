/* SPDX-License-Identifier: GPL-2.0-only */
/* The elementwise operators and their references. */
#ifndef SELFTESTS_OPS_MAP_CASES_H
#define SELFTESTS_OPS_MAP_CASES_H

#include "ops_test.h"

/**
 * struct map_case - an operator, how to compare it and where
 * @op: enum vnpu_op
 * @f: the reference, of up to three inputs and the parameters
 * @low: least input for which it is defined, and does not cancel
 * @high: largest such input
 * @ulps: permitted error in units of the last place of f32
 * @scale: the unit is at least that of this number
 * @param: the parameters
 */
struct map_case {
	unsigned int op;
	double (*f)(double x, double y, double z, const double *p);
	double low;
	double high;
	double ulps;
	double scale;
	double param[4];
};

extern const struct map_case map_cases[];
extern const unsigned int map_case_count;

#endif
