/* SPDX-License-Identifier: MIT */
/*
 * Changes of a graph that its user asks for, before inference: other outputs,
 * other types of inputs and outputs, and images as inputs. Their nodes are
 * ordinary ones of ONNX, which inference and passes treat as those of the file.
 *
 * Each function returns 0, or the error in graph.err.
 */
#ifndef GRAPH_EDIT_EDIT_H
#define GRAPH_EDIT_EDIT_H

#include "ir/ir.h"

/**
 * edit_outputs() - replace the outputs of a model
 * @g: the graph
 * @names: the outputs in their order: "NODE:INDEX", or the name of a tensor
 * @count: their number
 */
int edit_outputs(struct graph *g, const char *const *names,
		 unsigned int count);

/**
 * edit_output_type() - let an output have elements of another type
 * @g: the graph
 * @name: "NODE:INDEX" or the name of the tensor; NULL for all outputs
 * @dtype: the type: f16, f32, u8 or i8
 */
int edit_output_type(struct graph *g, const char *name, unsigned int dtype);

/**
 * edit_input_type() - let an input have elements of another type
 * @g: the graph
 * @name: the input
 * @dtype: the type, as above
 */
int edit_input_type(struct graph *g, const char *name, unsigned int dtype);

/* Helpers of this room */

/* Find an input by its name, or report that there is none. */
struct graph_value *edit_find_input(struct graph *g, const char *name);

/*
 * Let another value, which is returned, be the input in the place of @v, which
 * nodes will make of it. Its type and shape are unknown.
 */
struct graph_value *edit_replace_input(struct graph *g, struct graph_value *v);

/*
 * Insert a node of the newest opset with one output before position *@at, which
 * is advanced; @out is NULL for a new value. Return its output, or NULL.
 */
struct graph_value *edit_add_node(struct graph *g, uint32_t *at,
				  const char *type, unsigned int ins,
				  struct graph_value *const *in,
				  struct graph_value *out);

/* Likewise, a Cast. */
struct graph_value *edit_add_cast(struct graph *g, uint32_t *at,
				  struct graph_value *in, unsigned int dtype,
				  struct graph_value *out);

#endif
