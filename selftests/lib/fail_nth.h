/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures on demand in this thread: of system calls, by
 * /proc/thread-self/fail-nth, and of the heap, whose functions this program
 * replaces.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_H
#define SELFTESTS_LIB_FAIL_NTH_H

#include <stdbool.h>

enum nth_kind {
	NTH_KERNEL,
	NTH_HEAP,
};

/* Return whether the kernel supports this; nth_end() restores its knobs. */
bool nth_begin(enum nth_kind kind);
void nth_end(void);

/* The @n-th allocation, or copy from or to this process, from now on fails. */
void nth_arm(unsigned int n);

/* The next allocation of the heap by another thread fails. */
void nth_arm_others(void);
bool nth_is_armed_for_others(void);

/* End the failures; return whether the failing one was reached. */
bool nth_disarm(void);

/*
 * Blocks of the heap that are allocated, except for those of the dynamic
 * linker.
 */
long nth_blocks(void);

#endif
