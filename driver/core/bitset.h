/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ordered set of small numbers: a bitmap under 64-ary summaries.
 *
 * Bit i of level l + 1 says that word i of level l is not zero, up to a
 * level of one word: what a van Emde Boas tree becomes when a node is a
 * machine word. Every operation touches at most one word per level going up
 * and one coming down; there are at most 6 levels for 2^32 members.
 *
 * Inline, because an insertion is mostly a single word of a single level.
 */
#ifndef VNPU_CORE_BITSET_H
#define VNPU_CORE_BITSET_H

#include "core_internal.h"

#define VNPU_BITSET_LEVELS	6
#define VNPU_BITSET_NONE	U32_MAX

/**
 * struct vnpu_bitset - a set of numbers below a bound
 * @level: the levels, members first; each ends in a word that stays zero, so
 *	that a search may step past the last
 * @levels: how many there are
 * @words: in all of them; they are one allocation
 */
struct vnpu_bitset {
	u64 *level[VNPU_BITSET_LEVELS];
	u32 levels;
	size_t words;
};

/* fini also after an init that failed, and of a set of zeroes. */
int vnpu_bitset_init(struct vnpu_bitset *set, u32 bits);
void vnpu_bitset_fini(struct vnpu_bitset *set);

static inline void vnpu_bitset_add(struct vnpu_bitset *set, u32 bit)
{
	u32 l;

	for (l = 0; l < set->levels; l++, bit >>= 6) {
		u64 *word = &set->level[l][bit >> 6];
		u64 old = *word;

		*word = old | 1ULL << (bit & 63);
		if (old)
			break;
	}
}

static inline void vnpu_bitset_remove(struct vnpu_bitset *set, u32 bit)
{
	u32 l;

	for (l = 0; l < set->levels; l++, bit >>= 6) {
		u64 *word = &set->level[l][bit >> 6];

		*word &= ~(1ULL << (bit & 63));
		if (*word)
			break;
	}
}

static inline bool vnpu_bitset_has(const struct vnpu_bitset *set, u32 bit)
{
	return set->level[0][bit >> 6] >> (bit & 63) & 1;
}

/* The lowest member that is not below @bit, which is below the bound. */
static inline u32 vnpu_bitset_next(const struct vnpu_bitset *set, u32 bit)
{
	u32 l = 0;
	u64 word;

	for (;;) {
		word = set->level[l][bit >> 6] & ~0ULL << (bit & 63);
		if (word)
			break;
		if (++l == set->levels)
			return VNPU_BITSET_NONE;
		bit = (bit >> 6) + 1;
	}
	bit = (bit & ~63U) + __ffs64(word);
	while (l--)
		bit = bit << 6 | __ffs64(set->level[l][bit]);
	return bit;
}

/* The highest member that is not above @bit, which is below the bound. */
static inline u32 vnpu_bitset_prev(const struct vnpu_bitset *set, u32 bit)
{
	u32 l = 0;
	u64 word;

	for (;;) {
		word = set->level[l][bit >> 6] & ~0ULL >> (63 - (bit & 63));
		if (word)
			break;
		if (++l == set->levels || bit < 64)
			return VNPU_BITSET_NONE;
		bit = (bit >> 6) - 1;
	}
	bit = (bit & ~63U) + fls64(word) - 1;
	while (l--)
		bit = bit << 6 | (fls64(set->level[l][bit]) - 1);
	return bit;
}

#endif
