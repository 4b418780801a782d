// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: statistics that only use the order of values.
 */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

#define CONFIDENCE	0.95

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

static double middle(const double *sorted, size_t count)
{
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double stats_median(double *values, size_t count)
{
	sort(values, count);
	return middle(values, count);
}

double stats_quantile(double *values, size_t count, double quantile)
{
	size_t rank = (size_t)ceil(quantile * (double)count);

	sort(values, count);
	return values[rank ? rank - 1 : 0];
}

/* The probability of exactly @heads heads in @count tosses of a coin. */
static double coins(size_t count, size_t heads)
{
	return exp(lgamma((double)count + 1) - lgamma((double)heads + 1) -
		   lgamma((double)(count - heads) + 1) -
		   (double)count * log(2));
}

/*
 * Each value is above or below the true median with equal probability. So the
 * true median is outside the k-th values from both ends with twice the
 * probability of fewer than k heads.
 */
struct interval stats_interval(double *values, size_t count)
{
	double outside = 2 * coins(count, 0);
	size_t k = 1;

	sort(values, count);
	while (2 * k < count) {
		double more = outside + 2 * coins(count, k);

		if (1 - more < CONFIDENCE)
			break;
		outside = more;
		k++;
	}
	return (struct interval){
		.median = middle(values, count),
		.low = values[k - 1],
		.high = values[count - k],
		.confidence = outside < 1 ? 1 - outside : 0,
	};
}
