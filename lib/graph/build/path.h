/* SPDX-License-Identifier: MIT */
/* The critical path of a graph that was lowered. */
#ifndef GRAPH_BUILD_PATH_H
#define GRAPH_BUILD_PATH_H

#include "build/build.h"

/**
 * struct build_path - steps that depend on each other
 * @steps: their number
 * @bytes: what they read and write
 */
struct build_path {
	uint32_t steps;
	uint64_t bytes;
};

/**
 * build_critical_path() - find the most bytes of steps that depend on each other
 * @b: a graph that was lowered
 * @path: filled
 *
 * With any number of streams, a run takes at least as long as these steps.
 *
 * Return: 0 or the error of the graph.
 */
int build_critical_path(struct build *b, struct build_path *path);

#endif
