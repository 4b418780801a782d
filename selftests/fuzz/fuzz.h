/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer of the kernel with programs that are made of bytes. The loop
 * (fuzz.c) derives programs from others, runs each in a process of its own, and
 * keeps those that reach new code, as reported by KCOV if the kernel has it. A
 * target defines the meaning of the bytes, and the state that must hold when
 * the process has ended.
 */
#ifndef SELFTESTS_VNPU_FUZZ_H
#define SELFTESTS_VNPU_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define STEPS_MAX	32
#define STEP_ARGS	14

/* Exit status of a program whose ioctl fails with an unexpected error. */
#define EXIT_UNLISTED	3

/**
 * struct step - a step of a program: any bytes are one
 * @op: the operation
 * @how: variants of it
 * @arg: its arguments
 */
struct step {
	__u8 op;
	__u8 how;
	__u8 arg[STEP_ARGS];
};

struct program {
	__u32 count;
	struct step steps[STEPS_MAX];
};

/**
 * struct target - the target of a fuzzer
 * @name: of the program, and of its corpus
 * @ops: defined values of step.op
 * @op_count: how many
 * @setup: called once; NULL, or why it is impossible
 * @run: run a program, in a process of its own, to its end
 * @check: called when that process has ended; NULL, or the error
 */
struct target {
	const char *name;
	const __u8 *ops;
	unsigned int op_count;
	const char *(*setup)(void);
	void (*run)(const struct program *p);
	const char *(*check)(void);
};

int fuzz_main(int argc, char **argv, const struct target *target);

/* Coverage of the kernel; these functions do nothing without KCOV. */
bool cover_open(void);
void cover_begin(void);
unsigned int cover_end(void);
unsigned int cover_blocks(void);

#endif
