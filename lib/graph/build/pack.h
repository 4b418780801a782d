/* SPDX-License-Identifier: MIT */
/* Weights of convolutions in the order in which the engine reads them. */
#ifndef GRAPH_BUILD_PACK_H
#define GRAPH_BUILD_PACK_H

#include "build/build.h"

/**
 * build_pack() - pack the weights of convolutions
 * @b: a graph that was lowered
 *
 * A packed weight replaces the constant, if only one step reads that. The engine
 * would otherwise pack it in each run. The elements of results stay the same to the
 * bit.
 *
 * Return: how many weights were packed, or the error of the graph.
 */
int build_pack(struct build *b);

#endif
