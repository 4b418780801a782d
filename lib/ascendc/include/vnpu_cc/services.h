/* SPDX-License-Identifier: MIT */
/*
 * The way to the block that is running, and to the services of its core.  The
 * host pass reads it, too, and calls nothing of it.
 */
#ifndef VNPU_CC_SERVICES_H
#define VNPU_CC_SERVICES_H

#include "../vnpu/kernel.h"

#include <stdarg.h>

#define VNPU_ALWAYS_INLINE	inline __attribute__((always_inline))
#define VNPU_NOINLINE		__attribute__((noinline))
#define VNPU_COLD		__attribute__((cold))

namespace vnpu {

enum class core_type { vector = 1, cube = 2 };

/*
 * The block that is running; see VNPU_STACK_SIZE.  It does not change while a
 * function runs, so the compiler may keep it.
 */
VNPU_ALWAYS_INLINE struct vnpu_block *block()
{
	uintptr_t stack;

#if defined(__x86_64__)
	__asm__("mov %%rsp, %0" : "=r"(stack));
#elif defined(__aarch64__)
	__asm__("mov %0, sp" : "=r"(stack));
#endif
	stack |= VNPU_STACK_SIZE - 1;
	return reinterpret_cast<struct vnpu_block **>(stack + 1)[-1];
}

/*
 * Faults
 */

/* Report a fault and do not return. */
[[noreturn]] VNPU_COLD inline void
fault_at(uint32_t kind, const void *address, uint64_t length, const char *file,
	 uint32_t line, const char *format, va_list args)
{
	struct vnpu_block *b = block();
	struct vnpu_fault fault = {};
	char text[400];

	__builtin_vsnprintf(text, sizeof(text), format, args);
	fault.size = sizeof(fault);
	fault.kind = kind;
	fault.text = text;
	fault.file = file;
	fault.line = line;
	fault.pc = __builtin_return_address(0);
	fault.address = address;
	fault.length = length;
	b->ops->fault(b, &fault);
	__builtin_trap();
}

[[noreturn]] VNPU_COLD inline void
fault(uint32_t kind, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

inline void fault(uint32_t kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fault_at(kind, nullptr, 0, nullptr, 0, format, args);
}

[[noreturn]] VNPU_COLD inline void
fault_address(uint32_t kind, const void *address, uint64_t length,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

inline void fault_address(uint32_t kind, const void *address, uint64_t length,
			  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fault_at(kind, address, length, nullptr, 0, format, args);
}

[[noreturn]] VNPU_COLD inline void
fault_source(const char *file, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

inline void fault_source(const char *file, uint32_t line, const char *format,
			 ...)
{
	va_list args;

	va_start(args, format);
	fault_at(VNPU_FAULT_ASSERT, nullptr, 0, file, line, format, args);
}

/* A mistake that does not end the launch. */
VNPU_COLD inline void finding(uint32_t kind, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

inline void finding(uint32_t kind, const char *format, ...)
{
	struct vnpu_block *b = block();
	struct vnpu_fault fault = {};
	char text[400];
	va_list args;

	va_start(args, format);
	__builtin_vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fault.size = sizeof(fault);
	fault.kind = kind;
	fault.text = text;
	fault.pc = __builtin_return_address(0);
	b->ops->finding(b, &fault);
}

/* Text of a kernel, in pieces that a stack has room for. */
VNPU_COLD inline int print(const char *format, va_list args)
{
	struct vnpu_block *b = block();
	char text[1024];
	int length = __builtin_vsnprintf(text, sizeof(text), format, args);

	if (length > 0)
		b->ops->print(b, text, length < (int)sizeof(text) ?
			      length : (int)sizeof(text) - 1);
	return length;
}

} /* namespace vnpu */

#endif /* VNPU_CC_SERVICES_H */
