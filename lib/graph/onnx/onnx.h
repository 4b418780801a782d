/* SPDX-License-Identifier: MIT */
/*
 * Reading ONNX: from a file's bytes to a graph.
 *
 * Constants refer to the bytes where these are aligned, so the bytes must stay
 * as long as the graph. Nothing in them is trusted: a model that is not valid is
 * refused with a sentence in graph.error. Errors are -EINVAL for a file that is
 * damaged, -EOPNOTSUPP for what is valid but not supported, -ENOMEM, and those
 * of open() for files with weights.
 */
#ifndef GRAPH_ONNX_ONNX_H
#define GRAPH_ONNX_ONNX_H

#include "ir/ir.h"

/**
 * onnx_read_model() - read a model
 * @g: an empty graph; graph.folder says where files with weights are
 * @data: the file
 * @size: its size
 *
 * Return: 0 or the error in graph.err.
 */
int onnx_read_model(struct graph *g, const void *data, size_t size);

/**
 * onnx_read_body() - read the graph of an attribute, as nodes of its outer graph
 * @g: the outer graph
 * @bytes: the attribute's content
 * @at: position of its first node in the order; advanced behind the last one
 * @with: values for its inputs
 * @with_count: their number
 * @outputs: set to the values that it makes
 * @output_count: how many there must be
 *
 * Return: 0 or the error in graph.err.
 */
int onnx_read_body(struct graph *g, struct graph_span bytes, uint32_t *at,
		   struct graph_value *const *with, unsigned int with_count,
		   struct graph_value **outputs, unsigned int output_count);

/**
 * onnx_read_tensor() - read a tensor
 * @g: a graph; its memory is used
 * @data: a message TensorProto
 * @size: its size
 *
 * Return: a constant, which is no member of graph.values; NULL after an error.
 */
struct graph_value *onnx_read_tensor(struct graph *g, const void *data,
				     size_t size);

/**
 * onnx_dtype() - translate a type of elements
 * @g: the graph, which gets the error
 * @type: a number of TensorProto.DataType
 * @what: "input", "tensor", ...
 * @name: its name
 *
 * Return: enum vnpu_dtype; VNPU_DT_NONE after an error.
 */
unsigned int onnx_dtype(struct graph *g, uint64_t type, const char *what,
			const char *name);

#endif
