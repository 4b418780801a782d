/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels in C for tests of the executor, and a host that records results.
 */
#ifndef AICORE_EXEC_TEST_H
#define AICORE_EXEC_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "exec.h"

#define FINISHED_MAX	128

/**
 * struct host - a host of an executor
 * @lock: protects the rest
 * @changed: signalled when a launch ends
 * @finished: launches that have ended, in that order
 * @count: their number
 * @output: text that kernels printed
 * @findings: number of findings
 * @finding: the last one
 */
struct host {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct exec_launch *finished[FINISHED_MAX];
	unsigned int count;
	char output[65536];
	unsigned int findings;
	struct exec_report finding;
};

extern struct host host;

/* A kernel whose code is a C function that gets the argument block. */
struct c_kernel {
	struct vnpu_kernel_info info;
	struct vnpu_kernel kernel;
	struct exec_kernel exec;
};

typedef void kernel_fn(void *args);

void ok(bool is_ok, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int test_end(void);

/* The block that runs on this stack. */
struct vnpu_block *block(void);

void kernel_init(struct c_kernel *kernel, kernel_fn *function, uint32_t type);

/* An executor with 8 vector cores and 4 cube cores. */
struct exec *executor(uint32_t workers, enum exec_order order, uint64_t seed);

/* The same with one worker, in a process that is not its own. */
struct exec *executor_guest(void);

void launch_init(struct exec_launch *launch, struct c_kernel *kernel,
		 void *args, uint32_t blocks);

/* Wait until @count launches have ended; false after 10 seconds. */
bool finished_wait(unsigned int count);

/* Run a launch to its end; returns its result. */
int run(struct exec *exec, struct exec_launch *launch);

/* run() with a new launch of a C function, on vector cores. */
int run_fn(struct exec *exec, kernel_fn *function, void *args, uint32_t blocks,
	   struct exec_report *report);

uint64_t now_ns(void);

#endif /* AICORE_EXEC_TEST_H */
