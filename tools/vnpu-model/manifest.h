/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of shards, as vnpu-model split writes them: JSON files, with the shards in
 * their order, and the names by which outputs become inputs.
 *
 *	{ "version": 1, "whole_bytes": N,
 *	  "inputs": [ { "name": NAME, "type": "f32", "shape": [ N, ... ] }, ... ],
 *	  "outputs": [ NAME, ... ],
 *	  "shards": [ { "file": FILE, "bytes": N, "inputs": [ NAME, ... ],
 *			"outputs": [ NAME, ... ] }, ... ] }
 *
 * Files are in the folder of the list. Bytes are those of the device. Functions
 * return NULL, or a message that the caller frees.
 */
#ifndef VNPU_MODEL_MANIFEST_H
#define VNPU_MODEL_MANIFEST_H

#include "tensor.h"

struct json_object;

#define MANIFEST_VERSION	1

/**
 * struct manifest_shard - a shard
 * @file: its path; allocated when read
 * @bytes: device memory that it needs
 * @in: names of its inputs, in their order
 * @ins: their number
 * @out: names of its outputs, in their order
 * @outs: their number
 */
struct manifest_shard {
	char *file;
	uint64_t bytes;
	const char **in;
	uint32_t ins;
	const char **out;
	uint32_t outs;
};

/**
 * struct manifest - a list of shards
 * @whole: device memory that the whole model needs
 * @inputs: inputs of the model, without elements
 * @input_names: their names
 * @input_count: their number
 * @outputs: names of the outputs of the model
 * @output_count: their number
 * @shards: the shards in their order
 * @shard_count: their number
 * @json: what was read; names are in it
 */
struct manifest {
	uint64_t whole;
	struct tensor *inputs;
	const char **input_names;
	uint32_t input_count;
	const char **outputs;
	uint32_t output_count;
	struct manifest_shard *shards;
	uint32_t shard_count;
	struct json_object *json;
};

/* Check whether a path is that of a list of shards, by its end. */
bool manifest_is(const char *path);

char *manifest_read(struct manifest *m, const char *path);
char *manifest_write(const struct manifest *m, const char *path);

/* Free what manifest_read() has allocated. */
void manifest_free(struct manifest *m);

#endif
