/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures on demand in this thread: of what it asks the kernel for, by
 * /proc/thread-self/fail-nth, and of what it asks the heap for, whose functions
 * this program has in place of those of the C library.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_H
#define SELFTESTS_LIB_FAIL_NTH_H

#include <stdbool.h>

enum nth_kind {
	NTH_KERNEL,
	NTH_HEAP,
};

/* Whether the kernel can; its knobs are as they were after nth_end(). */
bool nth_begin(enum nth_kind kind);
void nth_end(void);

/* The @n-th allocation from now on fails, or copy from or to this process. */
void nth_arm(unsigned int n);

/* The next allocation of the heap by another thread fails. */
void nth_arm_others(void);
bool nth_is_armed_for_others(void);

/* None any more; whether it came to that one. */
bool nth_disarm(void);

/* Blocks of the heap that are allocated, but those of the dynamic linker. */
long nth_blocks(void);

#endif
