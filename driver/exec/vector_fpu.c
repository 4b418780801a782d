// SPDX-License-Identifier: GPL-2.0-only
/* Sums and copies by vectors of 16 bytes, which each machine with an FPU has. */
#define VECTOR_WORDS	4

#include "vector_tmpl.h"

void vnpu_fpu_sum(void *dst, const void *const operands[], unsigned int nr,
		  size_t count, unsigned int type)
{
	vector_sum(dst, operands, nr, count, type);
}

void vnpu_fpu_copy(void *dst, const void *src, size_t length)
{
	vector_copy(dst, src, length);
}
