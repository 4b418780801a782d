/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --input_shape_range: sizes of inputs that a run chooses within ranges.
 */
#ifndef VNPU_ATC_RANGES_H
#define VNPU_ATC_RANGES_H

#include "shapes.h"

/*
 * Read "NAME:[N,N~N];NAME:[N]", also without brackets, and make a gear for each
 * combination of sizes; ends the program for a text that is not valid.
 */
void ranges_read(struct shapes *s, const char *option, const char *text);

#endif
