/* SPDX-License-Identifier: MIT */
/*
 * A call: launches of operators that belong together, the steps, which run one
 * after the other.
 *
 * It is a struct vnpu_op_call and the used bytes of each launch.  Like launches,
 * calls have no pointers, and cross process boundaries.  The receiver trusts
 * nothing in them.
 */
#ifndef VNPU_OPS_CALL_H
#define VNPU_OPS_CALL_H

#include <string.h>

#include "ops.h"

/* Changes with the call or an operator; both ends are of the same build. */
#define VNPU_OP_CALL_VERSION	1
#define VNPU_OP_CALL_NAME	64

/* The longest call, in bytes. */
#define VNPU_OP_CALL_MAX	(1U << 20)

/**
 * struct vnpu_op_call - the head of a call
 * @size: bytes of the call
 * @version: VNPU_OP_CALL_VERSION
 * @steps: number of steps
 * @name: the name for messages, which ends with a zero
 */
struct vnpu_op_call {
	uint32_t size;
	uint16_t version;
	uint16_t steps;
	char name[VNPU_OP_CALL_NAME];
};

/**
 * vnpu_op_call_check() - check the head of a call
 * @call: a private copy of the call
 * @size: its bytes
 *
 * Return: NULL, or what is wrong.
 */
const char *vnpu_op_call_check(const void *call, size_t size);

/**
 * vnpu_op_call_step() - get the next step of a call
 * @call: a checked call
 * @at: 0 for the first step; advanced
 * @size: set to the bytes of the launch, for vnpu_op_prepare()
 *
 * Return: the launch, which is not checked; NULL behind the last one, or if the
 * rest of the call is too short for a launch.
 */
static inline const void *vnpu_op_call_step(const struct vnpu_op_call *call,
					    size_t *at, size_t *size)
{
	size_t begin = *at ? *at : sizeof(*call);
	const char *step = (const char *)call + begin;
	uint32_t length;

	if (call->size - begin < sizeof(length))
		return NULL;
	memcpy(&length, step, sizeof(length));
	if (length < offsetof(struct vnpu_op_launch, tensor) ||
	    length % sizeof(uint64_t) || length > call->size - begin)
		return NULL;
	*at = begin + length;
	*size = length;
	return step;
}

#endif
