/* SPDX-License-Identifier: MIT */
/*
 * The AscendCL runtime: devices, contexts, streams and memory.
 *
 * Rules for every call, unless its comment says otherwise:
 *
 * - Any thread may call it, at any time.  The current context, the last error
 *   and the recent message belong to the calling thread.
 * - It returns ACL_SUCCESS, or an error code with its outputs unchanged.
 *   ACL_ERROR_INVALID_PARAM stands for a NULL pointer or a zero size where
 *   neither is allowed; it leaves the last error unchanged.  All other codes
 *   listed are runtime errors and set the last error.  For either,
 *   aclGetRecentErrMsg() has a message.
 * - A call that needs a context returns ACL_ERROR_RT_CONTEXT_NULL in a thread
 *   without one.  Device numbers are those of the process: see
 *   ASCEND_RT_VISIBLE_DEVICES in libvnpu(7).
 * - A stale or invalid handle gives ACL_ERROR_RT_INVALID_HANDLE.
 * - After fork() the child cannot use objects of the parent: its calls fail,
 *   and neither harm nor delay the parent.
 *
 * The rules come from the AscendCL page of each call, or from the published
 * behaviour of CANN 8 and 9 where that page is silent.
 */
#ifndef ACL_ACL_RT_H
#define ACL_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"
#include "acl_rt_allocator.h"
#include "acl_rt_cache.h"
#include "acl_rt_callback.h"
#include "acl_rt_exception.h"
#include "acl_rt_kernel.h"
#include "acl_rt_limit.h"
#include "acl_rt_mbuf.h"
#include "acl_rt_notify.h"
#include "acl_rt_snapshot.h"
#include "acl_rt_symbol.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the interface that these headers follow. */
#define ACL_MAJOR_VERSION	1
#define ACL_MINOR_VERSION	17
#define ACL_PATCH_VERSION	0

/*
 * Start, end, versions, messages
 */

#define ACL_PKG_VERSION_MAX_SIZE	128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE	64

typedef enum aclCANNPackageName {
	ACL_PKG_NAME_CANN	= 0,
	ACL_PKG_NAME_RUNTIME	= 1,
	ACL_PKG_NAME_COMPILER	= 2,
	ACL_PKG_NAME_HCCL	= 3,
	ACL_PKG_NAME_TOOLKIT	= 4,
	ACL_PKG_NAME_OPP	= 5,
	ACL_PKG_NAME_OPP_KERNEL	= 6,
	ACL_PKG_NAME_DRIVER	= 7
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
	char version[128];
	char majorVersion[64];
	char minorVersion[64];
	char releaseVersion[64];
	char patchVersion[64];
	char reserved[128];
} aclCANNPackageVersion;

/* The side on which the program runs: always ACL_HOST with this library. */
typedef enum aclrtRunMode {
	ACL_DEVICE	= 0,
	ACL_HOST	= 1
} aclrtRunMode;

/* The module that a callback belongs to; programs use ACL_REG_TYPE_OTHER. */
typedef enum aclRegisterCallbackType {
	ACL_REG_TYPE_ACL_MODEL		= 0,
	ACL_REG_TYPE_ACL_OP_EXECUTOR	= 1,
	ACL_REG_TYPE_ACL_OP_CBLAS	= 2,
	ACL_REG_TYPE_ACL_OP_COMPILER	= 3,
	ACL_REG_TYPE_ACL_TDT_CHANNEL	= 4,
	ACL_REG_TYPE_ACL_TDT_QUEUE	= 5,
	ACL_REG_TYPE_ACL_DVPP		= 6,
	ACL_REG_TYPE_ACL_RETR		= 7,
	ACL_REG_TYPE_OTHER		= 0xFFFF
} aclRegisterCallbackType;

typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len,
	void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* Scope of the last-error calls: only the thread's own error exists. */
typedef enum aclrtLastErrLevel {
	ACL_RT_THREAD_LEVEL	= 0
} aclrtLastErrLevel;

/**
 * aclInit() - start AscendCL in this process
 * @configPath: a JSON file, or NULL or "" for none
 *
 * Each successful or repeated call takes one reference.  As with CANN, the
 * aclrt calls do not need it.  A program may call it again after aclFinalize().
 *
 * Errors: ACL_ERROR_REPEAT_INITIALIZE if AscendCL is started already (the call
 * takes a reference and does no harm), ACL_ERROR_INVALID_FILE for a file that
 * cannot be read, ACL_ERROR_PARSE_FILE for one that is not a JSON object,
 * ACL_ERROR_BAD_ALLOC; otherwise the return value of a callback.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/**
 * aclFinalize() - end AscendCL in this process
 *
 * Ignores the number of references.  It neither resets devices nor frees
 * memory.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE if AscendCL is not started.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/**
 * aclFinalizeReference() - drop one reference of aclInit()
 * @refCount: set to the number of references left; may be NULL
 *
 * Dropping the last one ends AscendCL as aclFinalize() does.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE if there is none.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/**
 * aclInitCallbackRegister() - register a function for aclInit() to call
 * @type: the module that the callback belongs to
 * @cbFunc: called with the text of the configuration and its length in bytes
 * @userData: passed to it
 *
 * If AscendCL is started already, calls @cbFunc at once.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @cbFunc or an unknown @type,
 * ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclInitCallbackRegister(aclRegisterCallbackType type,
	aclInitCallbackFunc cbFunc, void *userData);

/**
 * aclInitCallbackUnRegister() - undo aclInitCallbackRegister()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a pair that is not registered.
 */
ACL_FUNC_VISIBILITY aclError
aclInitCallbackUnRegister(aclRegisterCallbackType type,
	aclInitCallbackFunc cbFunc);

/**
 * aclFinalizeCallbackRegister() - register a function for aclFinalize() to call
 * @type: the module that the callback belongs to
 * @cbFunc: the function
 * @userData: passed to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @cbFunc or an unknown @type,
 * ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclFinalizeCallbackRegister(aclRegisterCallbackType type,
	aclFinalizeCallbackFunc cbFunc, void *userData);

/**
 * aclFinalizeCallbackUnRegister() - undo aclFinalizeCallbackRegister()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a pair that is not registered.
 */
ACL_FUNC_VISIBILITY aclError
aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
	aclFinalizeCallbackFunc cbFunc);

/**
 * aclGetRecentErrMsg() - take the messages of this thread's failures
 *
 * A message names the call, the argument and the remedy.  If memory ran out, it
 * also has the request, the free memory and the holders of the rest.  The
 * newest message comes first, one per line; very old ones are dropped.
 *
 * Return: a string that stays valid until this thread's next call of this
 * function, or the end of this thread; exit() does not free it.  The caller must
 * not free it.  NULL if nothing failed since the last call.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/**
 * aclrtGetLastError() - get and clear this thread's last runtime error
 * @level: ACL_RT_THREAD_LEVEL
 *
 * Return: the code of the last call that failed in the runtime, or ACL_SUCCESS;
 * successful calls do not clear it.  ACL_ERROR_INVALID_PARAM for another
 * @level.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * aclrtPeekAtLastError() - get this thread's last runtime error, and keep it
 * @level: ACL_RT_THREAD_LEVEL
 */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * aclsysGetCANNVersion() - get the version of a package of the software stack
 * @name: the package
 * @version: filled with the full version and its parts
 *
 * Use aclsysGetVersionStr() in new programs.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown package,
 * ACL_ERROR_INVALID_FILE for a package that is not installed.
 */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
	aclCANNPackageVersion *version);

/**
 * aclsysGetVersionStr() - get the version of a package as a string
 * @pkgName: "runtime", for instance
 * @versionStr: at least ACL_PKG_VERSION_MAX_SIZE bytes; NUL-terminated
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_INVALID_FILE for a
 * package that is not installed.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName,
	char *versionStr);

/**
 * aclsysGetVersionNum() - get the version of a package as a comparable number
 * @pkgName: "runtime", for instance
 * @versionNum: set to the number; a later version has a higher number
 *
 * Errors: as aclsysGetVersionStr().
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName,
	int32_t *versionNum);

/**
 * aclrtGetVersion() - get the version of the interface
 * @majorVersion: set to ACL_MAJOR_VERSION of the library
 * @minorVersion: set to ACL_MINOR_VERSION of the library
 * @patchVersion: set to ACL_PATCH_VERSION of the library
 *
 * Use aclsysGetVersionStr() in new programs.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion,
	int32_t *minorVersion, int32_t *patchVersion);

/**
 * aclrtCheckArchCompatibility() - check whether code built for a chip can run
 * here
 * @socVersion: name of the chip, as from aclrtGetSocName()
 * @canCompatible: set to 1 if it can, else 0
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL or an unknown chip.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion,
	int32_t *canCompatible);

/**
 * aclrtGetRunMode() - get the side on which the program runs
 * @runMode: set to ACL_HOST
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * aclrtSetSysParamOpt() - set an option of the process
 * @opt: the option
 * @value: 0 or 1; for ACL_OPT_DETERMINISTIC up to 3
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown option,
 * ACL_ERROR_RT_PARAM_INVALID for another value.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt,
	int64_t value);

/**
 * aclrtGetSysParamOpt() - get an option of the process
 * @opt: the option
 * @value: set to its value; 0 if it was never set
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown option.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt,
	int64_t *value);

/*
 * Devices
 */

typedef enum aclrtTsId {
	ACL_TS_ID_AICORE	= 0,
	ACL_TS_ID_AIVECTOR	= 1,
	ACL_TS_ID_RESERVED	= 2
} aclrtTsId;

typedef enum aclrtDeviceStatus {
	ACL_RT_DEVICE_STATUS_NORMAL	= 0,
	ACL_RT_DEVICE_STATUS_ABNORMAL	= 1,
	ACL_RT_DEVICE_STATUS_END	= 0xFFFF
} aclrtDeviceStatus;

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/* Load in percent since the last call; -1 for a unit that has no such value. */
typedef struct aclrtUtilizationInfo {
	int32_t cubeUtilization;
	int32_t vectorUtilization;
	int32_t aicpuUtilization;
	int32_t memoryUtilization;
	aclrtUtilizationExtendInfo *utilizationExtend;	/* reserved: NULL */
} aclrtUtilizationInfo;

typedef struct tagRtGroupInfo aclrtGroupInfo;

/* Attributes of a group for aclrtGetGroupInfoDetail(); all are int32_t. */
typedef enum aclrtGroupAttr {
	ACL_GROUP_AICORE_INT	= 0,
	ACL_GROUP_AIV_INT	= 1,
	ACL_GROUP_AIC_INT	= 2,
	ACL_GROUP_SDMANUM_INT	= 3,
	ACL_GROUP_ASQNUM_INT	= 4,
	ACL_GROUP_GROUPID_INT	= 5
} aclrtGroupAttr;

