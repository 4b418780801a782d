/* SPDX-License-Identifier: MIT */
/*
 * Algorithms: the steps that distribute the parts of an array from the ranks
 * that have them to all ranks.  In a step a rank reads from one other rank, and
 * another rank reads from it.
 */
#ifndef VNPU_HCCL_ALGORITHM_H
#define VNPU_HCCL_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

#include "meet.h"

enum hccl_algorithm {
	HCCL_MESH,	/* from all ranks at once; it has no steps */
	HCCL_RING,
	HCCL_HALVING,	/* recursive halving and doubling */
	HCCL_NHR,	/* nonuniform hierarchical ring */
	HCCL_NB,	/* nonuniform Bruck */
	HCCL_ALGORITHMS,
};

/**
 * struct hccl_step - what a rank does in a step
 * @from: the rank that it reads from, or HCCL_RANKS_MAX
 * @to: the rank that reads from it, or HCCL_RANKS_MAX
 * @count: parts that it reads
 * @parts: their numbers; part I begins at rank I
 */
struct hccl_step {
	unsigned int from;
	unsigned int to;
	unsigned int count;
	unsigned int parts[HCCL_RANKS_MAX];
};

/**
 * hccl_step_get() - get a step of a rank
 * @number: number of the step, from 0 to the number of ranks
 *
 * Before the first step a rank has its own part, after the last one it has all.  It
 * gets each part once.  The same steps in reverse order and direction thus
 * reduce each part to the rank to which it belongs.
 *
 * Return: false if there is no such step.
 */
bool hccl_step_get(enum hccl_algorithm algorithm, unsigned int ranks,
		   unsigned int rank, unsigned int number,
		   struct hccl_step *step);

/*
 * Buffers below this size are read by no other process: memory of less than a page
 * cannot be shared.
 */
#define HCCL_SHARED_MIN		4096

/*
 * Check whether the ranks reduce a part each of an array of @bytes, and get the other
 * parts from each other.  Otherwise each reduces everything by itself: that reads more,
 * but saves the wait for the parts.
 */
bool hccl_has_parts(unsigned int ranks, uint64_t bytes);

const char *hccl_algorithm_name(uint32_t algorithm);

/**
 * hccl_algorithms_read() - read the text of HCCL_ALGO
 * @text: such as "level0:NA;level1:ring", or with operations,
 *	"allreduce=level0:NA;level1:NHR/allgather=level0:NA;level1:NB"
 * @algorithms: array of an algorithm for each enum hccl_kind; only those that the
 *	text names are changed
 *
 * Return: NULL, or the part of the text that is not valid.
 */
const char *hccl_algorithms_read(const char *text, uint8_t algorithms[]);

#endif /* VNPU_HCCL_ALGORITHM_H */
