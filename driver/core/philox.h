/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers by a counter: Philox4x32-10 of Salmon, Moraes, Dror and Shaw,
 * "Parallel Random Numbers: As Easy as 1, 2, 3" (2011), and what is made of
 * them.
 *
 * Each element is a function of the key, the counter and its number alone. With
 * blocks of four words, that begin at the counter, element i is made of
 *
 * - word i, if it is a bit or a floating-point number,
 * - words 2i and 2i + 1, the lower first, if it is an integer of 32 bits,
 * - words 4i to 4i + 3, if it is an integer of 64 bits,
 *
 * so that a part of an array can be made without the rest. All of it is done
 * in integers, so that the bits are the same on every machine.
 *
 * DROPOUT	A bit is 0 if its word is below the probability.
 * UNIFORM	From the lower bound to below the upper one. A float is rounded
 *		down, so that it is below as well if the upper bound is of the
 *		type. If the bounds are equal, that.
 * NORMAL	The quantile that the word is, by inversion; so at most about
 *		6.3 standard deviations away from the mean; rounded to nearest.
 * TRUNCATED	The same of the part of the distribution that is left.
 */
#ifndef VNPU_CORE_PHILOX_H
#define VNPU_CORE_PHILOX_H

#include "fp.h"

/**
 * struct vnpu_random - how the elements of an array are made
 * @counter: of the first block, the lower half first
 * @key: private
 * @dist: private: VNPU_RANDOM_*
 * @type: private: VNPU_TYPE_*
 * @fp: private: the parameters, if floating-point numbers are made
 * @base: private: the lowest integer
 * @range: private: how many integers, or 2^32 times a probability
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
 * vnpu_philox() - a block of random words
 * @counter: which, the lower half first
 * @key: of which sequence
 * @block: the words
 */
void vnpu_philox(const u64 counter[2], u64 key, u32 block[4]);

/**
 * vnpu_random_bits() - how large elements are
 * @dist: VNPU_RANDOM_*
 * @type: VNPU_TYPE_*
 *
 * Return: the bits of one, or 0 if there are no such elements.
 */
unsigned int vnpu_random_bits(unsigned int dist, unsigned int type);

/**
 * vnpu_random_init() - prepare to make elements
 * @r: what is prepared, with a counter of 0
 * @dist: VNPU_RANDOM_*
 * @type: VNPU_TYPE_*
 * @key: the key
 * @arg1: first parameter, see VNPU_TASK_RANDOM
 * @arg2: second parameter
 *
 * Return: 0, or -EINVAL if there is no such distribution of that type, or a
 * parameter is no finite number or out of bounds.
 */
int vnpu_random_init(struct vnpu_random *r, unsigned int dist,
		     unsigned int type, u64 key, u64 arg1, u64 arg2);

/**
 * vnpu_random() - make elements
 * @r: how
 * @dst: where the first of them is stored, aligned to an element
 * @first: number of the first; of bits a multiple of 8
 * @count: how many; bits of the last byte that are left are 0
 */
void vnpu_random(const struct vnpu_random *r, void *dst, u64 first,
		 size_t count);

#endif