/*
 * Attributes of a device for aclrtGetDeviceInfo().  Sizes are in bytes.
 * ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE and ..._SUPER_POD_DEVIDE_ID are the
 * old names of the values that follow them.
 */
typedef enum aclrtDevAttr {
	ACL_DEV_ATTR_AICPU_CORE_NUM		= 1,
	ACL_DEV_ATTR_AICORE_CORE_NUM		= 101,
	ACL_DEV_ATTR_CUBE_CORE_NUM		= 102,
	ACL_DEV_ATTR_VECTOR_CORE_NUM		= 201,
	ACL_DEV_ATTR_WARP_SIZE			= 202,
	ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE	= 203,
	ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE	= 204,
	ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE	= 204,
	ACL_DEV_ATTR_MAX_GRID_DIM_X		= 205,
	ACL_DEV_ATTR_MAX_GRID_DIM_Y		= 206,
	ACL_DEV_ATTR_MAX_GRID_DIM_Z		= 207,
	ACL_DEV_ATTR_MAX_BLOCK_PER_GRID		= 208,
	ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK	= 209,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_X		= 210,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Y		= 211,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Z		= 212,
	ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE	= 301,
	ACL_DEV_ATTR_L2_CACHE_SIZE		= 302,
	ACL_DEV_ATTR_SMP_ID			= 401,
	ACL_DEV_ATTR_PHY_CHIP_ID		= 402,
	ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID	= 403,
	ACL_DEV_ATTR_SUPER_POD_DEVICE_ID	= 403,
	ACL_DEV_ATTR_SUPER_POD_SERVER_ID	= 404,
	ACL_DEV_ATTR_SUPER_POD_ID		= 405,
	ACL_DEV_ATTR_CUST_OP_PRIVILEGE		= 406,
	ACL_DEV_ATTR_MAINBOARD_ID		= 407,
	ACL_DEV_ATTR_HD_CONNECT_TYPE		= 408,
	ACL_DEV_ATTR_DEVICE_FORM_FACTOR		= 409,
	ACL_DEV_ATTR_IS_VIRTUAL			= 501,
	ACL_DEV_ATTR_NPU_ARCH			= 601
} aclrtDevAttr;

/* Values of ACL_DEV_ATTR_HD_CONNECT_TYPE. */
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE	0U
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS	1U
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB		2U

/* Values of ACL_DEV_ATTR_DEVICE_FORM_FACTOR. */
#define ACL_DEVICE_FORM_FACTOR_POD		0U
#define ACL_DEVICE_FORM_FACTOR_A_K		1U
#define ACL_DEVICE_FORM_FACTOR_A_X		2U
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD	3U

typedef enum aclrtDevFeatureType {
	ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV	= 1,
	ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV		= 21
} aclrtDevFeatureType;

/* Results of aclrtGetDeviceCapability(). */
#define ACL_DEV_FEATURE_NOT_SUPPORT	0
#define ACL_DEV_FEATURE_SUPPORT		1

/* Connection between two devices, as bits: see aclrtGetDevicesTopo(). */
#define ACL_RT_DEVS_TOPOLOGY_HCCS	0x1U
#define ACL_RT_DEVS_TOPOLOGY_PIX	0x2U
#define ACL_RT_DEVS_TOPOLOGY_PIB	0x4U
#define ACL_RT_DEVS_TOPOLOGY_PHB	0x8U
#define ACL_RT_DEVS_TOPOLOGY_SYS	0x10U
#define ACL_RT_DEVS_TOPOLOGY_SIO	0x20U
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW	0x40U

typedef struct aclrtUuid {
	char bytes[16];
} aclrtUuid;

/* Limits of kernels, in bytes. */
typedef enum aclrtDeviceLimit {
	ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE		= 0,
	ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE	= 1,
	ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE		= 2,
	ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE	= 3,
	ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE		= 4
} aclrtDeviceLimit;

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
 * aclrtGetDeviceCount() - get the number of devices that this process can use
 * @count: set to the number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_NO_DEVICE without a
 * driver or a visible device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * aclrtSetDevice() - use a device in this thread
 * @deviceId: device, from 0 to aclrtGetDeviceCount() - 1
 *
 * Creates the device's primary context, which all threads of the process share,
 * and its default stream, unless they exist.  Makes this context the thread's
 * current one and takes one reference to it.
 *
 * Errors: ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_NO_DEVICE;
 * ACL_ERROR_RT_NO_PERMISSION without permission to open the device node.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/**
 * aclrtResetDevice() - drop one reference to a device
 * @deviceId: device
 *
 * Dropping the last reference waits for the work of the primary context.  It
 * frees the streams and all device memory that were allocated in this context.
 * Their pointers and handles become stale, and threads in which it was current
 * have no context any more.
 *
 * Errors: ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_CONTEXT_RELEASE_ERROR for
 * more resets than sets.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/**
 * aclrtResetDeviceForce() - drop all references to a device
 * @deviceId: device
 *
 * Does what aclrtResetDevice() does for every reference.
 *
 * Errors: as aclrtResetDevice().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * aclrtGetDevice() - get the device of this thread's current context
 * @deviceId: set to the device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/**
 * aclrtSynchronizeDevice() - wait for all streams of the current context
 *
 * Errors: ACL_ERROR_RT_CONTEXT_NULL, or the error of a task.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/**
 * aclrtSynchronizeDeviceWithTimeout() - wait for all streams, with a time limit
 * @timeout: milliseconds, or -1 for no limit
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, as aclrtSynchronizeDevice().
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * aclrtSetTsDevice() - choose the task scheduler for this thread
 * @tsId: ACL_TS_ID_AICORE; ACL_TS_ID_AIVECTOR is accepted, with the same effect
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another value,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/**
 * aclrtGetDeviceUtilizationRate() - get the load of a device
 * @deviceId: device
 * @utilizationInfo: filled; utilizationExtend must be NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a utilizationExtend,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
	aclrtUtilizationInfo *utilizationInfo);

/**
 * aclrtQueryDeviceStatus() - check whether a device works
 * @deviceId: device
 * @deviceStatus: set to ACL_RT_DEVICE_STATUS_NORMAL or ..._ABNORMAL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
	aclrtDeviceStatus *deviceStatus);

/**
 * aclrtGetDeviceInfo() - get an attribute of a device
 * @deviceId: device
 * @attr: the attribute
 * @value: set to its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one that this device does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId,
	aclrtDevAttr attr, int64_t *value);

/**
 * aclrtGetDeviceCapability() - check whether a device has a feature
 * @deviceId: device
 * @devFeatureType: the feature
 * @value: set to ACL_DEV_FEATURE_SUPPORT or ACL_DEV_FEATURE_NOT_SUPPORT
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown feature.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId,
	aclrtDevFeatureType devFeatureType, int32_t *value);

/**
 * aclrtDeviceGetUuid() - get the UUID of a device
 * @deviceId: device
 * @uuid: filled; a device keeps its UUID across reboots
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId,
	aclrtUuid *uuid);

/**
 * aclrtDeviceGetPCIBusId() - get the PCI address of a device
 * @deviceId: device
 * @pciBusId: filled with domain:bus:device.function, NUL-terminated
 * @len: its size in bytes, 13 or more
 *
 * The address has the form of a PCI address, in a domain that no real bus uses.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for a @len that is too small.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId,
	char *pciBusId, int32_t len);

/**
 * aclrtDeviceGetByPCIBusId() - find the device at a PCI address
 * @pciBusId: domain:bus:device.function in any case; a missing domain means 0
 * @deviceId: set to the device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID if no
 * device has this address.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char *pciBusId,
	int32_t *deviceId);

/**
 * aclrtDeviceSetLimit() - set a limit for kernels on the current device
 * @limit: the limit
 * @value: bytes, at most UINT32_MAX
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown limit or too large a value,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a limit that
 * this device does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit,
	size_t value);

/**
 * aclrtDeviceGetLimit() - get a limit for kernels on the current device
 * @limit: the limit
 * @value: set to the limit in bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, and as aclrtDeviceSetLimit().
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit,
	size_t *value);

/**
 * aclrtDeviceGetBareTgid() - get the process id by which drivers know this
 * process
 * @pid: set to the process id
 *
 * This is the id in the initial pid namespace if it can be determined, also in
 * a container; otherwise getpid().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

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

/**
 * aclrtSetGroup() - restrict this thread's work to a group of cores
 * @groupId: group, below aclrtGetGroupCount()
 *
 * Errors: ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_GROUP_NOT_CREATE: no device
 * of this driver is divided into groups.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetGroup(int32_t groupId);

/**
 * aclrtGetGroupCount() - count the groups of cores of the current device
 * @count: set to 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t *count);

/**
 * aclrtCreateGroupInfo() - allocate memory for the description of all groups
 *
 * Return: a description, to be freed with aclrtDestroyGroupInfo(); NULL without
 * groups, as on all devices of this driver.
 */
ACL_FUNC_VISIBILITY aclrtGroupInfo *aclrtCreateGroupInfo(void);

/**
 * aclrtDestroyGroupInfo() - free a description of groups
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE for a
 * description that aclrtCreateGroupInfo() did not return.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * aclrtGetAllGroupInfo() - describe all groups of the current device
 * @groupInfo: filled
 *
 * Errors: as aclrtDestroyGroupInfo().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);

/**
 * aclrtGetGroupInfoDetail() - get one attribute of one group
 * @groupInfo: filled by aclrtGetAllGroupInfo()
 * @groupIndex: group, from 0
 * @attr: the attribute
 * @attrValue: filled with an int32_t
 * @valueLen: size of @attrValue in bytes
 * @paramRetSize: set to the bytes written
 *
 * Errors: as aclrtDestroyGroupInfo().
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo, int32_t groupIndex,
	aclrtGroupAttr attr, void *attrValue, size_t valueLen,
	size_t *paramRetSize);

/*
 * Contexts
 */

