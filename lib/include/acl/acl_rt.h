/* SPDX-License-Identifier: MIT */
/*
 * The AscendCL runtime: devices, contexts, streams and memory.
 *
 * Rules for every call, unless its comment says otherwise:
 *
 * - Any thread may call it, at any time.  The current context, the last error
 *   and the recent message belong to the calling thread.
 * - It returns ACL_SUCCESS or an error code, and then leaves its outputs alone.
 *   ACL_ERROR_INVALID_PARAM means a NULL pointer or a zero size where neither
 *   is allowed; it does not touch the last error.  All other codes listed are
 *   runtime errors: they do.  Either way aclGetRecentErrMsg() says more.
 * - A call that needs a context returns ACL_ERROR_RT_CONTEXT_NULL in a thread
 *   that has none.  Device numbers are those of the process: see
 *   ASCEND_RT_VISIBLE_DEVICES in libvnpu(7).
 * - A handle that is stale or no handle at all is ACL_ERROR_RT_INVALID_HANDLE.
 * - After fork() the child cannot use what the parent set up: calls fail and
 *   neither harm nor delay the parent.
 *
 * Source of the rules: the AscendCL page of the call's name, and the published
 * behaviour of CANN 8 and 9 where the page is silent.
 */
#ifndef ACL_ACL_RT_H
#define ACL_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_allocator.h"
#include "acl_rt_callback.h"
#include "acl_rt_exception.h"
#include "acl_rt_limit.h"
#include "acl_rt_notify.h"

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

/* Where the program runs: always ACL_HOST with this library. */
typedef enum aclrtRunMode {
	ACL_DEVICE	= 0,
	ACL_HOST	= 1
} aclrtRunMode;

/* Whose start or end a callback belongs to; programs use ACL_REG_TYPE_OTHER. */
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

/* What the last-error calls look at: only the thread's own error exists. */
typedef enum aclrtLastErrLevel {
	ACL_RT_THREAD_LEVEL	= 0
} aclrtLastErrLevel;

/**
 * aclInit() - start AscendCL in this process
 * @configPath: a JSON file, or NULL or "" for none
 *
 * Each successful or repeated call counts one reference.  Not needed before
 * the aclrt calls, as with CANN.  May be called again after aclFinalize().
 *
 * Errors: ACL_ERROR_REPEAT_INITIALIZE when it is started already (counted all
 * the same, and harmless), ACL_ERROR_INVALID_FILE for a file that cannot be
 * read, ACL_ERROR_PARSE_FILE for one that is not a JSON object,
 * ACL_ERROR_BAD_ALLOC; otherwise what a callback returned.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/**
 * aclFinalize() - end AscendCL in this process
 *
 * Ends it whatever the number of references.  It neither resets devices nor
 * frees memory.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE when it is not started.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/**
 * aclFinalizeReference() - give one reference of aclInit() back
 * @refCount: set to the references that are left; may be NULL
 *
 * The last one ends AscendCL as aclFinalize() does.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE when there is none.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/**
 * aclInitCallbackRegister() - have a function called by aclInit()
 * @type: whose start it is
 * @cbFunc: called with the configuration's text and its length in bytes
 * @userData: passed to it
 *
 * If AscendCL has been started already, @cbFunc is called at once.
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
 * aclFinalizeCallbackRegister() - have a function called by aclFinalize()
 * @type: whose end it is
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
 * aclGetRecentErrMsg() - the messages of this thread's failures, and drop them
 *
 * A message names the call, the argument and the remedy; for memory that ran
 * out, what was asked for, what is free and who holds the rest.  The newest
 * comes first, one to a line; very old ones are dropped.
 *
 * Return: a string that stays valid until this thread's next call of this
 * function, and is never to be freed; NULL when nothing failed since then.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/**
 * aclrtGetLastError() - this thread's last runtime error, and clear it
 * @level: ACL_RT_THREAD_LEVEL
 *
 * Return: the code of the last call that failed in the runtime, or
 * ACL_SUCCESS; successful calls do not clear it.  ACL_ERROR_INVALID_PARAM for
 * another @level.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * aclrtPeekAtLastError() - this thread's last runtime error, and keep it
 * @level: ACL_RT_THREAD_LEVEL
 */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * aclsysGetCANNVersion() - version of a package of the software stack
 * @name: the package
 * @version: filled with it, in full and in parts
 *
 * Use aclsysGetVersionStr() in new programs.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown package,
 * ACL_ERROR_INVALID_FILE for a package that is not here.
 */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
	aclCANNPackageVersion *version);

/**
 * aclsysGetVersionStr() - version of a package as a string
 * @pkgName: "runtime", for instance
 * @versionStr: at least ACL_PKG_VERSION_MAX_SIZE bytes; NUL-terminated
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_INVALID_FILE for a
 * package that is not here.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName,
	char *versionStr);

/**
 * aclsysGetVersionNum() - version of a package as a number that can be compared
 * @pkgName: "runtime", for instance
 * @versionNum: set to it: a later version has a higher number
 *
 * Errors: as aclsysGetVersionStr().
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName,
	int32_t *versionNum);

/**
 * aclrtGetVersion() - version of the interface
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
 * aclrtCheckArchCompatibility() - whether code built for a chip can run here
 * @socVersion: name of the chip, as aclrtGetSocName() gives it
 * @canCompatible: set to 1 if it can, else 0
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL or a name that is not a chip's.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion,
	int32_t *canCompatible);

/**
 * aclrtGetRunMode() - on which side the program runs
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

/* Load in percent since the last look; -1 for a unit that has no figure. */
typedef struct aclrtUtilizationInfo {
	int32_t cubeUtilization;
	int32_t vectorUtilization;
	int32_t aicpuUtilization;
	int32_t memoryUtilization;
	aclrtUtilizationExtendInfo *utilizationExtend;	/* reserved: NULL */
} aclrtUtilizationInfo;

typedef struct tagRtGroupInfo aclrtGroupInfo;

/* What aclrtGetGroupInfoDetail() can ask of a group; all are int32_t. */
typedef enum aclrtGroupAttr {
	ACL_GROUP_AICORE_INT	= 0,
	ACL_GROUP_AIV_INT	= 1,
	ACL_GROUP_AIC_INT	= 2,
	ACL_GROUP_SDMANUM_INT	= 3,
	ACL_GROUP_ASQNUM_INT	= 4,
	ACL_GROUP_GROUPID_INT	= 5
} aclrtGroupAttr;

/*
 * What aclrtGetDeviceInfo() can ask of a device.  Sizes are in bytes.
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

/* Answers of aclrtGetDeviceCapability(). */
#define ACL_DEV_FEATURE_NOT_SUPPORT	0
#define ACL_DEV_FEATURE_SUPPORT		1

/* How two devices are connected: bits, see aclrtGetDevicesTopo(). */
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

