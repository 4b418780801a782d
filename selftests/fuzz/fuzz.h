/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer of the kernel by programs that are made of bytes. The loop (fuzz.c)
 * makes programs of others, runs each in a process of its own and keeps those
 * that reach something new, as KCOV tells where the kernel has it. A target says
 * what the bytes mean, and what must hold when the process is gone.
 */
#ifndef SELFTESTS_VNPU_FUZZ_H
#define SELFTESTS_VNPU_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define STEPS_MAX	32
#define STEP_ARGS	14

/**
 * struct step - a step of a program: any bytes are one
 * @op: what to do
 * @how: how to do it
 * @arg: what with
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
 * struct target - what is fuzzed
 * @name: of the program, and of its corpus
 * @ops: values of step.op that mean something
 * @op_count: how many
 * @setup: called once; NULL, or why it cannot be
 * @run: run a program, in a process of its own, to its end
 * @check: called when that process is gone; NULL, or what is wrong
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

/* What the kernel has run; all do nothing where it has no KCOV. */
bool cover_open(void);
void cover_begin(void);
unsigned int cover_end(void);
unsigned int cover_blocks(void);

#endif
