/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: queries and settings of devices and of the
 * process.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_DEVICE_H
#define SELFTESTS_LIB_FAIL_NTH_DEVICE_H

#include "fail_nth_calls.h"

static const aclrtAtomicOperation operation;

#define DEVICE_ROWS(ROW)						\
	ROW(aclrtGetDeviceCount, NULL, (result(0)))			\
	ROW(aclrtSetTsDevice, NULL, (ACL_TS_ID_AICORE))			\
	ROW(aclrtSynchronizeDeviceWithTimeout, NULL, (-1))		\
	ROW(aclrtGetDeviceUtilizationRate, NULL, (0, &utilization))	\
	ROW(aclrtQueryDeviceStatus, NULL, (0, result(0)))		\
	ROW(aclrtGetDeviceInfo, NULL,					\
	    (0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, result(0)))		\
	ROW(aclrtGetDeviceCapability, NULL,				\
	    (0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, result(0)))	\
	ROW(aclplatformGetDeviceInfo, NULL,				\
	    (ACL_PLATFORM_SOC_VERSION, result(0), 64))			\
	ROW(aclGetDeviceCapability, NULL,				\
	    (0, ACL_DEVICE_INFO_AI_CORE_NUM, result(0)))		\
	ROW(aclrtDeviceGetUuid, NULL, (0, result(0)))			\
	ROW(aclrtDeviceGetPCIBusId, NULL, (0, result(0), 16))		\
	ROW(aclrtDeviceGetByPCIBusId, name_device, (result(0), result(1))) \
	ROW(aclrtDeviceSetLimit, NULL,					\
	    (ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, MIB))	\
	ROW(aclrtDeviceGetLimit, NULL,					\
	    (ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, result(0))) \
	ROW(aclrtDeviceGetBareTgid, NULL, (result(0)))			\
	ROW(aclrtDeviceGetHostAtomicCapabilities, NULL,			\
	    (result(0), &operation, 1, 0))				\
	ROW(aclrtDeviceGetP2PAtomicCapabilities, NULL,			\
	    (result(0), &operation, 1, 0, 0))				\
	ROW(aclrtDevicePeerAccessStatus, NULL, (0, 0, result(0)))	\
	ROW(aclrtGetDevicesTopo, NULL, (0, 0, result(0)))		\
	ROW(aclrtGetLogicDevIdByUserDevId, NULL, (0, result(0)))	\
	ROW(aclrtGetUserDevIdByLogicDevId, NULL, (0, result(0)))	\
	ROW(aclrtGetLogicDevIdByPhyDevId, NULL, (0, result(0)))		\
	ROW(aclrtGetPhyDevIdByLogicDevId, NULL, (0, result(0)))		\
	ROW(aclrtGetUserDevIdByPhyDevId, NULL, (0, result(0)))		\
	ROW(aclrtGetPhyDevIdByUserDevId, NULL, (0, result(0)))		\
	ROW(aclrtGetGroupCount, NULL, (result(0)))			\
	ROW(aclrtGetMemInfo, NULL, (ACL_HBM_MEM, result(0), result(1)))	\
	ROW(aclrtGetMemUsageInfo, NULL, (0, result(0), 4, result(1)))	\
	ROW(aclrtGetMemUceInfo, NULL, (0, result(0), 4, result(1)))	\
	ROW(aclrtGetErrorVerbose, NULL, (0, result(0)))			\
	ROW(aclrtRepairError, ask_error, (0, result(0)))		\
	ROW(aclrtHostMemMapCapabilities, NULL,				\
	    (0, ACL_RT_HAC_TYPE_SDMA, result(0)))			\
	ROW(aclrtGetDeviceResLimit, NULL,				\
	    (0, ACL_RT_DEV_RES_CUBE_CORE, result(0)))			\
	ROW(aclrtSetDeviceResLimit, NULL, (0, ACL_RT_DEV_RES_CUBE_CORE, 1)) \
	ROW(aclrtResetDeviceResLimit, NULL, (0))			\
	ROW(aclrtGetDeviceSatMode, NULL, (result(0)))			\
	ROW(aclrtSetDeviceSatMode, NULL, (ACL_RT_OVERFLOW_MODE_INFNAN))	\
	ROW(aclrtDeviceTaskAbort, NULL, (0, 0))				\
	ROW(aclrtGetEventAvailNum, NULL, (result(0)))			\
	ROW(aclrtGetStreamAvailableNum, NULL, (result(0)))		\
	ROW(aclrtDeviceGetStreamPriorityRange, NULL, (result(0), result(1)))

