/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations of the tests of driver/core, by file. */
#ifndef VNPU_TESTS_CORE_TEST_H
#define VNPU_TESTS_CORE_TEST_H

#include "../core/allocator.h"
#include "../core/compact.h"
#include "../core/fairq.h"
#include "../core/philox.h"
#include "../core/readyq.h"
#include "../core/reduce.h"
#include "../core/slab.h"
#include "../core/va.h"
#include "tap.h"

/* tests/allocator_test.c */
bool test_create_refused(void);
bool test_requests_refused(void);
bool test_free_refused(void);
bool test_claim(void);
bool test_range_borders(void);
bool test_segment_borders(void);
bool test_pathological(void);
bool test_pessimistic(void);
bool test_largest(void);
bool test_misaligned(void);
bool test_two_ended(void);
bool test_metadata(void);

/* tests/allocator_random.c */
bool test_random_one_frame(void);
bool test_random_segments(void);
bool test_random_granules(void);
bool test_random_giants(void);
bool test_random_exhausted(void);

/* compact_test.c */
bool test_compact_sort(void);
bool test_compact_refused(void);
bool test_compact_large_refused(void);
bool test_compact_giant(void);
bool test_compact_exhaustive(void);
bool test_compact_random(void);

/* compact_reach.c */
bool test_compact_reach(void);

/* dirty_test.c */
bool test_dirty(void);
bool test_to_clear(void);
bool test_to_clear_given_out(void);
bool test_to_clear_far(void);

/* fairq_test.c */
bool test_fairq_order(void);
bool test_fairq_weights(void);
bool test_fairq_engines(void);
bool test_fairq_lag(void);
bool test_fairq_alone(void);
bool test_fairq_contexts(void);
bool test_fairq_urgent(void);

/* fairq_random.c */
bool test_fairq_random(void);

/* philox_test.c */
bool test_random_words(void);
bool test_random_refused(void);
bool test_random_values(void);
bool test_random_bounds(void);
bool test_random_chunks(void);

/* readyq_test.c */
bool test_readyq_order(void);
bool test_readyq_starvation(void);
bool test_readyq_fair(void);
bool test_readyq_random(void);

/* reduce_test.c */
bool test_reduce_checked(void);
bool test_reduce_values(void);
bool test_reduce_integers(void);
bool test_reduce_floats(void);

/* slab_test.c */
bool test_slab_sizes(void);
bool test_slab_addresses(void);
bool test_slab_refused(void);
bool test_slab_exhausted(void);
bool test_slab_random(void);

/* va_test.c */
bool test_va_borders(void);
bool test_va_random(void);

/* vector_test.c */
bool test_vector_reduce(void);
bool test_vector_copy(void);

#endif
