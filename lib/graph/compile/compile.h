/* SPDX-License-Identifier: MIT */
/*
 * From the bytes of an ONNX model to a program: read, infer, passes, lower, plan
 * and write, in one call.
 *
 *	struct compile_options o = { 0 };
 *	struct compile_result r;
 *
 *	if (compile_model(bytes, size, &o, &r))
 *		... r.error is a sentence
 *	program_open(&p, r.program, r.size, &error);
 *	compile_free(&r);
 */
#ifndef GRAPH_COMPILE_COMPILE_H
#define GRAPH_COMPILE_COMPILE_H

#include "build/path.h"
#include "memory/memory.h"
#include "pass/pass.h"
#include "program/program.h"

/**
 * struct compile_shape - the sizes of an input
 * @name: the input, as in the model
 * @rank: number of dimensions
 * @dims: their sizes
 */
struct compile_shape {
	const char *name;
	unsigned int rank;
	int64_t dims[VNPU_TENSOR_DIMS];
};

/**
 * struct compile_frozen - the elements that an input always has
 * @name: the input
 * @data: a message TensorProto of ONNX
 * @size: its bytes
 */
struct compile_frozen {
	const char *name;
	const void *data;
	size_t size;
};

/**
 * struct compile_options - how to compile; all zero is a good choice
 * @folder: folder of the model, for weights in files of their own, or NULL
 * @shapes: sizes of inputs, for those that the model leaves open
 * @shape_count: their number
 * @frozen: inputs with known elements
 * @frozen_count: their number
 * @without: a bit for each pass that is left out, see pass_at()
 * @memory: MEMORY_* flags
 * @copies: do not use views: each output of an operator is memory of its own
 * @edit: changes the graph once shapes of inputs are set, or NULL: see edit/
 * @edit_data: for @edit
 */
struct compile_options {
	const char *folder;
	const struct compile_shape *shapes;
	unsigned int shape_count;
	const struct compile_frozen *frozen;
	unsigned int frozen_count;
	uint64_t without;
	unsigned int memory;
	bool copies;
	int (*edit)(struct graph *g, const void *data);
	const void *edit_data;
};

/**
 * struct compile_result - a compiled model
 * @program: the program, aligned to a page
 * @size: its bytes
 * @memory: what was planned
 * @nodes_read: number of nodes of the model
 * @nodes_left: number of nodes after the passes
 * @steps: number of steps
 * @path: the critical path of the steps
 * @changes: what each pass has done, by its number
 * @error: the reason of an error
 * @needs: after an error, the name of the input that must be frozen; or empty
 */
struct compile_result {
	void *program;
	size_t size;
	struct memory_report memory;
	uint32_t nodes_read;
	uint32_t nodes_left;
	uint32_t steps;
	struct build_path path;
	uint32_t changes[PASS_MAX];
	char error[512];
	char needs[256];
};

/**
 * compile_model() - compile an ONNX model
 * @data: the bytes of the file
 * @size: their number
 * @options: the options
 * @result: filled, to be freed by compile_free()
 *
 * Return: 0; -EINVAL for a model that is not valid; -EOPNOTSUPP for one that is
 * not supported; -ENOMEM; -E2BIG; errors of files with weights.
 */
int compile_model(const void *data, size_t size,
		  const struct compile_options *options,
		  struct compile_result *result);

/*
 * Parts of compile_model(), for callers that look at the graph in between:
 *
 *	onnx_read_model(), compile_prepare(), op_infer(), pass_run(),
 *	compile_lower(), memory_write()
 *
 * compile_prepare() sets the shapes of inputs; compile_lower() makes steps, and
 * @changes gets the count of the last pass. Both return 0 or the error of the
 * graph. build_fini() frees the build in any case.
 */
int compile_prepare(struct graph *g, const struct compile_options *options);
int compile_lower(struct build *b, const struct compile_options *options,
		  uint32_t *changes);

/* Free what compile_model() has allocated. */
void compile_free(struct compile_result *result);

#endif