/* An atomic operation, and for which operands (bits) it is one. */
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
 * aclrtGetDeviceCount() - number of devices that this process can use
 * @count: set to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_NO_DEVICE without a
 * driver or a visible device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * aclrtSetDevice() - use a device in this thread
 * @deviceId: device, from 0 to aclrtGetDeviceCount() - 1
 *
 * Makes the device's primary context, which all threads of the process share,
 * and its default stream, unless they exist; makes it this thread's current
 * context and takes one reference to it.
 *
 * Errors: ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_NO_DEVICE;
 * ACL_ERROR_RT_NO_PERMISSION when the device node may not be opened.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/**
 * aclrtResetDevice() - give back one reference to a device
 * @deviceId: device
 *
 * The last reference waits for the primary context's work, and frees its
 * streams and all device memory that was allocated in it: pointers and handles
 * are stale then, and threads that had it current have no context.
 *
 * Errors: ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_CONTEXT_RELEASE_ERROR
 * for more resets than sets.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/**
 * aclrtResetDeviceForce() - give back all references to a device
 * @deviceId: device
 *
 * As if aclrtResetDevice() were called for every reference.
 *
 * Errors: as aclrtResetDevice().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * aclrtGetDevice() - the device of this thread's current context
 * @deviceId: set to it
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
 * aclrtSynchronizeDeviceWithTimeout() - wait, but not for ever
 * @timeout: milliseconds, or -1 for no limit
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, as aclrtSynchronizeDevice().
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * aclrtSetTsDevice() - choose the task scheduler for this thread
 * @tsId: ACL_TS_ID_AICORE; ACL_TS_ID_AIVECTOR is accepted, and the same here
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another value,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/**
 * aclrtGetDeviceUtilizationRate() - how busy a device is
 * @deviceId: device
 * @utilizationInfo: filled; utilizationExtend must be NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a utilizationExtend,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
	aclrtUtilizationInfo *utilizationInfo);

/**
 * aclrtQueryDeviceStatus() - whether a device works
 * @deviceId: device
 * @deviceStatus: set to ACL_RT_DEVICE_STATUS_NORMAL or ..._ABNORMAL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
	aclrtDeviceStatus *deviceStatus);

/**
 * aclrtGetDeviceInfo() - an attribute of a device
 * @deviceId: device
 * @attr: the attribute
 * @value: set to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one that this device has not.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId,
	aclrtDevAttr attr, int64_t *value);

/**
 * aclrtGetDeviceCapability() - whether a device has a feature
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
 * aclrtDeviceGetUuid() - a number that names a device
 * @deviceId: device
 * @uuid: filled; the same for the same device after a reboot
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId,
	aclrtUuid *uuid);

/**
 * aclrtDeviceGetPCIBusId() - address of a device
 * @deviceId: device
 * @pciBusId: filled with domain:bus:device.function, NUL-terminated
 * @len: its size in bytes, 13 or more
 *
 * The address has the form of PCI's, in a domain that no real bus has.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for a @len that does not suffice.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId,
	char *pciBusId, int32_t len);

/**
 * aclrtDeviceGetByPCIBusId() - the device at an address
 * @pciBusId: domain:bus:device.function; case and a missing domain of 0 do not
 *	matter
 * @deviceId: set to the device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * there is none.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char *pciBusId,
	int32_t *deviceId);

/**
 * aclrtDeviceSetLimit() - set a limit of kernels on the current device
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
 * aclrtDeviceGetLimit() - get a limit of kernels on the current device
 * @limit: the limit
 * @value: set to its bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, and as aclrtDeviceSetLimit().
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit,
	size_t *value);

/**
 * aclrtDeviceGetBareTgid() - the process id that drivers know this process by
 * @pid: set to it
 *
 * The process's id in the initial pid namespace where that can be known, in a
 * container too; else getpid().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * aclrtDeviceGetHostAtomicCapabilities() - atomic access between host, device
 * @capabilities: array; set to ACL_RT_ATOMIC_CAPABILITY_* bits, 0 for none
 * @operations: array of the operations that are asked about
 * @count: elements of both
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
 * aclrtDeviceGetP2PAtomicCapabilities() - atomic access between two devices
 * @capabilities: array; set to ACL_RT_ATOMIC_CAPABILITY_* bits, 0 for none
 * @operations: array of the operations that are asked about
 * @count: elements of both
 * @srcDeviceId: device that does the operation
 * @dstDeviceId: device whose memory it is done to
 *
 * Errors: as aclrtDeviceGetHostAtomicCapabilities().
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
	const aclrtAtomicOperation *operations, const uint32_t count,
	int32_t srcDeviceId, int32_t dstDeviceId);

/**
 * aclrtDeviceCanAccessPeer() - whether a device can reach another's memory
 * @canAccessPeer: set to 1 if it can, else 0
 * @deviceId: device
 * @peerDeviceId: another device, whose memory is meant
 *
 * Errors: ACL_ERROR_INVALID_PARAM when both are the same,
 * ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer,
	int32_t deviceId, int32_t peerDeviceId);

/**
 * aclrtDeviceEnablePeerAccess() - let the current device reach another's memory
 * @peerDeviceId: another device, whose memory is meant
 * @flags: must be 0
 *
 * One way: the other direction is enabled from the other device.
 *
 * Errors: ACL_ERROR_FEATURE_UNSUPPORTED for other @flags,
 * ACL_ERROR_INVALID_PARAM for the current device itself,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId,
	uint32_t flags);

/**
 * aclrtDeviceDisablePeerAccess() - undo aclrtDeviceEnablePeerAccess()
 * @peerDeviceId: another device, whose memory is meant
 *
 * Errors: ACL_ERROR_INVALID_PARAM for the current device itself,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * aclrtDevicePeerAccessStatus() - whether peer access is enabled
 * @deviceId: device
 * @peerDeviceId: device whose memory is meant
 * @status: set to 1 if it is, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId,
	int32_t peerDeviceId, int32_t *status);

/**
 * aclrtGetDevicesTopo() - how two devices are connected
 * @deviceId: device
 * @otherDeviceId: the other
 * @value: set to ACL_RT_DEVS_TOPOLOGY_* bits
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId,
	uint32_t otherDeviceId, uint64_t *value);

/*
 * Three numberings of devices: the user's (what all calls take: only the
 * visible devices, see ASCEND_RT_VISIBLE_DEVICES), the logical (of this
 * container) and the physical (of this machine).  The last two are the same
 * here: the driver's own.
 *
 * Errors of all six: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_DEVICEID for a number that stands for no visible device.
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
 * aclrtGetGroupCount() - number of groups of cores of the current device
 * @count: set to 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t *count);

/**
 * aclrtCreateGroupInfo() - memory for the description of all groups
 *
 * Return: to be freed with aclrtDestroyGroupInfo(); NULL when there is no
 * group, as on all devices of this driver.
 */
ACL_FUNC_VISIBILITY aclrtGroupInfo *aclrtCreateGroupInfo(void);

/**
 * aclrtDestroyGroupInfo() - free what aclrtCreateGroupInfo() made
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE for
 * what it did not make.
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
 * aclrtGetGroupInfoDetail() - one attribute of one group
 * @groupInfo: what aclrtGetAllGroupInfo() filled
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
 * aclrtCreateContext() - make a context and make it current
 * @context: set to it
 * @deviceId: device
 *
 * A context holds streams, and has a default one; memory is the device's.  It
 * is destroyed by aclrtDestroyContext(), or by the last reset of the device.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context,
	int32_t deviceId);

/**
 * aclrtDestroyContext() - wait for a context's work, and destroy it
 * @context: made by aclrtCreateContext()
 *
 * Its streams go with it.  Threads that had it current have no context then.
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
 * The current device follows.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * aclrtGetCurrentContext() - this thread's current context
 * @context: set to it, or to NULL on failure
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * aclrtCtxSetSysParamOpt() - set an option of the current context
 * @opt: the option
 * @value: 0 or 1; for ACL_OPT_DETERMINISTIC up to 3
 *
 * Wins over aclrtSetSysParamOpt().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown option or one that only a
 * process has (ACL_OPT_ENABLE_KERNEL_EARLY_START), ACL_ERROR_RT_PARAM_INVALID
 * for another value, ACL_ERROR_RT_CONTEXT_NULL.
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
 * aclrtCtxGetCurrentDefaultStream() - default stream of the current context
 * @stream: set to it
 *
 * It is what NULL stands for, and cannot be destroyed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * aclrtGetPrimaryCtxState() - whether a device's primary context exists
 * @deviceId: device
 * @flags: reserved: must be NULL
 * @active: set to 1 if it does, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @active or other @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId,
	uint32_t *flags, int32_t *active);

/*
 * Streams
 *
 * The work of one stream is done in the order of submission.  In place of a
 * stream, NULL is the default stream of the current context: a stream like any
 * other, with no barrier to the rest.
 */

/* Flags of a stream. */
#define ACL_STREAM_FAST_LAUNCH		0x1U
#define ACL_STREAM_FAST_SYNC		0x2U
#define ACL_STREAM_PERSISTENT		0x4U
#define ACL_STREAM_HUGE			0x8U
#define ACL_STREAM_CPU_SCHEDULE		0x10U
#define ACL_STREAM_DEVICE_USE_ONLY	0x20U

/* What a stream does after a task failed. */
#define ACL_CONTINUE_ON_FAILURE	0U
#define ACL_STOP_ON_FAILURE	1U

