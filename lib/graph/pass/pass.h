/* SPDX-License-Identifier: MIT */
/*
 * Passes: changes of a graph that keep its results, and make it cheaper. Each
 * has a name, by which it is switched off, and counts what it has changed.
 *
 * A pass marks nodes that nothing needs any more as dead; they are removed after
 * each pass. Nodes that it adds are inferred at once by op_infer_node().
 */
#ifndef GRAPH_PASS_PASS_H
#define GRAPH_PASS_PASS_H

#include "ir/ir.h"

/* Upper limit of the number of passes. */
#define PASS_MAX 24

/* The passes that change steps, not nodes: build/chain.h and build/pack.h. */
#define PASS_CHAINS "elementwise-chains"
#define PASS_PACKED "packed-weights"

/**
 * struct pass - a pass
 * @name: its name
 * @summary: what it does, for reports
 * @run: change the graph; return how often, or a negative errno; NULL for those
 *	that change steps
 */
struct pass {
	const char *name;
	const char *summary;
	int (*run)(struct graph *g);
};

/* Get the passes one by one in their order: NULL after the last. */
const struct pass *pass_at(unsigned int index);

/* Find a pass by its name; return its number, or a negative errno. */
int pass_find(const char *name);

/**
 * pass_run() - run all passes
 * @g: the graph, which was inferred
 * @without: a bit for each pass that is left out
 * @changes: filled: PASS_MAX counts
 *
 * Return: 0 or the error of the graph.
 */
int pass_run(struct graph *g, uint64_t without, uint32_t *changes);

/* Helpers of passes: pass.c */

/* Remove nodes that are dead, or have only unused outputs; return how many. */
int pass_remove_dead(struct graph *g);

/* Check whether a node is an operator of ONNX's own set. */
bool pass_is(const struct graph_node *n, const char *type);

/* Get the node that makes an input, if it has the given type and one user. */
struct graph_node *pass_source(const struct graph *g,
			       const struct graph_node *n, unsigned int in,
			       const char *type);

/* Get the one element of a constant of f32 or f64; false for other values. */
bool pass_number(const struct graph_value *v, double *number);

/* The passes */
int pass_fold(struct graph *g);
int pass_identity(struct graph *g);
int pass_cse(struct graph *g);
int pass_transpose(struct graph *g);
int pass_cast(struct graph *g);
int pass_pad(struct graph *g);
int pass_batch_norm(struct graph *g);
int pass_bias(struct graph *g);
int pass_layer_norm(struct graph *g);
int pass_activation(struct graph *g);
int pass_multiply_add(struct graph *g);
int pass_clamp(struct graph *g);

#endif
