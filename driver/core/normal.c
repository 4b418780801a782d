// SPDX-License-Identifier: GPL-2.0-only
/* Quantiles of the normal distribution. See normal.h. */
#include "normal.h"

#define OCTAVES		32
#define SEGMENTS	16

/*
 * Polynomial coefficients, in ascending powers of the place in a segment. The
 * build generates them by normal_table.awk.
 */
static const s32 table[OCTAVES * SEGMENTS][4] = {
#include "normal_table.h"
};

u32 vnpu_normal_quantile(u64 p)
{
	u32 octave = 63 - fls64(p), place;
	const s32 *c;
	s64 z;

	/* Drop the leading bit; the next bits are the segment and the place. */
	p <<= octave + 2;
	c = table[octave * SEGMENTS + (p >> 60)];
	place = p >> 28;
	z = c[3];
	z = c[2] + (z * place >> 32);
	z = c[1] + (z * place >> 32);
	z = c[0] + (z * place >> 32);
	return z < 0 ? 0 : z;
}
