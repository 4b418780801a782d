// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of floating-point arrays by the machine's vector unit. See
 * vector_fpu.h; Kbuild has the flags that this file alone is compiled with.
 *
 * Vectors are the compiler's, of four words, so that each machine has its own
 * instructions for them. A word holds a float, or two of the short numbers,
 * which become floats: the even ones and the odd ones. Floats have more than
 * twice their digits, so that a sum that is rounded to a float and then to the
 * short format is what it would have been if it had been rounded once.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/vnpu_task.h>

#include "vector_fpu.h"

typedef float vfloat __attribute__((__vector_size__(4 * sizeof(u32))));
typedef s32 vint __attribute__((__vector_size__(4 * sizeof(u32))));
typedef u32 vword __attribute__((__vector_size__(4 * sizeof(u32))));
/* In an array, whose elements need not be aligned to a vector. */
typedef u32 vmem __attribute__((__vector_size__(4 * sizeof(u32)),
				__may_alias__)) __aligned(2);

#define LANES	4

static inline vword vset(u32 x)
{
	return (vword){ 0 } + x;
}

/* The words of @a where @where is all ones, of @b where it is all zeroes. */
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

/* A float with a short fraction, in the upper half. */
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

/* A short number in the lower half as a float. */
static inline vfloat from_fp16(vword half)
{
	vword bits = (half & vset(0x7fff)) << 13;
	vword sign = (half & vset(0x8000)) << 16;
	/* By 2^112, which is what the biases of the exponents differ by. */
	vword scaled = (vword)((vfloat)bits * (vfloat)vset(0x77800000));
	vint is_finite = (vint)bits < (vint)vset(0x7c00 << 13);

	return (vfloat)(vselect(is_finite, scaled, bits | vset(0x7f800000)) |
			sign);
}

static inline vword to_fp16(vfloat x)
{
	vword sign = (vword)x & vset(0x80000000);
	vword size = (vword)x ^ sign;
	/* An addition rounds what is subnormal to multiples of 2^-24. */
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
