/* SPDX-License-Identifier: MIT */
/*
 * Types of matrices and configurations of the class Matmul.  Configurations change
 * the work of a card, but no result.
 */
#ifndef ASCENDC_VNPU_MATMUL_TYPES_H
#define ASCENDC_VNPU_MATMUL_TYPES_H

#include "../kernel_tiling/kernel_tiling.h"
#include "cube_params.h"

enum class CubeFormat {
	ND = 0, NZ, ZN, ZZ, NN, VECTOR, SCALAR, ND_ALIGN,
};

enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

enum class BatchMode {
	NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1,
	SINGLE_LARGE_THAN_L1,
};

enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };

enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };

enum class IterateMode : uint8_t {
	ITERATE_MODE_NORMAL = 1, ITERATE_MODE_ALL = 2, ITERATE_MODE_BATCH = 4,
	ITERATE_MODE_N_BATCH = 8, ITERATE_MODE_DEFAULT = 0xff,
};

enum class MatmulConfigMode {
	CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE,
};

struct MatmulConfig {
	bool doNorm = false;
	bool doBasicBlock = false;
	bool doMultiDataLoad = false;
	uint32_t basicM = 0;
	uint32_t basicN = 0;
	uint32_t basicK = 0;
	bool intrinsicsCheck = false;
	bool isNBatch = false;
	bool enVecND2NZ = false;
	bool doSpecialBasicBlock = false;
	uint32_t doMTE2Preload = 0;
	uint32_t singleCoreM = 0;
	uint32_t singleCoreN = 0;
	uint32_t singleCoreK = 0;
	uint32_t stepM = 0;
	uint32_t stepN = 0;
	uint32_t baseMN = 0;
	uint32_t singleCoreMN = 0;
	bool enUnitFlag = true;
	bool isPerTensor = false;
	bool hasAntiQuantOffset = false;
	bool doIBShareNorm = false;
	bool doSpecialMDL = false;
	bool enableInit = true;
	BatchMode batchMode = BatchMode::NONE;
	bool enableEnd = true;
	bool enableGetTensorC = true;
	bool enableSetOrgShape = true;
	bool enableSetBias = true;
	bool enableSetTail = true;
	bool enableQuantVector = true;
	bool enableSetDefineData = true;
	uint8_t iterateMode = 0xff;
	bool enableReuse = true;
	bool enableUBReuse = true;
	bool enableL1CacheUB = false;
	bool intraBlockPartSum = false;
	IterateOrder iterateOrder = IterateOrder::UNDEF;
	ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
	bool enableDoubleCache = false;
	bool isBiasBatch = true;
	bool enableStaticPadZeros = false;
	bool isPartialOutput = false;
	bool enableMixDualMaster = false;
	bool isA2B2Shared = false;
	bool isEnableChannelSplit = false;
	bool enableKdimReorderLoad = false;
	bool isCO1Shared = false;
	uint32_t sharedCO1BufferSize = 64 * 1024;
	bool enableL1BankConflictOptimise = false;
};

struct MatmulShapeParams {
	uint32_t singleCoreM = 0;
	uint32_t singleCoreN = 0;
	uint32_t singleCoreK = 0;
	uint32_t basicM = 0;
	uint32_t basicN = 0;
	uint32_t basicK = 0;
};

struct MatmulQuantParams {
	bool isPerTensor = false;
	bool hasAntiQuantOffset = false;
};

struct MatmulBatchParams {
	bool isNBatch = false;
	BatchMode batchMode = BatchMode::NONE;
	bool isBiasBatch = true;
};

struct MatmulFuncParams {
	bool intrinsicsCheck = false;
	bool enVecND2NZ = false;
	bool enableDoubleCache = false;
	bool enableL1CacheUB = false;
	uint32_t doMTE2Preload = 0;
	IterateOrder iterateOrder = IterateOrder::UNDEF;
	ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
	bool enableReuse = true;
	bool enableUBReuse = true;
	bool isPartialOutput = false;
	bool isA2B2Shared = false;
	bool isEnableChannelSplit = false;
	bool enableKdimReorderLoad = false;
};

constexpr MatmulConfig CFG_NORM = {};
constexpr MatmulConfig CFG_MDL = {};
constexpr MatmulConfig CFG_IBSHARE_NORM = {};
constexpr MatmulConfig MM_CFG_BB = {};

/* Configurations, whatever they are to be like. */
template <typename... Any>
constexpr MatmulConfig GetNormalConfig(Any...)
{
	return {};
}

template <typename... Any>
constexpr MatmulConfig GetMDLConfig(Any...)
{
	return {};
}

template <typename... Any>
constexpr MatmulConfig GetSpecialMDLConfig(Any...)
{
	return {};
}

template <typename... Any>
constexpr MatmulConfig GetBasicConfig(Any...)
{
	return {};
}

template <typename... Any>
constexpr MatmulConfig GetSpecialBasicConfig(Any...)
{
	return {};
}

template <typename... Any>
constexpr MatmulConfig GetIBShareNormConfig(Any...)
{
	return {};
}

template <MatmulConfigMode mode, typename... Any>
constexpr MatmulConfig GetMMConfig(Any...)
{
	return {};
}

/* Tiling that is known when the kernel is compiled. */
struct MatmulApiStaticTiling : TCubeTiling {
	MatmulConfig cfg = {};
};

template <typename A, typename B, typename C, typename Bias>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &config,
						   int32_t = 512 * 1024)
{
	MatmulApiStaticTiling tiling = {};

	tiling.singleCoreM = config.singleCoreM;
	tiling.singleCoreN = config.singleCoreN;
	tiling.singleCoreK = config.singleCoreK;
	tiling.baseM = config.basicM;
	tiling.baseN = config.basicN;
	tiling.baseK = config.basicK;
	tiling.cfg = config;
	return tiling;
}

/* Functions of a program's own, for the steps of a card; they are not called. */
template <typename... Any>
struct MatmulCallBackFunc {
};

template <TPosition position, CubeFormat order, typename TYPE,
	  bool trans = false, LayoutMode mode = LayoutMode::NONE,
	  bool share = false>
struct MatmulType {
	static constexpr TPosition pos = position;
	static constexpr CubeFormat format = order;
	static constexpr bool isTrans = trans;
	static constexpr LayoutMode layout = mode;
	static constexpr bool ibShare = share;
	using T = TYPE;
};

} /* namespace AscendC */

/* The names that the class and its types had first. */
namespace matmul {

using namespace AscendC;

} /* namespace matmul */

#endif /* ASCENDC_VNPU_MATMUL_TYPES_H */