typedef enum aclrtStreamStatus {
	ACL_STREAM_STATUS_COMPLETE	= 0,
	ACL_STREAM_STATUS_NOT_READY	= 1,
	ACL_STREAM_STATUS_RESERVED	= 0xFFFF
} aclrtStreamStatus;

/* What aclrtSetStreamConfigOpt() sets. */
typedef enum aclrtStreamConfigAttr {
	ACL_RT_STREAM_WORK_ADDR_PTR	= 0,
	ACL_RT_STREAM_WORK_SIZE		= 1,
	ACL_RT_STREAM_FLAG		= 2,
	ACL_RT_STREAM_PRIORITY		= 3
} aclrtStreamConfigAttr;

/* To be made, changed and destroyed by the calls for it only. */
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
 * aclrtCreateStream() - make a stream in the current context
 * @stream: set to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_STREAM_RESOURCE when the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/**
 * aclrtCreateStreamWithConfig() - make a stream with a priority and flags
 * @stream: set to it
 * @priority: 0, the highest, to 7; more counts as 7
 * @flag: ACL_STREAM_* bits, or 0; other bits are ignored
 *
 * Errors: as aclrtCreateStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream,
	uint32_t priority, uint32_t flag);

/**
 * aclrtCreateStreamConfigHandle() - make a description of a stream
 *
 * Return: to be freed with aclrtDestroyStreamConfigHandle(); NULL when host
 * memory is missing.
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
 * @attr: which; work address and size are kept but not needed by this device
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
 * aclrtCreateStreamV2() - make a stream from its description
 * @stream: set to it
 * @handle: the description, which is free for other use after the call
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
 * A task that failed is told once, and each time where the streams of the
 * context stop on failure; see "Work for streams".
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_STREAM_ABORT when it is aborted meanwhile, or the code of a task.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * aclrtSynchronizeStreamWithTimeout() - wait, but not for ever
 * @stream: a stream of any context, or NULL
 * @timeout: milliseconds, or -1 for no limit
 *
 * The stream stays usable when the time is over.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, as aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * aclrtStreamQuery() - whether a stream's work is done
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
 * aclrtStreamAbort() - drop what a stream has not done
 * @stream: a stream of the current context, not NULL
 *
 * The task that runs ends early, where it is.  Functions that the stream was to
 * call are not called; one that runs goes on.  Who waits for the stream gets
 * ACL_ERROR_RT_STREAM_ABORT.  Then the stream can be used again, also where it
 * had stopped after a task failed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/**
 * aclrtStreamStop() - stop a stream that only the device uses
 * @stream: a stream of the current context that was made with
 *	ACL_STREAM_DEVICE_USE_ONLY
 *
 * Here it does what aclrtStreamAbort() does.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/**
 * aclrtPersistentTaskClean() - drop the tasks of a persistent stream
 * @stream: a stream of the current context that was made with
 *	ACL_STREAM_PERSISTENT
 *
 * The stream can be given tasks anew.  Here it does what aclrtStreamAbort() does.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * aclrtGetThreadLastTaskId() - the task that this thread submitted last
 * @taskId: set to its number in its stream, or 0 before the first
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * aclrtStreamGetId() - number of a stream
 * @stream: a stream of the current context, or NULL
 * @streamId: set to a number that no other living stream of the device has in
 *	this process
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream,
	int32_t *streamId);

/**
 * aclrtStreamGetPriority() - priority of a stream
 * @stream: a stream of the current context, or NULL
 * @priority: set to it, 0 to 7
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream,
	uint32_t *priority);

/**
 * aclrtStreamGetFlags() - flags of a stream
 * @stream: a stream of the current context, or NULL
 * @flags: set to ACL_STREAM_* bits
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream,
	uint32_t *flags);

/**
 * aclrtGetStreamAvailableNum() - how many streams can still be made
 * @streamCount: set to the number for the current device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * aclrtDeviceGetStreamPriorityRange() - the priorities of the current device
 * @leastPriority: set to 7; may be NULL
 * @greatestPriority: set to 0; may be NULL
 *
 * Errors: ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
	int32_t *greatestPriority);

/**
 * aclrtSetStreamFailureMode() - what a stream does after a task failed
 * @stream: a stream of the current context, or NULL
 * @mode: ACL_CONTINUE_ON_FAILURE, the default, or ACL_STOP_ON_FAILURE, which
 *	stops all streams of the context and cannot be taken back
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another mode,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a step back,
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
 * To record an event is to remember what a stream has been given to do; the
 * event is complete when that is done.  There are two families, the old one and
 * that of aclrtCreateEventExWithFlag(), which differ before the first record.
 * An event belongs to the context that was current when it was made, and ends
 * with it at the latest; streams of any context may record it and wait for it.
 */

/* Flags of an event. */
#define ACL_EVENT_SYNC				0x1U	/* for streams to wait */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS	0x2U	/* for the host */
#define ACL_EVENT_TIME_LINE			0x8U	/* has times */
#define ACL_EVENT_DEVICE_USE_ONLY		0x10U
#define ACL_EVENT_EXTERNAL			0x20U
#define ACL_EVENT_IPC				0x40U

/* Flags of a record and of a wait. */
#define ACL_EVENT_RECORD_DEFAULT	0x0U
#define ACL_EVENT_RECORD_EXTERNAL	0x1U
#define ACL_EVENT_WAIT_DEFAULT		0x0U
#define ACL_EVENT_WAIT_EXTERNAL		0x1U

/* Beware: here complete is 0, */
typedef enum aclrtEventStatus {
	ACL_EVENT_STATUS_COMPLETE	= 0,
	ACL_EVENT_STATUS_NOT_READY	= 1,
	ACL_EVENT_STATUS_RESERVED	= 2
} aclrtEventStatus;

/* here it is 1, */
typedef enum aclrtEventRecordedStatus {
	ACL_EVENT_RECORDED_STATUS_NOT_READY	= 0,
	ACL_EVENT_RECORDED_STATUS_COMPLETE	= 1
} aclrtEventRecordedStatus;

/* and here it is 0. */
typedef enum aclrtEventWaitStatus {
	ACL_EVENT_WAIT_STATUS_COMPLETE	= 0,
	ACL_EVENT_WAIT_STATUS_NOT_READY	= 1,
	ACL_EVENT_WAIT_STATUS_RESERVED	= 0xFFFF
} aclrtEventWaitStatus;

/**
 * aclrtCreateEvent() - make an event of the old family, for times and waits
 * @event: set to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * aclrtCreateEventWithFlag() - make an event of the old family
 * @event: set to it
 * @flag: ACL_EVENT_* bits but ACL_EVENT_IPC; ACL_EVENT_EXTERNAL and
 *	ACL_EVENT_DEVICE_USE_ONLY stand alone
 *
 * With ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL it takes one of the 65536 events
 * that a device has for all processes.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * other flags, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event,
	uint32_t flag);

/**
 * aclrtCreateEventExWithFlag() - make an event of the new family
 * @event: set to it
 * @flag: of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS and
 *	ACL_EVENT_TIME_LINE; or ACL_EVENT_IPC alone
 *
 * There may be as many as memory allows.
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
 * Does not wait.  Streams that wait for a record of it still do.  Needs no
 * context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * aclrtRecordEvent() - remember what a stream has been given to do
 * @event: the event, which forgets what it remembered before
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one of ACL_EVENT_DEVICE_USE_ONLY,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL; the code of a task that stopped the context.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtRecordEventWithFlag() - the same, with a flag
 * @event: the event
 * @stream: a stream of the current context, or NULL
 * @flag: ACL_EVENT_RECORD_DEFAULT
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_RECORD_EXTERNAL, as
 * nothing is captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; and as
 * aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event,
	aclrtStream stream, uint32_t flag);

/**
 * aclrtResetEvent() - forget what an event remembers
 * @event: an event of aclrtCreateEventWithFlag() with ACL_EVENT_SYNC
 * @stream: a stream of the current context, or NULL
 *
 * A stream that is made to wait for it after this call waits for the next
 * record.  Who asks for the event sees that it was reset when @stream has done
 * what it was given before.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another event, and as
 * aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtQueryEvent() - whether an event is complete
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
 * aclrtQueryEventStatus() - whether an event is complete
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
 * aclrtQueryEventWaitStatus() - whether any stream still waits for an event
 * @event: an event of the old family
 * @status: set to ACL_EVENT_WAIT_STATUS_COMPLETE or ..._NOT_READY
 *
 * Errors: as aclrtQueryEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
	aclrtEventWaitStatus *status);

/**
 * aclrtSynchronizeEvent() - wait for an event
 * @event: the event; one that was never recorded is not waited for
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_STREAM_ABORT when the
 * stream of the record is aborted meanwhile, which is not known of an event of
 * several processes; ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * aclrtSynchronizeEventWithTimeout() - wait, but not for ever
 * @event: the event
 * @timeout: milliseconds, or -1 for no limit
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, and as aclrtSynchronizeEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * aclrtEventElapsedTime() - time from one event to another
 * @ms: set to milliseconds; below 0 if the end came first
 * @startEvent: an event with times
 * @endEvent: another
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INTERNAL_ERROR for an
 * event that was never recorded, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID for one
 * that is not complete or was made without ACL_EVENT_TIME_LINE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms,
	aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * aclrtEventGetTimestamp() - when an event was reached
 * @event: an event with times
 * @timestamp: set to microseconds of CLOCK_MONOTONIC
 *
 * Errors: as aclrtEventElapsedTime().
 */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event,
	uint64_t *timestamp);

