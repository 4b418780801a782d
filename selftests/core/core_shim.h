/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel functions that driver/core uses, in user space: the kernel tree's
 * own tools/include, and replacements here for missing or slow ones.
 */
#ifndef VNPU_CORE_SHIM_H
#define VNPU_CORE_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/vnpu_task.h>

#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)
#define S32_MAX ((s32)(U32_MAX >> 1))
#define S32_MIN (-S32_MAX - 1)

/* Counts down the allocations; the one that meets zero fails. */
extern long core_fail_nth;
/* Allocations not freed. */
extern long core_allocated;

#undef GFP_KERNEL
#define GFP_KERNEL 0

void *core_calloc(size_t n, size_t size);
void core_free(const void *p);

#define cond_resched() do { } while (0)

#define kvcalloc(n, size, gfp) core_calloc(n, size)
#define kvzalloc(size, gfp) core_calloc(1, size)
#define kvfree(p) core_free(p)

#define __ffs64(x) ((u32)__builtin_ctzll(x))
#define fls64(x) ((u32)(64 - __builtin_clzll(x)))
static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

#define hweight64(x) ((u32)__builtin_popcountll(x))

#endif
