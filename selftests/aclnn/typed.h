/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensors of any type and layout, which a test fills with numbers and reads as
 * numbers.  Each has memory of exactly the size that its view reaches.
 */
#ifndef SELFTESTS_ACLNN_TYPED_H
#define SELFTESTS_ACLNN_TYPED_H

#include "aclnn_test.h"

enum layout {
	CONTIGUOUS,
	TRANSPOSED,	/* the first dimension is the innermost */
	SLICED,		/* gaps between elements, and an offset */
	EXPANDED,	/* the first dimension repeats; not for outputs */
	LAYOUTS,
	OUT_LAYOUTS = EXPANDED,
};

/**
 * struct typed - a tensor of a test
 * @tensor: its handle
 * @dtype: type of the elements
 * @rank: number of dimensions
 * @dims: their sizes
 * @strides: distances of elements
 * @count: number of elements
 * @data: the first element
 */
struct typed {
	aclTensor *tensor;
	aclDataType dtype;
	unsigned int rank;
	int64_t dims[8], strides[8];
	int64_t count;
	unsigned char *data;
};

/* Make a tensor of ones; forget_typed() frees its memory. */
struct typed make_typed(aclDataType dtype, enum layout layout,
			unsigned int rank, const int64_t *dims);
#define TYPED(dtype, layout, ...)					\
	make_typed(dtype, layout, SHAPE(__VA_ARGS__))

/* Free the memory of all tensors that make_typed() made, and their handles. */
void forget_typed(void);

/*
 * Check an operator with each of @count types and the first @layouts layouts.  All
 * tensors of make_typed() are forgotten before each check, and at the end.
 */
bool each_layout(const aclDataType *types, unsigned int count,
		 unsigned int layouts,
		 bool (*check)(aclDataType dtype, enum layout layout));

/* Access an element by its number in the order of the dimensions. */
double get(const struct typed *t, int64_t number);
void set(const struct typed *t, int64_t number, double value);

/*
 * Fill with multiples of 1/64 from -2 to 2, which each floating-point type has, or
 * with integers from 0 to 3.
 */
void fill(const struct typed *t, unsigned int seed);

/* Check an element, up to the precision of its type; a note reports the difference. */
bool is(const struct typed *t, int64_t number, double want);

/* Floating-point types, and others with f32 for tests of both. */
extern const aclDataType float_types[4], plain_types[7];

#endif /* SELFTESTS_ACLNN_TYPED_H */
