/* SPDX-License-Identifier: MIT */
/* Runs of offline models for calls. */
#ifndef VNPU_LIB_OFFLINE_EXECUTE_H
#define VNPU_LIB_OFFLINE_EXECUTE_H

#include "acl/acl_mdl.h"
#include "dataset.h"
#include "offline.h"

/**
 * struct vnpu_execute - a run of a model
 * @model: the model
 * @stream: the stream
 * @input: the inputs
 * @output: the outputs
 * @output_set: the dataset of @output, with a reference
 * @waits: wait for the run, and describe the outputs
 * @program: of the gear
 * @buffers: data buffers of the inputs and outputs
 * @io: their addresses
 * @where: memory of the run
 */
struct vnpu_execute {
	struct vnpu_offline *model;
	struct vnpu_stream *stream;
	const aclmdlDataset *input;
	aclmdlDataset *output;
	struct vnpu_dataset *output_set;
	bool waits;
	struct program program;
	aclDataBuffer **buffers;
	uint64_t *io;
	struct vnpu_offline_io where;
};

/* Find the gear and the memory of a run, or report an error; see bind.c. */
aclError vnpu_execute_bind(struct vnpu_execute *e);

/* Describe the outputs after a run; see outputs.c. */
aclError vnpu_execute_describe(const struct vnpu_execute *e);

#endif /* VNPU_LIB_OFFLINE_EXECUTE_H */
