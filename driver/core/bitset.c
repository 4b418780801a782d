// SPDX-License-Identifier: GPL-2.0-only
/* Ordered set of small numbers: memory management. See bitset.h. */
#include "bitset.h"

int vnpu_bitset_init(struct vnpu_bitset *set, u32 bits)
{
	size_t words[VNPU_BITSET_LEVELS];
	size_t n = bits, sum = 0;
	u32 l = 0;
	u64 *at;

	do {
		n = (n + 63) >> 6;
		words[l] = n + 1;
		sum += words[l++];
	} while (n > 1);

	at = kvcalloc(sum, sizeof(*at), GFP_KERNEL);
	if (!at)
		return -ENOMEM;

	set->words = sum;
	set->levels = l;
	for (l = 0; l < set->levels; l++) {
		set->level[l] = at;
		at += words[l];
	}
	return 0;
}

void vnpu_bitset_fini(struct vnpu_bitset *set)
{
	kvfree(set->level[0]);
}
