// SPDX-License-Identifier: GPL-2.0-only
/* The random sequence of the tests. See tap.h. */
#include "tap.h"

static u64 state;

void tap_start(u64 seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

u64 tap_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

u32 tap_below(u32 bound)
{
	return (u32)(((tap_random() >> 32) * bound) >> 32);
}

u32 tap_log_uniform(u32 order)
{
	u32 o = tap_below(order);

	return (1U << o) + tap_below(1U << o);
}
