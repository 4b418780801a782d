/* SPDX-License-Identifier: MIT */
/*
 * Changes of a graph before inference, by options of the user: other outputs,
 * other types of inputs and outputs, and images as inputs. They add ordinary
 * nodes of ONNX, which inference and passes treat as those of the file.
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
 * edit_output_type() - change the type of an output's elements
 * @g: the graph
 * @name: "NODE:INDEX" or the name of the tensor; NULL for all outputs
 * @dtype: the type: f16, f32, u8 or i8
 */
int edit_output_type(struct graph *g, const char *name, unsigned int dtype);

/**
 * edit_input_type() - change the type of an input's elements
 * @g: the graph
 * @name: the input
 * @dtype: the type, as above
 */
int edit_input_type(struct graph *g, const char *name, unsigned int dtype);

/* Helpers of this room */

/* Find an input by its name, or report that there is none. */
struct graph_value *edit_find_input(struct graph *g, const char *name);

/*
 * Replace the input @v by a new input, and return that; the caller adds the
 * nodes that make @v of it. Its type and shape are unknown.
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

/* Insert a Cast, as edit_add_node() does. */
struct graph_value *edit_add_cast(struct graph *g, uint32_t *at,
				  struct graph_value *in, unsigned int dtype,
				  struct graph_value *out);

#endif