static aclrtUtilizationInfo utilization;

static aclError name_device(struct world *w)
{
	(void)w;
	return aclrtDeviceGetPCIBusId(0, result(0), 16);
}

static aclError ask_error(struct world *w)
{
	(void)w;
	return aclrtGetErrorVerbose(0, result(0));
}

DEVICE_ROWS(ROW_CALL)

CALL(synchronize_device, {
	return aclrtSynchronizeDevice();
})

CALL(get_soc_name, {
	return made(aclrtGetSocName());
})

CALL(set_device, {
	return aclrtSetDevice(0);
})

/* One reference of several. */
CALL(reset_device, {
	return aclrtResetDevice(0);
})

CALL(client_id, {
	return error_of(vnpu_client_id(&w->number));
})

CALL(lost_epoch, {
	return vnpu_device_lost_epoch(0, &w->number);
})

static const struct sweep device_calls[] = {
	DEVICE_ROWS(ROW_ENTRY)
	{ "aclrtSynchronizeDevice", NULL, call_synchronize_device, false, 0 },
	{ "aclrtGetSocName", NULL, call_get_soc_name, false, 0 },
	{ "aclrtSetDevice", NULL, call_set_device, false, 0 },
	{ "aclrtResetDevice", call_set_device, call_reset_device, false, 0 },
	{ "vnpu_client_id", NULL, call_client_id, false, 0 },
	{ "vnpu_device_lost_epoch", NULL, call_lost_epoch, false, 0 },
	{ 0 }
};

CALL(create_context, {
	return aclrtCreateContext(&w->context, 0);
})

CALL(destroy_context, {
	aclError err = END(w, context, aclrtDestroyContext(w->context));

	return err ? err : aclrtSetDevice(0);
})

static aclError use_option(struct world *w)
{
	(void)w;
	return aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1);
}

static aclError set_default_device(struct world *w)
{
	return aclrtGetCurrentContext((aclrtContext *)&w->small);
}

#define CONTEXT_ROWS(ROW)						\
	ROW(aclrtGetDevice, NULL, (result(0)))				\
	ROW(aclrtGetCurrentContext, NULL, (result(0)))			\
	ROW(aclrtSetCurrentContext, set_default_device,			\
	    (*(aclrtContext *)&w->small))				\
	ROW(aclrtCtxSetSysParamOpt, NULL, (ACL_OPT_DETERMINISTIC, 1))	\
	ROW(aclrtCtxGetSysParamOpt, use_option,				\
	    (ACL_OPT_DETERMINISTIC, result(0)))				\
	ROW(aclrtCtxGetCurrentDefaultStream, NULL, (result(0)))		\
	ROW(aclrtGetPrimaryCtxState, NULL, (0, NULL, result(0)))	\
	ROW(aclrtGetThreadLastTaskId, NULL, (result(0)))		\
	ROW(aclrtGetResInCurrentThread, NULL,				\
	    (ACL_RT_DEV_RES_CUBE_CORE, result(0)))			\
	ROW(aclrtGetLastError, NULL, (ACL_RT_THREAD_LEVEL))		\
	ROW(aclrtPeekAtLastError, clear_error, (ACL_RT_THREAD_LEVEL))

static aclError clear_error(struct world *w)
{
	(void)w;
	aclrtGetLastError(ACL_RT_THREAD_LEVEL);
	return ACL_SUCCESS;
}

CONTEXT_ROWS(ROW_CALL)

static const struct sweep context_calls[] = {
	CONTEXT_ROWS(ROW_ENTRY)
	{ "aclrtCreateContext", NULL, call_create_context, false, 0 },
	{ "aclrtDestroyContext", call_create_context, call_destroy_context,
	  false, 0 },
	{ 0 }
};

#endif
