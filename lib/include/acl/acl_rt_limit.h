/* SPDX-License-Identifier: MIT */
/*
 * How kernels are to use a device: how many cores, and what they do on
 * overflow.  This device runs no kernels; the values are kept for who asks.
 */
#ifndef ACL_ACL_RT_LIMIT_H
#define ACL_ACL_RT_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclrtDevResLimitType {
	ACL_RT_DEV_RES_CUBE_CORE	= 0,
	ACL_RT_DEV_RES_VECTOR_CORE	= 1
} aclrtDevResLimitType;

typedef enum aclrtFloatOverflowMode {
	ACL_RT_OVERFLOW_MODE_SATURATION	= 0,
	ACL_RT_OVERFLOW_MODE_INFNAN	= 1,
	ACL_RT_OVERFLOW_MODE_UNDEF	= 2
} aclrtFloatOverflowMode;

/**
 * aclrtSetDeviceResLimit() - limit the cores of a device for this process
 * @deviceId: a device that is set
 * @type: kind of core
 * @value: how many, at most as many as the device has
 *
 * It ends with the reset of the device.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @type and too large a
 * @value, ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL for a device
 * that is not set.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId,
	aclrtDevResLimitType type, uint32_t value);

/**
 * aclrtGetDeviceResLimit() - the limit that holds for a device
 * @deviceId: a device that is set
 * @type: kind of core
 * @value: set to it: what was set, or what the device has
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, and as aclrtSetDeviceResLimit().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId,
	aclrtDevResLimitType type, uint32_t *value);

/**
 * aclrtResetDeviceResLimit() - lift the limits of a device
 * @deviceId: a device that is set
 *
 * Errors: ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL for a device
 * that is not set.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * aclrtSetStreamResLimit() - limit the cores for a stream
 * @stream: a stream of any context, or NULL
 * @type: kind of core
 * @value: how many, at most as many as the device has
 *
 * It holds in threads that call aclrtUseStreamResInCurrentThread().
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @type and too large a
 * @value, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream,
	aclrtDevResLimitType type, uint32_t value);

/**
 * aclrtGetStreamResLimit() - the limit that holds for a stream
 * @stream: a stream of any context, or NULL
 * @type: kind of core
 * @value: set to it: what was set for the stream, or else what holds for its
 *	device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, and as aclrtSetStreamResLimit().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream,
	aclrtDevResLimitType type, uint32_t *value);

/**
 * aclrtResetStreamResLimit() - lift the limits of a stream
 * @stream: a stream of any context, or NULL
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * aclrtUseStreamResInCurrentThread() - let the limits of a stream hold here
 * @stream: a stream of any context, or NULL; the last one counts
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUseStreamResInCurrentThread(aclrtStream stream);

/**
 * aclrtUnuseStreamResInCurrentThread() - undo it
 * @stream: the stream; another one than the last changes nothing
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * aclrtGetResInCurrentThread() - the limit that holds in this thread
 * @type: kind of core
 * @value: set to it: that of the stream that is used here, if it has one, or
 *	else that of the current device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown @type, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/**
 * aclrtSetDeviceSatMode() - what becomes of results that are too large
 * @mode: ACL_RT_OVERFLOW_MODE_SATURATION, the largest number, or
 *	ACL_RT_OVERFLOW_MODE_INFNAN, as IEEE 754 says
 *
 * For the current device; reductions follow IEEE 754 all the same.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another @mode,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * aclrtGetDeviceSatMode() - what becomes of results that are too large
 * @mode: set to it, ACL_RT_OVERFLOW_MODE_INFNAN by default
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * aclrtSetStreamOverflowSwitch() - whether a stream looks for overflows
 * @stream: a stream of the current context, or NULL
 * @flag: 1 or 0
 *
 * The same as ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another @flag,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream,
	uint32_t flag);

/**
 * aclrtGetStreamOverflowSwitch() - whether a stream looks for overflows
 * @stream: a stream of the current context, or NULL
 * @flag: set to 1 or 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @flag, and as
 * aclrtSetStreamOverflowSwitch().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream,
	uint32_t *flag);

/**
 * aclrtGetOverflowStatus() - have a stream tell whether there were overflows
 * @outputAddr: device memory, filled with 0: there were none
 * @outputSize: 64
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @outputAddr,
 * ACL_ERROR_RT_PARAM_INVALID for another @outputSize,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void *outputAddr,
	size_t outputSize, aclrtStream stream);

/**
 * aclrtResetOverflowStatus() - have a stream forget overflows
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * aclrtCtxGetFloatOverflowAddr() - where kernels note overflows
 * @overflowAddr: left alone
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no kernels.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * aclrtGetFloatOverflowStatus() - the same as aclrtGetOverflowStatus()
 * @outputAddr: device memory, filled with 0
 * @outputSize: 64
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtGetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void *outputAddr,
	uint64_t outputSize, aclrtStream stream);

/**
 * aclrtResetFloatOverflowStatus() - the same as aclrtResetOverflowStatus()
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtResetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * aclrtNpuGetFloatOverFlowStatus() - the same as aclrtGetOverflowStatus()
 * @outputAddr: device memory, filled with 0
 * @outputSize: 64
 * @checkMode: reserved, 0
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtGetOverflowStatus(); ACL_ERROR_RT_PARAM_INVALID for
 * @checkMode.
 */
ACL_FUNC_VISIBILITY aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr,
	uint64_t outputSize, uint32_t checkMode, aclrtStream stream);

/**
 * aclrtNpuClearFloatOverFlowStatus() - the same as aclrtResetOverflowStatus()
 * @checkMode: reserved, 0
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtResetOverflowStatus(); ACL_ERROR_RT_PARAM_INVALID for
 * @checkMode.
 */
ACL_FUNC_VISIBILITY aclError
aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_LIMIT_H */
