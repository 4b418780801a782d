/* SPDX-License-Identifier: GPL-2.0-only */
/* The harness of the graph engine's tests. */
#ifndef VNPU_GRAPH_TEST_H
#define VNPU_GRAPH_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "onnx/onnx.h"
#include "../expect.h"

extern const struct test conformance_tests[], network_tests[], file_tests[],
	error_tests[], om_tests[];

/**
 * struct bytes - a file
 * @data: its content, allocated
 * @size: its size
 */
struct bytes {
	void *data;
	size_t size;
};

/* Read a file; false if there is none. */
bool bytes_read(struct bytes *b, const char *path);

#define RUN_TENSORS 64

/**
 * struct run - a model that is compiled and run
 * @inputs: messages TensorProto of the inputs, in their order
 * @input_count: their number
 * @options: how to compile
 * @result: what the compiler returned
 * @program: the program
 * @outputs: elements of the outputs, allocated
 * @dims: their sizes
 * @error: the reason of an error
 */
struct run {
	struct bytes inputs[RUN_TENSORS];
	unsigned int input_count;
	struct compile_options options;
	struct compile_result result;
	struct program program;
	void *outputs[RUN_TENSORS];
	int64_t dims[RUN_TENSORS][VNPU_TENSOR_DIMS];
	char error[512];
};

/*
 * Compile a model and run it. Inputs on which shapes depend are frozen, one
 * after the other, as the compiler asks for them.
 */
bool run_model(struct run *r, const void *data, size_t size);

/* Compare an output with a message TensorProto; r->error says what differs. */
bool run_compare(struct run *r, unsigned int output, const struct bytes *expected,
		 double relative, double absolute);

/* Free the program and the outputs. */
void run_free(struct run *r);

#endif
