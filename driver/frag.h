/* SPDX-License-Identifier: GPL-2.0-only */
/* External fragmentation as a number. */
#ifndef VNPU_FRAG_H
#define VNPU_FRAG_H

#include <linux/math64.h>
#include <linux/types.h>

/* How much of what is free is not in the longest run: permille, rounded up. */
static inline u32 vnpu_frag_index(u64 free, u64 largest)
{
	return free ? 1000 - div64_u64(largest * 1000, free) : 0;
}

#endif
