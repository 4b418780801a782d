/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures on demand in this thread: of what it asks the kernel for, by
 * /proc/thread-self/fail-nth, and of what it asks the heap for, whose functions
 * this program has in place of those of the C library.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_H
#define SELFTESTS_LIB_FAIL_NTH_H

#include <stdbool.h>

enum fail_kind {
	FAIL_KERNEL,
	FAIL_HEAP,
};

/* Whether the kernel can; its knobs are as they were after fail_fini(). */
bool fail_init(enum fail_kind kind);
void fail_fini(void);

/* The @n-th allocation from now on fails, or copy from or to this process. */
void fail_arm(unsigned int n);

/* The next allocation of the heap by another thread fails. */
void fail_arm_others(void);
bool fail_is_armed_for_others(void);

/* None any more; whether it came to that one. */
bool fail_disarm(void);

/* Blocks of the heap that are allocated. */
long fail_blocks(void);

#endif
