/* SPDX-License-Identifier: MIT */
/*
 * From nodes to steps. A step is a launch of the operator engine (lib/ops). Its
 * tensors are views of buffers; memory gets addresses later.
 *
 * Each operator of ONNX has one function (see op/op.h), which has two uses. It
 * first declares its outputs, with their types and shapes; while shapes are
 * inferred, that is all. When the graph is lowered, it also appends steps:
 *
 *	struct build_view x = build_in(b, 0), y;
 *
 *	y = build_out(b, 0, x.t.dtype, x.t.rank, x.t.dims);
 *	build_begin(b, VNPU_OP_ELU);
 *	build_set_float(b, "alpha", build_attr_float(b, "alpha", 1));
 *	return build_end(b, 1, 1, &x, &y);
 *
 * or makes its output a view of its input: build_alias(). Functions that append
 * do nothing while shapes are inferred, and after an error, so a function need
 * not check for either; only loops over elements should, by build_infers().
 */
#ifndef GRAPH_BUILD_BUILD_H
#define GRAPH_BUILD_BUILD_H

#include "build/view.h"
#include "ir/ir.h"

/* Limit of the steps of a model. */
#define BUILD_STEPS	(1U << 20)

/**
 * enum build_kind - where a buffer lies
 * @BUILD_WORK: in the memory that is planned
 * @BUILD_CONST: among the constants
 * @BUILD_INPUT: in memory of the caller
 * @BUILD_OUTPUT: likewise
 */
enum build_kind {
	BUILD_WORK,
	BUILD_CONST,
	BUILD_INPUT,
	BUILD_OUTPUT,
};

/**
 * struct build_buffer - memory of a tensor
 * @kind: where it lies
 * @bytes: its size
 * @index: number of the input or output
 * @data: elements of a constant
 * @value: the value that it is for, or NULL
 */
struct build_buffer {
	enum build_kind kind;
	uint64_t bytes;
	uint32_t index;
	const void *data;
	const struct graph_value *value;
};

/**
 * struct build_step - a launch of the operator engine
 * @launch: its used bytes
 * @buffers: the buffer of each tensor, or BUILD_NONE
 * @node: the node that it belongs to
 */
struct build_step {
	struct vnpu_op_launch *launch;
	uint32_t buffers[VNPU_OP_TENSORS];
	const struct graph_node *node;
};

/**
 * struct build - a graph that is inferred or lowered
 * @g: the graph, which gets errors
 * @store: memory of the views, buffers and steps
 * @node: the current node
 * @infers: only types and shapes are wanted
 * @copies: outputs are never views of inputs
 * @views: the view of each value
 * @buffers: all buffers
 * @buffer_count: their number
 * @steps: all steps in order
 * @step_count: their number
 * @step: the step that is made
 */
struct build {
	struct graph *g;
	struct store store;
	const struct graph_node *node;
	bool infers;
	bool copies;
	struct build_view *views;
	struct build_buffer *buffers;
	uint32_t buffer_count;
	struct build_step *steps;
	uint32_t step_count;
	struct vnpu_op_launch step;
};

/* Begin to infer or to lower a graph; return 0 or the error of the graph. */
int build_init(struct build *b, struct graph *g, bool infers);

/* Free all memory of a build. */
void build_fini(struct build *b);

