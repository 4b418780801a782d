/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel in a header, which two units include.
 */
#ifndef LAUNCH_KERNELS_H
#define LAUNCH_KERNELS_H

#include "kernel_operator.h"

template <typename T>
__global__ __aicore__ void header_kernel(__gm__ T *out, T value)
{
	out[AscendC::GetBlockIdx()] = value;
}

/* Of the other unit. */
extern "C" __global__ __aicore__ void other_unit_kernel(GM_ADDR out, int value);
uint32_t other_unit_launch(float *out, float value);

#endif /* LAUNCH_KERNELS_H */
