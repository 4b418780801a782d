// SPDX-License-Identifier: GPL-2.0-only
/*
 * The computations of vector engines, see vector.h.
 *
 * The FPU adds floating-point numbers much faster than integer code, which
 * takes some 60 times as long on real machines; the FPU wins in emulated ones,
 * too. All other operations, and sums where the FPU is not available, use the
 * integer code of driver/core.
 *
 * Emulated machines, and old ones, have no fast string instructions. There, the
 * kernel's memcpy() copies words of 8 bytes; the FPU copies 16 or 32 at a time.
 */
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "core/reduce.h"
#include "va/copy.h"
#include "vector.h"
#include "vector_fpu.h"

/* Bytes of results before they replace what may be an operand. */
#define VNPU_VECTOR_BLOCK	256

#ifdef VNPU_HAS_FPU
#ifdef CONFIG_ARCH_HAS_KERNEL_FPU_SUPPORT
#include <linux/fpu.h>
#else
#define kernel_fpu_available()	true
#endif
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#endif

static bool has_avx2(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_AVX2) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
#else
	return false;
#endif
}

static bool fpu_helps(unsigned int op, unsigned int type)
{
	return op == VNPU_REDUCE_SUM && kernel_fpu_available() &&
	       (type == VNPU_TYPE_FP32 || type == VNPU_TYPE_FP16 ||
		type == VNPU_TYPE_BF16);
}

/* Add as many elements as the FPU can. Return the number of these elements. */
static size_t fpu_sum(void *dst, const void *const operands[], unsigned int nr,
		      size_t count, unsigned int type)
{
	unsigned int size = vnpu_type_size(type), i;
	size_t done, todo = round_down(count, VNPU_FPU_LANES);
	bool is_avx2 = has_avx2();

	for (done = 0; done < todo; done += count) {
		const void *from[VNPU_FPU_OPERANDS];

		for (i = 0; i < nr; i++)
			from[i] = operands[i] + done * size;
		count = min_t(size_t, todo - done, SZ_4K / size);
		kernel_fpu_begin();
		if (is_avx2)
			vnpu_avx2_sum(dst + done * size, from, nr, count, type);
		else
			vnpu_fpu_sum(dst + done * size, from, nr, count, type);
		kernel_fpu_end();
	}
	return done;
}
#else
static bool fpu_helps(unsigned int op, unsigned int type)
{
	return false;
}

static size_t fpu_sum(void *dst, const void *const operands[], unsigned int nr,
		      size_t count, unsigned int type)
{
	return 0;
}
#endif

#if defined(VNPU_HAS_FPU) && defined(CONFIG_X86)
static bool fpu_copies(const void *dst, const void *src, size_t length)
{
	return length >= SZ_4K && !boot_cpu_has(X86_FEATURE_ERMS) &&
	       !boot_cpu_has(X86_FEATURE_FSRM) &&
	       (dst + length <= src || src + length <= dst);
}

/* Copy as many bytes as the FPU can, and return their number. */
static size_t fpu_copy(void *dst, const void *src, size_t length)
{
	size_t done, todo = round_down(length, VNPU_FPU_BLOCK);
	bool is_avx2 = has_avx2();

	for (done = 0; done < todo; done += length) {
		length = min_t(size_t, todo - done, SZ_4K);
		kernel_fpu_begin();
		if (is_avx2)
			vnpu_avx2_copy(dst + done, src + done, length);
		else
			vnpu_fpu_copy(dst + done, src + done, length);
		kernel_fpu_end();
	}
	return done;
}
#else
static bool fpu_copies(const void *dst, const void *src, size_t length)
{
	return false;
}

static size_t fpu_copy(void *dst, const void *src, size_t length)
{
	return 0;
}
#endif

static void reduce_blocks(void *dst, const void *const operands[],
			  unsigned int nr, size_t first, size_t count,
			  unsigned int op, unsigned int type)
{
	unsigned int size = vnpu_type_size(type), k;
	u64 result[VNPU_VECTOR_BLOCK / sizeof(u64)];
	size_t done, some;

	for (done = first; done < count; done += some) {
		some = min_t(size_t, count - done, sizeof(result) / size);
		memcpy(result, operands[0] + done * size, some * size);
		for (k = 1; k < nr; k++)
			vnpu_reduce(result, operands[k] + done * size, some, op,
				    type);
		memcpy(dst + done * size, result, some * size);
	}
}

void vnpu_vector_reduce(void *dst, const void *const operands[],
			unsigned int nr, size_t count, unsigned int op,
			unsigned int type)
{
	unsigned int size = vnpu_type_size(type);
	size_t done = 0;

	if (fpu_helps(op, type))
		done = fpu_sum(dst, operands, nr, count, type);
	if (nr == 2 && operands[0] == dst)
		vnpu_reduce(dst + done * size, operands[1] + done * size,
			    count - done, op, type);
	else
		reduce_blocks(dst, operands, nr, done, count, op, type);
}

unsigned int vnpu_vector_weight(unsigned int op, unsigned int type)
{
	return fpu_helps(op, type) ? 2 : 8;
}

void vnpu_vector_copy(void *dst, const void *src, size_t length)
{
	size_t done = 0;

	if (fpu_copies(dst, src, length))
		done = fpu_copy(dst, src, length);
	vnpu_move_bytes(dst + done, src + done, length - done);
}
