/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of ONNX models that are read again, to be written to another model.
 */
#ifndef VNPU_MODEL_REWRITE_H
#define VNPU_MODEL_REWRITE_H

#include "ir/ir.h"
#include "message.h"
#include "onnx/proto.h"

/*
 * Fields of ModelProto, GraphProto, ValueInfoProto, TypeProto, TensorProto,
 * NodeProto and AttributeProto.
 */
enum {
	MODEL_IR = 1, MODEL_GRAPH = 7,
	GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	INFO_NAME = 1, INFO_TYPE = 2,
	TYPE_TENSOR = 1, TYPE_ELEMENTS = 1, TYPE_SHAPE = 2, SHAPE_DIM = 1,
	DIM_VALUE = 1,
	TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9,
	TENSOR_LOCATION = 14,
	NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_TYPE = 4,
	NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7,
	ATTRIBUTE_NAME = 1, ATTRIBUTE_INT = 3, ATTRIBUTE_GRAPH = 6,
	ATTRIBUTE_GRAPHS = 11, ATTRIBUTE_TYPE = 20,
};

/* From this version, initializers need not be inputs. */
#define REWRITE_IR_VERSION	4

/* Get the number of TensorProto.DataType of a type. */
unsigned int rewrite_type(unsigned int dtype);

/* Find the last field with bytes of a number; an empty one if there is none. */
struct proto rewrite_find(struct proto p, uint32_t number);

/* Find a value by a name in the file. */
struct graph_value *rewrite_value(const struct graph *g, struct proto name);

/* Check whether an initializer has its elements in a file beside the model. */
bool rewrite_is_external(struct proto initializer);

/* Append a constant to a graph; @suffix ends its name. */
void rewrite_constant(struct message *graph, const char *name,
		      const char *suffix, unsigned int dtype,
		      unsigned int rank, const int64_t *dims, const void *data);

#endif
