/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of floating-point arrays, and copies, with vectors of any length.
 *
 * A file that includes this header defines VECTOR_WORDS, the words of a vector, and
 * Kbuild compiles it with special flags.
 *
 * The code uses vectors of the compiler, so that it compiles to the vector
 * instructions of each machine. A word holds a float, or two short numbers. These
 * are converted to floats: first the even, then the odd ones. A float has more
 * than twice as many significant bits as a short number. So a sum that is rounded
 * to float and then to the short format equals a sum that is rounded once.
 */
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/vnpu_task.h>

#include "vector_fpu.h"

typedef float vfloat __attribute__((__vector_size__(VECTOR_WORDS * sizeof(u32))));
typedef s32 vint __attribute__((__vector_size__(VECTOR_WORDS * sizeof(u32))));
typedef u32 vword __attribute__((__vector_size__(VECTOR_WORDS * sizeof(u32))));
/* A vector in an array that need not be aligned to a vector. */
typedef u32 vmem __attribute__((__vector_size__(VECTOR_WORDS * sizeof(u32)),
				__may_alias__)) __aligned(2);

/* A vector of bytes, which may begin anywhere. */
typedef u32 vbytes __attribute__((__vector_size__(VECTOR_WORDS * sizeof(u32)),
				  __may_alias__)) __aligned(1);

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

static inline vword clean_fp32(vfloat x)
{
	return vselect(vis_number(x), (vword)x, vset(0x7fc00000));
}

#define BLOCK	8	/* vectors: all sums fit in registers; see the pragmas */

static inline bool vall(vint x)
{
	union {
		vint vector;
		s64 pairs[VECTOR_WORDS / 2];
	} of = { .vector = x };
	s64 all = -1;
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < VECTOR_WORDS / 2; i++)
		all &= of.pairs[i];
	return all == -1;
}

static __always_inline vfloat load_fp32(const vmem *from, size_t i)
{
	return (vfloat)(vword)from[i];
}

/* Each operation rounds. A sum that is NaN stays NaN. */
static __always_inline vfloat sum_vector_fp32(const vmem *const from[],
					      const unsigned int nr, size_t i)
{
	vfloat sum = load_fp32(from[0], i);
	unsigned int k;

#pragma GCC unroll 8
	for (k = 1; k < nr; k++)
		sum += load_fp32(from[k], i);
	return sum;
}

/*
 * Most arrays have no NaN. The sum of all elements of a block is NaN if one of
 * them is, so one test per block is enough. It is also NaN if the block has both
 * infinities, which only costs time.
 */
static __always_inline void sum_block_fp32(vmem *to, const vmem *const from[],
					   const unsigned int nr, size_t at)
{
	vfloat sums[BLOCK], all;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < BLOCK; i++)
		sums[i] = sum_vector_fp32(from, nr, at + i);
	all = sums[0];
#pragma GCC unroll 8
	for (i = 1; i < BLOCK; i++)
		all += sums[i];
	if (likely(vall(vis_number(all)))) {
#pragma GCC unroll 8
		for (i = 0; i < BLOCK; i++)
			to[at + i] = (vword)sums[i];
		return;
	}
#pragma GCC unroll 8
	for (i = 0; i < BLOCK; i++)
		to[at + i] = clean_fp32(sums[i]);
}

/* The compiler makes code for each constant number of arrays. */
static __always_inline void sum_fp32_of(vmem *to, const void *const operands[],
					const unsigned int nr, size_t vectors)
{
	const vmem *from[VNPU_FPU_OPERANDS];
	size_t i;

#pragma GCC unroll 8
	for (i = 0; i < nr; i++)
		from[i] = operands[i];
	for (i = 0; i + BLOCK <= vectors; i += BLOCK)
		sum_block_fp32(to, from, nr, i);
	for (; i < vectors; i++)
		to[i] = clean_fp32(sum_vector_fp32(from, nr, i));
}

static void sum_fp32(vmem *to, const void *const operands[], unsigned int nr,
		     size_t vectors)
{
	switch (nr) {
	case 2:
		sum_fp32_of(to, operands, 2, vectors);
		break;
	case 3:
		sum_fp32_of(to, operands, 3, vectors);
		break;
	case 4:
		sum_fp32_of(to, operands, 4, vectors);
		break;
	case 5:
		sum_fp32_of(to, operands, 5, vectors);
		break;
	}
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

static __always_inline void sum_short(vmem *to, const void *const operands[],
				      unsigned int nr, size_t vectors,
				      vword (*add)(vword a, vword b))
{
	size_t i;

	for (i = 0; i < vectors; i++) {
		vword sum = ((const vmem *)operands[0])[i];
		unsigned int k;

		for (k = 1; k < nr; k++)
			sum = add(sum, ((const vmem *)operands[k])[i]);
		to[i] = sum;
	}
}

static void vector_sum(void *dst, const void *const operands[], unsigned int nr,
		       size_t count, unsigned int type)
{
	switch (type) {
	case VNPU_TYPE_FP32:
		sum_fp32(dst, operands, nr, count / VECTOR_WORDS);
		break;
	case VNPU_TYPE_FP16:
		sum_short(dst, operands, nr, count / VECTOR_WORDS / 2, sum_fp16);
		break;
	case VNPU_TYPE_BF16:
		sum_short(dst, operands, nr, count / VECTOR_WORDS / 2, sum_bf16);
		break;
	}
}

static void vector_copy(void *dst, const void *src, size_t length)
{
	const vbytes *from = src;
	vbytes *to = dst;
	size_t i, k;

	for (i = 0; i < length / sizeof(vbytes); i += BLOCK) {
		vword words[BLOCK];

#pragma GCC unroll 8
		for (k = 0; k < BLOCK; k++)
			words[k] = from[i + k];
#pragma GCC unroll 8
		for (k = 0; k < BLOCK; k++)
			to[i + k] = words[k];
	}
}
