/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of a model, and what its outputs are compared with. Functions return
 * NULL, or a message that the caller frees.
 */
#ifndef VNPU_MODEL_RUN_H
#define VNPU_MODEL_RUN_H

#include "model.h"
#include "tensor.h"

/**
 * struct run - a model that runs
 * @m: the model
 * @gear: the gear
 * @p: its program
 * @io: the inputs, then the outputs: memory of the host
 * @dims: sizes of the outputs after a run
 * @loop: number of runs
 * @ms: time of each run
 * @load_ms: time before the first one
 */
struct run {
	const struct model *m;
	unsigned int gear;
	const struct program *p;
	void **io;
	int64_t (*dims)[VNPU_TENSOR_DIMS];
	unsigned int loop;
	double *ms;
	double load_ms;
};

/* Allocate the memory of a gear's inputs and outputs. */
char *run_prepare(struct run *r, const struct model *m, unsigned int gear,
		  unsigned int loop);
void run_free(struct run *r);

/* Fill memory with random numbers as run_fill() does; false without memory. */
bool run_random(unsigned int dtype, uint64_t bytes, void *data,
		uint64_t *seed);

/* Fill an input with random numbers: from 0 to 1, integers 0 and 1, or bytes. */
char *run_fill(struct run *r, unsigned int input, uint64_t *seed);

/* Fill an input with the content of a file. */
char *run_load(struct run *r, unsigned int input, const char *path);

/* Fill an input with a tensor; messages say where it is from. */
char *run_take(struct run *r, unsigned int input, const struct tensor *given,
	       const char *from);

/* Describe an output after a run; its data is that of the run. */
struct tensor run_output(const struct run *r, unsigned int output);

/* Run the model in this process, or on device 0. */
char *run_on_host(struct run *r);
char *run_on_device(struct run *r);

/* Get the milliseconds of a monotonic clock. */
double run_now(void);

/**
 * struct comparison - an output and what was expected
 * @count: number of elements
 * @wrong: number of elements out of the tolerance
 * @first: the first of these
 * @expected: what it should be
 * @given: what it is
 * @largest: the largest difference
 */
struct comparison {
	size_t count;
	size_t wrong;
	size_t first;
	double expected;
	double given;
	double largest;
};

/* Compare an output with a file: |x - y| <= atol + rtol * |y|. */
char *compare_output(struct comparison *c, const struct tensor *output,
		     const char *path, double rtol, double atol);

#endif
