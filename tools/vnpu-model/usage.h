/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensors in the work memory of a program, and the steps in which they live.
 *
 * A program has places, not tensors. A new tensor begins where a step writes all
 * of a place without what was there, or where another tensor had the memory in
 * between.
 */
#ifndef VNPU_MODEL_USAGE_H
#define VNPU_MODEL_USAGE_H

#include <stdio.h>

#include "program/program.h"

/**
 * struct usage_tensor - a tensor in the work memory
 * @offset: its first byte
 * @bytes: its size
 * @first: first step that uses it
 * @last: last step that uses it
 * @in_place: the first step writes it over its input
 * @name: the node of the first step
 * @type: the operator of that node
 */
struct usage_tensor {
	uint64_t offset;
	uint64_t bytes;
	uint32_t first;
	uint32_t last;
	bool in_place;
	const char *name;
	const char *type;
};

/**
 * usage_find() - find the tensors in the work memory
 * @p: the program
 * @count: set to their number
 *
 * Return: the tensors by their first step, freed by the caller; NULL without
 * memory.
 */
struct usage_tensor *usage_find(const struct program *p, size_t *count);

/* Draw time to the right and the memory upwards, as a picture. */
void usage_draw(FILE *f, const struct program *p,
		const struct usage_tensor *tensors, size_t count);

#endif
