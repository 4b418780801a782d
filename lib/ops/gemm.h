/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices with elements from any source: products of tensors,
 * quantised weights, convolutions.
 */
#ifndef VNPU_OPS_GEMM_H
#define VNPU_OPS_GEMM_H

#include <math.h>

#include "vec/vec.h"

struct ops_factor;

/**
 * typedef ops_fetch_fn - load elements of a factor
 * @f: the factor
 * @base: its matrix
 * @dst: the elements, in the type of the product
 * @inner: first index of the inner dimension
 * @outer: first row of a left factor, or column of a right one
 * @n: number of elements, along the dimension ops_factor.fetches_outer says
 */
typedef void (*ops_fetch_fn)(const struct ops_factor *f, const uint8_t *base,
			     void *dst, int64_t inner, int64_t outer,
			     int64_t n);

/**
 * struct ops_factor - a factor
 * @fetch: see above; ops_factor_view() if it is a view
 * @fetches_outer: elements come along the outer dimension, not the inner one
 * @load: for views
 * @size: bytes of an element, for views
 * @inner: distance in bytes along the inner dimension, for views
 * @outer: likewise, along the outer one
 * @data: for other functions
 */
struct ops_factor {
	ops_fetch_fn fetch;
	bool fetches_outer;
	ops_load_fn load;
	int64_t size;
	int64_t inner;
	int64_t outer;
	const void *data;
};

/**
 * struct ops_product - a product of matrices
 * @class: OPS_F or OPS_D
 * @m: rows
 * @n: columns
 * @k: inner dimension
 * @left: the left factor
 * @right: the right one
 * @store: how elements of the result are stored
 * @out_size: bytes of an element of the result
 * @out_row: distance of rows of the result, in bytes
 * @out_column: distance of columns, in elements
 * @alpha: factor of the product
 * @bias_load: how elements of the bias are loaded, or NULL without one
 * @bias_size: bytes of an element
 * @bias_row: distance of rows, in bytes
 * @bias_column: distance of columns, in bytes
 * @beta: factor of the bias
 * @clamps: elements of the result stay between @least and @most
 * @least: the least element
 * @most: the largest one
 * @is_swapped: private: the factors have changed places
 * @rows: private: rows of a block
 * @columns: private: columns of a block
 * @depth: private: inner elements of a block
 * @keeps_left: private: blocks share the packed left factor
 */
struct ops_product {
	enum ops_class class;
	int64_t m;
	int64_t n;
	int64_t k;
	struct ops_factor left;
	struct ops_factor right;
	ops_store_fn store;
	int64_t out_size;
	int64_t out_row;
	int64_t out_column;
	double alpha;
	ops_load_fn bias_load;
	int64_t bias_size;
	int64_t bias_row;
	int64_t bias_column;
	double beta;
	bool clamps;
	double least;
	double most;
	bool is_swapped;
	int64_t rows;
	int64_t columns;
	int64_t depth;
	bool keeps_left;
};

/* Describe a factor that is a view. */
void ops_factor_view(struct ops_factor *f, unsigned int dtype,
		     enum ops_class class, int64_t inner, int64_t outer);

/* Set the range of the result. */
static inline void ops_product_clamp(struct ops_product *p, double least,
				     double most)
{
	p->clamps = least > -INFINITY || most < INFINITY;
	p->least = least;
	p->most = most;
}

/*
 * Choose blocks; all fields that are not private are set. A product with few
 * columns becomes the transposed one.
 */
void ops_product_init(struct ops_product *p);

/* Number of blocks: the work that parts can share. */
int64_t ops_product_blocks(const struct ops_product *p);

/* Bytes of scratch memory. */
size_t ops_product_scratch(const struct ops_product *p);

/* Check whether results are stored as they are, one after the other. */
bool ops_product_is_plain(const struct ops_product *p);

/*
 * Pack @rows rows of the left factor from @row on, and @depth inner elements from
 * @k on; @fetched is room for OPS_MR rows of them.
 */
void ops_product_pack_left(const struct ops_product *p, const uint8_t *base,
			   void *dst, int64_t row, int64_t rows, int64_t k,
			   int64_t depth, void *fetched);

/* Where the matrices of a product are. */
struct ops_matrices {
	const uint8_t *left;
	const uint8_t *right;
	const uint8_t *bias;
	uint8_t *out;
};

/* Compute blocks from @first to below @end. */
void ops_product_run(const struct ops_product *p, const struct ops_matrices *x,
		     int64_t first, int64_t end, void *scratch);

#endif
