/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the tests of driver/core, in the order of execution. */
#ifndef VNPU_TESTS_CORE_TESTS_H
#define VNPU_TESTS_CORE_TESTS_H

#include "core_test.h"

#define TEST(name) { #name, test_##name }

static const struct tap_test core_tests[] = {
	TEST(create_refused),
	TEST(requests_refused),
	TEST(free_refused),
	TEST(claim),
	TEST(range_borders),
	TEST(segment_borders),
	TEST(pathological),
	TEST(pessimistic),
	TEST(largest),
	TEST(misaligned),
	TEST(two_ended),
	TEST(dirty),
	TEST(to_clear),
	TEST(to_clear_given_out),
	TEST(to_clear_far),
	TEST(metadata),
	TEST(random_one_frame),
	TEST(random_segments),
	TEST(random_granules),
	TEST(random_giants),
	TEST(random_exhausted),
	TEST(compact_sort),
	TEST(compact_refused),
	TEST(compact_large_refused),
	TEST(compact_giant),
	TEST(compact_exhaustive),
	TEST(compact_random),
	TEST(compact_reach),
	TEST(random_words),
	TEST(random_refused),
	TEST(random_values),
	TEST(random_bounds),
	TEST(random_chunks),
	TEST(fairq_order),
	TEST(fairq_weights),
	TEST(fairq_engines),
	TEST(fairq_lag),
	TEST(fairq_alone),
	TEST(fairq_contexts),
	TEST(fairq_urgent),
	TEST(fairq_random),
	TEST(readyq_order),
	TEST(readyq_starvation),
	TEST(readyq_fair),
	TEST(readyq_random),
	TEST(reduce_checked),
	TEST(reduce_values),
	TEST(reduce_integers),
	TEST(reduce_floats),
	TEST(slab_sizes),
	TEST(slab_addresses),
	TEST(slab_refused),
	TEST(slab_exhausted),
	TEST(slab_random),
	TEST(va_borders),
	TEST(va_random),
	TEST(vector_reduce),
	TEST(vector_copy),
};

#undef TEST

#endif
