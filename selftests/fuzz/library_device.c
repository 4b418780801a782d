// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for devices, contexts, the thread and the process. Other threads go on
 * while a device is reset, which destroys all their objects on it.
 */
#include <fcntl.h>

#include "library.h"

static void *pci_name(struct worker *w)
{
	aclrtDeviceGetPCIBusId(small(w) / 4, out(w, 2), 64);
	((char *)out(w, 2))[63] = 0;
	return out(w, 2);
}

/* With more than this, the device could not be set any more. */
static size_t stack_size(struct worker *w)
{
	return below(w, 192 << 10);
}

static aclrtUtilizationInfo *utilization(struct worker *w)
{
	return memset(out(w, 0), 0, sizeof(aclrtUtilizationInfo));
}

static aclrtAtomicOperation *operations(struct worker *w)
{
	aclrtAtomicOperation *list = out(w, 1);

	for (int i = 0; i < 4; i++)
		list[i] = below(w, 14);
	return list;
}

static aclrtErrorInfo *error_info(struct worker *w)
{
	aclrtErrorInfo *info = out(w, 0);

	memset(info, 0, sizeof(*info));
	info->tryRepair = below(w, 2);
	info->errorType = below(w, 7);
	return info;
}

#define DEVICE_ROWS(ROW)						\
	ROW(aclrtSetDevice, (small(w) / 4))				\
	ROW(aclrtGetDevice, (out(w, 0)))				\
	ROW(aclrtGetDeviceCount, (out(w, 0)))				\
	ROW(aclrtSetTsDevice, (below(w, 4)))				\
	ROW(aclrtGetCurrentContext, (out(w, 0)))			\
	ROW(aclrtCtxSetSysParamOpt, (below(w, 5), below(w, 3)))		\
	ROW(aclrtCtxGetSysParamOpt, (below(w, 5), out(w, 0)))		\
	ROW(aclrtCtxGetCurrentDefaultStream, (out(w, 0)))		\
	ROW(aclrtGetPrimaryCtxState,					\
	    (small(w) / 4, below(w, 2) ? out(w, 0) : NULL, out(w, 1)))	\
	ROW(aclrtCtxGetFloatOverflowAddr, (out(w, 0)))			\
	ROW(aclrtGetThreadLastTaskId, (out(w, 0)))			\
	ROW(aclrtGetStreamAvailableNum, (out(w, 0)))			\
	ROW(aclrtDeviceGetStreamPriorityRange, (out(w, 0), out(w, 1)))	\
	ROW(aclrtGetDeviceInfo, (small(w) / 4, small(w), out(w, 0)))	\
	ROW(aclplatformGetDeviceInfo,					\
	    (small(w) + below(w, 10), out(w, 0), below(w, 32)))		\
	ROW(aclplatformGetInstructionInfo,				\
	    (below(w, 3), pci_name(w), out(w, 0), below(w, 32)))	\
	ROW(aclGetDeviceCapability, (small(w) / 4, small(w), out(w, 0)))	\
	ROW(aclrtGetDeviceCapability, (small(w) / 4, below(w, 23), out(w, 0))) \
	ROW(aclrtGetDeviceUtilizationRate, (small(w) / 4, utilization(w))) \
	ROW(aclrtQueryDeviceStatus, (small(w) / 4, out(w, 0)))		\
	ROW(aclrtDeviceGetUuid, (small(w) / 4, out(w, 0)))		\
	ROW(aclrtDeviceGetPCIBusId, (small(w) / 4, out(w, 0), small(w) * 4)) \
	ROW(aclrtDeviceGetByPCIBusId, (pci_name(w), out(w, 0)))		\
	ROW(aclrtDeviceSetLimit, (below(w, 6), stack_size(w)))		\
	ROW(aclrtDeviceGetLimit, (below(w, 6), out(w, 0)))		\
	ROW(aclrtDeviceGetBareTgid, (out(w, 0)))			\
	ROW(aclrtDeviceGetHostAtomicCapabilities,			\
	    (out(w, 0), operations(w), below(w, 5), small(w) / 4))	\
	ROW(aclrtDeviceGetP2PAtomicCapabilities,			\
	    (out(w, 0), operations(w), below(w, 5), small(w) / 4,	\
	     small(w) / 4))						\
	ROW(aclrtDeviceCanAccessPeer, (out(w, 0), small(w) / 4, small(w) / 4)) \
	ROW(aclrtDeviceEnablePeerAccess, (small(w) / 4, below(w, 2)))	\
	ROW(aclrtDeviceDisablePeerAccess, (small(w) / 4))		\
	ROW(aclrtDevicePeerAccessStatus,				\
	    (small(w) / 4, small(w) / 4, out(w, 0)))			\
	ROW(aclrtGetDevicesTopo, (small(w) / 4, small(w) / 4, out(w, 0))) \
	ROW(aclrtGetLogicDevIdByUserDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtGetUserDevIdByLogicDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtGetLogicDevIdByPhyDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtGetPhyDevIdByLogicDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtGetUserDevIdByPhyDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtGetPhyDevIdByUserDevId, (small(w) / 4, out(w, 0)))	\
	ROW(aclrtSetGroup, (small(w)))					\
	ROW(aclrtGetGroupCount, (out(w, 0)))				\
	ROW(aclrtDestroyGroupInfo, (any(w)))				\
	ROW(aclrtGetAllGroupInfo, (any(w)))				\
	ROW(aclrtGetGroupInfoDetail,					\
	    (any(w), small(w), below(w, 7), out(w, 0), 8, out(w, 1)))	\
	ROW(aclrtSetDeviceResLimit, (small(w) / 4, below(w, 3), below(w, 30))) \
	ROW(aclrtGetDeviceResLimit, (small(w) / 4, below(w, 3), out(w, 0))) \
	ROW(aclrtResetDeviceResLimit, (small(w) / 4))			\
	ROW(aclrtGetResInCurrentThread, (below(w, 3), out(w, 0)))	\
	ROW(aclrtSetDeviceSatMode, (below(w, 4)))			\
	ROW(aclrtGetDeviceSatMode, (out(w, 0)))				\
	ROW(aclrtGetErrorVerbose, (small(w) / 4, out(w, 0)))		\
	ROW(aclrtRepairError, (small(w) / 4, error_info(w)))		\
	ROW(aclrtGetLastError, (below(w, 2)))				\
	ROW(aclrtPeekAtLastError, (below(w, 2)))			\
	ROW(vnpu_device_lost_epoch, (small(w) / 4, out(w, 0)))

