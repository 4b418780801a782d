/* SPDX-License-Identifier: MIT */
/* Places of buffers in the work memory. See plan.c. */
#ifndef GRAPH_MEMORY_PLAN_H
#define GRAPH_MEMORY_PLAN_H

#include "memory/memory.h"

/**
 * memory_plan() - find a place for each buffer of the work memory
 * @b: the lowered graph
 * @flags: MEMORY_*
 * @offsets: filled, by buffer
 * @report: counts and bytes of work memory are filled
 *
 * Return: 0 or the error of the graph.
 */
int memory_plan(struct build *b, unsigned int flags, uint64_t *offsets,
		struct memory_report *report);

#endif
