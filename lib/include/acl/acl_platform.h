/* SPDX-License-Identifier: MIT */
/*
 * The processor that a device emulates, an Ascend 910B1, in the terms of CANN's
 * platform files.
 */
#ifndef ACL_ACL_PLATFORM_H
#define ACL_ACL_PLATFORM_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes are in bytes, frequencies in MHz. */
typedef enum aclplatformDevInfo {
	ACL_PLATFORM_AICORE_CNT		= 0,
	ACL_PLATFORM_AICORE_UB_SIZE	= 1,
	ACL_PLATFORM_CUBE_CORE_CNT	= 2,
	ACL_PLATFORM_VECTOR_CORE_CNT	= 3,
	ACL_PLATFORM_L2_SIZE		= 4,
	ACL_PLATFORM_MEMORY_SIZE	= 5,
	ACL_PLATFORM_CUBE_FREQ		= 6,
	ACL_PLATFORM_VEC_FREQ		= 7,
	ACL_PLATFORM_BT_SIZE		= 8,
	ACL_PLATFORM_L0_A_SIZE		= 9,
	ACL_PLATFORM_L0_B_SIZE		= 10,
	ACL_PLATFORM_L0_C_SIZE		= 11,
	ACL_PLATFORM_L1_SIZE		= 12,
	ACL_PLATFORM_SOC_VERSION	= 13,
	ACL_PLATFORM_AIC_VERSION	= 14,
	ACL_PLATFORM_NPU_ARCH		= 15,
	ACL_PLATFORM_MEMORY_TYPE	= 16
} aclplatformDevInfo;

typedef enum aclplatformCoreType {
	ACL_PLATFORM_CORE_TYPE_AI_CORE		= 0,
	ACL_PLATFORM_CORE_TYPE_VECTOR_CORE	= 1
} aclplatformCoreType;

/* Architectures of processors; a 910B is DAV_2201. */
typedef enum aclplatformNpuArch {
	DAV_1001	= 1001,
	DAV_2002	= 2002,
	DAV_2102	= 2102,
	DAV_2201	= 2201,
	DAV_3002	= 3002,
	DAV_3003	= 3003,
	DAV_3004	= 3004,
	DAV_3102	= 3102,
	DAV_3113	= 3113,
	DAV_3505	= 3505,
	DAV_3510	= 3510,
	DAV_5102	= 5102,
	DAV_5162	= 5162,
	DAV_RESV	= 0xFFFF
} aclplatformNpuArch;

/* Memories of a core, and those that cores share. */
typedef enum aclplatformLocalMemType {
	L0_A	= 0,
	L0_B	= 1,
	L0_C	= 2,
	L1	= 3,
	L2	= 4,
	UB	= 5,
	HBM	= 6
} aclplatformLocalMemType;

/**
 * aclplatformGetDeviceInfo() - get a property of the processor as text
 * @infoType: the property
 * @value: set to its decimal number or name
 * @maxLen: bytes of @value, including the final NUL
 *
 * Needs no device, and describes the processor: aclrtGetMemInfo() has the size
 * of the memory of a device.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, a @maxLen that is too small, an
 * unknown @infoType, or one that a 910B does not have:
 * ACL_PLATFORM_VEC_FREQ and ACL_PLATFORM_MEMORY_TYPE.
 */
ACL_FUNC_VISIBILITY aclError
aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char *value,
			 uint32_t maxLen);

/**
 * aclplatformGetInstructionInfo() - get the data types of an instruction (not
 * supported)
 * @type: kind of the core
 * @instruction: name of the instruction
 * @value: unchanged
 * @maxLen: bytes of @value
 *
 * Kernels are compiled for the processor of the host, so the device has no
 * instructions of its own to describe.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown @type, otherwise
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclplatformGetInstructionInfo(aclplatformCoreType type, const char *instruction,
			      char *value, uint32_t maxLen);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_PLATFORM_H */
