/* SPDX-License-Identifier: MIT */
/*
 * Random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
 * Random Numbers: As Easy as 1, 2, 3" (2011). Element i is made from word i % 4
 * of block offset + i / 4, as the tasks of the driver do, so it depends neither
 * on other elements nor on the number of parts.
 */
#ifndef VNPU_OPS_RANDOM_H
#define VNPU_OPS_RANDOM_H

#include <stdint.h>

/**
 * ops_philox() - compute a block of random words
 * @number: number of the block
 * @key: the key of the sequence
 * @word: filled with the words
 */
void ops_philox(uint64_t number, uint64_t key, uint32_t word[4]);

/**
 * ops_threshold() - make a probability an upper limit of words
 * @p: the probability; those that are none are cut to 0 or 1
 *
 * Return: the number of words that are hits.
 */
static inline uint64_t ops_threshold(double p)
{
	p = p > 0 ? p : 0;
	return (p < 1 ? p : 1) * 4294967296. + 0.5;
}

#endif
