/* SPDX-License-Identifier: MIT */
/*
 * The graph: values, and the nodes that make them of other values.
 *
 * A reader adds values and nodes; inference gives all values a type and a shape;
 * passes replace nodes by others; lowering makes steps of them. All memory
 * belongs to the graph, and is freed with it. A graph is used by one thread at
 * a time.
 *
 * Nodes are in an order in which each value is made before it is used.
 */
#ifndef GRAPH_IR_IR_H
#define GRAPH_IR_IR_H

#include "base/store.h"
#include "ops/ops.h"

/* The largest opset that the table of operators knows. */
#define GRAPH_OPSET	17
/* Limit of nodes, values, and tensors of a node, which files may have. */
#define GRAPH_MAX	(1U << 20)
/* Constants up to this size take part in inference. */
#define GRAPH_SMALL	(64U << 10)

struct graph_node;

/**
 * struct graph_value - a tensor of a graph
 * @name: its name; "" for one that a pass has made
 * @dtype: enum vnpu_dtype; VNPU_DT_NONE if it is not known yet
 * @rank: number of dimensions
 * @has_shape: @rank and @dims are known
 * @is_input: the caller of the model gives it
 * @is_output: the caller of the model gets it
 * @is_frozen: an input that has @data: the model is valid for these elements only
 * @dims: sizes; -1 for one that is not known
 * @symbols: names of sizes that are not known, or NULL
 * @data: elements of a constant, aligned to the type's size, or NULL
 * @node: the node that makes it, or NULL
 * @output: which output of @node it is
 * @count: a value of one i64 that has the size of a dimension, where it depends
 *	on elements; @dims then has the largest size. Or NULL.
 * @count_dim: that dimension
 * @instead: the value that graph_replace() has put in its place, or NULL
 * @index: position in graph.values
 */
struct graph_value {
	const char *name;
	uint8_t dtype;
	uint8_t rank;
	bool has_shape;
	bool is_input;
	bool is_output;
	bool is_frozen;
	int64_t dims[VNPU_TENSOR_DIMS];
	const char *symbols[VNPU_TENSOR_DIMS];
	const void *data;
	struct graph_node *node;
	uint32_t output;
	struct graph_value *count;
	unsigned int count_dim;
	struct graph_value *instead;
	uint32_t index;
};

/**
 * struct graph_span - bytes of the file
 * @data: the first
 * @size: their number
 */
struct graph_span {
	const uint8_t *data;
	size_t size;
};

/**
 * enum graph_kind - kinds of attributes
 * @GRAPH_FLOAT: a number
 * @GRAPH_INT: an integer
 * @GRAPH_STRING: text
 * @GRAPH_TENSOR: a constant
 * @GRAPH_SUBGRAPH: a graph, as its bytes in the file
 * @GRAPH_FLOATS: a list of numbers
 * @GRAPH_INTS: a list of integers
 * @GRAPH_STRINGS: a list of texts
 * @GRAPH_OTHER: any other kind; its content is not read
 */
enum graph_kind {
	GRAPH_FLOAT,
	GRAPH_INT,
	GRAPH_STRING,
	GRAPH_TENSOR,
	GRAPH_SUBGRAPH,
	GRAPH_FLOATS,
	GRAPH_INTS,
	GRAPH_STRINGS,
	GRAPH_OTHER,
};

/**
 * struct graph_attr - an attribute of a node
 * @name: its name
 * @kind: which of the following is set
 * @count: length of a list
 * @f: a number
 * @i: an integer
 * @text: a string
 * @tensor: a constant, which is no member of graph.values
 * @bytes: a graph
 * @floats: numbers
 * @ints: integers
 * @texts: strings
 */
struct graph_attr {
	const char *name;
	enum graph_kind kind;
	size_t count;
	union {
		float f;
		int64_t i;
		const char *text;
		struct graph_value *tensor;
		struct graph_span bytes;
		float *floats;
		int64_t *ints;
		const char **texts;
	};
};

/**
 * struct graph_node - an operator of a graph
 * @name: its name, which may be empty
 * @type: the name of the operator
 * @domain: the set of operators; "" is ONNX's own
 * @opset: the version of that set
 * @op: the row in the table of operators, set by inference
 * @in: inputs; NULL for one that is left out
 * @out: outputs; NULL for one that is left out
 * @ins: number of inputs
 * @outs: number of outputs
 * @attrs: attributes
 * @attr_count: their number
 * @is_dead: the node was replaced, and will be removed
 */
struct graph_node {
	const char *name;
	const char *type;
	const char *domain;
	int64_t opset;
	const struct op_row *op;
	struct graph_value **in;
	struct graph_value **out;
	unsigned int ins;
	unsigned int outs;
	struct graph_attr *attrs;
	unsigned int attr_count;
	bool is_dead;
};

