/* SPDX-License-Identifier: MIT */
/*
 * Small helpers for all files of the library.
 */
#ifndef VNPU_LIB_UTIL_H
#define VNPU_LIB_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The node of all devices. */
#define VNPU_NODE		"/dev/vnpu"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define VNPU_PRINTF(fmt, first) \
	__attribute__((__format__(__printf__, fmt, first)))

/* Get the time of CLOCK_MONOTONIC, which deadlines of the driver have as well. */
static inline uint64_t vnpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Round up to @align, a power of two; the caller excludes overflow. */
static inline uint64_t vnpu_align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

static inline uint64_t vnpu_ptr_to_u64(const void *ptr)
{
	return (uintptr_t)ptr;
}

static inline void *vnpu_u64_to_ptr(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

#endif /* VNPU_LIB_UTIL_H */
