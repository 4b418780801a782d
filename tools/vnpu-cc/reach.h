/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of an assembly, their calls, and the needs of instructions.
 */
#ifndef VNPU_CC_REACH_H
#define VNPU_CC_REACH_H

#include <stdbool.h>

#include "text.h"

/* Needs of a function, as bits. */
#define NEEDS_CUBE	(1U << 0)	/* an instruction of cube cores */
#define NEEDS_MATMUL	(1U << 1)	/* an object of the class Matmul */

/**
 * struct function - a function of an assembly
 * @name: its symbol; owned
 * @needs: NEEDS_* of its own instructions
 * @is_seen: visited by the current search
 * @calls: symbols that it refers to; owned
 * @call_count: their number
 */
struct function {
	char *name;
	unsigned int needs;
	bool is_seen;
	char **calls;
	size_t call_count;
};

/**
 * struct reach - the functions of an assembly
 * @at: the functions
 * @count: their number
 */
struct reach {
	struct function *at;
	size_t count;
};

void reach_init(struct reach *reach, const struct text *in);
void reach_fini(struct reach *reach);
unsigned int reach_needs(struct reach *reach, const char *name);

#endif /* VNPU_CC_REACH_H */