DEVICE_ROWS(ROW_CALL)

INT_CALL(vnpu_client_id, (out(w, 0)))
VALUE_CALL(aclrtGetSocName, ())
VALUE_CALL(aclrtCreateGroupInfo, ())
VALUE_CALL(aclGetRecentErrMsg, ())

static aclError fuzz_aclrtSetCurrentContext(struct worker *w)
{
	return SELDOM(w, aclrtSetCurrentContext(handle(w, CONTEXT)));
}

static aclError fuzz_aclrtResetDevice(struct worker *w)
{
	return SELDOM(w, aclrtResetDevice(small(w) / 4));
}

static aclError fuzz_aclrtResetDeviceForce(struct worker *w)
{
	return SELDOM(w, aclrtResetDeviceForce(small(w) / 4));
}

static aclError fuzz_aclrtDeviceTaskAbort(struct worker *w)
{
	return SELDOM(w, aclrtDeviceTaskAbort(small(w) / 4, 1000));
}

const struct call device_calls[] = {
	DEVICE_ROWS(ROW_ENTRY)
	CALL(vnpu_client_id),
	CALL(aclrtGetSocName),
	CALL(aclrtCreateGroupInfo),
	CALL(aclGetRecentErrMsg),
	CALL(aclrtSetCurrentContext),
	CALL_ALONE(aclrtResetDevice),
	CALL_ALONE(aclrtResetDeviceForce),
	CALL(aclrtDeviceTaskAbort),
	/* Threads without a device can do little. */
	CALL(aclrtSetDevice),
	CALL(aclrtSetDevice),
	CALL(aclrtSetDevice),
	CALL(aclrtSetDevice),
	CALL(aclrtSetDevice),
	{ 0 }
};

static void on_stream(aclrtStream stream, aclrtStreamState state, void *args)
{
	(void)state;
	aclrtStreamGetId(stream, &(int32_t){ 0 });
	(void)args;
}

static void on_device(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device;
	(void)state;
	(void)args;
}

static int32_t on_abort(int32_t device, aclrtDeviceTaskAbortStage stage,
			uint32_t timeout, void *args)
{
	(void)device;
	(void)stage;
	(void)timeout;
	(void)args;
	return 0;
}

/* Its arguments are valid while it runs. */
static void on_exception(aclrtExceptionInfo *info)
{
	aclrtFuncHandle function;
	uint32_t length;
	void *args;

	aclrtGetTaskIdFromExceptionInfo(info);
	aclrtGetStreamIdFromExceptionInfo(info);
	aclrtGetThreadIdFromExceptionInfo(info);
	aclrtGetDeviceIdFromExceptionInfo(info);
	aclrtGetErrorCodeFromExceptionInfo(info);
	aclrtGetArgsFromExceptionInfo(info, &args, &length);
	aclrtGetFuncHandleFromExceptionInfo(info, &function);
}

static void on_operator(aclrtExceptionInfo *info, void *arg)
{
	(void)info;
	(void)arg;
}

static aclError on_init(const char *text, size_t length, void *arg)
{
	(void)arg;
	return strlen(text) == length ? ACL_SUCCESS : ACL_ERROR_FAILURE;
}

