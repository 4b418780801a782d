// SPDX-License-Identifier: MIT
/*
 * The first position on a stack, in the layouts of fiber_*.S.
 */
#include <stdint.h>
#include <string.h>

#include "fiber.h"

extern const char exec_fiber_begin[];

#if defined(__x86_64__)

struct position {
	uint32_t mxcsr;
	uint32_t x87;
	uint64_t r15, r14, r13, r12, rbx, rbp;
	uint64_t rip;
};

void *exec_fiber_init(void *top, void (*main)(void *arg), void *arg)
{
	/* exec_fiber_begin() calls, so its stack is aligned to 16. */
	struct position *at = (struct position *)top - 1;

	memset(at, 0, sizeof(*at));
	at->mxcsr = 0x1f80;
	at->x87 = 0x37f;
	at->r12 = (uintptr_t)arg;
	at->rbx = (uintptr_t)main;
	at->rip = (uintptr_t)exec_fiber_begin;
	return at;
}

#elif defined(__aarch64__)

struct position {
	uint64_t x19[12];
	uint64_t d8[8];
	uint64_t fpcr;
	uint64_t unused;
};

void *exec_fiber_init(void *top, void (*main)(void *arg), void *arg)
{
	struct position *at = (struct position *)top - 1;

	memset(at, 0, sizeof(*at));
	at->x19[0] = (uintptr_t)main;
	at->x19[1] = (uintptr_t)arg;
	at->x19[11] = (uintptr_t)exec_fiber_begin;
	return at;
}

#else
#error "vnpu-core has no fibers for this processor"
#endif
