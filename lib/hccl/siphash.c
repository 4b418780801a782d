// SPDX-License-Identifier: MIT
/* SipHash-2-4, see siphash.h. */
#include "siphash.h"

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], unsigned int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

/* Take in up to 8 bytes, the first as the lowest. */
static uint64_t word_of(const uint8_t *bytes, size_t size)
{
	uint64_t word = 0;

	for (size_t i = 0; i < size; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static void add(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
}

uint64_t hccl_siphash(const uint8_t key[16], const void *bytes, size_t size)
{
	const uint64_t k[2] = { word_of(key, 8), word_of(key + 8, 8) };
	uint64_t v[4] = {
		k[0] ^ 0x736f6d6570736575ULL, k[1] ^ 0x646f72616e646f6dULL,
		k[0] ^ 0x6c7967656e657261ULL, k[1] ^ 0x7465646279746573ULL,
	};
	const uint8_t *at = bytes;
	size_t rest = size;

	for (; rest >= 8; rest -= 8, at += 8)
		add(v, word_of(at, 8));
	add(v, word_of(at, rest) | (uint64_t)size << 56);
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
