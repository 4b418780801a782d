/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splitting an ONNX model into shards, smaller models that run one after the other.
 * Functions return NULL, or a message that the caller frees.
 *
 * The outputs of the shards together have the same bits as those of the model. So a
 * cut is only made where all values that cross it exist in the compiled model, too,
 * each with its elements in order: no pass joins nodes across such a cut, and no
 * operator reads or writes other strides. Nodes that a pass finds to be equal are one
 * node in the shards, too, as other passes look at the number of users.
 *
 * A node is constant if it has only constants as inputs. Each shard has copies of
 * the constant nodes and the constants that it uses. All other nodes that outputs
 * depend on have a place, in the order of the file. Pieces are the nodes between two
 * cuts that are possible, and a shard has one piece or more.
 */
#ifndef VNPU_MODEL_SPLIT_H
#define VNPU_MODEL_SPLIT_H

#include "compile/compile.h"
#include "file.h"
#include "message.h"
#include "onnx/proto.h"

#define SPLIT_NONE	UINT32_MAX

/* The most pieces: of more cuts, the cheapest ones are kept. */
#define SPLIT_PIECES	1024

/**
 * struct split_unit - a node of the file
 * @bytes: the node in the file
 * @name: its name, or that of its first output
 * @type: the operator
 * @in: the values that it or one of its subgraphs uses; those of subgraphs come last
 * @ins: their number
 * @own: number of those that it uses itself
 * @out: the values that it makes
 * @outs: their number
 * @is_const: it has only constants as inputs
 * @is_live: an output depends on it
 * @place: its place, or SPLIT_NONE
 */
struct split_unit {
	struct proto bytes;
	const char *name;
	const char *type;
	struct graph_value **in;
	unsigned int ins;
	unsigned int own;
	struct graph_value **out;
	unsigned int outs;
	bool is_const;
	bool is_live;
	uint32_t place;
};

/**
 * struct split_value - a value of the file, by graph_value.index
 * @same: a value that has the same elements, and is used instead; or NULL
 * @unit: the node that makes it, or SPLIT_NONE
 * @first: the piece that makes it, or SPLIT_NONE for an input of the model
 * @last: the last piece that uses it, or SPLIT_NONE
 * @made: place of that node, or SPLIT_NONE
 * @used: place of the last node that uses it, or SPLIT_NONE
 * @is_const: its elements are known
 * @is_output: it is an output of the model
 * @may_cross: it exists in the compiled model
 */
struct split_value {
	struct graph_value *same;
	uint32_t unit;
	uint32_t first;
	uint32_t last;
	uint32_t made;
	uint32_t used;
	bool is_const;
	bool is_output;
	bool may_cross;
};

/**
 * struct split_bytes - device memory
 * @weights: constants
 * @work: work memory
 * @in: inputs
 * @out: outputs
 */
struct split_bytes {
	uint64_t weights;
	uint64_t work;
	uint64_t in;
	uint64_t out;
};

static inline uint64_t split_sum(const struct split_bytes *b)
{
	return b->weights + b->work + b->in + b->out;
}

/**
 * struct split_shard - a part of the model
 * @first: its first piece
 * @end: the piece after its last one
 * @nodes: number of its nodes
 * @bytes: memory that it needs, measured by compiling it
 */
struct split_shard {
	uint32_t first;
	uint32_t end;
	uint32_t nodes;
	struct split_bytes bytes;
};

/**
 * struct split - a model that is split
 * @path: its file
 * @file: the content
 * @folder: its folder
 * @g: the graph, after all passes
 * @b: its steps
 * @units: the nodes of the file
 * @unit_count: their number
 * @values: the values of the file
 * @value_count: their number
 * @outputs: the outputs of the model, as in the file
 * @output_count: their number
 * @run: the nodes by their places
 * @places: their number
 * @cuts: places at which pieces begin, and @places
 * @pieces: number of pieces
 * @step_piece: the piece of each step
 * @whole: memory that the whole model needs
 */
struct split {
	const char *path;
	struct file file;
	char *folder;
	struct graph g;
	struct build b;
	struct split_unit *units;
	uint32_t unit_count;
	struct split_value *values;
	uint32_t value_count;
	struct graph_value **outputs;
	uint32_t output_count;
	struct split_unit **run;
	uint32_t places;
	uint32_t *cuts;
	uint32_t pieces;
	uint32_t *step_piece;
	struct split_bytes whole;
};

/* Read a model, compile it, and find its pieces: split_read.c */
char *split_open(struct split *s, const char *path,
		 const struct compile_shape *shapes, unsigned int shape_count);
void split_close(struct split *s);

/* Get the value of the file that a value is, or NULL. */
static inline struct split_value *split_value(const struct split *s,
					      const struct graph_value *v)
{
	return v && v->index < s->value_count ? &s->values[v->index] : NULL;
}

/*
 * Make an .om file of a program, and set the memory that it needs. The caller frees
 * the file.
 */
char *split_measure(const void *program, size_t size, struct file *om,
		    struct split_bytes *bytes);

/* Get the file's graph. */
struct proto split_graph(const struct split *s);

/* Read the nodes of the file, before shapes are inferred: split_units.c */
char *split_read_units(struct split *s);

/* Let nodes use the values that passes have put in the place of others. */
void split_replace(struct split *s);

/*
 * Give nodes their places, and find the pieces, after the graph was lowered:
 * split_pieces.c
 */
char *split_find_pieces(struct split *s);

/**
 * struct split_table - all sequences of pieces: split_table.c
 * @pieces: number of pieces
 * @need: bytes of memory that each sequence needs
 * @moved: bytes of its inputs and outputs
 * @is_exact: @need was measured, and is no estimate
 * @reach: for each first piece, the end of the longest sequence that may fit
 */
struct split_table {
	uint32_t pieces;
	uint64_t *need;
	uint64_t *moved;
	bool *is_exact;
	uint32_t *reach;
};

/* Estimate the memory of all sequences, or what they need at the least. */
char *split_table_make(struct split_table *t, const struct split *s,
		       bool is_least);
void split_table_free(struct split_table *t);

/* Get the place of a sequence in the table. */
static inline size_t split_at(const struct split_table *t, uint32_t first,
			      uint32_t end)
{
	return (size_t)first * t->pieces + end - 1;
}

/*
 * Choose shards: split_choose.c. @shards has room for all pieces.
 *
 * Each shard has at most @bound bytes, and the fewest bytes are moved; *count is
 * set to the number of shards, or to 0 if there is no choice.
 */
char *split_choose(const struct split_table *t, uint64_t bound,
		   struct split_shard *shards, uint32_t *count);

/*
 * There are @count shards, at most as many as pieces. The largest one is as small as
 * possible or up to a tenth larger, and with that the fewest bytes are moved.
 */
char *split_choose_equal(const struct split_table *t, uint32_t count,
			 struct split_shard *shards);

/**
 * struct split_file - an ONNX model of a shard: split_write.c
 * @data: its bytes, allocated
 * @size: their number
 * @in: its inputs, allocated
 * @ins: their number
 * @out: its outputs, allocated
 * @outs: their number
 */
struct split_file {
	char *data;
	size_t size;
	const struct graph_value **in;
	uint32_t ins;
	const struct graph_value **out;
	uint32_t outs;
};

char *split_write(const struct split *s, struct split_shard *shard,
		  struct split_file *f);
void split_file_free(struct split_file *f);

#endif
