// SPDX-License-Identifier: MIT
/*
 * Properties and state of a device.
 */
#include "vnpu.h"

#include "base/error.h"
#include "io/io.h"
#include "context.h"
#include "device.h"
#include "soc.h"

/* Attributes that are the same for all devices. */
static const struct {
	aclrtDevAttr attr;
	int64_t value;
} constants[] = {
	/* There is no SIMT, which CANN documents as 0. */
	{ ACL_DEV_ATTR_WARP_SIZE,			0 },
	{ ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE,	0 },
	{ ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE,		0 },
	{ ACL_DEV_ATTR_MAX_GRID_DIM_X,			0 },
	{ ACL_DEV_ATTR_MAX_GRID_DIM_Y,			0 },
	{ ACL_DEV_ATTR_MAX_GRID_DIM_Z,			0 },
	{ ACL_DEV_ATTR_MAX_BLOCK_PER_GRID,		0 },
	{ ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK,		0 },
	{ ACL_DEV_ATTR_MAX_BLOCK_DIM_X,			0 },
	{ ACL_DEV_ATTR_MAX_BLOCK_DIM_Y,			0 },
	{ ACL_DEV_ATTR_MAX_BLOCK_DIM_Z,			0 },
	{ ACL_DEV_ATTR_SMP_ID,				0 },
	{ ACL_DEV_ATTR_CUST_OP_PRIVILEGE,		0 },
	{ ACL_DEV_ATTR_MAINBOARD_ID,			0 },
	{ ACL_DEV_ATTR_IS_VIRTUAL,			0 },
};

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
			    int64_t *value)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	uint32_t device;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (constants[i].attr == attr) {
			*value = constants[i].value;
			return ACL_SUCCESS;
		}
	}

	switch (attr) {
	case ACL_DEV_ATTR_AICPU_CORE_NUM:
		*value = vnpu_soc()->aicpu_cores;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_AICORE_CORE_NUM:
	case ACL_DEV_ATTR_CUBE_CORE_NUM:
		*value = vnpu_soc()->cube_cores;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_VECTOR_CORE_NUM:
		*value = vnpu_soc()->vector_cores;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_L2_CACHE_SIZE:
		*value = vnpu_soc()->l2_bytes;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_NPU_ARCH:
		*value = vnpu_soc()->arch;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
		ret = vnpu_device_query(device, &info);
		if (!ret)
			*value = info.total;
		return ret;
	case ACL_DEV_ATTR_PHY_CHIP_ID:
		*value = device;
		return ACL_SUCCESS;
	case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
	case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
	case ACL_DEV_ATTR_SUPER_POD_ID:
	case ACL_DEV_ATTR_HD_CONNECT_TYPE:
	case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"attr = %d: a %s has no such attribute", attr,
			vnpu_soc()->full_name);
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attr = %d is not known; use a value of aclrtDevAttr",
			attr);
	}
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
				int64_t *value)
{
	VNPU_CALL();
	uint32_t device;
	int64_t answer;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	switch (deviceInfo) {
	case ACL_DEVICE_INFO_AI_CORE_NUM:
		answer = vnpu_soc()->cube_cores;
		break;
	case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
		answer = vnpu_soc()->vector_cores;
		break;
	case ACL_DEVICE_INFO_L2_SIZE:
		answer = vnpu_soc()->l2_bytes;
		break;
	default:
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"deviceInfo = %d is not known; use a value of aclDeviceInfo",
			deviceInfo);
	}
	ret = vnpu_device_resolve(deviceId, &device);
	if (!ret)
		*value = answer;
	return ret;
}

/* Both features are about kernels in models, which do not exist here. */
aclError aclrtGetDeviceCapability(int32_t deviceId,
				  aclrtDevFeatureType devFeatureType,
				  int32_t *value)
{
	VNPU_CALL();
	uint32_t device;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;
	switch (devFeatureType) {
	case ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV:
	case ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV:
		*value = ACL_DEV_FEATURE_NOT_SUPPORT;
		return ACL_SUCCESS;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"devFeatureType = %d is not known; use a value of aclrtDevFeatureType",
			devFeatureType);
	}
}

/* No unit computes yet; CANN documents that memory has no value. */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
				       aclrtUtilizationInfo *utilizationInfo)
{
	VNPU_CALL();
	uint32_t device;
	aclError ret;

	if (!utilizationInfo)
		return vnpu_error_null("utilizationInfo");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;
	if (utilizationInfo->utilizationExtend)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"utilizationInfo->utilizationExtend is reserved; set it to NULL");
	utilizationInfo->cubeUtilization = 0;
	utilizationInfo->vectorUtilization = 0;
	utilizationInfo->aicpuUtilization = 0;
	utilizationInfo->memoryUtilization = -1;
	return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId,
				aclrtDeviceStatus *deviceStatus)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!deviceStatus)
		return vnpu_error_null("deviceStatus");
	ret = vnpu_device_query_user(deviceId, &info);
	if (!ret)
		*deviceStatus = info.healthy ? ACL_RT_DEVICE_STATUS_NORMAL :
					       ACL_RT_DEVICE_STATUS_ABNORMAL;
	return ret;
}

aclError vnpu_device_lost_epoch(int32_t device_id, uint64_t *epoch)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!epoch)
		return vnpu_error_null("epoch");
	ret = vnpu_device_query_user(device_id, &info);
	if (!ret)
		*epoch = info.lost_epoch;
	return ret;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
	VNPU_CALL();
	struct vnpu_current current;

	if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"tsId = %d is not known; use ACL_TS_ID_AICORE", tsId);
	return vnpu_context_current(&current);
}
