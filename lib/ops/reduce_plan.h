/* SPDX-License-Identifier: MIT */
/* The plan of a reduction, and the states that it computes. See reduce.c. */
#ifndef VNPU_OPS_REDUCE_PLAN_H
#define VNPU_OPS_REDUCE_PLAN_H

#include "families.h"
#include "vec/vec.h"

/* Elements that are reduced at once. */
#define OPS_TILE	1024
/* Elements of a part of an output that is reduced by itself. */
#define OPS_SECTION	(64 * OPS_TILE)
/* Outputs with neighbouring elements are loaded together. */
#define OPS_GROUP	16
/* Rows of such outputs that are converted at once. */
#define OPS_ROWS	32
/* Distance of their elements: not a power of 2, which would share cache sets. */
#define OPS_APART	(OPS_TILE + 16)

/**
 * struct ops_reduce - the plan
 * @rank: number of dimensions of the outputs
 * @dims: their sizes, the outermost first
 * @from: distances in bytes of the first elements of outputs
 * @to: distances in bytes of the outputs, for each output tensor
 * @inner_rank: number of dimensions of the elements that make an output; at
 *	least 1, neighbours are merged
 * @inner_dims: their sizes, the outermost first
 * @inner_from: their distances in bytes
 * @outputs: number of outputs
 * @length: number of elements that make one
 * @sections: number of sections of an output
 * @base: the first element
 * @out: the output tensors; NULL if one is absent
 * @size: bytes of an element
 * @in_groups: the innermost outputs are neighbours, but their elements are not
 * @is_ready: elements have the type of the class
 * @in_place: and those of an output follow each other
 * @class: the type that is computed
 * @kind: the reduction
 * @load: converts elements
 * @reduce: reduces them
 * @columns: adds elements of neighbouring outputs, or NULL
 * @param: exponent of a norm
 */
struct ops_reduce {
	unsigned int rank;
	int64_t dims[VNPU_TENSOR_DIMS];
	int64_t from[VNPU_TENSOR_DIMS];
	int64_t to[2][VNPU_TENSOR_DIMS];
	unsigned int inner_rank;
	int64_t inner_dims[VNPU_TENSOR_DIMS];
	int64_t inner_from[VNPU_TENSOR_DIMS];
	int64_t outputs;
	int64_t length;
	int64_t sections;
	uint8_t *base;
	uint8_t *out[2];
	int64_t size;
	bool in_groups;
	bool is_ready;
	bool in_place;
	enum ops_class class;
	enum ops_reduction kind;
	ops_load_fn load;
	ops_reduce_fn reduce;
	ops_columns_fn columns;
	double param;
};
_Static_assert(sizeof(struct ops_reduce) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

/**
 * ops_sum_combine() - add the state of the section that follows
 * @s: the state of all sections before
 * @next: the state to add
 * @kind: the reduction
 * @is_float: whether elements are floating-point numbers
 */
void ops_sum_combine(struct ops_sum *s, const struct ops_sum *next,
		     enum ops_reduction kind, bool is_float);

/**
 * ops_sum_store() - store the results of a state
 * @job: the reduction
 * @s: the state of all elements of an output
 * @out: addresses of its elements in the output tensors, or NULL
 */
void ops_sum_store(const struct vnpu_op_job *job, const struct ops_sum *s,
		   uint8_t *const *out);

#endif
