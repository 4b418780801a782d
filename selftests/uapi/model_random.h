/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of VNPU_TASK_RANDOM, see model_random.c. */
#ifndef SELFTESTS_VNPU_MODEL_RANDOM_H
#define SELFTESTS_VNPU_MODEL_RANDOM_H

#include <linux/vnpu_task.h>

/* Return how many bytes the task writes. */
unsigned long long model_random_bytes(const struct vnpu_task *task);

/* Write them, with the two words of a counter; @dst is aligned to 8. */
void model_random(const struct vnpu_task *task,
		  const unsigned long long counter[2], void *dst);

#endif
