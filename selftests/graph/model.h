/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing ONNX models for tests. Names are the caller's; nothing is checked. */
#ifndef VNPU_GRAPH_MODEL_H
#define VNPU_GRAPH_MODEL_H

#include "test.h"

/**
 * struct model - a model that is written
 * @graph: the content of GraphProto, as a stream
 * @bytes: its bytes
 * @size: their number
 * @names: number of values that model_name() has named
 */
struct model {
	FILE *graph;
	char *bytes;
	size_t size;
	unsigned int names;
};

void model_begin(struct model *m);

/* Make the model of opset 13; free() its data. */
struct bytes model_end(struct model *m);

void model_input(struct model *m, const char *name, unsigned int rank,
		 const int64_t *dims);
void model_output(struct model *m, const char *name);

/* Add a constant of f32, or i64 as a list. */
void model_floats(struct model *m, const char *name, unsigned int rank,
		  const int64_t *dims, const float *values);
void model_ints(struct model *m, const char *name, unsigned int count,
		const int64_t *values);

/* Add a constant of seeded random numbers between @low and @high. */
void model_random(struct model *m, const char *name, unsigned int rank,
		  const int64_t *dims, double low, double high);

/* Add a constant of f32 whose elements are in a file, from @offset on. */
void model_external(struct model *m, const char *name, unsigned int rank,
		    const int64_t *dims, const char *location,
		    const char *offset);

/*
 * Add a node. @in and @out are names with spaces between them; attributes follow,
 * each as its name and "i", "f" or "l", and an int, a double, or a count and a
 * pointer to int64_t; NULL ends them.
 */
void model_node(struct model *m, const char *type, const char *in,
		const char *out, ...);

/* Make a TensorProto of f32. */
struct bytes model_tensor(unsigned int rank, const int64_t *dims,
			  const float *values);

/* A random number from 0 to 1. */
double model_uniform(void);

#endif
