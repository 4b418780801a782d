// SPDX-License-Identifier: MIT
/*
 * SipHash-2-4, after J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast
 * short-input PRF", 2012.
 */
#include "siphash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void rounds(struct state *s, unsigned int count)
{
	while (count--) {
		s->v0 += s->v1;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v2 = rotate(s->v2, 32);
	}
}

static void absorb(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	rounds(s, 2);
	s->v0 ^= word;
}

uint64_t vnpu_siphash(const uint64_t key[2], uint64_t first, uint64_t second)
{
	struct state s = {
		.v0 = key[0] ^ 0x736f6d6570736575,
		.v1 = key[1] ^ 0x646f72616e646f6d,
		.v2 = key[0] ^ 0x6c7967656e657261,
		.v3 = key[1] ^ 0x7465646279746573,
	};

	absorb(&s, first);
	absorb(&s, second);
	/* The last word is what is left over, nothing, and the length. */
	absorb(&s, 16ULL << 56);
	s.v2 ^= 0xff;
	rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
