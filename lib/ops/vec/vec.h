/* SPDX-License-Identifier: MIT */
/*
 * Loops over elements that follow each other: the part of the engine that is
 * compiled several times, for different instructions. See ops.mk.
 *
 * All variants compute the same bits. The compiler may use vector instructions,
 * but neither contracts multiplications and additions, nor reorders them.
 */
#ifndef VNPU_OPS_VEC_H
#define VNPU_OPS_VEC_H

#include "../op.h"
#include "attention.h"
#include "gemm.h"
#include "lines.h"
#include "plane.h"
#include "reduce.h"

#define OPS_ROW_INPUTS	4
#define OPS_ROW_OUTPUTS	3
#define OPS_ROW_PARAMS	7

/**
 * struct ops_row - elements of an elementwise operator
 * @n: number of elements
 * @in: elements of the inputs, of the type of the class
 * @out: elements of the outputs, likewise; may be those of an input
 * @param: the parameters
 */
struct ops_row {
	size_t n;
	const void *in[OPS_ROW_INPUTS];
	void *out[OPS_ROW_OUTPUTS];
	double param[OPS_ROW_PARAMS];
};

typedef void (*ops_row_fn)(const struct ops_row *r);

/**
 * typedef ops_load_fn - convert elements to the type of a class
 * @dst: the converted elements, one after the other
 * @src: the first element
 * @stride: distance of elements of @src, in elements
 * @n: number of elements
 */
typedef void (*ops_load_fn)(void *dst, const void *src, int64_t stride,
			    size_t n);

/**
 * typedef ops_store_fn - convert elements from the type of a class
 * @dst: the first converted element
 * @stride: distance of elements of @dst, in elements
 * @src: the elements, one after the other; may be @dst if the sizes are equal
 * @n: number of elements
 */
typedef void (*ops_store_fn)(void *dst, int64_t stride, const void *src,
			     size_t n);

/**
 * struct ops_vec - the loops of a variant
 * @name: its name
 * @load: ops_load_fn by type of the tensor and class
 * @store: ops_store_fn by class and type of the tensor
 * @line: ops_line_fn by kind, of float and of double
 * @gemm: products of matrices, of float and of double
 * @plane: rows of planes
 * @reduce: ops_reduce_fn by kind and class; NULL if there is none
 * @softmax: the softmax of attention
 * @slopes: its gradient
 * @row: ops_row_fn by elementwise operator and class; NULL if there is none
 * @columns: ops_columns_fn by kind, of float and of double; NULL if there is none
 */
struct ops_vec {
	const char *name;
	const ops_load_fn (*load)[OPS_CLASSES];
	const ops_store_fn (*store)[VNPU_DT_COUNT];
	const ops_row_fn (*row)[OPS_CLASSES];
	const ops_reduce_fn (*reduce)[OPS_CLASSES];
	const ops_line_fn (*line)[2];
	const struct ops_gemm *gemm;
	const struct ops_plane *plane;
	ops_softmax_fn softmax;
	ops_slopes_fn slopes;
	const ops_columns_fn (*columns)[2];
};

/* The best variant for this processor; set before main(). */
extern const struct ops_vec *ops_vec;

/* All variants that this processor can execute, the plainest first; for tests. */
const struct ops_vec *ops_vec_variant(unsigned int number);

/* Names of the variant that is compiled. */
#ifdef OPS_VARIANT
#define OPS_PASTE2(name, variant) name##_##variant
#define OPS_PASTE(name, variant) OPS_PASTE2(name, variant)
#define V(name) OPS_PASTE(name, OPS_VARIANT)

extern const ops_load_fn V(ops_loads)[VNPU_DT_COUNT][OPS_CLASSES];
extern const ops_store_fn V(ops_stores)[OPS_CLASSES][VNPU_DT_COUNT];
extern const ops_row_fn V(ops_rows)[VNPU_OP_COPY][OPS_CLASSES];
extern const ops_reduce_fn V(ops_reduces)[OPS_REDUCTIONS][OPS_CLASSES];
extern const ops_columns_fn V(ops_columns)[OPS_REDUCTIONS][2];
extern const struct ops_packing V(ops_packings)[2];
extern const struct ops_gemm V(ops_gemms)[2];
extern const struct ops_plane V(ops_planes);
void V(ops_finish_f)(const struct ops_finish *f, const void *bias, bool is_one,
		     const void *src, void *dst, int64_t n);
void V(ops_finish_d)(const struct ops_finish *f, const void *bias, bool is_one,
		     const void *src, void *dst, int64_t n);
extern const ops_line_fn V(ops_lines)[OPS_LINES][2];
void V(ops_softmax_block)(struct ops_softmax *s, float *x, int64_t n,
			  float scale, float *result, int64_t features);
void V(ops_slopes)(float *x, float *slope, int64_t n, float scale,
		   float out_scale, const float *most, const float *factor,
		   const float *dot);
extern const struct ops_vec V(ops_vec);
#endif

#endif
