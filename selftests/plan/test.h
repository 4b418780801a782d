/* SPDX-License-Identifier: GPL-2.0-only */
/* The harness of the planner's tests. */
#ifndef VNPU_PLAN_TEST_H
#define VNPU_PLAN_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vnpu/plan.h"
#include "../expect.h"

extern const struct test model_tests[], csv_tests[], random_tests[],
	perfect_tests[], graph_tests[], recompute_tests[], arena_tests[],
	order_tests[], stream_tests[], graph_text_tests[],
	memory_tests[], variant_tests[], apart_tests[];

/* The number of random plans. */
extern uint32_t test_plans;

/* From 0 to @bound - 1. */
uint32_t test_below(uint32_t bound);

/* A plan of tensors, which must be valid. */
struct vnpu_plan *test_plan(const struct vnpu_plan_tensor *tensor,
			    uint32_t count);

uint64_t test_offset(const struct vnpu_plan *plan, uint32_t tensor);

#endif /* VNPU_PLAN_TEST_H */