/* Report an error of the current node; return it. */
int build_fail(struct build *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Report that the current node is valid but not supported; return the error. */
int build_refuse(struct build *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Check whether only shapes are wanted, or an error has happened. */
bool build_infers(const struct build *b);

/*
 * Inputs and attributes of the node
 */

/* Check whether the node has an input, or a user of an output. */
bool build_has(const struct build *b, unsigned int in);
bool build_wants(const struct build *b, unsigned int out);

/* Get a view of an input; its type is VNPU_DT_NONE if the node lacks it. */
struct build_view build_in(struct build *b, unsigned int index);

/* Get a view of any value that was lowered before. */
struct build_view build_view_of(struct build *b, struct graph_value *v);

/*
 * Get the elements of an input that must be known now, such as a shape, as
 * integers. Return their number, at most @room, or a negative errno: the error
 * names the input of the model that they come from. A missing input has none.
 */
int build_known(struct build *b, unsigned int index, int64_t *values,
		unsigned int room);

/*
 * Get a number, which must be known now, from an input, as build_known() does.
 */
int build_known_float(struct build *b, unsigned int index, double *value);

/* Return the constant behind an input, or NULL after an error. */
const struct graph_value *build_constant(struct build *b, unsigned int index);

int64_t build_attr_int(const struct build *b, const char *name,
		       int64_t otherwise);
float build_attr_float(const struct build *b, const char *name,
		       float otherwise);
const char *build_attr_text(const struct build *b, const char *name,
			    const char *otherwise);

/* Get a list; return its length, 0 if there is none, or a negative errno. */
int build_attr_ints(struct build *b, const char *name, int64_t *values,
		    unsigned int room);

/* Make a dimension that an attribute names non-negative; -1 after an error. */
int build_axis(struct build *b, int64_t axis, unsigned int rank);

/*
 * Outputs
 */

/* Declare an output, and get the view that it is to be written to. */
struct build_view build_out(struct build *b, unsigned int index,
			    unsigned int dtype, unsigned int rank,
			    const int64_t *dims);

/* Declare an output with the type and shape of a view. */
struct build_view build_out_like(struct build *b, unsigned int index,
				 const struct build_view *like);

/*
 * Declare an output.  Its elements decide the size of dimension @dim, at most
 * that in @dims. @count is set to the view to which a step writes the size: one
 * i64.
 */
struct build_view build_out_counted(struct build *b, unsigned int index,
				    unsigned int dtype, unsigned int rank,
				    const int64_t *dims, unsigned int dim,
				    struct build_view *count);

/* Declare an output that is a view of an existing buffer. */
int build_alias(struct build *b, unsigned int index,
		const struct build_view *view);

/*
 * Get the place to which a value is written: a reserved one, memory of the
 * caller for an output of the model, or a new buffer.
 */
struct build_view build_place(struct build *b, struct graph_value *v);

/*
 * Give an output of the model its elements, after all nodes: they are copied
 * if it is an input, a constant, or a view of another value.
 */
int build_finish(struct build *b, uint32_t output);

/*
 * Reserve a part of a buffer for a value that is made later. Return whether
 * that is possible.
 */
bool build_reserve(struct build *b, struct graph_value *v,
		   const struct build_view *view);

/*
 * Steps
 */

/* Get contiguous memory for an intermediate result. */
struct build_view build_temp(struct build *b, unsigned int dtype,
			     unsigned int rank, const int64_t *dims);
struct build_view build_temp_like(struct build *b,
				  const struct build_view *like);

/* Make a constant: @data is copied. */
struct build_view build_const(struct build *b, unsigned int dtype,
			      unsigned int rank, const int64_t *dims,
			      const void *data);
struct build_view build_const_ints(struct build *b, unsigned int count,
				   const int64_t *values);

/* Begin a step with an operator of the engine. */
void build_begin(struct build *b, unsigned int op);

/* Set a parameter of the step by its name. */
void build_set_int(struct build *b, const char *name, int64_t value);
void build_set_float(struct build *b, const char *name, double value);
void build_set_ints(struct build *b, const char *name, const int64_t *values,
		    unsigned int count);

/* Append the step with its views, inputs first, then outputs. */
int build_end(struct build *b, unsigned int ins, unsigned int outs, ...);
int build_end_list(struct build *b, unsigned int ins, unsigned int outs,
		   const struct build_view *const *views);

/* Append a step without parameters. */
int build_op1(struct build *b, unsigned int op, const struct build_view *in,
	      const struct build_view *out);
int build_op2(struct build *b, unsigned int op, const struct build_view *x,
	      const struct build_view *y, const struct build_view *out);
int build_op3(struct build *b, unsigned int op, const struct build_view *x,
	      const struct build_view *y, const struct build_view *z,
	      const struct build_view *out);
#define build_copy(b, in, out) build_op1(b, VNPU_OP_COPY, in, out)

/* Append a step that writes a new buffer, and return it. */
struct build_view build_cast(struct build *b, const struct build_view *v,
			     unsigned int dtype);
struct build_view build_reshape(struct build *b, const struct build_view *v,
				unsigned int rank, const int64_t *dims);

/*
 * Evaluation
 */

/**
 * build_evaluate() - compute the outputs of a node with constant inputs
 * @g: the graph
 * @n: the node; its outputs become constants
 * @lower: the function that lowers it
 * @limit: bytes that its outputs may have together
 *
 * Return: 0, also if the outputs are too large and nothing was done; else the
 * error of the graph.
 */
int build_evaluate(struct graph *g, struct graph_node *n,
		   int (*lower)(struct build *b), uint64_t limit);

#endif
