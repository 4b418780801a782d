/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-bench: random numbers that are reproducible from a seed. */
#ifndef VNPU_BENCH_RANDOM_H
#define VNPU_BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

/* splitmix64, by Sebastiano Vigna. */
static inline uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* At least 0, less than @limit. */
static inline uint32_t random_below(struct random *r, uint32_t limit)
{
	return (uint32_t)((random_next(r) >> 32) * limit >> 32);
}

/* Get a number with an even distribution of magnitudes. */
static inline uint64_t random_log_uniform(struct random *r, uint64_t low,
					  uint64_t high)
{
	double part = (double)(random_next(r) >> 11) / 9007199254740992.0;

	return (uint64_t)((double)low * exp(log((double)high / (double)low) *
					    part));
}

#endif /* VNPU_BENCH_RANDOM_H */
