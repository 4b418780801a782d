/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-bench scale: its parts. */
#ifndef VNPU_BENCH_SCALE_H
#define VNPU_BENCH_SCALE_H

#include "bench.h"

struct report;

/* Measure the end of a process that holds memory. */
void scale_exit(const struct options *opt, struct report *report);

/* Measure an allocation among many devices and clients; needs root. */
void scale_crowd(const struct options *opt, struct report *report);

/* Measure the kernel memory for each allocation. */
void scale_memory(const struct options *opt, struct report *report);

#endif /* VNPU_BENCH_SCALE_H */
