/* SPDX-License-Identifier: MIT */
/* Reading a node of ONNX with its attributes. See onnx.h. */
#ifndef GRAPH_ONNX_NODE_H
#define GRAPH_ONNX_NODE_H

#include "ir/ir.h"
#include "onnx/proto.h"

/**
 * onnx_read_node() - read a node
 * @g: the graph, which gets the values that the node makes
 * @p: a message NodeProto
 *
 * Return: the node, which is in no order yet; NULL for a constant, which has
 * become a value, and after an error.
 */
struct graph_node *onnx_read_node(struct graph *g, struct proto p);

#endif
