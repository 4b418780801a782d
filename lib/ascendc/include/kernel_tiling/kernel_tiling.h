/* SPDX-License-Identifier: MIT */
/*
 * Structures that host code fills in and kernels read, in plain C++: sources of
 * both sides include this file.  Every field is an int32_t or uint32_t.
 */
#ifndef KERNEL_TILING_KERNEL_TILING_H
#define KERNEL_TILING_KERNEL_TILING_H

#include <stdint.h>

/*
 * How a product of matrices is divided.  vnpu uses the shapes, the sizes of a
 * base block and their order; a card uses the rest to fill its buffers.
 */
struct TCubeTiling {
	int32_t usedCoreNum = 1;
	int32_t M = 0;
	int32_t N = 0;
	int32_t Ka = 0;
	int32_t Kb = 0;
	int32_t singleCoreM = 0;
	int32_t singleCoreN = 0;
	int32_t singleCoreK = 0;
	int32_t baseM = 0;
	int32_t baseN = 0;
	int32_t baseK = 0;
	int32_t depthA1 = 1;
	int32_t depthB1 = 1;
	int32_t stepM = 1;
	int32_t stepN = 1;
	int32_t isBias = 0;
	int32_t transLength = 0;
	int32_t iterateOrder = 0;
	int32_t shareMode = 0;
	int32_t shareL1Size = 0;
	int32_t shareL0CSize = 0;
	int32_t shareUbSize = 0;
	int32_t batchM = 1;
	int32_t batchN = 1;
	int32_t singleBatchM = 1;
	int32_t singleBatchN = 1;
	int32_t stepKa = 1;
	int32_t stepKb = 1;
	int32_t depthAL1CacheUB = 0;
	int32_t depthBL1CacheUB = 0;
	int32_t dbL0A = 1;
	int32_t dbL0B = 1;
	int32_t dbL0C = 1;
	int32_t ALayoutInfoB = 0;
	int32_t ALayoutInfoS = 0;
	int32_t ALayoutInfoN = 0;
	int32_t ALayoutInfoG = 0;
	int32_t ALayoutInfoD = 0;
	int32_t BLayoutInfoB = 0;
	int32_t BLayoutInfoS = 0;
	int32_t BLayoutInfoN = 0;
	int32_t BLayoutInfoG = 0;
	int32_t BLayoutInfoD = 0;
	int32_t CLayoutInfoB = 0;
	int32_t CLayoutInfoS1 = 0;
	int32_t CLayoutInfoN = 0;
	int32_t CLayoutInfoG = 0;
	int32_t CLayoutInfoS2 = 0;
	int32_t BatchNum = 1;
	int32_t mxTypePara = 0;
};

/* The shape of SoftMax(); only srcM and srcK matter to vnpu. */
struct SoftMaxTiling {
	uint32_t srcM = 0;
	uint32_t srcK = 0;
	uint32_t srcSize = 0;
	uint32_t outMaxM = 0;
	uint32_t outMaxK = 0;
	uint32_t outMaxSize = 0;
	uint32_t splitM = 0;
	uint32_t splitK = 0;
	uint32_t splitSize = 0;
	uint32_t reduceM = 0;
	uint32_t reduceK = 0;
	uint32_t reduceSize = 0;
	uint32_t rangeM = 0;
	uint32_t tailM = 0;
	uint32_t tailSplitSize = 0;
	uint32_t tailReduceSize = 0;
};

namespace AscendC {

namespace tiling {

using ::SoftMaxTiling;
using ::TCubeTiling;

} /* namespace tiling */

using ::SoftMaxTiling;
using ::TCubeTiling;

} /* namespace AscendC */

#endif /* KERNEL_TILING_KERNEL_TILING_H */