/* Names an event of another process: see aclrtIpcGetEventHandle(). */
#define ACL_IPC_EVENT_HANDLE_SIZE	64U

typedef struct aclrtIpcEventHandle {
	char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/**
 * aclrtIpcGetEventHandle() - let other processes have an event
 * @event: an event of aclrtCreateEventExWithFlag() with ACL_EVENT_IPC
 * @handle: filled; the same at each call
 *
 * Whoever knows the handle may open the event while it and its process live.
 * Each process may record it, wait for it and ask for it; what counts is the
 * latest record that any of them has made at the time of the call.  Such an
 * event cannot be reset, and has no times and no number:
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 *
 * A record is complete when its stream has come to it, and, as with any event,
 * when the stream was aborted or destroyed before; the same holds when its
 * process has ended, however.  Who waits for the data of a process that may die
 * has to ask whether it has.  It does not matter who still has the event.
 *
 * At most 126 streams that live may have recorded it, of all processes together:
 * aclrtRecordEvent() returns ACL_ERROR_RT_NO_EVENT_RESOURCE for one more.  Who
 * comes to a stream of another process for the first time asks that process, and
 * gets ACL_ERROR_RT_WAIT_TIMEOUT if it does not answer within seconds, since it
 * is stopped.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another event, or one that was opened; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event,
	aclrtIpcEventHandle *handle);

/**
 * aclrtIpcOpenEventHandle() - get an event of another process
 * @handle: from aclrtIpcGetEventHandle() there
 * @event: set to it, to be destroyed by aclrtDestroyEvent()
 *
 * It stays when the other process destroys its own, or ends.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for what
 * is no handle, or one of an event that is gone; ACL_ERROR_RT_WAIT_TIMEOUT if
 * the other process does not answer; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * aclrtGetEventId() - number of an event
 * @event: the event
 * @eventId: set to a number that no other event of the device has
 *
 * An event that has none yet takes one of the device's 65536.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_NO_EVENT_RESOURCE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event,
	uint32_t *eventId);

/**
 * aclrtGetEventAvailNum() - how many events the current device has left
 * @eventCount: set to the number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * aclrtStreamWaitEvent() - let a stream wait for an event
 * @stream: a stream of the current context, or NULL
 * @event: made by aclrtCreateEvent(), or with ACL_EVENT_SYNC or
 *	ACL_EVENT_EXTERNAL
 *
 * It waits for the latest record, whatever is recorded later, for as long as
 * aclrtSetOpWaitTimeout() allows.  Before the first record, or after a reset,
 * it waits for the next if the event is of aclrtCreateEventWithFlag(), and not
 * at all if it is of the new family.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one made without ACL_EVENT_SYNC,
 * ACL_ERROR_RT_PARAM_INVALID for one of aclrtCreateEvent() that was never
 * recorded, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream,
	aclrtEvent event);

/**
 * aclrtStreamWaitEventWithTimeout() - let a stream wait, but not for ever
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 *
 * When the time is over, the wait fails as a task does, with
 * ACL_ERROR_RT_TASK_TIMEOUT.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a negative @timeout, and as
 * aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
	int32_t timeout);

/**
 * aclrtStreamWaitEventWithFlag() - the same, with a flag
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 * @flag: ACL_EVENT_WAIT_DEFAULT
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_WAIT_EXTERNAL, as
 * nothing is captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; and as
 * aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
	aclrtEvent event, uint32_t timeout, uint32_t flag);

/*
 * Time limits of tasks, which belong to the process and count for what is
 * submitted later.  A task that takes longer fails with
 * ACL_ERROR_RT_TASK_TIMEOUT.  They need no context.
 */

/**
 * aclrtSetOpWaitTimeout() - how long streams wait for events
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOut() - how long a task may work
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutWithMs() - the same in milliseconds
 * @timeout: milliseconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutV2() - the same in microseconds
 * @timeout: microseconds, or 0 for no limit
 * @actualTimeout: set to what counts: rounded up to the interval, or the most
 *	that can be set
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout,
	uint64_t *actualTimeout);

/**
 * aclrtGetOpTimeOutInterval() - the unit of these limits
 * @interval: set to microseconds
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * aclrtGetOpExecuteTimeout() - how long a task may work
 * @timeoutMs: set to milliseconds, 0 for no limit
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);

/*
 * Memory
 *
 * All sizes are in bytes.  A device pointer is an address that only the device
 * can use: the host gets SIGSEGV.  Any address inside an allocation may be
 * copied to and from.
 */

/*
 * Which pages an allocation is made of: 4 KiB (NORMAL), 2 MiB (HUGE), 1 GiB
 * (HUGE1G).  HUGE_FIRST takes 4 KiB pages up to 1 MiB and 2 MiB pages above,
 * and normal ones when those have run out; the ONLY policies fail instead.  The
 * P2P policies differ in nothing on one machine.
 *
 * The two bandwidths are bits that choose among memories; a device of this
 * driver has one, and they do nothing.  Read-only memory it does not have:
 * that bit is ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
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

/* Extra wishes for an allocation; NULL in its place is no wish. */
typedef struct aclrtMallocConfig {
	aclrtMallocAttribute *attrs;
	size_t numAttrs;
} aclrtMallocConfig;

/* Direction of a copy, see aclrtMemcpy(). */
typedef enum aclrtMemcpyKind {
	ACL_MEMCPY_HOST_TO_HOST			= 0,
	ACL_MEMCPY_HOST_TO_DEVICE		= 1,
	ACL_MEMCPY_DEVICE_TO_HOST		= 2,
	ACL_MEMCPY_DEVICE_TO_DEVICE		= 3,
	ACL_MEMCPY_DEFAULT			= 4,
	ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE	= 5,
	ACL_MEMCPY_INNER_DEVICE_TO_DEVICE	= 6,
	ACL_MEMCPY_INTER_DEVICE_TO_DEVICE	= 7
} aclrtMemcpyKind;

/*
 * Kinds of device memory, see aclrtGetMemInfo().  A device of this driver has
 * one memory, which every kind of high-bandwidth memory (HBM) names.
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

/* What a pointer is; pageSize is 0 where it is not device memory. */
typedef struct aclrtPtrAttributes {
	aclrtMemLocation location;
	uint32_t pageSize;
	uint32_t rsv[4];
} aclrtPtrAttributes;

/* What aclrtHostRegister() is to make of memory; may be or-ed. */
typedef enum aclrtHostRegisterType {
	ACL_HOST_REGISTER_MAPPED	= 0,
	ACL_HOST_REGISTER_IOMEMORY	= 0x4,
	ACL_HOST_REGISTER_READONLY	= 0x8
} aclrtHostRegisterType;

/* What aclrtHostRegisterV2() is to make of memory, bits. */
#define ACL_HOST_REG_MAPPED	0x2UL		/* has a device address */
#define ACL_HOST_REG_IOMEMORY	0x4UL		/* of another device */
#define ACL_HOST_REG_READONLY	0x8UL		/* mapped, for reading */
#define ACL_HOST_REG_PINNED	0x10000000UL	/* stays where it is */

/* Parts of a device that access memory. */
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

/* The one flag of aclrtMemAllocManaged(): host and devices may use it. */
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

/* id is a device or a NUMA node, and otherwise ignored. */
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

/* Where both ends of some copies of a batch lie. */
typedef struct aclrtMemcpyBatchAttr {
	aclrtMemLocation dstLoc;
	aclrtMemLocation srcLoc;
	uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/* Kinds of memory, bits, see aclrtCheckMemType(). */
#define ACL_RT_MEM_TYPE_DEV	0x2U
#define ACL_RT_MEM_TYPE_DVPP	0x8U
#define ACL_RT_MEM_TYPE_RSVD	0x10U

/* Who may import what was exported, see aclrtIpcMemGetExportKey(). */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION	0x1UL

/* See aclrtIpcMemImportByKey(). */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS		0x1UL

/* Links between dies, of which this device has none: aclrtIpcMemSetAttr(), */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO			0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS			1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH	2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH	3

typedef enum aclrtIpcMemAttrType {
	ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

/* aclrtMemMapSetLink(), */
typedef enum aclrtMemLinkType {
	ACL_RT_MEM_ACCESS_LINK_SIO		= 0,
	ACL_RT_MEM_ACCESS_LINK_HCCS		= 1,
	ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH	= 2,
	ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH	= 3
} aclrtMemLinkType;

/* aclrtMemMapSelectedLink(). */
#define ACL_RT_MEM_LINK_IDX_0	0
#define ACL_RT_MEM_LINK_IDX_1	1

/* Who may import what was exported, see aclrtMemExportToShareableHandle(). */
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT				0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION		0x1UL

typedef enum aclrtMemAllocationType {
	ACL_MEM_ALLOCATION_TYPE_PINNED	= 0
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
	ACL_MEM_HANDLE_TYPE_NONE	= 0,
	ACL_MEM_HANDLE_TYPE_POSIX	= 2
} aclrtMemHandleType;

/* What a shareable handle is: an uint64_t or an aclrtMemFabricHandle. */
typedef enum aclrtMemSharedHandleType {
	ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT	= 0x1,
	ACL_MEM_SHARE_HANDLE_TYPE_FABRIC	= 0x2
} aclrtMemSharedHandleType;

typedef struct aclrtMemFabricHandle {
	uint8_t data[128];
} aclrtMemFabricHandle;

/* Which physical memory, see aclrtMallocPhysical(). */
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
 * @policy: which pages; an unknown value takes huge ones from 2 MiB on
 *
 * The memory is not cleared, but never shows what another process wrote.  It
 * costs @size rounded up to 32 bytes plus 32, except with 1 GiB pages, and then
 * rounded up to the page: aclrtGetMemInfo() shows this.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or a size that overflows when it
 * is rounded up; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION when
 * it does not fit, exceeds a quota that the administrator set, or has no room in
 * the addresses of this process: aclGetRecentErrMsg() then explains why.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocAlign32() - as aclrtMalloc(), without the extra 32 bytes
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: which pages
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocCached() - as aclrtMalloc(); the device's caches are coherent here
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: which pages
 *
 * Errors: as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy);

/**
 * aclrtMallocWithCfg() - as aclrtMalloc(), with extra wishes
 * @devPtr: set to its device address
 * @size: bytes, at least 1; not rounded up but to pages
 * @policy: which pages
 * @cfg: ACL_RT_MEM_ATTR_MODULE_ID, ACL_RT_MEM_ATTR_DEVICE_ID (a device other
 *	than the current one) and the like, or NULL
 *
 * Errors: as aclrtMalloc(); ACL_ERROR_INVALID_PARAM for an attribute that is
 * not known, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
	aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtMallocForTaskScheduler() - memory that the task scheduler reads
 * @devPtr: set to its device address
 * @size: bytes, at least 1
 * @policy: which pages
 * @cfg: as for aclrtMallocWithCfg(), or NULL
 *
 * The same memory as any other here.
 *
 * Errors: as aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void **devPtr,
	size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtFree() - free device memory
 * @devPtr: what an allocation call returned; no other address
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of an allocation, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/**
 * aclrtFreeWithDevSync() - wait for the device's work, and free its memory
 * @devPtr: what an allocation call returned
 *
 * Errors: as aclrtFree().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * aclrtMallocHost() - allocate host memory that is locked for transfers
 * @hostPtr: set to its address, aligned to 4096 bytes
 * @size: bytes, at least 1
 *
 * It holds zeros, costs whole pages of 4096 bytes, and is counted to the user.
 * A forked child does not inherit it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * aclrtMallocHostWithCfg() - as aclrtMallocHost(), with extra wishes
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
 * @hostPtr: what aclrtMallocHost() returned; no other address
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address that is not the start of such memory, or was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/**
 * aclrtFreeHostWithDevSync() - wait for the device's work, free host memory
 * @hostPtr: what aclrtMallocHost() returned
 *
 * Errors: as aclrtFreeHost().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * aclrtHostRegister() - give host memory a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @type: ACL_HOST_REGISTER_MAPPED, or ACL_HOST_REGISTER_READONLY if devices are
 *	not to write there
 * @devPtr: set to its device address
 *
 * The memory is of malloc() or the like, of aclrtMallocHost(), or shared memory;
 * not of a file on a disk.  Its pages stay where they are, and count towards
 * RLIMIT_MEMLOCK.  When it is unmapped the device address is good for nothing,
 * and is yet to be unregistered.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * for another @type, ACL_ERROR_RT_PARAM_INVALID for an address that is not
 * aligned or memory that cannot be registered,
 * ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED if a part of it is,
 * ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size,
	aclrtHostRegisterType type, void **devPtr);

/**
 * aclrtHostRegisterV2() - lock host memory, with or without a device address
 * @ptr: host address, a multiple of 4096
 * @size: bytes, at least 1
 * @flag: ACL_HOST_REG_* bits; ACL_HOST_REG_IOMEMORY is not supported
 *
 * aclrtHostGetDevicePointer() tells the device address.
 *
 * Errors: as aclrtHostRegister(); ACL_ERROR_RT_PARAM_INVALID for another @flag.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtHostGetDevicePointer() - the device address of host memory
 * @pHost: host address in memory that is registered as mapped
 * @pDevice: set to the device address
 * @flag: 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID if it has none, ACL_ERROR_RT_CONTEXT_NULL.
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
 * aclrtHostMemMapCapabilities() - can a part of a device reach such memory?
 * @deviceId: the device
 * @hacType: the part
 * @capabilities: set to the answer
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_PARAM_INVALID for another @hacType.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId,
	aclrtHacType hacType, aclrtHostMemMapCapability *capabilities);

/**
 * aclrtMemAllocManaged() - allocate memory with one address on both sides
 * @ptr: set to its address, aligned to 2 MiB
 * @size: bytes, at least 1; rounded up to 2 MiB
 * @flag: ACL_RT_MEM_ATTACH_GLOBAL
 *
 * It is memory of the current device, and stays there.  The host's system calls
 * cannot pin it (direct I/O).  Freed by aclrtFree().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID for 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void **ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtMemManagedAdvise() - say how managed memory will be used
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @advise: what is said
 * @location: where the memory had better be, or who will access it; ignored
 *	where the advice has none
 *
 * Is answered by aclrtMemManagedGetAttr(), and has no other effect.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @advise, a range that is not aligned or not managed memory, or a place
 * that this machine does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void *const ptr,
	uint64_t size, aclrtMemManagedAdviseType advise,
	aclrtMemManagedLocation location);

/**
 * aclrtMemManagedPrefetchAsync() - bring managed memory to where it is needed
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @location: where it will be needed
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Managed memory stays on its device, where hosts and devices reach it.  So the
 * place is what aclrtMemManagedGetAttr() tells of the last prefetch, and there is
 * no other effect.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * @flags, a range that is not aligned or not managed memory, or a place that
 * this machine does not have; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void *ptr,
	size_t size, aclrtMemManagedLocation location, uint32_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedPrefetchBatchAsync() - the same for several ranges
 * @ptrs: addresses
 * @sizes: bytes of each
 * @count: how many, at least 1
 * @prefetchLocs: places
 * @prefetchLocIdxs: index of the first range of each place: 0, then growing
 * @numPrefetchLocs: how many places, at least 1
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Where one range is wrong, none is prefetched.
 *
 * Errors: as aclrtMemManagedPrefetchAsync(), and ACL_ERROR_RT_PARAM_INVALID for
 * other indexes.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes,
	size_t count, aclrtMemManagedLocation *prefetchLocs,
	size_t *prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedGetAttr() - what was said of managed memory
 * @attribute: what to tell
 * @ptr: address in it
 * @size: bytes, at least 1
 * @data: filled with 32-bit numbers: what holds for all of the range, or -2
 *	(ACL_MEM_LOCATIONTYPE_INVALID for a type); -1 stands for the host
 * @dataSize: 4; for ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, a list filled up with
 *	-2, any multiple
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @attribute or @dataSize, or a range that is not managed memory.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
	const void *ptr, size_t size, void *data, size_t dataSize);

/**
 * aclrtMemManagedGetAttrs() - aclrtMemManagedGetAttr() for several at once
 * @attributes: what to tell
 * @numAttributes: how many
 * @ptr: address in managed memory
 * @size: bytes, at least 1
 * @data: where to tell it, for each attribute
 * @dataSizes: bytes there, for each attribute
 *
 * Errors: as aclrtMemManagedGetAttr(); nothing is told then.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
	size_t numAttributes, const void *ptr, size_t size, void **data,
	size_t *dataSizes);

/**
 * aclrtPointerGetAttributes() - what a pointer points to
 * @ptr: any address
 * @attributes: filled: ACL_MEM_LOCATION_TYPE_DEVICE or ..._MANAGED with the
 *	device as id, ..._HOST for aclrtMallocHost() memory and what is
 *	registered, by either address, ..._UNREGISTERED for all else
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
 * @kind: one of the values up to ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; beyond that
 *	ignored, since the addresses tell the direction
 *
 * Is not ordered with any stream.  Any alignment, length and mixture of
 * devices.  Ranges may overlap only where both are device memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax or a range leaves its
 * allocation, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind);

/**
 * aclrtMemset() - set memory to a byte, and wait for it
 * @devPtr: device memory, or memory of aclrtMallocHost()
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount or the range leaves its allocation,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount,
	int32_t value, size_t count);

/**
 * aclrtMemsetD32() - set memory to a 32-bit value, and wait for it
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: how many values; 0 succeeds whatever the other arguments are
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
 * aclrtMemcpyBatch() - do many copies, and wait for them
 * @dsts: where to
 * @destMaxs: bytes that fit there
 * @srcs: where from
 * @sizes: bytes
 * @numBatches: elements of the four arrays, at least 1
 * @attrs: where both ends of the copies lie
 * @attrsIndexes: for each element of @attrs the first copy that it describes:
 *	increasing, and the first of them 0
 * @numAttrs: elements of @attrs and @attrsIndexes, 1 to @numBatches
 * @failIndex: on failure, set to the copy that failed, or to SIZE_MAX when no
 *	single one is to blame
 *
 * Host and device only: one of the ends of each copy is device memory.
 * Copies before the one that failed may have been done.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for attributes that do not fit the addresses or each other, and for what
 * aclrtMemcpy() refuses; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
	size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
	size_t numAttrs, size_t *failIndex);

/**
 * aclrtMemcpyBatchV2() - aclrtMemcpyBatch() that does not tell which one failed
 * @dsts: where to
 * @destMaxs: bytes that fit there
 * @srcs: where from
 * @sizes: bytes
 * @numBatches: elements of the four arrays, at least 1
 * @attrs: where both ends of the copies lie
 * @attrsIndexes: for each element of @attrs the first copy it describes
 * @numAttrs: elements of @attrs and @attrsIndexes
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs,
	void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs);

/*
 * Work for streams
 *
 * These calls return when the stream has been given a task, and tell what is
 * wrong with their arguments.  What is wrong with the memory is found when the
 * stream comes to the task, and who waits for the stream is told:
 *
 * ACL_ERROR_RT_SYS_DMA			an address is not allocated, or not
 *					to be accessed
 * ACL_ERROR_RT_PARAM_INVALID		the task makes no sense
 * ACL_ERROR_RT_TASK_TIMEOUT		it took too long
 * ACL_ERROR_RT_DEVICE_TASK_ABORT	the device was reset
 * ACL_ERROR_RT_DEVICE_MEM_ERROR	its memory has an error at an address
 * ACL_ERROR_RT_LOST_HEARTBEAT		the device is gone
 *
 * A stream that has 2048 tasks to do lets the caller wait.
 *
 * All of them may fail with ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, and with the code of
 * the task that stopped the streams of the context.
 */

/**
 * aclrtMemcpyAsync() - copy when a stream comes to it
 * @dst: device or host address
 * @destMax: bytes that fit there
 * @src: device or host address
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @kind: a value of aclrtMemcpyKind; the addresses tell the direction
 * @stream: a stream of the current context, or NULL
 *
 * Host memory of aclrtMallocHost() or aclrtHostRegister() must stay until the
 * copy is done.  With other host memory the call waits for the stream, and
 * returns when it has copied.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind,
	aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithCondition() - the same
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
 * aclrtMemsetAsync() - set memory to a byte when a stream comes to it
 * @devPtr: device memory, or memory of aclrtMallocHost()
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount, or for other host memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount,
	int32_t value, size_t count, aclrtStream stream);

/**
 * aclrtMemsetD32Async() - set memory to a 32-bit value when a stream comes to it
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: how many values; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an address that is not aligned or
 * neither of these memories, or when @N values exceed @memSize.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize,
	uint32_t value, size_t N, aclrtStream stream);

/**
 * aclrtMemcpy2dAsync() - copy a rectangle when a stream comes to it
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
 * A @width or @height of 0 succeeds whatever the other arguments are.  Host
 * memory is dealt with as by aclrtMemcpyAsync().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind, or a @width or
 * @height that is too much; ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch,
	const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsync() - make several copies when a stream comes to it
 * @dsts: where to
 * @destMaxs: bytes that fit there
 * @srcs: where from
 * @sizes: bytes
 * @numBatches: how many copies
 * @attrs: where their ends are
 * @attrsIndexes: the first copy that each of @attrs is for
 * @numAttrs: how many of those
 * @failIndex: set on failure to the copy to blame, or SIZE_MAX
 * @stream: a stream of the current context, or NULL
 *
 * The copies have no order.  If one has host memory that is not pinned, the call
 * returns when all is copied.
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	size_t *failIndex, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsyncV2() - the same, without telling which copy failed
 * @dsts: where to
 * @destMaxs: bytes that fit there
 * @srcs: where from
 * @sizes: bytes
 * @numBatches: how many copies
 * @attrs: where their ends are
 * @attrsIndexes: the first copy that each of @attrs is for
 * @numAttrs: how many of those
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	aclrtStream stream);

/**
 * aclrtGetMemcpyDescSize() - size of a descriptor of a copy
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @descSize: set to bytes
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind,
	size_t *descSize);

/**
 * aclrtSetMemcpyDesc() - write a descriptor of a copy
 * @desc: device memory of aclrtGetMemcpyDescSize() bytes
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @srcAddr: where from, a device address
 * @dstAddr: where to, a device address
 * @count: bytes
 * @config: reserved: must be NULL
 *
 * Is done when it returns.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind or a @config,
 * ACL_ERROR_RT_PARAM_INVALID for a @desc that is not allocated on a device,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void *desc,
	aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
	void *config);

/**
 * aclrtMemcpyAsyncWithDesc() - make the copy of a descriptor
 * @desc: written by aclrtSetMemcpyDesc()
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * The descriptor is read when the stream comes to it.  If what is there is none,
 * the task fails.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID for what is not in device memory, or not aligned to
 * 8 bytes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void *desc,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithOffset() - copy between addresses that are in memory
 * @dst: points to the device address to copy to
 * @destMax: bytes that fit there
 * @dstDataOffset: is added to that address
 * @src: points to the device address to copy from
 * @count: bytes
 * @srcDataOffset: is added to that address
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * @dst and @src may be on the device or the host.  They are read when the stream
 * comes to it; the call waits for that if one is in host memory that is not
 * pinned, or not aligned to 8 bytes.  If an address is not of a device, the task
 * fails, or the call that waits.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax; of one that waits,
 * ACL_ERROR_RT_PARAM_INVALID for an address that is not of a device, and as
 * aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst,
	size_t destMax, size_t dstDataOffset, const void **src, size_t count,
	size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream);

/* What aclrtValueWait() waits for. */
#define ACL_STREAM_WAIT_VALUE_GEQ	0x0U	/* (int64_t)(*addr - value) >= 0 */
#define ACL_STREAM_WAIT_VALUE_EQ	0x1U	/* *addr == value */
#define ACL_STREAM_WAIT_VALUE_AND	0x2U	/* *addr & value */
#define ACL_STREAM_WAIT_VALUE_NOR	0x3U	/* ~(*addr | value) */

/**
 * aclrtValueWrite() - write 8 bytes when a stream comes to it
 * @devAddr: device address, a multiple of 8
 * @value: what is written
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
 * @value: what the 8 bytes there are compared with
 * @flag: ACL_STREAM_WAIT_VALUE_*
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtValueWrite().
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value,
	uint32_t flag, aclrtStream stream);

/* What aclrtReduceAsync() does. */
typedef enum aclrtReduceKind {
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM	= 10,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX	= 11,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN	= 12,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL	= 13
} aclrtReduceKind;

/**
 * aclrtReduceAsync() - combine two arrays when a stream comes to it
 * @dst: device address of the first, and of the result
 * @src: device address of the second
 * @count: bytes of each
 * @kind: what becomes of two elements
 * @type: of ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT16, ACL_INT32
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * Both arrays are aligned to an element, and are the same or do not overlap.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another @kind or @type, a @count that is 0 or
 * not a multiple of an element, or an address that is not.
 */
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void *dst, const void *src,
	uint64_t count, aclrtReduceKind kind, aclDataType type,
	aclrtStream stream, void *reserve);

/* A parameter of random numbers: its bytes, or their device address. */
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
 * aclrtRandomNumAsync() - make random numbers when a stream comes to it
 * @taskInfo: says which, how many and where
 * @stream: a stream of the current context, or NULL
 * @reserve: must be NULL
 *
 * randomNum numbers of dataType are written to randomResultAddr.  Uniform ones
 * may be ACL_INT32, ACL_INT64, ACL_UINT32 or ACL_UINT64, and are below the upper
 * bound; all may be ACL_FLOAT, ACL_FLOAT16 or ACL_BF16.  A bit mask of a dropout
 * has randomNum bits, the lowest of a byte first, of which those are 0 that are
 * dropped.
 *
 * The parameters of a distribution, a dropout's ratio as well, have dataType,
 * randomSeed and randomNum 8 bytes.  The numbers are those of Philox4x32-10 with
 * the seed as its key.  The 16 bytes at randomCounterAddr, a device address that
 * is a multiple of 8, are its counter: how many blocks of four words to leave
 * out.  They are read when the stream comes to it, and stay as they are.
 * randomParaAddr is not needed here.
 *
 * Parameters that are in device memory are read when the stream has done what
 * it was given before, for which the call waits.  Parameters that make no sense,
 * such as a lower bound above the upper one, fail the task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a @reserve,
 * ACL_ERROR_RT_PARAM_INVALID for another distribution or type, a parameter of
 * another size, or a counter that is not aligned.
 */
ACL_FUNC_VISIBILITY aclError
aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
	const aclrtStream stream, void *reserve);

