/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Base of the tests of driver/core, in KUnit and in user space: a random
 * sequence that is the same everywhere, and conditions that report a failure.
 */
#ifndef VNPU_TESTS_TAP_H
#define VNPU_TESTS_TAP_H

#include "../core/core_internal.h"

#ifdef __KERNEL__
#include <linux/sched.h>

#include <kunit/test.h>

#define tap_note(fmt, ...)						\
	kunit_info(current->kunit_test, fmt, ##__VA_ARGS__)
/* The largest arena for which a test machine has enough memory: 64 GiB. */
#define TAP_GIANT_PAGES		0x1000000U
#else
#include <stdio.h>

#define tap_note(fmt, ...)	printf("# " fmt "\n", ##__VA_ARGS__)
#define TAP_GIANT_PAGES		VNPU_ALLOCATOR_MAX_PAGES
#endif

struct tap_test {
	const char *name;
	bool (*run)(void);
};

/* Number of steps of random tests. */
extern unsigned long tap_steps;

/* Start the sequence. Different seeds start far apart, and none starts at 0. */
void tap_start(u64 seed);

/* xorshift64*: good enough, and the same on every machine. */
u64 tap_random(void);
u32 tap_below(u32 bound);

/* Return a size below 1 << @order; every order is equally likely. */
u32 tap_log_uniform(u32 order);

/* In a test: report and fail if a condition is false. */
#define EXPECT(cond)							\
	do {								\
		if (!(cond)) {						\
			tap_note("%s:%d: not true: %s", __FILE__,	\
				 __LINE__, #cond);			\
			return false;					\
		}							\
	} while (0)

#endif
