/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report about passes and memory.
 */
#ifndef VNPU_ATC_REPORT_H
#define VNPU_ATC_REPORT_H

#include "../vnpu-model/out.h"
#include "build.h"

void report_print(struct out *o, const struct built *b);

#endif
