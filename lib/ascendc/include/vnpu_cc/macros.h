/* SPDX-License-Identifier: MIT */
/*
 * The words of Ascend C that are no C++: nothing, or a mark for vnpu-cc, which
 * begins with __vnpu_.
 */
#ifndef VNPU_CC_MACROS_H
#define VNPU_CC_MACROS_H

#define __global__		__vnpu_global__ VNPU_KERNEL_ATTRIBUTES

/* A clone of a kernel would be another kernel, with other parameters. */
#ifdef __clang__
#define VNPU_KERNEL_ATTRIBUTES	__attribute__((noinline, used))
#else
#define VNPU_KERNEL_ATTRIBUTES	__attribute__((noinline, noclone, used))
#endif
#define __aicore__
#define __host__
#define __device__
#define __host_aicore__

/* One address space for all. */
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__

/* The cores that a kernel runs on. */
#define __vector__		__vnpu_vector__
#define __cube__		__vnpu_cube__
#define __mix__(cube, vector)	__vnpu_mix_##cube##_##vector##__
#define __vnpu_mix_0_1__	__vnpu_vector__
#define __vnpu_mix_1_0__	__vnpu_cube__

#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)
#define __launch_bounds__(...)
#define __schedmode__(mode)
#define __simd_callee__
#define __no_simd_vf_fusion__

#define GM_ADDR			__gm__ uint8_t *

#define KERNEL_TYPE_AIV_ONLY		1
#define KERNEL_TYPE_AIC_ONLY		__vnpu_mixed__ 2
#define KERNEL_TYPE_MIX_AIV_1_0		3
#define KERNEL_TYPE_MIX_AIC_1_0		__vnpu_mixed__ 4
#define KERNEL_TYPE_MIX_AIC_1_1		__vnpu_mixed__ 5
#define KERNEL_TYPE_MIX_AIC_1_2		__vnpu_mixed__ 6

#endif /* VNPU_CC_MACROS_H */
