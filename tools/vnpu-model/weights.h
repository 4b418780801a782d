/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Weights of ONNX models, and models with weights of other types, as
 * lib/python/vnpu/onnx.py makes them. Functions return NULL, or a message that the
 * caller frees.
 *
 * A weight is an initializer of f32 with two dimensions and two elements at least.
 * In another type, it has nodes that convert it to f32 again.
 */
#ifndef VNPU_MODEL_WEIGHTS_H
#define VNPU_MODEL_WEIGHTS_H

#include "file.h"
#include "ir/ir.h"

/**
 * enum precision - types of weights, the most precise one first
 * @PRECISION_FP32: as it is
 * @PRECISION_FP16: IEEE binary16
 * @PRECISION_BF16: the upper half of a binary32; needs opset 13
 * @PRECISION_INT8: integers from -127 to 127, with one scale
 */
enum precision {
	PRECISION_FP32,
	PRECISION_FP16,
	PRECISION_BF16,
	PRECISION_INT8,
	PRECISIONS,
};

/* The opset from which models may have bf16. */
#define BF16_OPSET	13

/* Get the name of a precision. */
const char *precision_name(enum precision precision);

/**
 * struct weight - a weight
 * @value: its name, sizes and elements
 * @users: names of the nodes that use it, and of their outputs
 * @field: number of its field in the graph of the file
 */
struct weight {
	const struct graph_value *value;
	char *users;
	size_t field;
};

/**
 * struct weights - the weights of a model
 * @file: the model
 * @folder: its folder
 * @graph: what is in it
 * @list: the weights in the order of the file
 * @count: their number
 */
struct weights {
	struct file file;
	char *folder;
	struct graph graph;
	struct weight *list;
	size_t count;
};

char *weights_open(struct weights *w, const char *path);
void weights_close(struct weights *w);

/* Get the bytes of a weight's elements. */
uint64_t weight_bytes(const struct weight *weight, enum precision precision);

/* Check whether a weight has a word in its name or those of its users. */
bool weight_has(const struct weight *weight, const char *word);

/*
 * Make the model with a precision for each weight. The caller frees *@data, which
 * has *@size bytes.
 */
char *weights_convert(const struct weights *w, const enum precision *precisions,
		      char **data, size_t *size);

#endif
