/* SPDX-License-Identifier: MIT */
/*
 * Requests to valgrind, see "The Client Request mechanism" in its manual: rotations
 * that change nothing mark an instruction that it replaces.  Elsewhere a request
 * does nothing and costs some ns.
 */
#ifndef VNPU_CORE_EXEC_VALGRIND_H
#define VNPU_CORE_EXEC_VALGRIND_H

#include <stddef.h>
#include <stdint.h>

#define VALGRIND_STACK_REGISTER		0x1501U
#define VALGRIND_STACK_DEREGISTER	0x1502U
#define MEMCHECK_MAKE_UNDEFINED		0x4d430001U
#define MEMCHECK_MAKE_DEFINED		0x4d430002U

/* Returns 0 without valgrind. */
static inline uint64_t valgrind_request(uint64_t code, uint64_t first,
					uint64_t second)
{
	volatile uint64_t request[6] = { code, first, second };

#if defined(__x86_64__)
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d" (result) : "a" (request) : "cc", "memory");
	return result;
#elif defined(__aarch64__)
	register uint64_t result __asm__("x3") = 0;
	register volatile uint64_t *address __asm__("x4") = request;

	__asm__ volatile("ror x12, x12, #3; ror x12, x12, #13\n\t"
			 "ror x12, x12, #51; ror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r" (result) : "r" (address) : "cc", "memory");
	return result;
#endif
}

/* Note that a thread may run on this stack; returns a number for the following. */
static inline uint64_t valgrind_stack_add(const void *start, size_t size)
{
	return valgrind_request(VALGRIND_STACK_REGISTER, (uintptr_t)start,
				(uintptr_t)start + size - 1);
}

static inline void valgrind_stack_remove(uint64_t stack)
{
	valgrind_request(VALGRIND_STACK_DEREGISTER, stack, 0);
}

/* Have memcheck report what depends on the contents of this memory. */
static inline void valgrind_forget(const void *start, size_t size)
{
	valgrind_request(MEMCHECK_MAKE_UNDEFINED, (uintptr_t)start, size);
}

/* Have memcheck know that the driver has written to this memory. */
static inline void valgrind_note_written(const void *start, size_t size)
{
	valgrind_request(MEMCHECK_MAKE_DEFINED, (uintptr_t)start, size);
}

#endif /* VNPU_CORE_EXEC_VALGRIND_H */
