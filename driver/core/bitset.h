/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ordered set of small numbers: a bitmap under 64-ary summaries.
 *
 * Bit i of level l + 1 is set if word i of level l is not zero; the top level
 * is a single word. This is a van Emde Boas tree with machine words as nodes.
 * Every operation touches at most one word per level on the way up and one on
 * the way down. 2^32 members need at most 6 levels.
 *
 * The functions are inline because an insertion is mostly a single word of a
 * single level.
 */
#ifndef VNPU_CORE_BITSET_H
#define VNPU_CORE_BITSET_H

#include "core_internal.h"

#define VNPU_BITSET_LEVELS	6
#define VNPU_BITSET_NONE	U32_MAX

/**
 * struct vnpu_bitset - a set of numbers below a bound
 * @level: the levels, members first; each has a last word that stays zero, so
 *	that a search may step past the last member
 * @levels: number of levels
 * @words: number of words in all levels, which are one allocation
 */
struct vnpu_bitset {
	u64 *level[VNPU_BITSET_LEVELS];
	u32 levels;
	size_t words;
};

/* fini may also be called after a failed init, and on a zeroed set. */
int vnpu_bitset_init(struct vnpu_bitset *set, u32 bits);
void vnpu_bitset_fini(struct vnpu_bitset *set);

/*
 * Write every level, even if nothing changes there. How far up a change goes is
 * close to random, and a mispredicted branch costs more than the write.
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
 * Return the lowest member that is not below @bit; @bit is below the bound.
 * Members are sparse, so the word of @bit is mostly zero. The summary is likely
 * in the cache and shows this without a load of the word, which is not.
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

/* Check that no member is in [@from, @to), which is below the bound. */
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

/* Return the highest member that is not above @bit; @bit is below the bound. */
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
