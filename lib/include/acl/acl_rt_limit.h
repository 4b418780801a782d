/* SPDX-License-Identifier: MIT */
/*
 * Limits for kernels: the number of cores, and the behaviour on overflow.
 *
 * A launch has the core limits of its stream, or else of the stream that the
 * calling thread uses (aclrtUseStreamResInCurrentThread()), or else of the device;
 * each kind of core by itself.  It takes them when it is submitted or captured.  At
 * most as many of its blocks as the limit have begun and not ended at a time, as
 * on a device with so many cores.  If a limit is 0, launches that need the kind
 * of core return ACL_ERROR_RT_PARAM_INVALID.  On chips without separate vector
 * cores, the limit of ACL_RT_DEV_RES_CUBE_CORE holds for all kernels.
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
 * @value: number of cores, at most as many as the device has
 *
 * The launches of this process on the device run no more blocks at a time, in
 * all streams together that have no limit of their own.  Blocks that wait in
 * SyncAll() and the like count for their launch only.  The limit ends with the
 * reset of the device.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @type or too large a
 * @value, ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL for a device
 * that is not set.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId,
	aclrtDevResLimitType type, uint32_t value);

/**
 * aclrtGetDeviceResLimit() - get the core limit of a device
 * @deviceId: a device that is set
 * @type: kind of core
 * @value: set to the limit, or to the cores of the device if none was set
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
 * @value: number of cores, at most as many as the device has
 *
 * The limit holds for launches to the stream.  In threads that call
 * aclrtUseStreamResInCurrentThread(), it also holds for launches to streams
 * without one, and is the result of aclrtGetResInCurrentThread().
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @type or too large a
 * @value, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream,
	aclrtDevResLimitType type, uint32_t value);

/**
 * aclrtGetStreamResLimit() - get the core limit of a stream
 * @stream: a stream of any context, or NULL
 * @type: kind of core
 * @value: set to the limit of the stream, or else to that of its device
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
 * aclrtUseStreamResInCurrentThread() - apply a stream's core limits in this
 * thread
 * @stream: a stream of any context, or NULL; replaces the previous one
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUseStreamResInCurrentThread(aclrtStream stream);

/**
 * aclrtUnuseStreamResInCurrentThread() - stop applying a stream's core limits
 * @stream: the stream; has no effect if it is not the current choice
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * aclrtGetResInCurrentThread() - get the core limit of this thread
 * @type: kind of core
 * @value: set to the limit of the stream that this thread uses, or else to that
 *	of the current device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown @type, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/**
 * aclrtSetDeviceSatMode() - set how the device represents results that overflow
 * @mode: ACL_RT_OVERFLOW_MODE_SATURATION for the largest number, or
 *	ACL_RT_OVERFLOW_MODE_INFNAN for infinity and NaN as in IEEE 754
 *
 * Applies to the current device.  Reductions follow IEEE 754 in any case.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another @mode,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * aclrtGetDeviceSatMode() - get how the device represents results that overflow
 * @mode: set to the mode; the default is ACL_RT_OVERFLOW_MODE_INFNAN
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * aclrtSetStreamOverflowSwitch() - switch a stream's overflow detection on or
 * off
 * @stream: a stream of the current context, or NULL
 * @flag: 1 or 0
 *
 * Sets the attribute ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another @flag,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream,
	uint32_t flag);

/**
 * aclrtGetStreamOverflowSwitch() - check whether a stream detects overflows
 * @stream: a stream of the current context, or NULL
 * @flag: set to 1 or 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @flag, and as
 * aclrtSetStreamOverflowSwitch().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream,
	uint32_t *flag);

/**
 * aclrtGetOverflowStatus() - submit a task that reports whether overflows
 * occurred
 * @outputAddr: device memory; the task fills it with 0, as no overflow occurs
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
 * aclrtResetOverflowStatus() - submit a task that clears the overflow status
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * aclrtCtxGetFloatOverflowAddr() - get the overflow address of kernels (not
 * supported)
 * @overflowAddr: unchanged
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL,
 * otherwise ACL_ERROR_RT_FEATURE_NOT_SUPPORT: kernels record no
 * overflows here.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * aclrtGetFloatOverflowStatus() - do what aclrtGetOverflowStatus() does
 * @outputAddr: device memory, filled with 0
 * @outputSize: 64
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtGetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void *outputAddr,
	uint64_t outputSize, aclrtStream stream);

/**
 * aclrtResetFloatOverflowStatus() - do what aclrtResetOverflowStatus() does
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtResetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * aclrtNpuGetFloatOverFlowStatus() - do what aclrtGetOverflowStatus() does
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
 * aclrtNpuClearFloatOverFlowStatus() - do what aclrtResetOverflowStatus() does
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
