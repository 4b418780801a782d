/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: statistics without assumptions about the distribution.
 */
#ifndef VNPU_BENCH_STATS_H
#define VNPU_BENCH_STATS_H

#include <stddef.h>

/*
 * A median, and an interval that contains the true one with a probability of
 * @confidence: at least 0.95 from 6 values on, otherwise as high as possible.
 */
struct interval {
	double median;
	double low;
	double high;
	double confidence;
};

/* Sort @values, of which there is at least one. */
double stats_median(double *values, size_t count);
double stats_quantile(double *values, size_t count, double quantile);
struct interval stats_interval(double *values, size_t count);

#endif /* VNPU_BENCH_STATS_H */
