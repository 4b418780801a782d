// SPDX-License-Identifier: GPL-2.0-only
/* The quantiles of the normal distribution. See normal.h. */
#include "normal.h"

#define OCTAVES		32
#define SEGMENTS	16

/* Coefficients of the powers of the place in a segment, ascending. */
static const s32 table[OCTAVES * SEGMENTS][4] = {
#include "normal_table.h"
};

u32 vnpu_normal_quantile(u64 p)
{
	u32 octave = 63 - fls64(p), place;
	const s32 *c;
	s64 z;

	/* Off with the leading bit; the next name a segment, and the place. */
	p <<= octave + 2;
	c = table[octave * SEGMENTS + (p >> 60)];
	place = p >> 28;
	z = c[3];
	z = c[2] + (z * place >> 32);
	z = c[1] + (z * place >> 32);
	z = c[0] + (z * place >> 32);
	return z < 0 ? 0 : z;
}
