/* SPDX-License-Identifier: MIT */
/* The elements of a tensor in memory of the host, for files. */
#ifndef VNPU_LIB_DUMP_ARRAY_H
#define VNPU_LIB_DUMP_ARRAY_H

#include <stdint.h>
#include <stdio.h>

#include "ops/tensor.h"

#include "acl/acl_base_rt.h"

/**
 * struct vnpu_dump_array - the elements of a view in the order of C
 * @view: the view
 * @once: the view with the size 1 instead of the sizes of dimensions that repeat
 *	elements: these have a stride of 0, and may have any size
 * @dtype: enum vnpu_dtype of the elements: f32 for bf16, which NumPy lacks, and
 *	i8 for i4
 * @count: number of elements of @once
 * @data: these
 */
struct vnpu_dump_array {
	const struct vnpu_tensor *view;
	struct vnpu_tensor once;
	unsigned int dtype;
	size_t count;
	char *data;
};

/**
 * struct vnpu_dump_span - the bytes of a storage that a view needs
 * @first: the first element
 * @start: offset of the byte where that begins
 * @bytes: their number
 */
struct vnpu_dump_span {
	int64_t first;
	uint64_t start;
	uint64_t bytes;
};

/* Get the span of a view that has elements. */
struct vnpu_dump_span vnpu_dump_span(const struct vnpu_tensor *view);

/*
 * Copy the elements of a view in memory that the device reaches, or report an
 * error.  The caller frees @array->data.
 */
aclError vnpu_dump_gather(const struct vnpu_tensor *view,
			  struct vnpu_dump_array *array);

/* Write an array in the format of NumPy, or a line of statistics. */
void vnpu_dump_print_npy(const struct vnpu_dump_array *array, FILE *f);
void vnpu_dump_print_stats(const struct vnpu_dump_array *array,
			   uint32_t columns, FILE *f);

/* Write the names of the columns of such lines. */
void vnpu_dump_print_columns(uint32_t columns, FILE *f);

#endif /* VNPU_LIB_DUMP_ARRAY_H */
