/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Base of the tests of the operator engine: random views, exact access to their
 * elements, and comparisons with results of plain loops.
 */
#ifndef SELFTESTS_OPS_TEST_H
#define SELFTESTS_OPS_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../lib/ops/ops.h"
#include "../expect.h"

extern const struct test map_tests[], special_tests[], copy_tests[],
	reduce_tests[], index_tests[], order_tests[], matmul_tests[],
	norm_tests[], window_tests[], conv_tests[], attention_tests[],
	random_tests[], select_tests[], gradient_tests[], launch_tests[], matrix_tests[],
	sample_tests[], grouped_tests[], ctc_tests[],
	chain_tests[], search_tests[], image_tests[], plain_tests[];

/* A random sequence that is the same everywhere. */
uint64_t rnd(void);
int64_t below(int64_t bound);
double uniform(double low, double high);

enum layout {
	CONTIGUOUS,
	TRANSPOSED,	/* dimensions in a random order */
	SLICED,		/* gaps between elements, and an offset */
	REVERSED,	/* negative strides */
	EXPANDED,	/* some dimensions repeat; not for outputs */
	LAYOUTS,
	OUT_LAYOUTS = EXPANDED,
};

/*
 * Make a view in memory of its own, of exactly the size that the view reaches.
 * free_views() frees all of them when the test ends.
 */
struct vnpu_tensor view(unsigned int dtype, enum layout layout,
			unsigned int rank, const int64_t *dims);
#define VIEW(dtype, layout, ...)					\
	view(dtype, layout,						\
	     sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t),	\
	     (int64_t[]){ __VA_ARGS__ })

void free_views(void);

/* A view of a random floating-point type and layout with random elements. */
struct vnpu_tensor random_view(unsigned int rank, const int64_t *dims);
#define RANDOM(...)							\
	random_view(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
		    (int64_t[]){ __VA_ARGS__ })

/* Likewise, of this type, with sizes up to @most and one of the first layouts. */
struct vnpu_tensor any_view(unsigned int dtype, unsigned int rank,
			    int64_t most, enum layout layouts);

/* Numbers of elements in the order of the dimensions. */
void *element(const struct vnpu_tensor *t, int64_t number);
double get(const struct vnpu_tensor *t, int64_t number);
int64_t get_int(const struct vnpu_tensor *t, int64_t number);
/* Store with the rounding of the type: by plain code, not that of the engine. */
void set(const struct vnpu_tensor *t, int64_t number, double value);
void set_int(const struct vnpu_tensor *t, int64_t number, int64_t value);

/* Element of an operand for element @number of a result with @dims. */
int64_t broadcast_number(const struct vnpu_tensor *t, unsigned int rank,
			 const int64_t *dims, int64_t number);

/* Split an element's number into indices, and make it from them. */
void split_number(const struct vnpu_tensor *t, int64_t number, int64_t *index);
int64_t join_number(const struct vnpu_tensor *t, const int64_t *index);

/* Fill with numbers between two bounds; integers are whole. */
void fill(const struct vnpu_tensor *t, double low, double high);

/*
 * Whether an element is @want, within @ulps units of its type's last place at
 * the size of @want, or at @scale if that is larger.
 */
bool is_close(const struct vnpu_tensor *t, int64_t number, double want,
	      double scale, double ulps);

/*
 * Whether an element is @want, as computed in f32 from numbers of the size of
 * @scale, and rounded to its type; a note says why not.
 */
bool is_near(const struct vnpu_tensor *t, int64_t number, double want,
	     double scale);

/*
 * Run a launch in 1, 2 and 7 parts, in each variant of the loops, and expect
 * the same bits in the outputs each time. Inputs that are outputs, too, are
 * restored.
 */
bool run(const struct vnpu_op_launch *l);

/* Let vnpu_op_infer() describe all outputs, and give them memory. */
bool make_outputs(struct vnpu_op_launch *l);

/* Begin a launch with these tensors, the outputs last. */
void launch(struct vnpu_op_launch *l, unsigned int op, unsigned int inputs,
	    unsigned int outputs, ...);

extern const unsigned int float_types[4], int_types[5], all_types[12];

#endif
