/* SPDX-License-Identifier: GPL-2.0-only */
/* A measure of external fragmentation. */
#ifndef VNPU_FRAG_H
#define VNPU_FRAG_H

#include <linux/math64.h>
#include <linux/types.h>

/*
 * Part of the free memory outside of the longest run, in permille, rounded up.
 */
static inline u32 vnpu_frag_index(u64 free, u64 largest)
{
	return free ? 1000 - div64_u64(largest * 1000, free) : 0;
}

#endif
