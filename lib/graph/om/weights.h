/* SPDX-License-Identifier: MIT */
/* Weights that several programs share. */
#ifndef GRAPH_OM_WEIGHTS_H
#define GRAPH_OM_WEIGHTS_H

#include "program/program.h"

/**
 * struct weights_piece - a run of bytes of a program's weights
 * @at: where it begins in the weights of the program
 * @size: its bytes
 * @to: where it begins in the shared weights
 * @hash: of its bytes
 * @data: its bytes
 */
struct weights_piece {
	uint64_t at;
	uint64_t size;
	uint64_t to;
	uint64_t hash;
	const void *data;
};

/**
 * struct weights - the shared weights
 * @pieces: those that are kept, in their order; allocated
 * @count: their number
 * @size: bytes of all
 */
struct weights {
	struct weights_piece *pieces;
	size_t count;
	uint64_t size;
};

/**
 * weights_add() - add the weights of a program
 * @w: the shared weights, all zero at first
 * @p: the program
 * @moves: set to its pieces with their places in the shared weights, sorted;
 *	allocated
 * @count: set to their number
 *
 * Return: 0 or -ENOMEM.
 */
int weights_add(struct weights *w, const struct program *p,
		struct weights_piece **moves, size_t *count);

/* Find the place of a byte of a program's weights in the shared ones. */
uint64_t weights_find(const struct weights_piece *moves, size_t count,
		      uint64_t at);

/* Write the shared weights. */
void weights_write(const struct weights *w, void *data);

#endif
