// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of floating-point arrays with the vector unit of the machine, see
 * vector_fpu.h. Kbuild compiles this file alone with special flags.
 *
 * The code uses vectors of the compiler, of four words each, so that it
 * compiles to the vector instructions of each machine. A word holds a float, or
 * two short numbers. These are converted to floats: first the even, then the
 * odd ones. A float has more than twice as many significant bits as a short
 * number. So a sum that is rounded to float and then to the short format equals
 * a sum that is rounded once.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/vnpu_task.h>

#include "vector_fpu.h"

typedef float vfloat __attribute__((__vector_size__(4 * sizeof(u32))));
typedef s32 vint __attribute__((__vector_size__(4 * sizeof(u32))));
typedef u32 vword __attribute__((__vector_size__(4 * sizeof(u32))));
/* A vector in an array, whose elements need not be aligned to a vector. */
typedef u32 vmem __attribute__((__vector_size__(4 * sizeof(u32)),
				__may_alias__)) __aligned(2);

#define LANES	4

static inline vword vset(u32 x)
{
	return (vword){ 0 } + x;
}

/* Select words of @a where @where is all ones, and of @b where it is 0. */
static inline vword vselect(vint where, vword a, vword b)
{
	return (a & (vword)where) | (b & ~(vword)where);
}

static inline vint vis_number(vfloat x)
{
	return x == x;
}

static inline vword sum_fp32(vword a, vword b)
{
	vfloat sum = (vfloat)a + (vfloat)b;

	return vselect(vis_number(sum), (vword)sum, vset(0x7fc00000));
}

/* Round floats to bf16, in the upper halves of the words. */
static inline vword round_bf16(vfloat x)
{
	vword bits = (vword)x;

	bits += vset(0x7fff) + (bits >> 16 & vset(1));
	return vselect(vis_number(x), bits, vset(0x7fc00000)) &
	       vset(0xffff0000);
}

static inline vword sum_bf16(vword a, vword b)
{
	vword high = vset(0xffff0000);
	vfloat even = (vfloat)(a << 16) + (vfloat)(b << 16);
	vfloat odd = (vfloat)(a & high) + (vfloat)(b & high);

	return round_bf16(even) >> 16 | round_bf16(odd);
}

/* Convert fp16 numbers in the lower halves of the words to floats. */
static inline vfloat from_fp16(vword half)
{
	vword bits = (half & vset(0x7fff)) << 13;
	vword sign = (half & vset(0x8000)) << 16;
	/* Multiply by 2^112: the biases of the exponents differ by 112. */
	vword scaled = (vword)((vfloat)bits * (vfloat)vset(0x77800000));
	vint is_finite = (vint)bits < (vint)vset(0x7c00 << 13);

	return (vfloat)(vselect(is_finite, scaled, bits | vset(0x7f800000)) |
			sign);
}

static inline vword to_fp16(vfloat x)
{
	vword sign = (vword)x & vset(0x80000000);
	vword size = (vword)x ^ sign;
	/* The addition rounds subnormal numbers to multiples of 2^-24. */
	vword small = (vword)((vfloat)size + (vfloat)vset(0x3f000000)) -
		      vset(0x3f000000);
	vword large = (size + vset(0xfff) + (size >> 13 & vset(1)) -
		       vset(112 << 23)) >> 13;
	vword half;

	half = vselect((vint)size < (vint)vset(0x38800000), small, large);
	half = vselect((vint)half < (vint)vset(0x7c00), half, vset(0x7c00));
	return vselect(vis_number(x), half | sign >> 16, vset(0x7e00));
}

static inline vword sum_fp16(vword a, vword b)
{
	vword low = vset(0xffff);
	vfloat even = from_fp16(a & low) + from_fp16(b & low);
	vfloat odd = from_fp16(a >> 16) + from_fp16(b >> 16);

	return to_fp16(even) | to_fp16(odd) << 16;
}

void vnpu_fpu_sum(void *dst, const void *src, size_t count, unsigned int type)
{
	const vmem *b = src;
	vmem *a = dst;
	size_t i;

	switch (type) {
	case VNPU_TYPE_FP32:
		for (i = 0; i < count / LANES; i++)
			a[i] = sum_fp32(a[i], b[i]);
		break;
	case VNPU_TYPE_FP16:
		for (i = 0; i < count / LANES / 2; i++)
			a[i] = sum_fp16(a[i], b[i]);
		break;
	case VNPU_TYPE_BF16:
		for (i = 0; i < count / LANES / 2; i++)
			a[i] = sum_bf16(a[i], b[i]);
		break;
	}
}
