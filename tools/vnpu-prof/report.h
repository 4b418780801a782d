/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Analyses as text and as a web page.
 */
#ifndef VNPU_PROF_REPORT_H
#define VNPU_PROF_REPORT_H

#include <stdio.h>

#include "analyse.h"

enum report {
	REPORT_SHARES,
	REPORT_BOTTLENECKS,
	REPORT_ADVICE,
};

/* Print a part of the analysis; see bottleneck_is() for @threshold. */
void report_print(FILE *f, const struct shares *shares, size_t count,
		  double threshold, enum report what);

/* Write all of it, and a picture of the tasks, as a page without links. */
void report_html(FILE *f, const struct profile *profile,
		 const struct shares *shares, size_t count, double threshold);

#endif /* VNPU_PROF_REPORT_H */