/**
 * struct graph_domain - a set of operators that a model uses
 * @name: its name; "" is ONNX's own
 * @opset: its version
 */
struct graph_domain {
	const char *name;
	int64_t opset;
};

/**
 * struct graph_name - an entry of the table of names
 * @name: the name; NULL for a free entry
 * @value: the value
 */
struct graph_name {
	const char *name;
	struct graph_value *value;
};

/**
 * struct graph - a graph
 * @store: all memory
 * @name: its name
 * @opset: version of ONNX's own set of operators
 * @domains: all sets
 * @domain_count: their number
 * @folder: folder of files with weights, or NULL if these are refused
 * @values: all values
 * @value_count: their number
 * @nodes: all nodes in order
 * @node_count: their number
 * @inputs: values that the caller gives
 * @input_count: their number
 * @outputs: values that the caller gets
 * @output_count: their number
 * @names: private: a hash table of values, see graph_find()
 * @name_count: private
 * @name_room: private
 * @err: the first error, negative, or 0
 * @error: its sentence
 * @needs: name of an input, if the error is that its elements must be known
 */
struct graph {
	struct store store;
	const char *name;
	int64_t opset;
	struct graph_domain *domains;
	uint32_t domain_count;
	const char *folder;
	struct graph_value **values;
	uint32_t value_count;
	struct graph_node **nodes;
	uint32_t node_count;
	struct graph_value **inputs;
	uint32_t input_count;
	struct graph_value **outputs;
	uint32_t output_count;
	struct graph_name *names;
	uint32_t name_count;
	uint32_t name_room;
	int err;
	char error[512];
	const char *needs;
};

/* Free all memory of a graph. */
void graph_free(struct graph *g);

/**
 * graph_fail() - record an error
 * @g: the graph; its first error stays
 * @err: a negative errno
 * @format: the sentence
 *
 * Return: the first error.
 */
int graph_fail(struct graph *g, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Record an error with "node 'NAME' (TYPE): " before the sentence. Without a
 * node, the error is that of an output of the model.
 */
int graph_fail_node(struct graph *g, const struct graph_node *n, int err,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Return graph.err, or -ENOMEM if an allocation has failed. */
int graph_status(struct graph *g);

/*
 * Add a value. The functions that add return NULL after an error, which
 * graph_status() returns.
 */
struct graph_value *graph_add_value(struct graph *g, const char *name);

/* Add a constant. @data is copied if @copy; else it must stay where it is. */
struct graph_value *graph_add_constant(struct graph *g, unsigned int dtype,
				       unsigned int rank, const int64_t *dims,
				       const void *data, bool copy);

/* Make a node, which graph_insert() puts into the order. */
struct graph_node *graph_new_node(struct graph *g, const char *type,
				  unsigned int ins, unsigned int outs);

/* Put a node before position @at of the order. */
int graph_insert(struct graph *g, struct graph_node *n, uint32_t at);

/* Make @v an output of a node. */
void graph_set_output(struct graph_node *n, unsigned int index,
		      struct graph_value *v);

/* Give a node one more attribute; return it, or NULL. */
struct graph_attr *graph_add_attr(struct graph *g, struct graph_node *n,
				  const char *name, enum graph_kind kind);

/* Find a value by its name, or return NULL. */
struct graph_value *graph_find(const struct graph *g, const char *name);

/* Enter a value under a name; graph_find() finds the last one of a name. */
int graph_enter(struct graph *g, const char *name, struct graph_value *v);

/* Find an attribute by its name, or return NULL. */
const struct graph_attr *graph_attr(const struct graph_node *n,
				    const char *name);

/* Set type and shape of a value. */
void graph_set_shape(struct graph_value *v, unsigned int dtype,
		     unsigned int rank, const int64_t *dims);

/* Count the elements of a value that has a shape. */
int64_t graph_elements(const struct graph_value *v);

/* Return the bytes that a value's elements take together. */
uint64_t graph_bytes(const struct graph_value *v);

/* Make all users of a value use another one, also as output of the model. */
void graph_replace(struct graph *g, struct graph_value *old,
		   struct graph_value *with);

/* Count the inputs of nodes, and the outputs of the model, that are @v. */
unsigned int graph_uses(const struct graph *g, const struct graph_value *v);

/* Describe a value in @text, such as "f32 [1, 3, 224, 224]". */
const char *graph_describe(const struct graph_value *v, char *text,
			   size_t size);
#define GRAPH_DESCRIBE(v) graph_describe(v, (char[200]){ 0 }, 200)

#endif
