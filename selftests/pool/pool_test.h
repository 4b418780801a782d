/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared parts of the tests of pools without a device. */
#ifndef SELFTESTS_POOL_POOL_TEST_H
#define SELFTESTS_POOL_POOL_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "host.h"
#include "shim.h"
#include "vnpu/pool.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

struct test {
	const char *name;
	bool (*run)(void);
};

/* From the environment, STEPS= and SEED=. */
extern unsigned long test_steps;
extern uint64_t test_seed;

/* In a test: report the failure and fail. */
#define EXPECT(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: not true: %s (%s)\n",		\
			       __FILE__, __LINE__, #cond, shim_message);\
			return false;					\
		}							\
	} while (0)

/* Create a pool with host memory; @most bytes of it, or 0. */
bool pool_open(struct host *host, struct vnpu_pool_config *config,
	       uint64_t most, vnpu_pool_t *pool);

/* End the empty pool; return whether it was empty and made no error. */
bool pool_close(struct host *host, vnpu_pool_t pool);

struct vnpu_pool_stats stats_of(vnpu_pool_t pool);

/* Run in a thread of its own; return its result. */
void *in_thread(void *(*run)(void *arg), void *arg);

/* xorshift64*. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

extern const struct test call_tests[], memory_tests[], thread_tests[],
	profile_tests[], training_tests[], step_tests[], remap_tests[],
	random_tests[];
extern const size_t call_count, memory_count, thread_count, profile_count,
	training_count, step_count, remap_count, random_count;

/* Fail the nth allocation of host memory from now on; 0: none. */
extern _Thread_local unsigned long fail_malloc_at;

#endif /* SELFTESTS_POOL_POOL_TEST_H */