static aclError on_finalize(void *arg)
{
	(void)arg;
	return ACL_SUCCESS;
}

static const char *name_of(struct worker *w)
{
	static const char *const names[] = { "a", "b", "", NULL };

	return names[below(w, 4)];
}

static char *package(struct worker *w)
{
	static const char *const names[] = { "runtime", "compiler", "" };

	return strcpy(out(w, 1), names[below(w, 3)]);
}

const char *config_of(struct worker *w, const char *text)
{
	const char *path = path_of(below(w, 2) ? "/acl.json" : "/none");
	int fd;

	if (below(w, 2))
		return NULL;
	fd = open(path_of("/acl.json"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0) {
		if (write(fd, text, below(w, strlen(text) + 1)) < 0)
			path = NULL;
		close(fd);
	}
	return path;
}

static const char *config(struct worker *w)
{
	return config_of(w, "{ \"defaultDevice\": { \"default_device\": \"0\" } }");
}

#define PROCESS_ROWS(ROW)						\
	ROW(aclInit, (config(w)))					\
	ROW(aclFinalize, ())						\
	ROW(aclFinalizeReference, (out(w, 0)))				\
	ROW(aclInitCallbackRegister, (below(w, 9), on_init, NULL))	\
	ROW(aclInitCallbackUnRegister, (below(w, 9), on_init))		\
	ROW(aclFinalizeCallbackRegister, (below(w, 9), on_finalize, NULL)) \
	ROW(aclFinalizeCallbackUnRegister, (below(w, 9), on_finalize))	\
	ROW(aclrtRegStreamStateCallback,				\
	    (name_of(w), below(w, 2) ? on_stream : NULL, NULL))		\
	ROW(aclrtRegDeviceStateCallback,				\
	    (name_of(w), below(w, 2) ? on_device : NULL, NULL))		\
	ROW(aclrtSetDeviceTaskAbortCallback,				\
	    (name_of(w), below(w, 2) ? on_abort : NULL, NULL))		\
	ROW(aclrtSetExceptionInfoCallback, (below(w, 2) ? on_exception : NULL)) \
	ROW(aclrtExceptionInfoCallbackRegister, (on_exception))		\
	ROW(aclrtExceptionInfoCallbackUnregister, (on_exception))	\
	ROW(aclrtBinarySetExceptionCallback, (any(w), on_operator, NULL)) \
	ROW(aclsysGetCANNVersion, (below(w, 12), out(w, 0)))		\
	ROW(aclsysGetVersionStr, (package(w), out(w, 0)))		\
	ROW(aclsysGetVersionNum, (package(w), out(w, 0)))		\
	ROW(aclrtGetVersion, (out(w, 0), out(w, 1), out(w, 2)))		\
	ROW(aclrtCheckArchCompatibility, (package(w), out(w, 0)))	\
	ROW(aclrtGetRunMode, (out(w, 0)))				\
	ROW(aclGetCannAttributeList, (out(w, 0), out(w, 1)))		\
	ROW(aclGetCannAttribute, (small(w), out(w, 0)))			\
	ROW(aclrtSetSysParamOpt, (below(w, 5), below(w, 3)))		\
	ROW(aclrtGetSysParamOpt, (below(w, 5), out(w, 0)))		\
	ROW(aclrtSetOpWaitTimeout, (below(w, 3)))			\
	ROW(aclrtSetOpExecuteTimeOut, (below(w, 3)))			\
	ROW(aclrtSetOpExecuteTimeOutWithMs, (below(w, 3000)))		\
	ROW(aclrtSetOpExecuteTimeOutV2, (below(w, 3000000), out(w, 0)))	\
	ROW(aclrtGetOpTimeOutInterval, (out(w, 0)))			\
	ROW(aclrtGetOpExecuteTimeout, (out(w, 0)))			\
	ROW(aclrtCacheLastTaskOpInfo, (out(w, 0), below(w, 64)))	\
	ROW(aclrtCacheLastTaskExtendInfo, (out(w, 0), below(w, 64)))

PROCESS_ROWS(ROW_CALL)

VALUE_CALL(vnpu_version, ())
VALUE_CALL(aclDataTypeSize, (small(w) * 4))
VALUE_CALL(aclFloat16ToFloat, ((aclFloat16)rng_next(&w->r)))
VALUE_CALL(aclFloatToFloat16, ((float)rng_next(&w->r) / 1e15f))

static aclError fuzz_aclAppLog(struct worker *w)
{
	aclAppLog(small(w), __func__, __FILE__, __LINE__, "%.*s", small(w),
		  package(w));
	return ACL_SUCCESS;
}

const struct call process_calls[] = {
	PROCESS_ROWS(ROW_ENTRY)
	CALL(vnpu_version),
	CALL(aclDataTypeSize),
	CALL(aclFloat16ToFloat),
	CALL(aclFloatToFloat16),
	CALL(aclAppLog),
	{ 0 }
};
