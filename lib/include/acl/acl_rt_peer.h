/* SPDX-License-Identifier: MIT */
/*
 * Access of a device to memory of another one and of the host, and the numbers of
 * devices.
 */
#ifndef ACL_ACL_RT_PEER_H
#define ACL_ACL_RT_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Connection between two devices, as bits: see aclrtGetDevicesTopo(). */
#define ACL_RT_DEVS_TOPOLOGY_HCCS	0x1U
#define ACL_RT_DEVS_TOPOLOGY_PIX	0x2U
#define ACL_RT_DEVS_TOPOLOGY_PIB	0x4U
#define ACL_RT_DEVS_TOPOLOGY_PHB	0x8U
#define ACL_RT_DEVS_TOPOLOGY_SYS	0x10U
#define ACL_RT_DEVS_TOPOLOGY_SIO	0x20U
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW	0x40U

/* An atomic operation; the bits say for which operands it is atomic. */
typedef enum aclrtAtomicOperation {
	ACL_RT_ATOMIC_OPERATION_INTEGER_ADD		= 0,
	ACL_RT_ATOMIC_OPERATION_INTEGER_MIN		= 1,
	ACL_RT_ATOMIC_OPERATION_INTEGER_MAX		= 2,
	ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT	= 3,
	ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT	= 4,
	ACL_RT_ATOMIC_OPERATION_AND			= 5,
	ACL_RT_ATOMIC_OPERATION_OR			= 6,
	ACL_RT_ATOMIC_OPERATION_XOR			= 7,
	ACL_RT_ATOMIC_OPERATION_EXCHANGE		= 8,
	ACL_RT_ATOMIC_OPERATION_CAS			= 9,
	ACL_RT_ATOMIC_OPERATION_FLOAT_ADD		= 10,
	ACL_RT_ATOMIC_OPERATION_FLOAT_MIN		= 11,
	ACL_RT_ATOMIC_OPERATION_FLOAT_MAX		= 12,
	ACL_RT_ATOMIC_OPERATION_DMA_ADD			= 30,
	ACL_RT_ATOMIC_OPERATION_DMA_MIN			= 31,
	ACL_RT_ATOMIC_OPERATION_DMA_MAX			= 32,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD		= 40,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN		= 41,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX		= 42,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS		= 43,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH	= 44
} aclrtAtomicOperation;

typedef enum aclrtAtomicOperationCapability {
	ACL_RT_ATOMIC_CAPABILITY_SIGNED		= 0x1,
	ACL_RT_ATOMIC_CAPABILITY_UNSIGNED	= 0x2,
	ACL_RT_ATOMIC_CAPABILITY_REDUCATION	= 0x4,
	ACL_RT_ATOMIC_CAPABILITY_REDUCTION	= 0x4,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR8	= 0x8,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR16	= 0x10,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR32	= 0x20,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR64	= 0x40,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR128	= 0x80,
	ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4	= 0x100
} aclrtAtomicOperationCapability;

/**
 * aclrtDeviceGetHostAtomicCapabilities() - get host-device atomic operations
 * @capabilities: array; set to ACL_RT_ATOMIC_CAPABILITY_* bits, 0 for none
 * @operations: array of the operations
 * @count: length of both
 * @deviceId: device
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, a zero @count or an unknown
 * operation, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
	const aclrtAtomicOperation *operations, const uint32_t count,
	int32_t deviceId);

/**
 * aclrtDeviceGetP2PAtomicCapabilities() - get device-device atomic operations
 * @capabilities: array; set to ACL_RT_ATOMIC_CAPABILITY_* bits, 0 for none
 * @operations: array of the operations
 * @count: length of both
 * @srcDeviceId: device that performs the operation
 * @dstDeviceId: device that has the memory
 *
 * Errors: as aclrtDeviceGetHostAtomicCapabilities().
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
	const aclrtAtomicOperation *operations, const uint32_t count,
	int32_t srcDeviceId, int32_t dstDeviceId);

/**
 * aclrtDeviceCanAccessPeer() - check whether a device can access another's
 * memory
 * @canAccessPeer: set to 1 if it can, else 0
 * @deviceId: device
 * @peerDeviceId: the other device, which has the memory
 *
 * Errors: ACL_ERROR_INVALID_PARAM when both are the same,
 * ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer,
	int32_t deviceId, int32_t peerDeviceId);

/**
 * aclrtDeviceEnablePeerAccess() - let the current device access another's
 * memory
 * @peerDeviceId: the other device, which has the memory
 * @flags: must be 0
 *
 * Applies to one direction; the other device enables the other direction.
 *
 * Errors: ACL_ERROR_FEATURE_UNSUPPORTED for other @flags,
 * ACL_ERROR_INVALID_PARAM for the current device itself,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId,
	uint32_t flags);

/**
 * aclrtDeviceDisablePeerAccess() - undo aclrtDeviceEnablePeerAccess()
 * @peerDeviceId: the other device, which has the memory
 *
 * Errors: ACL_ERROR_INVALID_PARAM for the current device itself,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * aclrtDevicePeerAccessStatus() - check whether peer access is enabled
 * @deviceId: device
 * @peerDeviceId: the other device, which has the memory
 * @status: set to 1 if it is, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId,
	int32_t peerDeviceId, int32_t *status);

/**
 * aclrtGetDevicesTopo() - get how two devices are connected
 * @deviceId: device
 * @otherDeviceId: the other
 * @value: set to ACL_RT_DEVS_TOPOLOGY_* bits
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId,
	uint32_t otherDeviceId, uint64_t *value);

/*
 * Devices have three numbers: the user's, which counts the visible devices and
 * which all calls take (see ASCEND_RT_VISIBLE_DEVICES), the logical one of this
 * container, and the physical one of this machine.  The last two are the same
 * here: the number that the driver uses.
 *
 * Errors of all six: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_DEVICEID if no visible device has the number.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
	int32_t * const logicDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
	int32_t * const userDevid);
ACL_FUNC_VISIBILITY aclError
aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
	int32_t * const logicDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
	int32_t * const phyDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
	int32_t * const userDevId);
ACL_FUNC_VISIBILITY aclError
aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t * const phyDevId);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_PEER_H */
