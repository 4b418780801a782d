// SPDX-License-Identifier: MIT
/*
 * The order in which blocks begin.  A seeded order is a permutation that needs no
 * memory: a Feistel network on as many bits as the numbers have, repeated until
 * the result is one of them.
 */
#include "internal.h"

#define ROUNDS	4

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

/* A permutation of the numbers of 2 * @half bits. */
static uint64_t permute(uint64_t x, unsigned int half, uint64_t seed)
{
	uint64_t mask = (1ULL << half) - 1, left = x >> half, right = x & mask;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t next = left ^
			(mix(right ^ mix(seed + (round << 56))) & mask);

		left = right;
		right = next;
	}
	return left << half | right;
}

uint32_t exec_order(const struct exec_config *config, uint32_t n,
		    uint32_t count)
{
	unsigned int half = 1;
	uint64_t x = n;

	if (config->order == EXEC_ORDER_BACKWARD)
		return count - 1 - n;
	if (config->order == EXEC_ORDER_FORWARD)
		return n;
	while (1ULL << 2 * half < count)
		half++;
	do
		x = permute(x, half, config->seed);
	while (x >= count);
	return x;
}
