/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The search for precisions of weights: parts of a model, samples on which it runs,
 * and what each choice loses. Functions return NULL, or a message that the caller
 * frees.
 */
#ifndef VNPU_MODEL_TUNE_H
#define VNPU_MODEL_TUNE_H

#include "tensor.h"
#include "weights.h"

/**
 * struct tune_part - weights that have one precision
 * @name: a weight, or the word that all of them have
 * @allowed: bit N: enum precision N
 * @choice: the one that is chosen
 * @weights: number of weights
 * @bytes: of these weights in each precision
 * @alone: the loss of the model with only this part in a precision
 */
struct tune_part {
	const char *name;
	unsigned int allowed;
	enum precision choice;
	size_t weights;
	uint64_t bytes[PRECISIONS];
	double alone[PRECISIONS];
};

/**
 * struct tune - a search
 * @w: the model
 * @parts: the parts
 * @part_count: their number
 * @part_of: the part of each weight, or @part_count
 * @inputs: the inputs of all samples, one sample behind the other
 * @samples: number of samples
 * @seed: of random numbers, if there are no @inputs
 * @bound: the largest loss
 * @expected: the outputs of the model as it is
 * @expected_count: number of elements
 * @measured: number of models that ran
 * @loss: the loss of the choice
 */
struct tune {
	struct weights w;
	struct tune_part *parts;
	size_t part_count;
	size_t *part_of;
	struct tensor *inputs;
	size_t samples;
	uint64_t seed;
	double bound;
	double *expected;
	size_t expected_count;
	unsigned int measured;
	double loss;
};

/* Run the model as it is, which other choices are compared with. */
char *tune_begin(struct tune *t);

/*
 * Measure each precision of each part alone, and choose the smallest ones that
 * stay within the bound together. Without such a choice, t->loss exceeds the bound.
 */
char *tune_search(struct tune *t);

/* Make the model with the choice. */
char *tune_result(const struct tune *t, char **data, size_t *size);

#endif
