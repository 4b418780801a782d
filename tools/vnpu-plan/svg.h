/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of a packing: time from left to right, offsets from bottom to top.
 */
#ifndef VNPU_PLAN_SVG_H
#define VNPU_PLAN_SVG_H

#include "csv.h"

/* False if it could not be written. */
bool svg_write(const struct csv *csv, FILE *f, const uint64_t *offset,
	       const struct vnpu_plan_result *result);

#endif /* VNPU_PLAN_SVG_H */
