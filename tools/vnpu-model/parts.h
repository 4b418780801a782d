/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of the command run: a model, its parts one after the other, or shards by a
 * list. The functions end the program after an error.
 */
#ifndef VNPU_MODEL_PARTS_H
#define VNPU_MODEL_PARTS_H

#include "run.h"

/* How often options with files may be given. */
#define RUN_FILES	1024

/**
 * struct run_options - the command line
 * @inputs: --input
 * @input_count: how often
 * @expects: --expect
 * @expect_count: how often
 * @output: --output
 * @format: --format
 * @sizes: --sizes
 * @loop: --loop
 * @rtol: --rtol
 * @atol: --atol
 * @seed: --seed
 * @is_json: --json
 * @on_host: --host
 */
struct run_options {
	const char *inputs[RUN_FILES];
	unsigned int input_count;
	const char *expects[RUN_FILES];
	unsigned int expect_count;
	const char *output;
	enum tensor_format format;
	const char *sizes;
	unsigned int loop;
	double rtol;
	double atol;
	uint64_t seed;
	bool is_json;
	bool on_host;
};

/**
 * struct outcome - what was run
 * @outputs: the outputs of the model, with their elements
 * @names: their names
 * @count: their number
 * @gear: the gear of the last part
 * @ms: times of the runs of all parts
 * @load_ms: time to load them
 * @shards: number of shards of a list, or 0
 * @peak: device memory of the largest shard
 * @whole: device memory of the whole model
 */
struct outcome {
	struct tensor *outputs;
	char **names;
	uint32_t count;
	unsigned int gear;
	double *ms;
	double load_ms;
	uint32_t shards;
	uint64_t peak;
	uint64_t whole;
};

/* Run the parts of a model, each with the outputs of the part before. */
void parts_run(struct outcome *out, const struct run_options *o,
	       char *const *paths, unsigned int count);

/* Run the shards of a list, with values by their names: shards.c */
void shards_run(struct outcome *out, const struct run_options *o,
		const char *path);

/* Make room for @count outputs and the times of all runs. */
void outcome_init(struct outcome *out, const struct run_options *o,
		  uint32_t count);
void outcome_free(struct outcome *out);

/* Refuse --expect for outputs that the model does not have. */
void outcome_check(const struct run_options *o, uint32_t count);

/* Add the times of a run. */
void outcome_add(struct outcome *out, const struct run *r);

#endif
