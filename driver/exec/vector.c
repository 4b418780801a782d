// SPDX-License-Identifier: GPL-2.0-only
/*
 * The computations of vector engines, see vector.h.
 *
 * The FPU adds floating-point numbers much faster than integer code, which
 * takes some 60 times as long on real machines; the FPU wins in emulated ones,
 * too. All other operations, and sums where the FPU is not available, use the
 * integer code of driver/core.
 */
#include <linux/minmax.h>
#include <linux/sizes.h>

#include "core/reduce.h"
#include "vector.h"
#include "vector_fpu.h"

#ifdef VNPU_HAS_FPU
#ifdef CONFIG_ARCH_HAS_KERNEL_FPU_SUPPORT
#include <linux/fpu.h>
#else
#include <asm/fpu/api.h>
#define kernel_fpu_available()	true
#endif

static bool fpu_helps(unsigned int op, unsigned int type)
{
	return op == VNPU_REDUCE_SUM && kernel_fpu_available() &&
	       (type == VNPU_TYPE_FP32 || type == VNPU_TYPE_FP16 ||
		type == VNPU_TYPE_BF16);
}

/* Add as many elements as the FPU can. Return the number of these elements. */
static size_t fpu_sum(void *dst, const void *src, size_t count,
		      unsigned int type)
{
	unsigned int size = vnpu_type_size(type);
	size_t done, todo = round_down(count, VNPU_FPU_LANES);

	for (done = 0; done < todo; done += count) {
		count = min_t(size_t, todo - done, SZ_4K / size);
		kernel_fpu_begin();
		vnpu_fpu_sum(dst + done * size, src + done * size, count, type);
		kernel_fpu_end();
	}
	return done;
}
#else
static bool fpu_helps(unsigned int op, unsigned int type)
{
	return false;
}

static size_t fpu_sum(void *dst, const void *src, size_t count,
		      unsigned int type)
{
	return 0;
}
#endif

void vnpu_vector_reduce(void *dst, const void *src, size_t count,
			unsigned int op, unsigned int type)
{
	size_t done = 0;

	if (fpu_helps(op, type))
		done = fpu_sum(dst, src, count, type);
	count -= done;
	done *= vnpu_type_size(type);
	vnpu_reduce(dst + done, src + done, count, op, type);
}
