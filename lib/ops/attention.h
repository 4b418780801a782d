/* SPDX-License-Identifier: MIT */
/* Declarations that attention shares with its gradient. See attention.c. */
#ifndef VNPU_OPS_ATTENTION_H
#define VNPU_OPS_ATTENTION_H

#include "gemm.h"

/* Keys of a block, whole panels: the logits of a panel of rows stay in L1. */
#define OPS_ATTENTION_KEYS	(42 * OPS_MR)

/**
 * struct ops_attention - the shape
 * @batches: number of batches
 * @heads: heads of key and value
 * @group: heads of the query for each of them
 * @rows: rows of the query
 * @keys: number of keys
 * @features: features of query and key
 * @made: features of value and output
 * @block: rows of a block, of all heads of a group; whole panels
 */
struct ops_attention {
	int64_t batches, heads, group, rows, keys, features, made, block;
};
_Static_assert(sizeof(struct ops_attention) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

/**
 * struct ops_attention_tile - a piece of the matrix of logits
 * @batch: the batch
 * @head: the head of key and value
 * @row: the first row, of all heads of the group
 * @rows: number of rows
 * @key: the first key
 * @keys: number of keys
 */
struct ops_attention_tile {
	int64_t batch, head, row, rows, key, keys;
};

/* Number of panels of OPS_MR. */
static inline int64_t ops_panels(int64_t n)
{
	return (n + OPS_MR - 1) / OPS_MR;
}

/* Distance in bytes along a dimension of [batch, head, row, ...]; 0 repeats. */
static inline int64_t ops_attention_step(const struct vnpu_tensor *t,
					 unsigned int dim)
{
	unsigned int from_end = 3 - dim;

	if (from_end >= t->rank || t->dims[t->rank - 1 - from_end] == 1)
		return 0;
	return t->strides[t->rank - 1 - from_end] * ops_size(t->dtype);
}

/* Read the shape from the tensors from input @query on. */
void ops_attention_shape(const struct vnpu_op_launch *l, unsigned int query,
			 struct ops_attention *a);

/* Address of a row of a group, in a tensor like the query. */
uint8_t *ops_attention_row(const struct ops_attention *a,
			   const struct vnpu_tensor *t, int64_t batch,
			   int64_t head, int64_t row);

/* Likewise, in one with an element for each row: [batch, head, row]. */
static inline uint8_t *ops_attention_single(const struct ops_attention *a,
					    const struct vnpu_tensor *t,
					    int64_t batch, int64_t head,
					    int64_t row)
{
	return ops_data(t) + (batch * t->strides[0] +
			      (head * a->group + row / a->rows) * t->strides[1] +
			      row % a->rows * t->strides[2]) *
			     ops_size(t->dtype);
}

/*
 * Pack rows of a group into a panel of OPS_NR: a right factor [feature][row].
 * @fetched has room for as many rows.
 */
void ops_attention_pack(const struct ops_attention *a,
			const struct vnpu_tensor *t, int64_t batch,
			int64_t head, int64_t from, int64_t rows,
			float *fetched, float *to);

/* Pack keys into panels of a left factor [key][feature]. */
void ops_attention_pack_rows(const struct vnpu_tensor *t, int64_t batch,
			     int64_t head, int64_t from, int64_t keys,
			     float *fetched, float *to);

/* Likewise, of the transposed one, [feature][key]. */
void ops_attention_pack_columns(const struct vnpu_tensor *t, int64_t batch,
				int64_t head, int64_t from, int64_t keys,
				float *fetched, float *to);

/* Add the product of @m rows in panels with a panel of OPS_NR columns. */
void ops_attention_multiply(const float *left, const float *right, float *result,
			    int64_t m, int64_t k);

/*
 * Scale the logits [key][row] of a tile, add the bias, and apply the masks:
 * inputs @bias and the next one. Return whether there was something to do; if
 * not, not even the scale was applied, and it is positive.
 */
bool ops_attention_adjust(const struct vnpu_op_job *job,
			  const struct ops_attention *a, unsigned int bias,
			  const struct ops_attention_tile *tile, float *logits,
			  float *fetched, int32_t *flags);

#endif