/**
 * aclrtGetMemInfo() - memory of the current device
 * @attr: kind of memory
 * @free: set to the bytes that are free: for a kind of pages, in such pages
 * @total: set to the bytes there are
 *
 * Both are of the device, for all processes.  Both are 0 for a kind that the
 * device does not have (DDR).
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown kind, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free,
	size_t *total);

/**
 * aclrtGetMemUsageInfo() - which components hold a device's memory
 * @deviceId: device
 * @memUsageInfo: array; filled with name, bytes held now and at most
 * @inputNum: its elements, at least 1
 * @outputNum: set to the elements that were filled
 *
 * The largest holder comes first.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId,
	aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum);

/**
 * aclrtCheckMemType() - whether addresses are memory of some kind
 * @addrList: the addresses
 * @size: how many
 * @memType: ACL_RT_MEM_TYPE_* bits
 * @checkResult: set to 1 if every one is of one of these kinds, else 0
 * @reserve: must be 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for unknown bits or a non-zero @reserve.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size,
	uint32_t memType, uint32_t *checkResult, uint32_t reserve);

/**
 * aclrtReserveMemAddress() - reserve device addresses
 * @virPtr: set to the first
 * @size: bytes, at least 1; rounded up to 2 MiB, and from 1 GiB on to 1 GiB,
 *	where the address is a multiple of 1 GiB, too
 * @alignment: reserved, 0
 * @expectPtr: NULL; the address cannot be chosen
 * @flags: 0 or 1, which is the same
 *
 * Costs no memory.  What is reserved belongs to the current device, and is
 * released with it by aclrtResetDevice().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags,
 * ACL_ERROR_RT_PARAM_INVALID for an @alignment,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an @expectPtr,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION when so many
 * addresses are not free in one piece.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size,
	size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReserveMemAddressNoUCMemory() - not offered
 * @virPtr: not changed
 * @size: bytes, at least 1
 * @alignment: reserved
 * @expectPtr: where; the address cannot be chosen here, which this call is for
 * @flags: 0 or 1
 *
 * Programs that are told so use aclrtReserveMemAddress().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or unknown @flags, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void **virPtr,
	size_t size, size_t alignment, void *expectPtr, uint64_t flags);

/**
 * aclrtReleaseMemAddress() - give reserved addresses back
 * @virPtr: what aclrtReserveMemAddress() returned; nothing is mapped there
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address, or while something is mapped.
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * aclrtMallocPhysical() - allocate memory that has no address
 * @handle: set to its handle
 * @size: bytes, at least 1; rounded up to the granularity
 * @prop: where, and which pages.  Of a device, which the location's id names:
 *	ACL_HBM_MEM_HUGE, ACL_MEM_HUGE, ACL_MEM_P2P_HUGE of 2 MiB, the like with
 *	HUGE1G of 1 GiB, the like with NORMAL of 4 KiB.  Of the host
 *	(ACL_MEM_LOCATION_TYPE_HOST), or of the NUMA node that the location's id
 *	names and of no other (_HOST_NUMA): ACL_MEM_HUGE, ACL_MEM_P2P_HUGE,
 *	ACL_DDR_MEM_HUGE, ACL_DDR_MEM_P2P_HUGE, the like with NORMAL; they are
 *	all the same
 * @flags: reserved, 0
 *
 * A device's memory is not cleared, but never shows what another process wrote.
 * The host's holds zeros, is locked, counts towards the user's limit as that of
 * aclrtMallocHost() does, and ends with the current device's reset.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0, a reserved argument or unknown
 * values in @prop; ACL_ERROR_RT_PARAM_INVALID for a NUMA node without memory;
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION when it does not fit or exceeds a quota.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle,
	size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags);

/**
 * aclrtFreePhysical() - give up a handle of physical memory
 * @handle: physical memory, allocated, retained or imported
 *
 * To be called once for each of these.  After the last one the handle is
 * stale, and the memory is freed as soon as it is mapped nowhere and no other
 * process has it.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * aclrtMapMem() - map physical memory to reserved addresses
 * @virPtr: where, a multiple of the granularity inside a reservation
 * @size: the size of the memory
 * @offset: 0
 * @handle: physical memory
 * @flags: reserved, 0
 *
 * A reservation takes any number of mappings, of memory of whatever device and
 * of the host, and memory any number of them.  Every device may read and write
 * there, and the host if the memory is its own.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags;
 * ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_PARAM_INVALID for an @offset,
 * another size than the memory's, and an address that is not aligned, not
 * reserved or taken.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size,
	size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemMapNoAccess() - map physical memory for nobody yet
 * @virPtr: where
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
 * aclrtMemMapSetLink() - choose the link by which memory is reached
 * @handle: physical memory, not mapped yet
 * @adviceLink: ACL_RT_MEM_ACCESS_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
	aclrtMemLinkType adviceLink);

/**
 * aclrtMemMapSelectedLink() - map memory once more, by another link
 * @virPtrDst: where, reserved
 * @size: bytes
 * @virPtrSrc: where it is mapped
 * @linkIdx: ACL_RT_MEM_LINK_IDX_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void *virPtrDst,
	size_t size, void *virPtrSrc, uint32_t linkIdx);

/**
 * aclrtUnmapMem() - take a mapping back
 * @virPtr: what it was mapped to
 *
 * Needs no context.  Does not wait for work that uses the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_DRV_INTERNAL_ERROR
 * where no mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/**
 * aclrtMemSetAccess() - say who may do what with mapped memory
 * @virPtr: where a mapping begins
 * @size: its size, or that of several which follow each other
 * @desc: array of places and what they may do
 * @count: its elements, at least 1
 *
 * A place is a device, or the host.  What the host is granted it may do by load
 * and store at this very address, and gets SIGSEGV for the rest; system calls
 * can use the memory there, unless they pin it, as direct I/O does.  A copy is
 * done by the device of its destination, or where that is host memory, of its
 * source, or where that is host memory too, by the host; it fails with
 * ACL_ERROR_RT_NO_PERMISSION where that one may not do it, and changes nothing.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, 0, unknown flags and places, and
 * a range that is not made up of mappings; ACL_ERROR_RT_INVALID_DEVICEID.
 * Nothing is changed then.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size,
	aclrtMemAccessDesc *desc, size_t count);

/**
 * aclrtMemGetAccess() - what somebody may do with mapped memory
 * @virPtr: where a mapping begins
 * @location: a device or the host
 * @flag: set to a value of aclrtMemAccessFlags
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another address or place, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr,
	aclrtMemLocation *location, uint64_t *flag);

/**
 * aclrtMemGetAllocationGranularity() - what sizes and addresses are multiples of
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
 * aclrtMemRetainAllocationHandle() - the handle of mapped memory, once more
 * @virPtr: where a mapping begins
 * @handle: set to the handle; to be freed as often as it is asked for
 *
 * Also when the program has freed it: then it is good again.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID where no
 * mapping begins.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void *virPtr,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemGetAllocationPropertiesFromHandle() - what physical memory is
 * @handle: physical memory
 * @prop: filled as it was for aclrtMallocPhysical(); for memory that was
 *	imported, with its device and pages
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
	aclrtPhysicalMemProp *prop);

/**
 * aclrtMemGetAddressRange() - the block of memory that an address lies in
 * @ptr: address of device memory, or of aclrtMallocHost()
 * @pbase: set to where it begins, or NULL
 * @psize: set to its bytes as they were allocated, or NULL
 *
 * A mapping is a block of its own.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * address in no memory, and when nothing is asked for.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase,
	size_t *psize);

/**
 * aclrtMemP2PMap() - let another device reach memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @dstDevId: the other device
 * @flags: reserved, 0
 *
 * Every device reaches all of it anyway, at the same address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0 or @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_PARAM_INVALID for a range that
 * is not in one block.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void *devPtr, size_t size,
	int32_t dstDevId, uint64_t flags);

/**
 * aclrtMemExportToShareableHandle() - let other processes import physical memory
 * @handle: physical memory of a device, not exported before
 * @handleType: ACL_MEM_HANDLE_TYPE_NONE
 * @flags: ACL_RT_VMM_EXPORT_FLAG_DEFAULT for processes that
 *	aclrtMemSetPidToShareableHandle() names,
 *	ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION for everyone who knows it
 * @shareableHandle: set to a number, to be sent to them
 *
 * It is good until the memory is freed here.  Who has imported the memory by
 * then keeps it, also when this process ends.
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
 * aclrtMemExportToShareableHandleV2() - the same, as one of two types
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
 * @pid: their process ids, as this process sees them
 * @pidNum: how many, at least 1
 *
 * They are added to those of earlier calls.  This process may always.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * a handle that this process does not share.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
	size_t pidNum);

/**
 * aclrtMemSetPidToShareableHandleV2() - the same for a handle of either type
 * @shareableHandle: exported by this process
 * @shareType: its type
 * @pid: process ids, as this process sees them
 * @pidNum: how many, at least 1
 *
 * Errors: as aclrtMemSetPidToShareableHandle(); ACL_ERROR_RT_PARAM_INVALID for
 * an unknown @shareType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
	aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum);

/**
 * aclrtMemImportFromShareableHandle() - get physical memory of another process
 * @shareableHandle: what it sent
 * @deviceId: device that the handle belongs to here, whose reset takes it
 * @handle: set to a handle, to be mapped and freed as any other
 *
 * Waits some seconds for the other process, which must be running.  The memory
 * stays on its device.  Every import makes a handle of its own; the process
 * that exported the memory may import it, too.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_PARAM_INVALID for what nobody shares,
 * ACL_ERROR_RT_NO_PERMISSION where this process was not allowed,
 * ACL_ERROR_RT_WAIT_TIMEOUT when the other process does not answer.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
	aclrtDrvMemHandle *handle);

/**
 * aclrtMemImportFromShareableHandleV2() - the same, to the current device
 * @shareableHandle: what the other process sent
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
 * aclrtIpcMemGetExportKey() - let other processes import device memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @key: filled with a key, to be sent to them
 * @len: its length, 65
 * @flags: ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT for processes that
 *	aclrtIpcMemSetImportPid() names,
 *	ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION for everyone who
 *	knows it
 *
 * They can reach the whole pages that the range lies in.  The key is good until
 * it is closed, or the memory is freed.  Who has imported the memory by then
 * keeps it, also when this process ends.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @size of 0, another @len, unknown @flags, and a range that is not in one
 * block; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size,
	char *key, size_t len, uint64_t flags);

/**
 * aclrtIpcMemSetImportPid() - allow processes to import memory by a key
 * @key: exported by this process
 * @pid: their process ids, as this process sees them
 * @num: how many, at least 1
 *
 * They are added to those of earlier calls.  This process may always.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a key that this process does not share.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char *key,
	int32_t *pid, size_t num);

/**
 * aclrtIpcMemImportByKey() - get device memory of another process
 * @devPtr: set to its address in this process
 * @key: what the other process sent
 * @flags: ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS does for the current
 *	device what aclrtDeviceEnablePeerAccess() would, or
 *	ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT
 *
 * Waits some seconds for the other process, which must be running.  A key that
 * was imported before gives the same address.  What is imported belongs to the
 * current device, and is closed by its reset; aclrtFree() refuses it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * unknown @flags and a key under which nobody shares memory,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_PERMISSION where this process was
 * not allowed, ACL_ERROR_RT_WAIT_TIMEOUT when the other one does not answer.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr,
	const char *key, uint64_t flags);

/**
 * aclrtIpcMemImportPidInterServer() - allow processes of other servers
 * @key: exported by this process
 * @serverPids: which
 * @num: how many
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device is on one server.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids,
				size_t num);

/**
 * aclrtIpcMemSetAttr() - choose the link by which a key's memory is reached
 * @key: exported by this process
 * @type: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK
 * @attr: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char *key,
	aclrtIpcMemAttrType type, uint64_t attr);

/**
 * aclrtIpcMemClose() - undo an import or an export
 * @key: imported or exported by this process
 *
 * Undoes one import; without any left, the export.  Then the key can be
 * imported no more, and who has done so keeps the memory: in which order
 * processes close does not matter here.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * key that this process neither imported nor exported.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char *key);

/**
 * aclrtProfTrace() - mark a moment here, and when a stream comes to it
 * @userdata: becomes its name, in hexadecimal digits
 * @length: its bytes, 1 to 18
 * @stream: the stream; NULL for the default one
 *
 * As aclprofMarkEx() of acl/acl_prof.h otherwise.
 *
 * Errors: ACL_ERROR_INVALID_PARAM; those of submitting a task.
 */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length,
	aclrtStream stream);

/*
 * What a profile would tell of tasks that a model captured.  This device
 * captures none: ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
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
