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

/*
 * Every level is written, also where nothing changes: how far up a change
 * reaches is as good as random, and a branch mispredicted costs more.
 */
static inline void vnpu_bitset_add(struct vnpu_bitset *set, u32 bit)
{
	u32 l;

	for (l = 0; l < set->levels; l++, bit >>= 6)
		set->level[l][bit >> 6] |= 1ULL << (bit & 63);
}

static inline void vnpu_bitset_remove(struct vnpu_bitset *set, u32 bit)
{
	u64 empty = 1;
	u32 l;

	for (l = 0; l < set->levels; l++, bit >>= 6) {
		u64 *word = &set->level[l][bit >> 6];

		*word &= ~(empty << (bit & 63));
		empty = !*word;
	}
}

static inline bool vnpu_bitset_test(const struct vnpu_bitset *set, u32 l,
				    u32 bit)
{
	return set->level[l][bit >> 6] >> (bit & 63) & 1;
}

static inline bool vnpu_bitset_has(const struct vnpu_bitset *set, u32 bit)
{
	return vnpu_bitset_test(set, 0, bit);
}

/*
 * The lowest member that is not below @bit, which is below the bound. Members
 * are sparse: mostly the word of @bit is zero, and the summary, which is at
 * hand in a cache, knows that without a look at the word, which is not.
 */
static inline u32 vnpu_bitset_next(const struct vnpu_bitset *set, u32 bit)
{
	u32 l = 0;
	u64 word;

	if (set->levels > 1 && !vnpu_bitset_test(set, 1, bit >> 6)) {
		bit >>= 6;
		l = 1;
	}
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

/* Whether no member is in [@from, @to), which is below the bound. */
static inline bool vnpu_bitset_none(const struct vnpu_bitset *set, u32 from,
				    u32 to)
{
	u32 l;

	for (l = 0; from < to; l++) {
		u64 above = ~0ULL << (from & 63);
		u64 below = ~(~0ULL << (to & 63));

		if (from >> 6 == to >> 6)
			return !(set->level[l][from >> 6] & above & below);
		if (set->level[l][from >> 6] & above ||
		    set->level[l][to >> 6] & below)
			return false;
		from = (from >> 6) + 1;
		to >>= 6;
	}
	return true;
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
