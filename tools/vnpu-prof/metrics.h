/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --aic-metrics: what a card's counters measure, as far as a profile has it.
 */
#ifndef VNPU_PROF_METRICS_H
#define VNPU_PROF_METRICS_H

#include <stdio.h>

#include "profile.h"

/**
 * enum metrics - a group of counters
 * @METRICS_NONE: one of which this device has nothing
 * @METRICS_MEMORY: traffic of main memory
 * @METRICS_UNKNOWN: none of CANN's
 */
enum metrics {
	METRICS_NONE,
	METRICS_MEMORY,
	METRICS_UNKNOWN,
};

/* The names of all groups, for messages. */
#define METRICS_NAMES \
	"all, PipeUtilization, ArithmeticUtilization, Memory, MemoryL0, MemoryUB, MemoryAccess, L2Cache and ResourceConflictRatio"

/*
 * Find the group that a list with commas asks for.  Capitals and underscores do
 * not matter: memory_bandwidth is Memory, and "all" is what there is of all.
 */
enum metrics metrics_find(const char *names);

/* Print the names of the columns that a group adds to op_summary. */
void metrics_print_head(FILE *f, enum metrics metrics);

/* Print the columns of a launch. */
void metrics_print(FILE *f, enum metrics metrics, const struct task *task);

#endif /* VNPU_PROF_METRICS_H */
