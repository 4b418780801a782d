/* SPDX-License-Identifier: GPL-2.0-only */
/* Test Anything Protocol, a random sequence, and conditions that are told. */
#ifndef VNPU_CORE_TAP_H
#define VNPU_CORE_TAP_H

#include <stdio.h>

#include "core_shim.h"

struct tap_test {
	const char *name;
	bool (*run)(void);
};

extern u64 tap_seed;
extern unsigned long tap_steps;

/* Run them all, each with the sequence started anew. Exit status. */
int tap_main(const struct tap_test *tests, unsigned int nr);

/* Start the sequence: never from 0, and far apart for seeds that are not. */
void tap_start(u64 seed);

/* xorshift64*: good enough, and the same everywhere. */
u64 tap_random(void);
u32 tap_below(u32 bound);

/* A size below 1 << @order, every order equally likely. */
u32 tap_log_uniform(u32 order);

/* In a test: tell and fail. */
#define EXPECT(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: not true: %s\n", __FILE__,	\
			       __LINE__, #cond);			\
			return false;					\
		}							\
	} while (0)

#endif
