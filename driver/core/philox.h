/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw,
 * "Parallel Random Numbers: As Easy as 1, 2, 3" (2011), and the distributions
 * made from it.
 *
 * Each element depends only on the key, the counter and the element's number.
 * The counter numbers the blocks, which have four words each. Element i is made
 * from
 *
 * - word i, if it is a bit or a floating-point number,
 * - words 2i and 2i + 1, the lower first, if it is an integer of 32 bits,
 * - words 4i to 4i + 3, if it is an integer of 64 bits,
 *
 * so a part of an array can be made without the rest. All computations use
 * integers, so that the bits are the same on every machine.
 *
 * DROPOUT	A bit is 0 if its word is below the probability.
 * UNIFORM From the lower bound to below the upper bound. A float is rounded
 *		down, so that it also stays below an upper bound that its type
 *		can represent. If the bounds are equal, every element is that
 *		value.
 * NORMAL The word selects a quantile (inversion), so an element is at most
 *		about 6.3 standard deviations from the mean. Rounded to nearest.
 * TRUNCATED	As NORMAL, for the distribution cut at two standard deviations.
 */
#ifndef VNPU_CORE_PHILOX_H
#define VNPU_CORE_PHILOX_H

#include "fp.h"

/**
 * struct vnpu_random - a generator for the elements of an array
 * @counter: the counter of the first block, the lower half first
 * @key: private: the key
 * @dist: private: VNPU_RANDOM_*
 * @type: private: VNPU_TYPE_*
 * @fp: private: the parameters of a floating-point distribution
 * @base: private: the lowest integer
 * @range: private: the number of integers, or the probability times 2^32
 */
struct vnpu_random {
	u64 counter[2];
	u64 key;
	u8 dist;
	u8 type;
	struct vnpu_fp fp[2];
	u64 base;
	u64 range;
};

/**
 * vnpu_philox() - compute a block of random words
 * @counter: the block, the lower half first
 * @key: the key of the sequence
 * @block: filled with the words
 */
void vnpu_philox(const u64 counter[2], u64 key, u32 block[4]);

/**
 * vnpu_random_bits() - get the size of an element
 * @dist: VNPU_RANDOM_*
 * @type: VNPU_TYPE_*
 *
 * Return: bits per element, or 0 if the distribution has no such type.
 */
unsigned int vnpu_random_bits(unsigned int dist, unsigned int type);

/**
 * vnpu_random_init() - initialise a generator
 * @r: the generator; its counter becomes 0
 * @dist: VNPU_RANDOM_*
 * @type: VNPU_TYPE_*
 * @key: the key
 * @arg1: first parameter, see VNPU_TASK_RANDOM
 * @arg2: second parameter
 *
 * Return: 0, or -EINVAL if the distribution has no such type, or if a parameter
 * is not a finite number or out of bounds.
 */
int vnpu_random_init(struct vnpu_random *r, unsigned int dist,
		     unsigned int type, u64 key, u64 arg1, u64 arg2);

/**
 * vnpu_random() - generate elements
 * @r: the generator
 * @dst: memory for the elements, aligned to an element
 * @first: number of the first element; a multiple of 8 if elements are bits
 * @count: number of elements; unused bits of the last byte become 0
 */
void vnpu_random(const struct vnpu_random *r, void *dst, u64 first,
		 size_t count);

#endif
