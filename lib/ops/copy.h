/* SPDX-License-Identifier: MIT */
/* Moves of elements without conversion, for the operators that need them. */
#ifndef VNPU_OPS_COPY_H
#define VNPU_OPS_COPY_H

#include "iter.h"

/**
 * struct ops_move - a copy between two views of elements of equal size
 * @it: both views, the destination first
 * @size: bytes of an element
 * @is_transposed: elements of the source follow each other in dimension 1, and
 *	those of the destination in dimension 0
 */
struct ops_move {
	struct ops_iter it;
	int64_t size;
	bool is_transposed;
};

/**
 * ops_move_init() - prepare a copy
 * @m: the copy
 * @to: the destination
 * @from: the source, which is expanded to the shape of @to
 */
void ops_move_init(struct ops_move *m, const struct vnpu_tensor *to,
		   const struct vnpu_tensor *from);

/**
 * ops_move_parts() - get the sensible number of parts
 * @m: the copy
 *
 * Return: the number.
 */
uint32_t ops_move_parts(const struct ops_move *m);

/**
 * ops_move_run() - copy a part
 * @m: the copy
 * @w: which part
 */
void ops_move_run(const struct ops_move *m, const struct vnpu_op_work *w);

/**
 * ops_copy_row() - copy elements
 * @dst: the first element of the destination
 * @to: distance of its elements, in bytes
 * @src: the first element of the source
 * @from: likewise; 0 fills
 * @size: size of an element: 1, 2, 4 or 8
 * @n: number of elements; at least 1
 */
void ops_copy_row(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from,
		  unsigned int size, int64_t n);

#endif
