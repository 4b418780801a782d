/* SPDX-License-Identifier: MIT */
/* Chains of elementwise steps, which become one step. */
#ifndef GRAPH_BUILD_CHAIN_H
#define GRAPH_BUILD_CHAIN_H

#include "build/build.h"

/**
 * build_chains() - let elementwise steps of f32 run as one
 * @b: a graph that was lowered
 *
 * A step is joined with the only one that reads its result, unless the sum of
 * live tensors would grow beyond its present maximum. The elements stay the
 * same to the bit.
 *
 * Return: how many steps were removed, or the error of the graph.
 */
int build_chains(struct build *b);

#endif
