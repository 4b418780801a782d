/* SPDX-License-Identifier: MIT */
/*
 * Devices: the current one, its properties and limits.
 */
#ifndef ACL_ACL_RT_DEVICE_H
#define ACL_ACL_RT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_DEVICE_H */
