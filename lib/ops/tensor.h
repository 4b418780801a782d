/* SPDX-License-Identifier: MIT */
/*
 * Tensors as the operators see them: a view of elements of one type in a
 * storage.
 *
 * Element (i0, i1, ...) of a view is element offset + i0 * strides[0] + i1 *
 * strides[1] + ... of the storage. A stride may be 0, which repeats elements
 * (broadcasting), or negative, which reverses them. So slices, permutations,
 * expansions and flips are views, and cost nothing.
 *
 * A view is not trusted: its owner may be another process. All functions that
 * follow pointers take tensors that vnpu_tensor_check() has accepted.
 */
#ifndef VNPU_OPS_TENSOR_H
#define VNPU_OPS_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_TENSOR_DIMS	8
/* Limit of each dimension, stride and offset, and of their products. */
#define VNPU_TENSOR_MAX		((int64_t)1 << 47)

/**
 * enum vnpu_dtype - types of elements
 * @VNPU_DT_NONE: no tensor: an optional argument that is absent, or an output
 *	of a type that vnpu_op_infer() chooses
 * @VNPU_DT_F16: IEEE binary16
 * @VNPU_DT_BF16: the upper half of a binary32
 * @VNPU_DT_F32: IEEE binary32
 * @VNPU_DT_F64: IEEE binary64
 * @VNPU_DT_I8: signed integers, two's complement
 * @VNPU_DT_I16: likewise
 * @VNPU_DT_I32: likewise
 * @VNPU_DT_I64: likewise
 * @VNPU_DT_U8: unsigned integers
 * @VNPU_DT_BOOL: a byte: 0 is false, and other values are true; 1 is written
 * @VNPU_DT_I4: signed integers of 4 bits, the first in the low half of a byte;
 *	only weights of quantised products have it
 * @VNPU_DT_U16: unsigned integers, computed in i32
 * @VNPU_DT_U32: likewise, computed in i64
 * @VNPU_DT_COUNT: number of types
 */
enum vnpu_dtype {
	VNPU_DT_NONE,
	VNPU_DT_F16,
	VNPU_DT_BF16,
	VNPU_DT_F32,
	VNPU_DT_F64,
	VNPU_DT_I8,
	VNPU_DT_I16,
	VNPU_DT_I32,
	VNPU_DT_I64,
	VNPU_DT_U8,
	VNPU_DT_BOOL,
	VNPU_DT_I4,
	VNPU_DT_U16,
	VNPU_DT_U32,
	VNPU_DT_COUNT,
};

/* The tensor is one element, which vnpu_tensor.data holds itself. */
#define VNPU_TENSOR_F_IMMEDIATE	0x1

/**
 * struct vnpu_tensor - a view of a storage
 * @data: address of the storage, a multiple of the element's size; the bits of
 *	the element for an immediate
 * @bytes: size of the storage
 * @offset: first element of the view, counted from @data
 * @dtype: enum vnpu_dtype
 * @rank: number of dimensions, up to VNPU_TENSOR_DIMS; 0 is a single element
 * @flags: VNPU_TENSOR_F_*
 * @reserved: 0
 * @dims: sizes, the outermost first; a view with a size of 0 has no elements
 * @strides: distances of neighbours, in elements
 *
 * It has no pointers of the host, so it can cross process boundaries.
 */
struct vnpu_tensor {
	uint64_t data;
	uint64_t bytes;
	int64_t offset;
	uint8_t dtype;
	uint8_t rank;
	uint8_t flags;
	uint8_t reserved[5];
	int64_t dims[VNPU_TENSOR_DIMS];
	int64_t strides[VNPU_TENSOR_DIMS];
};

/**
 * vnpu_dtype_name() - get the name of a type
 * @dtype: the type; any number
 *
 * Return: the name, such as "f16", or "?".
 */
const char *vnpu_dtype_name(unsigned int dtype);

/**
 * vnpu_dtype_bits() - get the size of an element
 * @dtype: the type; any number
 *
 * Return: bits, or 0 if there is no such type.
 */
unsigned int vnpu_dtype_bits(unsigned int dtype);

/**
 * vnpu_dtype_is_float() - check whether elements are floating-point numbers
 * @dtype: the type; any number
 *
 * Return: whether it is one of f16, bf16, f32 and f64.
 */
bool vnpu_dtype_is_float(unsigned int dtype);

/**
 * vnpu_dtype_promote() - find the type that can represent elements of two
 * @a: a type
 * @b: another
 *
 * Floating-point types win over integers, and wider types over narrower ones.
 * f16 and bf16 make f32. An unsigned integer and a signed one of its width make
 * one of the next width, as u8 and i8 make i16. NONE loses against everything.
 * These are the rules of PyTorch.
 *
 * Return: the type.
 */
unsigned int vnpu_dtype_promote(unsigned int a, unsigned int b);

/**
 * vnpu_tensor_init() - describe a contiguous tensor
 * @t: the tensor
 * @dtype: type of its elements
 * @rank: number of dimensions
 * @dims: their sizes; not negative
 * @data: its memory, or NULL
 */
void vnpu_tensor_init(struct vnpu_tensor *t, unsigned int dtype,
		      unsigned int rank, const int64_t *dims, void *data);

/**
 * vnpu_tensor_set_f64() - make an immediate number
 * @t: the tensor
 * @value: the number; its type yields to that of other operands
 */
void vnpu_tensor_set_f64(struct vnpu_tensor *t, double value);

/**
 * vnpu_tensor_set_i64() - make an immediate integer
 * @t: the tensor
 * @value: the integer; its type yields to that of other operands
 */
void vnpu_tensor_set_i64(struct vnpu_tensor *t, int64_t value);

/**
 * vnpu_tensor_elements() - count the elements of a view
 * @t: a tensor that was checked
 *
 * Return: the product of its dimensions.
 */
int64_t vnpu_tensor_elements(const struct vnpu_tensor *t);

/**
 * vnpu_tensor_is_contiguous() - check the order of a view
 * @t: a tensor that was checked
 *
 * Return: whether its elements follow each other in the storage.
 */
bool vnpu_tensor_is_contiguous(const struct vnpu_tensor *t);

/**
 * vnpu_tensor_check() - check that a view stays within its storage
 * @t: the tensor; nothing in it is trusted
 * @why: set to the reason of an error
 *
 * Return: 0; -EINVAL for a type, rank, size or flag that does not exist, or for
 * an address that is not aligned; -EOVERFLOW for numbers beyond
 * VNPU_TENSOR_MAX; -EFAULT if an element is outside of the storage.
 */
int vnpu_tensor_check(const struct vnpu_tensor *t, const char **why);

#endif
