/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests that compare driver/core with the compiler's floating point. */
#ifndef FLOAT_TEST_H
#define FLOAT_TEST_H

#include <stdbool.h>

/* random_test.c */
bool test_random_quantiles(void);
bool test_random_distributions(void);
bool test_random_dropout(void);

/* float_test.c */
bool test_reduce_fp16(void);
bool test_reduce_bf16(void);
bool test_reduce_fp32(void);
bool test_reduce_fp64(void);

#endif