/**
 * aclrtCreateContext() - create a context and make it current
 * @context: set to the context
 * @deviceId: device
 *
 * A context has streams, one of which is its default stream; memory belongs to
 * the device. aclrtDestroyContext() or the last reset of the device destroys
 * it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context,
	int32_t deviceId);

/**
 * aclrtDestroyContext() - wait for a context's work, and destroy it
 * @context: a context of aclrtCreateContext()
 *
 * Destroys its streams, too.  Threads in which it was current have no context
 * any more.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL for a device's primary context.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/**
 * aclrtSetCurrentContext() - make a context this thread's current one
 * @context: from aclrtCreateContext() or aclrtGetCurrentContext(), of any
 *	thread
 *
 * The current device changes with it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * aclrtGetCurrentContext() - get this thread's current context
 * @context: set to the context, or to NULL on failure
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * aclrtCtxSetSysParamOpt() - set an option of the current context
 * @opt: the option
 * @value: 0 or 1; for ACL_OPT_DETERMINISTIC up to 3
 *
 * Takes precedence over aclrtSetSysParamOpt().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown option or one that applies to
 * processes only (ACL_OPT_ENABLE_KERNEL_EARLY_START),
 * ACL_ERROR_RT_PARAM_INVALID for another value, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt,
	int64_t value);

/**
 * aclrtCtxGetSysParamOpt() - get an option of the current context
 * @opt: the option
 * @value: set to its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an option that a context does
 * not have, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET if it
 * was never set in this context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt,
	int64_t *value);

/**
 * aclrtCtxGetCurrentDefaultStream() - get the current context's default stream
 * @stream: set to the stream
 *
 * NULL as a stream stands for it.  It cannot be destroyed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * aclrtGetPrimaryCtxState() - check whether a device's primary context exists
 * @deviceId: device
 * @flags: reserved: must be NULL
 * @active: set to 1 if it exists, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @active or other @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId,
	uint32_t *flags, int32_t *active);

/*
 * Streams
 *
 * A stream does its work in the order of submission.  NULL stands for the
 * default stream of the current context, which is a stream like any other and
 * not a barrier for the rest.
 */

/* Flags of a stream. */
#define ACL_STREAM_FAST_LAUNCH		0x1U
#define ACL_STREAM_FAST_SYNC		0x2U
#define ACL_STREAM_PERSISTENT		0x4U
#define ACL_STREAM_HUGE			0x8U
#define ACL_STREAM_CPU_SCHEDULE		0x10U
#define ACL_STREAM_DEVICE_USE_ONLY	0x20U

/* The reaction of a stream to a failed task. */
#define ACL_CONTINUE_ON_FAILURE	0U
#define ACL_STOP_ON_FAILURE	1U

typedef enum aclrtStreamStatus {
	ACL_STREAM_STATUS_COMPLETE	= 0,
	ACL_STREAM_STATUS_NOT_READY	= 1,
	ACL_STREAM_STATUS_RESERVED	= 0xFFFF
} aclrtStreamStatus;

/* Properties for aclrtSetStreamConfigOpt(). */
typedef enum aclrtStreamConfigAttr {
	ACL_RT_STREAM_WORK_ADDR_PTR	= 0,
	ACL_RT_STREAM_WORK_SIZE		= 1,
	ACL_RT_STREAM_FLAG		= 2,
	ACL_RT_STREAM_PRIORITY		= 3
} aclrtStreamConfigAttr;

/* Only the calls below may create, change and destroy it. */
typedef struct aclrtStreamConfigHandle {
	void *workptr;
	size_t workSize;
	size_t flag;
	uint32_t priority;
} aclrtStreamConfigHandle;

typedef enum aclrtStreamAttr {
	ACL_STREAM_ATTR_FAILURE_MODE		= 1,
	ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK	= 2,
	ACL_STREAM_ATTR_USER_CUSTOM_TAG		= 3,
	ACL_STREAM_ATTR_CACHE_OP_INFO		= 4,
	ACL_STREAM_ATTR_PRIORITY		= 5
} aclrtStreamAttr;

typedef union aclrtStreamAttrValue {
	uint64_t failureMode;
	uint32_t overflowSwitch;
	uint32_t userCustomTag;
	uint32_t cacheOpInfoSwitch;
	uint32_t streamPriority;
	uint32_t reserve[4];
} aclrtStreamAttrValue;

/**
 * aclrtCreateStream() - create a stream in the current context
 * @stream: set to the stream
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_STREAM_RESOURCE if the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/**
 * aclrtCreateStreamWithConfig() - create a stream with a priority and flags
 * @stream: set to the stream
 * @priority: 0, the highest, to 7; larger values mean 7
 * @flag: ACL_STREAM_* bits, or 0; other bits are ignored
 *
 * Errors: as aclrtCreateStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream,
	uint32_t priority, uint32_t flag);

/**
 * aclrtCreateStreamConfigHandle() - create a description of a stream
 *
 * Return: a description, to be freed with aclrtDestroyStreamConfigHandle();
 * NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *
aclrtCreateStreamConfigHandle(void);

/**
 * aclrtDestroyStreamConfigHandle() - free a description of a stream
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * aclrtSetStreamConfigOpt() - set one property in a description of a stream
 * @handle: the description
 * @attr: the property; work address and size are stored, but this device does
 *	not need them
 * @attrValue: points to the value: void *, size_t, size_t (flags) or uint32_t
 *	(priority), in the order of aclrtStreamConfigAttr
 * @valueSize: size of the value in bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an unknown property or a wrong
 * size.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
	aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize);

/**
 * aclrtCreateStreamV2() - create a stream from its description
 * @stream: set to the stream
 * @handle: the description, which may be changed or freed after the call
 *
 * Errors: as aclrtCreateStreamWithConfig().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream,
	const aclrtStreamConfigHandle *handle);

/**
 * aclrtDestroyStream() - wait for a stream's work, and destroy it
 * @stream: a stream of the current context
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT for a stream of another context,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/**
 * aclrtDestroyStreamForce() - drop a stream's work, and destroy it
 * @stream: a stream of the current context
 *
 * Errors: as aclrtDestroyStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * aclrtSynchronizeStream() - wait for a stream's work
 * @stream: a stream of any context, or NULL
 *
 * Reports the failure of a task once; but if the streams of the context stop on
 * failure, each call reports it.  See "Work for streams".
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_STREAM_ABORT if the stream is aborted during the call, or the
 * code of a failed task.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * aclrtSynchronizeStreamWithTimeout() - wait for a stream's work, with a time
 * limit
 * @stream: a stream of any context, or NULL
 * @timeout: milliseconds, or -1 for no limit
 *
 * The stream stays usable after a timeout.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, as aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * aclrtStreamQuery() - check whether a stream's work is done
 * @stream: a stream of the current context, or NULL
 * @status: set to ACL_STREAM_STATUS_COMPLETE or ..._NOT_READY
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @status,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream,
	aclrtStreamStatus *status);

/**
 * aclrtStreamAbort() - drop the work that a stream has not completed
 * @stream: a stream of the current context, not NULL
 *
 * The running task ends early.  Pending callbacks of the stream are not called;
 * a callback that runs goes on.  Waiters for the stream get
 * ACL_ERROR_RT_STREAM_ABORT.  The stream can be used again after the call, even
 * if it had stopped after a failed task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/**
 * aclrtStreamStop() - stop a stream that only the device uses
 * @stream: a stream of the current context with ACL_STREAM_DEVICE_USE_ONLY
 *
 * Does what aclrtStreamAbort() does.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/**
 * aclrtPersistentTaskClean() - drop the tasks of a persistent stream
 * @stream: a stream of the current context with ACL_STREAM_PERSISTENT
 *
 * Does what aclrtStreamAbort() does.  The stream accepts new tasks afterwards.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * aclrtGetThreadLastTaskId() - get the task that this thread submitted last
 * @taskId: set to its number in its stream, or 0 before the first
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * aclrtStreamGetId() - get the number of a stream
 * @stream: a stream of the current context, or NULL
 * @streamId: set to a number that no other living stream of the device has in
 *	this process
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream,
	int32_t *streamId);

/**
 * aclrtStreamGetPriority() - get the priority of a stream
 * @stream: a stream of the current context, or NULL
 * @priority: set to the priority, 0 to 7
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream,
	uint32_t *priority);

/**
 * aclrtStreamGetFlags() - get the flags of a stream
 * @stream: a stream of the current context, or NULL
 * @flags: set to ACL_STREAM_* bits
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream,
	uint32_t *flags);

/**
 * aclrtGetStreamAvailableNum() - count the streams that can still be created
 * @streamCount: set to the number for the current device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * aclrtDeviceGetStreamPriorityRange() - get the current device's priority range
 * @leastPriority: set to 7; may be NULL
 * @greatestPriority: set to 0; may be NULL
 *
 * Errors: ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
	int32_t *greatestPriority);

/**
 * aclrtSetStreamFailureMode() - set how a stream reacts to a failed task
 * @stream: a stream of the current context, or NULL
 * @mode: ACL_CONTINUE_ON_FAILURE, the default, or ACL_STOP_ON_FAILURE, which
 *	stops all streams of the context and cannot be reverted
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another mode,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for reverting to ACL_CONTINUE_ON_FAILURE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream,
	uint64_t mode);

/**
 * aclrtSetStreamAttribute() - set an attribute of a stream
 * @stream: a stream of the current context, or NULL
 * @stmAttrType: the attribute
 * @value: holds its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @value,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute or value, and as
 * aclrtSetStreamFailureMode().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream,
	aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/**
 * aclrtGetStreamAttribute() - get an attribute of a stream
 * @stream: a stream of the current context, or NULL
 * @stmAttrType: the attribute
 * @value: filled
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @value,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute, and as
 * aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream,
	aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/*
 * Events
 *
 * An event records the work that a stream has been given up to a point, and is
 * complete when that work is done.  There are two families of events, the old
 * one and that of aclrtCreateEventExWithFlag(), which differ before the first
 * record.  An event belongs to the context that was current when it was
 * created, and ends with this context at the latest.  Streams of any context
 * may record it and wait for it.
 */

/* Flags of an event. */
#define ACL_EVENT_SYNC				0x1U	/* for stream waits */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS	0x2U	/* for host waits */
#define ACL_EVENT_TIME_LINE			0x8U	/* has timestamps */
#define ACL_EVENT_DEVICE_USE_ONLY		0x10U
#define ACL_EVENT_EXTERNAL			0x20U
#define ACL_EVENT_IPC				0x40U

/* Flags of a record and of a wait. */
#define ACL_EVENT_RECORD_DEFAULT	0x0U
#define ACL_EVENT_RECORD_EXTERNAL	0x1U
#define ACL_EVENT_WAIT_DEFAULT		0x0U
#define ACL_EVENT_WAIT_EXTERNAL		0x1U

/* Beware: "complete" is 0 here, ... */
typedef enum aclrtEventStatus {
	ACL_EVENT_STATUS_COMPLETE	= 0,
	ACL_EVENT_STATUS_NOT_READY	= 1,
	ACL_EVENT_STATUS_RESERVED	= 2
} aclrtEventStatus;

/* ... 1 here, ... */
typedef enum aclrtEventRecordedStatus {
	ACL_EVENT_RECORDED_STATUS_NOT_READY	= 0,
	ACL_EVENT_RECORDED_STATUS_COMPLETE	= 1
} aclrtEventRecordedStatus;

/* ... and 0 here. */
typedef enum aclrtEventWaitStatus {
	ACL_EVENT_WAIT_STATUS_COMPLETE	= 0,
	ACL_EVENT_WAIT_STATUS_NOT_READY	= 1,
	ACL_EVENT_WAIT_STATUS_RESERVED	= 0xFFFF
} aclrtEventWaitStatus;

/**
 * aclrtCreateEvent() - create an event of the old family, for times and waits
 * @event: set to the event
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * aclrtCreateEventWithFlag() - create an event of the old family
 * @event: set to the event
 * @flag: ACL_EVENT_* bits except ACL_EVENT_IPC; ACL_EVENT_EXTERNAL and
 *	ACL_EVENT_DEVICE_USE_ONLY cannot be combined with others
 *
 * An event with ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL takes one of the 65536
 * events that a device has for all processes.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * other flags, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event,
	uint32_t flag);

/**
 * aclrtCreateEventExWithFlag() - create an event of the new family
 * @event: set to the event
 * @flag: a combination of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS and
 *	ACL_EVENT_TIME_LINE; or ACL_EVENT_IPC alone
 *
 * Only memory limits the number of these events.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * other flags, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event,
	uint32_t flag);

/**
 * aclrtDestroyEvent() - destroy an event
 * @event: the event
 *
 * Does not wait.  Streams that wait for a record of the event keep waiting.
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * aclrtRecordEvent() - record the work that a stream has been given
 * @event: the event, whose earlier record is replaced
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event with ACL_EVENT_DEVICE_USE_ONLY,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL; the code of a task that stopped the context.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtRecordEventWithFlag() - record an event, with a flag
 * @event: the event
 * @stream: a stream of the current context, or NULL
 * @flag: ACL_EVENT_RECORD_DEFAULT
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_RECORD_EXTERNAL, as no
 * stream is captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; otherwise
 * as aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event,
	aclrtStream stream, uint32_t flag);

/**
 * aclrtResetEvent() - discard the record of an event
 * @event: an event of the old family
 * @stream: a stream of the current context, or NULL
 *
 * A stream that waits for the event after this call waits for the next record,
 * if the event has ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL; otherwise such a wait
 * fails until the event is recorded again.  A query sees the reset when @stream has done the work that it was
 * given before.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another event, otherwise as
 * aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtQueryEvent() - check whether an event is complete
 * @event: an event of the old family
 * @status: set to ACL_EVENT_STATUS_COMPLETE, also before the first record, or
 *	ACL_EVENT_STATUS_NOT_READY
 *
 * Deprecated: use aclrtQueryEventStatus().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * for an event of the new family, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event,
	aclrtEventStatus *status);

/**
 * aclrtQueryEventStatus() - check whether an event is complete
 * @event: the event
 * @status: set to ACL_EVENT_RECORDED_STATUS_COMPLETE or ..._NOT_READY; before
 *	the first record an event of the new family is complete, one of the old
 *	is not
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
	aclrtEventRecordedStatus *status);

/**
 * aclrtQueryEventWaitStatus() - check whether any stream still waits for an
 * event
 * @event: an event of the old family
 * @status: set to ACL_EVENT_WAIT_STATUS_COMPLETE or ..._NOT_READY
 *
 * Errors: as aclrtQueryEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
	aclrtEventWaitStatus *status);

/**
 * aclrtSynchronizeEvent() - wait for an event
 * @event: the event; if it was never recorded, the call does not wait
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL; ACL_ERROR_RT_STREAM_ABORT if the
 * stream of the record is aborted during the call, which is not detected for an
 * event of several processes; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * aclrtSynchronizeEventWithTimeout() - wait for an event, with a time limit
 * @event: the event
 * @timeout: milliseconds, or -1 for no limit
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, and as aclrtSynchronizeEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * aclrtEventElapsedTime() - get the time from one event to another
 * @ms: set to milliseconds; negative if @endEvent completed first
 * @startEvent: an event with timestamps
 * @endEvent: another one
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INTERNAL_ERROR for an
 * event that was never recorded, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID for one
 * that is not complete or was created without ACL_EVENT_TIME_LINE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms,
	aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * aclrtEventGetTimestamp() - get the time at which an event completed
 * @event: an event with timestamps
 * @timestamp: set to microseconds of CLOCK_MONOTONIC
 *
 * Errors: as aclrtEventElapsedTime().
 */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event,
	uint64_t *timestamp);

/* Handle of an event for other processes: see aclrtIpcGetEventHandle(). */
#define ACL_IPC_EVENT_HANDLE_SIZE	64U

typedef struct aclrtIpcEventHandle {
	char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/**
 * aclrtIpcGetEventHandle() - get a handle by which other processes open an
 * event
 * @event: an event of aclrtCreateEventExWithFlag() with ACL_EVENT_IPC
 * @handle: filled; each call gives the same handle
 *
 * Every process that has the handle may open the event while the event and its
 * process exist.  Each of these processes may record it, wait for it and query
 * it; a call uses the latest record of any process.  This event cannot be
 * reset, and has neither timestamps nor a number: such calls return
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 *
 * A record is complete when its stream has reached it, and, as with any event,
 * when the stream was aborted or destroyed before that.  A record also
 * completes when its process ends, for whatever reason.  A waiter that needs
 * the data of another process therefore has to check that this process is still
 * alive.  It makes no difference which other processes have opened the event.
 *
 * At most 126 living streams, of all processes together, may have recorded the
 * event: aclrtRecordEvent() returns ACL_ERROR_RT_NO_EVENT_RESOURCE for one more.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another event, or one that was opened; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event,
	aclrtIpcEventHandle *handle);

/**
 * aclrtIpcOpenEventHandle() - open an event of another process
 * @handle: a handle that aclrtIpcGetEventHandle() filled in the other process
 * @event: set to the event, to be destroyed by aclrtDestroyEvent()
 *
 * The event stays valid after the other process destroys its own or ends.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * invalid handle, or one of an event that no longer exists;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * aclrtGetEventId() - get the number of an event
 * @event: the event
 * @eventId: set to a number that no other event of the device has
 *
 * An event without a number takes one of the device's 65536.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_NO_EVENT_RESOURCE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event,
	uint32_t *eventId);

/**
 * aclrtGetEventAvailNum() - count the events that the current device has left
 * @eventCount: set to the number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * aclrtStreamWaitEvent() - let a stream wait for an event
 * @stream: a stream of the current context, or NULL
 * @event: an event of aclrtCreateEvent(), or one with ACL_EVENT_SYNC or
 *	ACL_EVENT_EXTERNAL
 *
 * The stream waits for the latest record, regardless of later ones, for at most
 * the time of aclrtSetOpWaitTimeout().  Before the first record, or after a
 * reset, it waits for the next record if the event is of
 * aclrtCreateEventWithFlag(), and does not wait if it is of the new family.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one without ACL_EVENT_SYNC,
 * ACL_ERROR_RT_PARAM_INVALID for one of aclrtCreateEvent() that was never
 * recorded, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream,
	aclrtEvent event);

/**
 * aclrtStreamWaitEventWithTimeout() - let a stream wait for an event, with a
 * limit
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 *
 * After this time the wait fails as a task does, with
 * ACL_ERROR_RT_TASK_TIMEOUT.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a negative @timeout, and as
 * aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
	int32_t timeout);

/**
 * aclrtStreamWaitEventWithFlag() - let a stream wait for an event, with a flag
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 * @flag: ACL_EVENT_WAIT_DEFAULT
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_WAIT_EXTERNAL, as no
 * stream is captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; otherwise
 * as aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
	aclrtEvent event, uint32_t timeout, uint32_t flag);

/*
 * Time limits of tasks.  They belong to the process and apply to tasks that are
 * submitted later.  A task that takes longer fails with
 * ACL_ERROR_RT_TASK_TIMEOUT.  These calls need no context.
 */

/**
 * aclrtSetOpWaitTimeout() - limit how long streams wait for events
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOut() - limit how long a task may run, in seconds
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutWithMs() - limit how long a task may run, in
 * milliseconds
 * @timeout: milliseconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutV2() - limit how long a task may run, in microseconds
 * @timeout: microseconds, or 0 for no limit
 * @actualTimeout: set to the effective limit: rounded up to the interval, and
 *	at most the maximum
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout,
	uint64_t *actualTimeout);

/**
 * aclrtGetOpTimeOutInterval() - get the resolution of these limits
 * @interval: set to microseconds
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * aclrtGetOpExecuteTimeout() - get the limit for how long a task may run
 * @timeoutMs: set to milliseconds, 0 for no limit
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);

/*
 * Memory
 *
 * All sizes are in bytes.  A device pointer is an address that only the device
 * can use: a host access raises SIGSEGV.  Copies may start and end at any
 * address inside an allocation.
 */

/*
 * The pages of an allocation: 4 KiB (NORMAL), 2 MiB (HUGE), 1 GiB (HUGE1G).
 * HUGE_FIRST takes 4 KiB pages for sizes up to 1 MiB and 2 MiB pages above, and
 * normal ones if there are no more; the ONLY policies fail instead.  The P2P
 * policies make no difference on one machine.
 *
 * The two bandwidth bits select a memory; they have no effect, as a device of
 * this driver has one memory only.  There is no read-only memory: its bit gives
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
typedef enum aclrtMemMallocPolicy {
	ACL_MEM_MALLOC_HUGE_FIRST		= 0,
	ACL_MEM_MALLOC_HUGE_ONLY		= 1,
	ACL_MEM_MALLOC_NORMAL_ONLY		= 2,
	ACL_MEM_MALLOC_HUGE_FIRST_P2P		= 3,
	ACL_MEM_MALLOC_HUGE_ONLY_P2P		= 4,
	ACL_MEM_MALLOC_NORMAL_ONLY_P2P		= 5,
	ACL_MEM_MALLOC_HUGE1G_ONLY		= 6,
	ACL_MEM_MALLOC_HUGE1G_ONLY_P2P		= 7,
	ACL_MEM_TYPE_LOW_BAND_WIDTH		= 0x100,
	ACL_MEM_TYPE_HIGH_BAND_WIDTH		= 0x1000,
	ACL_MEM_ACCESS_USER_SPACE_READONLY	= 0x100000
} aclrtMemMallocPolicy;

typedef enum aclrtMallocAttrType {
	ACL_RT_MEM_ATTR_RSV		= 0,
	ACL_RT_MEM_ATTR_MODULE_ID	= 1,
	ACL_RT_MEM_ATTR_DEVICE_ID	= 2,
	ACL_RT_MEM_ATTR_VA_FLAG		= 3
} aclrtMallocAttrType;

typedef union aclrtMallocAttrValue {
	uint16_t moduleId;
	uint32_t deviceId;
	uint32_t vaFlag;
	uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
	aclrtMallocAttrType attr;
	aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/* Attributes of an allocation; NULL means none. */
typedef struct aclrtMallocConfig {
	aclrtMallocAttribute *attrs;
	size_t numAttrs;
} aclrtMallocConfig;

/*
 * Kinds of device memory, see aclrtGetMemInfo().  A device of this driver has
 * one memory; every kind of high-bandwidth memory (HBM) refers to it.
 */
typedef enum aclrtMemAttr {
	ACL_DDR_MEM		= 0,
	ACL_HBM_MEM		= 1,
	ACL_DDR_MEM_HUGE	= 2,
	ACL_DDR_MEM_NORMAL	= 3,
	ACL_HBM_MEM_HUGE	= 4,
	ACL_HBM_MEM_NORMAL	= 5,
	ACL_DDR_MEM_P2P_HUGE	= 6,
	ACL_DDR_MEM_P2P_NORMAL	= 7,
	ACL_HBM_MEM_P2P_HUGE	= 8,
	ACL_HBM_MEM_P2P_NORMAL	= 9,
	ACL_HBM_MEM_HUGE1G	= 10,
	ACL_HBM_MEM_P2P_HUGE1G	= 11,
	ACL_MEM_NORMAL		= 12,
	ACL_MEM_HUGE		= 13,
	ACL_MEM_HUGE1G		= 14,
	ACL_MEM_P2P_NORMAL	= 15,
	ACL_MEM_P2P_HUGE	= 16,
	ACL_MEM_P2P_HUGE1G	= 17
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
	ACL_MEM_LOCATION_TYPE_HOST		= 0,
	ACL_MEM_LOCATION_TYPE_DEVICE		= 1,
	ACL_MEM_LOCATION_TYPE_UNREGISTERED	= 2,
	ACL_MEM_LOCATION_TYPE_MANAGED		= 3,
	ACL_MEM_LOCATION_TYPE_HOST_NUMA		= 4
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
	uint32_t id;
	aclrtMemLocationType type;
} aclrtMemLocation;

/* Kind of the memory at a pointer; pageSize is 0 unless it is device memory. */
typedef struct aclrtPtrAttributes {
	aclrtMemLocation location;
	uint32_t pageSize;
	uint32_t rsv[4];
} aclrtPtrAttributes;

/* Properties for aclrtHostRegister(); may be or-ed. */
typedef enum aclrtHostRegisterType {
	ACL_HOST_REGISTER_MAPPED	= 0,
	ACL_HOST_REGISTER_IOMEMORY	= 0x4,
	ACL_HOST_REGISTER_READONLY	= 0x8
} aclrtHostRegisterType;

/* Properties for aclrtHostRegisterV2(), as bits. */
#define ACL_HOST_REG_MAPPED	0x2UL		/* has a device address */
#define ACL_HOST_REG_IOMEMORY	0x4UL		/* I/O memory of a device */
#define ACL_HOST_REG_READONLY	0x8UL		/* mapped, read-only */
#define ACL_HOST_REG_PINNED	0x10000000UL	/* pages cannot move */

/* Units of a device that access memory. */
typedef enum aclrtHacType {
	ACL_RT_HAC_TYPE_STARS	= 0,
	ACL_RT_HAC_TYPE_AICPU	= 1,
	ACL_RT_HAC_TYPE_AIC	= 2,
	ACL_RT_HAC_TYPE_AIV	= 3,
	ACL_RT_HAC_TYPE_PCIEDMA	= 4,
	ACL_RT_HAC_TYPE_RDMA	= 5,
	ACL_RT_HAC_TYPE_SDMA	= 6,
	ACL_RT_HAC_TYPE_DVPP	= 7,
	ACL_RT_HAC_TYPE_UDMA	= 8,
	ACL_RT_HAC_TYPE_CCU	= 9
} aclrtHacType;

typedef enum aclrtHostMemMapCapability {
	ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED	= 0,
	ACL_RT_HOST_MEM_MAP_SUPPORTED		= 1
} aclrtHostMemMapCapability;

/* The only flag of aclrtMemAllocManaged(): host and devices may use it. */
#define ACL_RT_MEM_ATTACH_GLOBAL	0x01U

typedef enum aclrtMemManagedAdviseType {
	ACL_MEM_ADVISE_SET_READ_MOSTLY			= 0,
	ACL_MEM_ADVISE_UNSET_READ_MOSTLY		= 1,
	ACL_MEM_ADVISE_SET_PREFERRED_LOCATION		= 2,
	ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION		= 3,
	ACL_MEM_ADVISE_SET_ACCESSED_BY			= 4,
	ACL_MEM_ADVISE_UNSET_ACCESSED_BY		= 5
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedLocationType {
	ACL_MEM_LOCATIONTYPE_INVALID		= 0,
	ACL_MEM_LOCATIONTYPE_DEVICE		= 1,
	ACL_MEM_LOCATIONTYPE_HOST		= 2,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA		= 3,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT	= 4
} aclrtMemManagedLocationType;

/* id is a device or a NUMA node; other types ignore it. */
typedef struct aclrtMemManagedLocation {
	aclrtMemManagedLocationType type;
	int32_t id;
} aclrtMemManagedLocation;

typedef enum aclrtMemManagedRangeAttribute {
	ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY			= 1,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION		= 2,
	ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY			= 3,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE		= 4,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID		= 5,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION		= 6,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE	= 7,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID	= 8
} aclrtMemManagedRangeAttribute;

typedef struct aclrtMemUsageInfo {
	char name[32];
	uint64_t curMemSize;
	uint64_t memPeakSize;
	size_t reserved[8];
} aclrtMemUsageInfo;

/* Locations of both ends of some copies of a batch. */
typedef struct aclrtMemcpyBatchAttr {
	aclrtMemLocation dstLoc;
	aclrtMemLocation srcLoc;
	uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/* Kinds of memory, bits, see aclrtCheckMemType(). */
#define ACL_RT_MEM_TYPE_DEV	0x2U
#define ACL_RT_MEM_TYPE_DVPP	0x8U
#define ACL_RT_MEM_TYPE_RSVD	0x10U

/* Processes that may import an export, see aclrtIpcMemGetExportKey(). */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION	0x1UL

/* See aclrtIpcMemImportByKey(). */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS		0x1UL

/* Links between dies for aclrtIpcMemSetAttr().  This device has none. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO			0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS			1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH	2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH	3

typedef enum aclrtIpcMemAttrType {
	ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

/* Links for aclrtMemMapSetLink(). */
typedef enum aclrtMemLinkType {
	ACL_RT_MEM_ACCESS_LINK_SIO		= 0,
	ACL_RT_MEM_ACCESS_LINK_HCCS		= 1,
	ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH	= 2,
	ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH	= 3
} aclrtMemLinkType;

/* Links for aclrtMemMapSelectedLink(). */
#define ACL_RT_MEM_LINK_IDX_0	0
#define ACL_RT_MEM_LINK_IDX_1	1

/* Processes that may import, see aclrtMemExportToShareableHandle(). */
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT				0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION		0x1UL

typedef enum aclrtMemAllocationType {
	ACL_MEM_ALLOCATION_TYPE_PINNED	= 0
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
	ACL_MEM_HANDLE_TYPE_NONE	= 0,
	ACL_MEM_HANDLE_TYPE_POSIX	= 2
} aclrtMemHandleType;

/* Type of a shareable handle: an uint64_t or an aclrtMemFabricHandle. */
typedef enum aclrtMemSharedHandleType {
	ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT	= 0x1,
	ACL_MEM_SHARE_HANDLE_TYPE_FABRIC	= 0x2
} aclrtMemSharedHandleType;

typedef struct aclrtMemFabricHandle {
	uint8_t data[128];
} aclrtMemFabricHandle;

/* Properties of physical memory, see aclrtMallocPhysical(). */
typedef struct aclrtPhysicalMemProp {
	aclrtMemHandleType handleType;
	aclrtMemAllocationType allocationType;
	aclrtMemAttr memAttr;
	aclrtMemLocation location;
	uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemGranularityOptions {
	ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM		= 0,
	ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED	= 1,
	ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF		= 0xffff
} aclrtMemGranularityOptions;

/* Physical memory: a number, not an address. */
typedef void *aclrtDrvMemHandle;

typedef enum aclrtMemAccessFlags {
	ACL_RT_MEM_ACCESS_FLAGS_NONE		= 0x0,
	ACL_RT_MEM_ACCESS_FLAGS_READ		= 0x1,
	ACL_RT_MEM_ACCESS_FLAGS_READWRITE	= 0x3
} aclrtMemAccessFlags;

typedef struct aclrtMemAccessDesc {
	aclrtMemAccessFlags flags;
	aclrtMemLocation location;
	uint8_t rsv[12];
} aclrtMemAccessDesc;

/**
 * aclrtMalloc() - allocate memory on the current device
 * @devPtr: set to its device address, aligned to 64 bytes
 * @size: bytes, at least 1
 * @policy: page policy; an unknown value takes huge ones from 2 MiB on
 *
 * The memory is not cleared, but never has data of another process.  It takes
 * @size rounded up to 32 bytes, plus 32 except with 1 GiB pages, rounded up to
 * whole pages: aclrtGetMemInfo() shows this.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or a size that overflows when it
 * is rounded up; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION if
 * it does not fit, exceeds a quota of the administrator, or the process has no
 * addresses left: aclGetRecentErrMsg() then has the reason.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocAlign32() - allocate as aclrtMalloc() does, without 32 extra bytes
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocCached() - allocate as aclrtMalloc() does; caches are coherent
 * here
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocWithCfg() - allocate as aclrtMalloc() does, with attributes
 * @devPtr: set to its device address
 * @size: bytes, at least 1; rounded up to pages only
 * @policy: page policy
 * @cfg: attributes such as ACL_RT_MEM_ATTR_MODULE_ID and
 *	ACL_RT_MEM_ATTR_DEVICE_ID (for a device other than the current one), or
 *	NULL
 *
 * Errors: as aclrtMalloc(); ACL_ERROR_INVALID_PARAM for an unknown attribute,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtMallocForTaskScheduler() - allocate memory that the task scheduler reads
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: page policy
 * @cfg: as for aclrtMallocWithCfg(), or NULL
 *
 * Allocates ordinary device memory.
 *
 * Errors: as aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void **devPtr,
	size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtFree() - free device memory
 * @devPtr: the address that an allocation call returned
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of an allocation, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/**
 * aclrtFreeWithDevSync() - wait for the device's work, and free its memory
 * @devPtr: the address that an allocation call returned
 *
 * Errors: as aclrtFree().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * aclrtMallocHost() - allocate host memory that is pinned for transfers
 * @hostPtr: set to its address, aligned to 4096 bytes
 * @size: bytes, at least 1
 *
 * The memory is zeroed, takes whole pages of 4096 bytes, and is charged to the
 * user.  A forked child does not inherit it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * aclrtMallocHostWithCfg() - allocate as aclrtMallocHost() does, with
 * attributes
 * @ptr: set to its address
 * @size: bytes, at least 1
 * @cfg: as for aclrtMallocWithCfg(), or NULL
 *
 * Errors: as aclrtMallocHost() and aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
	aclrtMallocConfig *cfg);

/**
 * aclrtFreeHost() - free host memory
 * @hostPtr: the address that aclrtMallocHost() returned
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of such memory, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/**
 * aclrtFreeHostWithDevSync() - wait for the device's work, and free host memory
 * @hostPtr: the address that aclrtMallocHost() returned
 *
 * Errors: as aclrtFreeHost().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * aclrtHostRegister() - map host memory to a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @type: ACL_HOST_REGISTER_MAPPED, or ACL_HOST_REGISTER_READONLY to forbid
 *	writes by devices
 * @devPtr: set to its device address
 *
 * The memory may be of malloc() or the like, of aclrtMallocHost(), or shared
 * memory, but not of a file on a disk.  Its pages are pinned, and count towards
 * RLIMIT_MEMLOCK.  If the program unmaps the memory, the device address becomes
 * useless, and still has to be unregistered.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @type,
 * ACL_ERROR_RT_PARAM_INVALID for an address that is not aligned or memory that
 * cannot be registered, ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED if a part of
 * it is registered, ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size,
	aclrtHostRegisterType type, void **devPtr);

/**
 * aclrtHostRegisterV2() - pin host memory, with or without a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @flag: ACL_HOST_REG_* bits; ACL_HOST_REG_IOMEMORY is not supported
 *
 * aclrtHostGetDevicePointer() returns the device address.
 *
 * Errors: as aclrtHostRegister(); ACL_ERROR_RT_PARAM_INVALID for another @flag.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtHostGetDevicePointer() - get the device address of host memory
 * @pHost: host address in memory that is registered as mapped
 * @pDevice: set to the device address
 * @flag: 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID if there is none, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost,
	void **pDevice, uint32_t flag);

/**
 * aclrtHostUnregister() - end a registration
 * @ptr: the host address that was registered
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/**
 * aclrtHostMemMapCapabilities() - check whether a unit can access host memory
 * @deviceId: the device
 * @hacType: the unit
 * @capabilities: set to the result
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for another @hacType.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
	aclrtHacType hacType, aclrtHostMemMapCapability *capabilities);

/**
 * aclrtMemAllocManaged() - allocate memory with one address for host and
 * devices
 * @ptr: set to its address, aligned to 2 MiB
 * @size: bytes, at least 1; rounded up to 2 MiB
 * @flag: ACL_RT_MEM_ATTACH_GLOBAL
 *
 * The memory belongs to the current device, and stays there.  System calls
 * cannot pin it for direct I/O. aclrtFree() frees it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID for 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void **ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtMemManagedAdvise() - record how managed memory will be used
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @advise: the advice
 * @location: the preferred location of the memory, or the host or device that
 *	will access it; ignored for advice without one
 *
 * aclrtMemManagedGetAttr() returns the advice; it has no other effect.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @advise, a range that is not aligned or not managed memory, or a
 * location that this machine does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void *const ptr,
	uint64_t size, aclrtMemManagedAdviseType advise,
	aclrtMemManagedLocation location);

/**
 * aclrtMemManagedPrefetchAsync() - record where managed memory will be needed
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @location: where it will be needed
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Managed memory stays on its device, where hosts and devices can access it.
 * Therefore the call only records the location, which aclrtMemManagedGetAttr()
 * returns as that of the last prefetch.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * @flags, a range that is not aligned or not managed memory, or a location that
 * this machine does not have; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void *ptr,
	size_t size, aclrtMemManagedLocation location, uint32_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedPrefetchBatchAsync() - prefetch several ranges
 * @ptrs: addresses
 * @sizes: bytes of each
 * @count: number of ranges, at least 1
 * @prefetchLocs: locations
 * @prefetchLocIdxs: index of the first range of each location: increasing from
 *	0
 * @numPrefetchLocs: number of locations, at least 1
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * If one range is invalid, none is prefetched.
 *
 * Errors: as aclrtMemManagedPrefetchAsync(), and ACL_ERROR_RT_PARAM_INVALID for
 * invalid indexes.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes,
	size_t count, aclrtMemManagedLocation *prefetchLocs,
	size_t *prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedGetAttr() - get the advice that was given for managed memory
 * @attribute: the attribute
 * @ptr: address in it
 * @size: bytes, at least 1
 * @data: filled with 32-bit numbers: the value if all of the range has the same
 *	one, otherwise -2 (ACL_MEM_LOCATIONTYPE_INVALID for a type); -1 stands
 *	for the host
 * @dataSize: 4; any multiple of it for ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, a
 *	list that is padded with -2
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @attribute or @dataSize, or a range that is not managed memory.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
	const void *ptr, size_t size, void *data, size_t dataSize);

/**
 * aclrtMemManagedGetAttrs() - get several attributes of managed memory
 * @attributes: the attributes
 * @numAttributes: their number
 * @ptr: address in managed memory
 * @size: bytes, at least 1
 * @data: for each attribute, the buffer for its value
 * @dataSizes: for each attribute, the size of its buffer
 *
 * Errors: as aclrtMemManagedGetAttr(); then @data is unchanged.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
	size_t numAttributes, const void *ptr, size_t size, void **data,
	size_t *dataSizes);

/**
 * aclrtPointerGetAttributes() - get the kind of memory that a pointer points to
 * @ptr: any address
 * @attributes: filled: ACL_MEM_LOCATION_TYPE_DEVICE or ..._MANAGED with the
 *	device as id; ..._HOST for memory of aclrtMallocHost() and for
 *	registered memory, by either of its addresses; ..._UNREGISTERED
 *	otherwise
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr,
	aclrtPtrAttributes *attributes);

/**
 * aclrtMemcpy() - copy memory, and wait for it
 * @dst: device or host address
 * @destMax: bytes that fit at @dst
 * @src: device or host address
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @kind: must be a value up to ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; otherwise
 *	ignored, because the addresses imply the direction
 *
 * The copy is not ordered with any stream.  Addresses may have any alignment
 * and be of different devices.  Ranges may overlap only if both are device
 * memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax or a range leaves its
 * allocation, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind);

/**
 * aclrtMemset() - set memory to a byte, and wait for it
 * @devPtr: device or host memory
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount or the range leaves its allocation on the device,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount,
	int32_t value, size_t count);

/**
 * aclrtMemsetD32() - set memory to a 32-bit value, and wait for it
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: number of values; 0 succeeds whatever the other arguments are
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an address that is not aligned or
 * neither of these memories, or when @N values exceed @memSize;
 * ACL_ERROR_RT_PARAM_INVALID when the range leaves its allocation;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize,
	uint32_t value, size_t N);

/**
 * aclrtMemcpy2d() - copy a rectangle, and wait for it
 * @dst: device or host address
 * @dpitch: bytes from one row to the next at @dst
 * @src: device or host address
 * @spitch: bytes from one row to the next at @src
 * @width: bytes of a row, at most either pitch
 * @height: rows
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or
 *	ACL_MEMCPY_DEFAULT
 *
 * A @width or @height of 0 succeeds whatever the other arguments are.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind or a @width above a
 * pitch; ACL_ERROR_RT_PARAM_INVALID when a row leaves its allocation;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch,
	const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind);

/**
 * aclrtMemcpyBatch() - make several copies, and wait for them
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: length of the four arrays, at least 1
 * @attrs: locations of both ends of the copies
 * @attrsIndexes: for each element of @attrs the first copy that it describes:
 *	increasing from 0
 * @numAttrs: length of @attrs and @attrsIndexes, 1 to @numBatches
 * @failIndex: on failure, set to the copy that failed, or to SIZE_MAX if the
 *	error does not concern a single one
 *
 * Copies between host and device only: one of the ends of each copy is device
 * memory.  Copies before the one that failed may have been done.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for attributes that do not match the addresses or each other, and for copies
 * that aclrtMemcpy() rejects; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
	size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
	size_t numAttrs, size_t *failIndex);

/**
 * aclrtMemcpyBatchV2() - make several copies, without reporting which one
 * failed
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: length of the four arrays, at least 1
 * @attrs: locations of both ends of the copies
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs,
	void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs);

/*
 * Work for streams
 *
 * These calls submit a task to the stream and return.  They report invalid
 * arguments.  Invalid memory only shows when the stream executes the task, and
 * a wait for the stream reports it:
 *
 * ACL_ERROR_RT_SYS_DMA			an address is not allocated, or must not
 *					be accessed
 * ACL_ERROR_RT_PARAM_INVALID		the task is invalid
 * ACL_ERROR_RT_TASK_TIMEOUT		it exceeded its time limit
 * ACL_ERROR_RT_DEVICE_TASK_ABORT	the device was reset
 * ACL_ERROR_RT_DEVICE_MEM_ERROR	the device memory has an error
 * ACL_ERROR_RT_LOST_HEARTBEAT		the device is gone
 *
 * If a stream has 2048 pending tasks, a call waits until it has fewer.
 *
 * All of them may fail with ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, and with the code of
 * the task that stopped the streams of the context.
 */

/**
 * aclrtMemcpyAsync() - submit a copy to a stream
 * @dst: device or host address
 * @destMax: bytes that fit there
 * @src: device or host address
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @kind: a value of aclrtMemcpyKind; the addresses imply the direction
 * @stream: a stream of the current context, or NULL
 *
 * Host memory of aclrtMallocHost() or aclrtHostRegister() must stay valid until
 * the copy is done.  With other host memory the call waits for the stream, and
 * returns after the copy.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind,
	aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithCondition() - submit a copy to a stream
 * @dst: device or host address
 * @destMax: bytes that fit there
 * @src: device or host address
 * @count: bytes
 * @kind: a value of aclrtMemcpyKind
 * @stream: a stream of the current context, or NULL
 *
 * Deprecated: use aclrtMemcpyAsync().
 *
 * Errors: as aclrtMemcpyAsync().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst,
	size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
	aclrtStream stream);

/**
 * aclrtMemsetAsync() - submit a task that sets memory to a byte
 * @devPtr: device or host memory
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Host memory that was not allocated by aclrtMallocHost() or registered is set
 * when the stream has completed its earlier tasks, before the call returns.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount,
	int32_t value, size_t count, aclrtStream stream);

/**
 * aclrtMemsetD32Async() - submit a task that sets memory to a 32-bit value
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: number of values; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an address that is not aligned or
 * neither of these memories, or when @N values exceed @memSize.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize,
	uint32_t value, size_t N, aclrtStream stream);

/**
 * aclrtMemcpy2dAsync() - submit the copy of a rectangle to a stream
 * @dst: device or host address
 * @dpitch: bytes from one row to the next at @dst
 * @src: device or host address
 * @spitch: bytes from one row to the next at @src
 * @width: bytes of a row, at most either pitch and 5000000
 * @height: rows, at most 5242880
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
 *	ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT
 * @stream: a stream of the current context, or NULL
 *
 * A @width or @height of 0 succeeds whatever the other arguments are.  The
 * rules of aclrtMemcpyAsync() for host memory apply.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind, or a @width or
 * @height that is too large; ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to
 * host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch,
	const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsync() - submit several copies to a stream
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: number of copies
 * @attrs: locations of their ends
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 * @failIndex: set on failure to the copy that failed, or to SIZE_MAX
 * @stream: a stream of the current context, or NULL
 *
 * The copies are not ordered.  If one has host memory that is not pinned, the
 * call returns after all copies.
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	size_t *failIndex, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsyncV2() - submit copies without reporting which one failed
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: number of copies
 * @attrs: locations of their ends
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	aclrtStream stream);

/**
 * aclrtGetMemcpyDescSize() - get the size of a copy descriptor
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @descSize: set to the size in bytes
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind,
	size_t *descSize);

/**
 * aclrtSetMemcpyDesc() - write a copy descriptor
 * @desc: device memory of aclrtGetMemcpyDescSize() bytes
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @srcAddr: source, a device address
 * @dstAddr: destination, a device address
 * @count: bytes
 * @config: reserved: must be NULL
 *
 * The descriptor is complete when the call returns.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind or a @config,
 * ACL_ERROR_RT_PARAM_INVALID for a @desc that is not allocated on a device,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void *desc,
	aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
	void *config);

/**
 * aclrtMemcpyAsyncWithDesc() - submit the copy that a descriptor describes
 * @desc: written by aclrtSetMemcpyDesc()
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * The stream reads the descriptor when it reaches the task.  If it is invalid,
 * the task fails.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID for a @desc that is not in device memory or not
 * aligned to 8 bytes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void *desc,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithOffset() - submit a copy whose addresses are in memory
 * @dst: points to the device address to copy to
 * @destMax: bytes that fit there
 * @dstDataOffset: added to that address
 * @src: points to the device address to copy from
 * @count: bytes
 * @srcDataOffset: added to that address
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * @dst and @src may be in device or host memory.  The stream reads them when it
 *	reaches the task.  If one is in host memory that is not pinned, or is
 *	not aligned to 8 bytes, the call waits for that.  If an address read
 *	there is not a device address, the task fails, or else the call that
 *	waits.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax.  A call that waits
 * also returns ACL_ERROR_RT_PARAM_INVALID for an address that is not a device
 * address, and the errors of aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst,
	size_t destMax, size_t dstDataOffset, const void **src, size_t count,
	size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream);

/* Conditions for aclrtValueWait(). */
#define ACL_STREAM_WAIT_VALUE_GEQ	0x0U	/* (int64_t)(*addr - value) >= 0 */
#define ACL_STREAM_WAIT_VALUE_EQ	0x1U	/* *addr == value */
#define ACL_STREAM_WAIT_VALUE_AND	0x2U	/* *addr & value */
#define ACL_STREAM_WAIT_VALUE_NOR	0x3U	/* ~(*addr | value) */

/**
 * aclrtValueWrite() - submit a task that writes 8 bytes
 * @devAddr: device address, a multiple of 8
 * @value: the value to be written
 * @flag: reserved: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @flag or an address that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void *devAddr, uint64_t value,
	uint32_t flag, aclrtStream stream);

/**
 * aclrtValueWait() - let a stream wait for a value in memory
 * @devAddr: device address, a multiple of 8
 * @value: the value to compare the 8 bytes there with
 * @flag: ACL_STREAM_WAIT_VALUE_*
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtValueWrite().
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value,
	uint32_t flag, aclrtStream stream);

/* Operations of aclrtReduceAsync(). */
typedef enum aclrtReduceKind {
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM	= 10,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX	= 11,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN	= 12,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL	= 13
} aclrtReduceKind;

/**
 * aclrtReduceAsync() - submit a task that combines two arrays
 * @dst: device address of the first, and of the result
 * @src: device address of the second
 * @count: bytes of each
 * @kind: the operation on two elements
 * @type: ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT16 or ACL_INT32
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * Both arrays are aligned to an element, and are identical or do not overlap.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another @kind or @type, a @count that is 0 or
 * not a multiple of an element, or an address that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void *dst, const void *src,
	uint64_t count, aclrtReduceKind kind, aclDataType type,
	aclrtStream stream, void *reserve);

/*
 * A parameter of random numbers: its value, or the device address of the value.
 */
typedef struct aclrtRandomParaInfo {
	uint8_t isAddr;
	uint8_t valueOrAddr[8];
	uint8_t size;
	uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct aclrtDropoutBitmaskInfo {
	aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct aclrtUniformDisInfo {
	aclrtRandomParaInfo min;
	aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct aclrtNormalDisInfo {
	aclrtRandomParaInfo mean;
	aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef enum aclrtRandomNumFuncType {
	ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK	= 0,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS		= 1,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS		= 2,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

typedef struct aclrtRandomNumFuncParaInfo {
	aclrtRandomNumFuncType funcType;
	union {
		aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
		aclrtUniformDisInfo uniformDisInfo;
		aclrtNormalDisInfo normalDisInfo;
	} paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct aclrtRandomNumTaskInfo {
	aclDataType dataType;
	aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
	void *randomParaAddr;
	void *randomResultAddr;
	void *randomCounterAddr;
	aclrtRandomParaInfo randomSeed;
	aclrtRandomParaInfo randomNum;
	uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

/**
 * aclrtRandomNumAsync() - submit a task that generates random numbers
 * @taskInfo: the distribution, the number and the address of the random numbers
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * The task writes randomNum numbers of dataType to randomResultAddr.  Uniform
 * numbers may be ACL_INT32, ACL_INT64, ACL_UINT32 or ACL_UINT64, and are below
 * the upper bound; all distributions may be ACL_FLOAT, ACL_FLOAT16 or ACL_BF16.
 * The bit mask of a dropout has randomNum bits, beginning with the lowest bit
 * of a byte; a bit of a dropped element is 0.
 *
 * The parameters of a distribution, including the ratio of a dropout, have
 * dataType; randomSeed and randomNum have 8 bytes.  The generator is
 * Philox4x32-10 with the seed as its key.  The 16 bytes at randomCounterAddr, a
 * device address that is a multiple of 8, are its counter: the number of blocks
 * of four words to skip.  The stream reads them when it reaches the task, and
 * does not change them. randomParaAddr is not used.
 *
 * If a parameter is in device memory, the call waits until the stream has done
 * its earlier work, and then reads the parameter.  Invalid parameters, such as
 * a lower bound above the upper one, fail the task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another distribution or type, a parameter of
 * another size, or a counter that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError
aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
	const aclrtStream stream, void *reserve);

/**
 * aclrtGetMemInfo() - get the free and total memory of the current device
 * @attr: kind of memory
 * @free: set to the free bytes; for a kind of pages, to those in such pages
 * @total: set to the total bytes
 *
 * Both values are for all processes.  They are 0 for a kind that the device
 * does not have (DDR).
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown kind, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free,
	size_t *total);

/**
 * aclrtGetMemUsageInfo() - get the components that hold a device's memory
 * @deviceId: device
 * @memUsageInfo: array; filled with the name, the current and the peak bytes
 * @inputNum: its length, at least 1
 * @outputNum: set to the number of elements that were filled
 *
 * The component with the most memory comes first.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId,
	aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum);

/**
 * aclrtCheckMemType() - check whether addresses are memory of some kind
 * @addrList: the addresses
 * @size: number of addresses
 * @memType: ACL_RT_MEM_TYPE_* bits
 * @checkResult: set to 1 if each address is of one of these kinds, else 0
 * @reserve: must be 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for unknown bits or a non-zero @reserve.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size,
	uint32_t memType, uint32_t *checkResult, uint32_t reserve);

/**
 * aclrtReserveMemAddress() - reserve device addresses
 * @virPtr: set to the first address
 * @size: bytes, at least 1; rounded up to 2 MiB, or from 1 GiB on to 1 GiB with
 *	the address aligned to 1 GiB, too
 * @alignment: reserved, 0
 * @expectPtr: NULL; the address cannot be chosen
 * @flags: 0 or 1, without difference
 *
 * Takes no memory.  The reservation belongs to the current device, and
 * aclrtResetDevice() releases it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags,
 * ACL_ERROR_RT_PARAM_INVALID for an @alignment,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an @expectPtr,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION if no range of free
 * addresses is long enough.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size,
	size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReserveMemAddressNoUCMemory() - reserve a chosen address (not supported)
 * @virPtr: unchanged
 * @size: bytes, at least 1
 * @alignment: reserved
 * @expectPtr: the address
 * @flags: 0 or 1
 *
 * The address of a reservation cannot be chosen here.  Programs that get this
 * error fall back to aclrtReserveMemAddress().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
	size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReleaseMemAddress() - release reserved addresses
 * @virPtr: the address that aclrtReserveMemAddress() returned; without mappings
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address, or if the range has mappings.
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * aclrtMallocPhysical() - allocate memory that is not mapped
 * @handle: set to its handle
 * @size: bytes, at least 1; rounded up to the granularity
 * @prop: location and pages.  For a device, which the location's id
 *	names: ACL_HBM_MEM_HUGE, ACL_MEM_HUGE, ACL_MEM_P2P_HUGE for 2 MiB, the
 *	same with HUGE1G for 1 GiB, the same with NORMAL for 4 KiB.  For the
 *	host (ACL_MEM_LOCATION_TYPE_HOST), or for only the NUMA node that the
 *	location's id names (_HOST_NUMA): ACL_MEM_HUGE, ACL_MEM_P2P_HUGE,
 *	ACL_DDR_MEM_HUGE, ACL_DDR_MEM_P2P_HUGE, or the same with NORMAL, without
 *	difference
 * @flags: reserved, 0
 *
 * Device memory is not cleared, but never has data of another process.  Host
 * memory is zeroed and pinned, counts towards the user's limit as that of
 * aclrtMallocHost(), and is freed by the reset of the current device.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0, a reserved argument or unknown
 * values in @prop; ACL_ERROR_RT_PARAM_INVALID for a NUMA node without memory;
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION when it does not fit or exceeds a quota.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
	size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);

/**
 * aclrtFreePhysical() - drop a handle of physical memory
 * @handle: physical memory, allocated, retained or imported
 *
 * Must be called once for each of these.  After the last call the handle is
 * stale.  The memory is freed as soon as it has no mappings and no other
 * process has it.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * aclrtMapMem() - map physical memory to reserved addresses
 * @virPtr: the address, a multiple of the granularity inside a reservation
 * @size: the size of the memory
 * @offset: 0
 * @handle: physical memory
 * @flags: reserved, 0
 *
 * A reservation can have any number of mappings, of memory of any device and of
 * the host, and memory can be mapped any number of times.  Every device may
 * read and write the mapping, and so may the host if the memory is host memory.
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags;
 * ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_PARAM_INVALID for an @offset,
 * another size than the memory's, and an address that is not aligned, not
 * reserved or already mapped.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size,
	size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemMapNoAccess() - map physical memory without access rights
 * @virPtr: the address, as for aclrtMapMem()
 * @size: the size of the memory
 * @offset: 0
 * @handle: physical memory
 * @flags: reserved, 0
 *
 * Neither a device nor the host may read or write there until
 * aclrtMemSetAccess() grants it.
 *
 * Errors: as aclrtMapMem().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void *virPtr, size_t size,
	size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemMapSetLink() - choose the link by which memory is accessed
 * @handle: physical memory, not mapped yet
 * @adviceLink: ACL_RT_MEM_ACCESS_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
	aclrtMemLinkType adviceLink);

/**
 * aclrtMemMapSelectedLink() - map memory once more, by another link
 * @virPtrDst: the new address, reserved
 * @size: bytes
 * @virPtrSrc: the address where it is mapped
 * @linkIdx: ACL_RT_MEM_LINK_IDX_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void *virPtrDst,
	size_t size, void *virPtrSrc, uint32_t linkIdx);

/**
 * aclrtUnmapMem() - remove a mapping
 * @virPtr: the address that was passed to aclrtMapMem()
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * where no mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/**
 * aclrtMemSetAccess() - set the access rights to mapped memory
 * @virPtr: where a mapping begins
 * @size: size of the mapping, or of several consecutive ones
 * @desc: array of locations and their access rights
 * @count: its length, at least 1
 *
 * A location is a device or the host.  If the host has access, it may load and
 * store at this address; any other access raises SIGSEGV.  System calls can use
 * the memory there, unless they pin it, as direct I/O does.  The device of the
 * destination performs a copy; if the destination is host memory, the device of
 * the source; if both are host memory, the host.  A copy without the right to
 * access its memory fails with ACL_ERROR_RT_NO_PERMISSION and changes nothing.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, 0, unknown flags and locations,
 * and a range that does not consist of mappings; ACL_ERROR_RT_INVALID_DEVICEID.
 * On failure no right changes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size,
	aclrtMemAccessDesc *desc, size_t count);

/**
 * aclrtMemGetAccess() - get the access rights to mapped memory
 * @virPtr: where a mapping begins
 * @location: a device or the host
 * @flag: set to a value of aclrtMemAccessFlags
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address or location, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr,
	aclrtMemLocation *location, uint64_t *flag);

/**
 * aclrtMemGetAllocationGranularity() - get the granularity of sizes and
 * addresses
 * @prop: as for aclrtMallocPhysical()
 * @option: ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or _RECOMMENDED
 * @granularity: set to 1 GiB for pages of 1 GiB, else to 2 MiB
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or unknown values in @prop,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID for an unknown
 * @option.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
	aclrtMemGranularityOptions option, size_t *granularity);

/**
 * aclrtMemRetainAllocationHandle() - get another reference to a mapping's
 * handle
 * @virPtr: where a mapping begins
 * @handle: set to the handle; each call needs its own aclrtFreePhysical()
 *
 * If the program has freed the handle, it becomes valid again.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID where no
 * mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void *virPtr,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemGetAllocationPropertiesFromHandle() - get properties of physical
 * memory
 * @handle: physical memory
 * @prop: filled with the properties passed to aclrtMallocPhysical(); for
 *	imported memory, with its device and pages
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
	aclrtPhysicalMemProp *prop);

/**
 * aclrtMemGetAddressRange() - find the memory block that contains an address
 * @ptr: address of device memory, or of aclrtMallocHost()
 * @pbase: set to the start of the block, or NULL
 * @psize: set to the bytes that were requested for it, or NULL
 *
 * A mapping is a block of its own.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address outside all memory, and if both results are NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase,
	size_t *psize);

/**
 * aclrtMemP2PMap() - let another device access memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @dstDevId: the other device
 * @flags: reserved, 0
 *
 * Has no effect: every device can access all memory at the same address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID for a range that
 * is not in one block.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void *devPtr, size_t size,
	int32_t dstDevId, uint64_t flags);

/**
 * aclrtMemExportToShareableHandle() - let other processes import physical
 * memory
 * @handle: physical memory of a device, not exported before
 * @handleType: ACL_MEM_HANDLE_TYPE_NONE
 * @flags: ACL_RT_VMM_EXPORT_FLAG_DEFAULT to admit the processes that
 *	aclrtMemSetPidToShareableHandle() names,
 *	ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION to admit every process
 *	that has the handle
 * @shareableHandle: set to a number, to be sent to these processes
 *
 * The number is valid until the memory is freed here.  Processes that have
 * imported the memory by then keep it, also after this process has ended.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @handleType,
 * ACL_ERROR_RT_PARAM_INVALID for unknown @flags or a second export,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for memory of the host,
 * ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
	aclrtMemHandleType handleType, uint64_t flags,
	uint64_t *shareableHandle);

/**
 * aclrtMemExportToShareableHandleV2() - export memory as a handle of either
 * type
 * @handle: physical memory of a device, not exported before
 * @flags: ACL_RT_VMM_EXPORT_FLAG_*
 * @shareType: ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT or _FABRIC
 * @shareableHandle: an uint64_t or an aclrtMemFabricHandle; filled
 *
 * Errors: as aclrtMemExportToShareableHandle(); ACL_ERROR_RT_PARAM_INVALID for
 * an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
	aclrtMemSharedHandleType shareType, void *shareableHandle);

/**
 * aclrtMemSetPidToShareableHandle() - allow processes to import memory
 * @shareableHandle: exported by this process
 * @pid: their process ids, in the pid namespace of this process
 * @pidNum: their number, at least 1
 *
 * Adds them to those of earlier calls.  The calling process is always admitted.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * a handle that this process did not export.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
	size_t pidNum);

/**
 * aclrtMemSetPidToShareableHandleV2() - allow processes to import memory
 * @shareableHandle: exported by this process
 * @shareType: its type
 * @pid: process ids, in the pid namespace of this process
 * @pidNum: their number, at least 1
 *
 * Errors: as aclrtMemSetPidToShareableHandle(); ACL_ERROR_RT_PARAM_INVALID for
 * an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
	aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum);

/**
 * aclrtMemImportFromShareableHandle() - import physical memory of another
 * process
 * @shareableHandle: the number that the exporting process sent
 * @deviceId: device that the new handle belongs to, and whose reset frees it
 * @handle: set to a handle, to be mapped and freed like any other
 *
 * The exporting process must not have ended.  The
 * memory stays on its device.  Every import makes a new handle; the exporting
 * process may import the memory, too.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_PARAM_INVALID for an unknown
 * @shareableHandle, ACL_ERROR_RT_NO_PERMISSION if this process is not admitted.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemImportFromShareableHandleV2() - import memory to the current device
 * @shareableHandle: the handle that the exporting process sent
 * @shareType: its type
 * @flags: reserved, 0
 * @handle: set to a handle
 *
 * Errors: as aclrtMemImportFromShareableHandle(); ACL_ERROR_INVALID_PARAM for
 * @flags, ACL_ERROR_RT_PARAM_INVALID for an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemImportFromShareableHandleV2(void *shareableHandle,
	aclrtMemSharedHandleType shareType, uint64_t flags,
	aclrtDrvMemHandle *handle);

/**
 * aclrtIpcMemGetExportKey() - get a key by which other processes import memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @key: filled with a key, to be sent to these processes
 * @len: its length, 65
 * @flags: ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT to admit the processes that
 *	aclrtIpcMemSetImportPid() names,
 *	ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION to admit every process
 *	that has the key
 *
 * The other processes can access all pages that the range touches.  The key is
 * valid until it is closed, or the memory is freed.  Processes that have
 * imported the memory by then keep it, also after this process has ended.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @size of 0, another @len, unknown @flags, and a range that is not in one
 * block; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size,
	char *key, size_t len, uint64_t flags);

/**
 * aclrtIpcMemSetImportPid() - allow processes to import memory by a key
 * @key: a key that this process exported
 * @pid: their process ids, in the pid namespace of this process
 * @num: their number, at least 1
 *
 * Adds them to those of earlier calls.  The calling process is always admitted.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a key that this process did not export.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char *key,
	int32_t *pid, size_t num);

/**
 * aclrtIpcMemImportByKey() - import device memory of another process
 * @devPtr: set to its address in this process
 * @key: the key that the exporting process sent
 * @flags: ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS to do for the current
 *	device what aclrtDeviceEnablePeerAccess() does, or
 *	ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT
 *
 * The exporting process must not have ended.  A
 * second import of a key gives the same address.  The import belongs to the
 * current device, and the reset of this device closes it; aclrtFree() rejects
 * the address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * unknown @flags and an unknown key, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_PERMISSION if this process is not admitted.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr,
	const char *key, uint64_t flags);

/**
 * aclrtIpcMemImportPidInterServer() - allow processes of other servers (not
 * supported)
 * @key: a key that this process exported
 * @serverPids: the processes
 * @num: their number
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device is on one server.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids,
				size_t num);

/**
 * aclrtIpcMemSetAttr() - choose the link by which a key's memory is accessed
 * @key: a key that this process exported
 * @type: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK
 * @attr: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char *key,
	aclrtIpcMemAttrType type, uint64_t attr);

/**
 * aclrtIpcMemClose() - close an import or an export
 * @key: a key that this process imported or exported
 *
 * Closes one import, or the export if no import is left.  After that no process
 * can import the key any more; processes that have imported it keep the memory.
 * Processes may close in any order.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * key that this process neither imported nor exported.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char *key);

/**
 * aclrtProfTrace() - mark a moment in this thread and in a stream
 * @userdata: bytes whose hexadecimal digits are the name of the mark
 * @length: their number, 1 to 18
 * @stream: the stream; NULL for the default one
 *
 * Otherwise as aclprofMarkEx() of acl/acl_prof.h.
 *
 * Errors: ACL_ERROR_INVALID_PARAM; the errors of submitting a task.
 */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length,
	aclrtStream stream);

/*
 * Information for profiles of tasks that a model captured.  This device
 * captures none: the calls return ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize);
ACL_FUNC_VISIBILITY aclError
aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
	const size_t infoSize);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_H */
