/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts of the AscendCL headers: prototypes as CANN publishes them (interface
 * 1.17), for the declarations of our headers.  One that differs conflicts with
 * its declaration, as C or as C++.  They never change; see acl-layout.c.
 */
#include <stddef.h>
#include <stdio.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_compile.h"
#include "acl/acl_rt_memory_soma.h"

#ifdef __cplusplus
extern "C" {
#endif

float aclFloat16ToFloat(aclFloat16);
aclFloat16 aclFloatToFloat16(float);
size_t aclDataTypeSize(aclDataType);
void aclAppLog(aclLogLevel, const char *, const char *, uint32_t, const char *,
	...);
const char *aclrtGetSocName(void);
aclError aclGetCannAttributeList(const aclCannAttr **, size_t *);
aclError aclGetCannAttribute(aclCannAttr, int32_t *);
aclError aclInit(const char *);
aclError aclFinalize(void);
aclError aclFinalizeReference(uint64_t *);
const char *aclGetRecentErrMsg(void);
aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion *);
aclError aclsysGetVersionStr(char *, char *);
aclError aclsysGetVersionNum(char *, int32_t *);
aclError aclrtGetSysParamOpt(aclSysParamOpt, int64_t *);
aclError aclrtSetSysParamOpt(aclSysParamOpt, int64_t);
aclError aclrtGetRunMode(aclrtRunMode *);
aclError aclrtGetVersion(int32_t *, int32_t *, int32_t *);
aclError aclopCast(const aclTensorDesc *, const aclDataBuffer *,
	const aclTensorDesc *, aclDataBuffer *, uint8_t, aclrtStream);
aclError aclopCompile(const char *, int, const aclTensorDesc *const *, int,
	const aclTensorDesc *const *, const aclopAttr *, aclopEngineType,
	aclopCompileType, const char *);
aclError aclopCompileAndExecute(const char *, int, const aclTensorDesc *const *,
	const aclDataBuffer *const *, int, const aclTensorDesc *const *,
	aclDataBuffer *const *, const aclopAttr *, aclopEngineType,
	aclopCompileType, const char *, aclrtStream);
aclError aclopCompileAndExecuteV2(const char *, int, aclTensorDesc **,
	aclDataBuffer **, int, aclTensorDesc **, aclDataBuffer **, aclopAttr *,
	aclopEngineType, aclopCompileType, const char *, aclrtStream);
aclopAttr *aclopCreateAttr(void);
aclError aclopCreateHandle(const char *, int, const aclTensorDesc *const *, int,
	const aclTensorDesc *const *, const aclopAttr *, aclopHandle **);
aclError aclopCreateHandleForCast(aclTensorDesc *, aclTensorDesc *, uint8_t,
	aclopHandle **);
void aclopDestroyAttr(const aclopAttr *);
void aclopDestroyHandle(aclopHandle *);
aclError aclopExecWithHandle(aclopHandle *, int, const aclDataBuffer *const *,
	int, aclDataBuffer *const *, aclrtStream);
aclError aclopExecute(const char *, int, const aclTensorDesc *const *,
	const aclDataBuffer *const *, int, const aclTensorDesc *const *,
	aclDataBuffer *const *, const aclopAttr *, aclrtStream);
aclError aclopExecuteV2(const char *, int, aclTensorDesc **, aclDataBuffer **,
	int, aclTensorDesc **, aclDataBuffer **, aclopAttr *, aclrtStream);
aclError aclopSetAttrBool(aclopAttr *, const char *, uint8_t);
aclError aclopSetAttrDataType(aclopAttr *, const char *, aclDataType);
aclError aclopSetAttrFloat(aclopAttr *, const char *, float);
aclError aclopSetAttrInt(aclopAttr *, const char *, int64_t);
aclError aclopSetAttrListBool(aclopAttr *, const char *, int, const uint8_t *);
aclError aclopSetAttrListDataType(aclopAttr *, const char *, int,
	const aclDataType *);
aclError aclopSetAttrListFloat(aclopAttr *, const char *, int, const float *);
aclError aclopSetAttrListListInt(aclopAttr *, const char *, int, const int *,
	const int64_t *const *);
aclError aclopSetAttrListInt(aclopAttr *, const char *, int, const int64_t *);
aclError aclopSetAttrListString(aclopAttr *, const char *, int, const char **);
aclError aclopSetAttrString(aclopAttr *, const char *, const char *);
aclError aclopSetMaxOpQueueNum(uint64_t);
aclError aclopInferShape(const char *, int, aclTensorDesc **, aclDataBuffer **, int,
	aclTensorDesc **, aclopAttr *);
aclError aclopLoad(const void *, size_t);
aclError aclopUpdateParams(const char *, int, const aclTensorDesc *const *, int,
	const aclTensorDesc *const *, const aclopAttr *);
aclError aclopSetModelDir(const char *);
aclError aclInitCallbackRegister(aclRegisterCallbackType, aclInitCallbackFunc,
	void *);
aclError aclInitCallbackUnRegister(aclRegisterCallbackType,
	aclInitCallbackFunc);
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType,
	aclFinalizeCallbackFunc, void *);
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType,
	aclFinalizeCallbackFunc);
aclError aclrtCheckArchCompatibility(const char *, int32_t *);

aclError aclGetDeviceCapability(uint32_t, aclDeviceInfo, int64_t *);
aclError aclrtSetDevice(int32_t);
aclError aclrtResetDevice(int32_t);
aclError aclrtResetDeviceForce(int32_t);
aclError aclrtGetDevice(int32_t *);
aclError aclrtSynchronizeDevice(void);
aclError aclrtSynchronizeDeviceWithTimeout(int32_t);
aclError aclrtSetTsDevice(aclrtTsId);
aclError aclrtGetDeviceUtilizationRate(int32_t, aclrtUtilizationInfo *);
aclError aclrtGetDeviceCount(uint32_t *);
aclError aclrtSetGroup(int32_t);
aclError aclrtGetGroupCount(uint32_t *);
aclrtGroupInfo *aclrtCreateGroupInfo(void);
aclError aclrtDestroyGroupInfo(aclrtGroupInfo *);
aclError aclrtGetAllGroupInfo(aclrtGroupInfo *);
aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *, int32_t,
	aclrtGroupAttr, void *, size_t, size_t *);
aclError aclrtDeviceCanAccessPeer(int32_t *, int32_t, int32_t);
aclError aclrtDeviceEnablePeerAccess(int32_t, uint32_t);
aclError aclrtDeviceDisablePeerAccess(int32_t);
aclError aclrtQueryDeviceStatus(int32_t, aclrtDeviceStatus *);
aclError aclrtDeviceGetBareTgid(int32_t *);
aclError aclrtGetDeviceInfo(uint32_t, aclrtDevAttr, int64_t *);
aclError aclrtGetDeviceCapability(int32_t, aclrtDevFeatureType, int32_t *);
aclError aclrtDeviceGetUuid(int32_t, aclrtUuid *);
aclError aclrtDeviceSetLimit(aclrtDeviceLimit, size_t);
aclError aclrtDeviceGetLimit(aclrtDeviceLimit, size_t *);
aclError aclrtDeviceGetPCIBusId(int32_t, char *, int32_t);
aclError aclrtDeviceGetByPCIBusId(const char *, int32_t *);
aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *,
	const aclrtAtomicOperation *, const uint32_t, int32_t);
aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *,
	const aclrtAtomicOperation *, const uint32_t, int32_t, int32_t);
aclError aclrtGetDevicesTopo(uint32_t, uint32_t, uint64_t *);
aclError aclrtGetLogicDevIdByUserDevId(const int32_t, int32_t * const);
aclError aclrtGetUserDevIdByLogicDevId(const int32_t, int32_t * const);
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t, int32_t * const);
aclError aclrtGetPhyDevIdByLogicDevId(const int32_t, int32_t * const);
aclError aclrtGetUserDevIdByPhyDevId(const int32_t, int32_t * const);
aclError aclrtGetPhyDevIdByUserDevId(const int32_t, int32_t * const);
aclError aclrtDevicePeerAccessStatus(int32_t, int32_t, int32_t *);

aclError aclrtCreateContext(aclrtContext *, int32_t);
aclError aclrtDestroyContext(aclrtContext);
aclError aclrtSetCurrentContext(aclrtContext);
aclError aclrtGetCurrentContext(aclrtContext *);
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt, int64_t *);
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt, int64_t);
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *);
aclError aclrtGetPrimaryCtxState(int32_t, uint32_t *, int32_t *);

aclError aclrtSetStreamFailureMode(aclrtStream, uint64_t);
aclError aclrtStreamGetId(aclrtStream, int32_t *);
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *);
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *,
	aclrtStreamConfigAttr, const void *, size_t);
aclError aclrtCreateStream(aclrtStream *);
aclError aclrtCreateStreamV2(aclrtStream *, const aclrtStreamConfigHandle *);
aclError aclrtCreateStreamWithConfig(aclrtStream *, uint32_t, uint32_t);
aclError aclrtDestroyStream(aclrtStream);
aclError aclrtDestroyStreamForce(aclrtStream);
aclError aclrtSynchronizeStream(aclrtStream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t);
aclError aclrtStreamQuery(aclrtStream, aclrtStreamStatus *);
aclError aclrtStreamGetPriority(aclrtStream, uint32_t *);
aclError aclrtStreamGetFlags(aclrtStream, uint32_t *);
aclError aclrtGetStreamAvailableNum(uint32_t *);
aclError aclrtSetStreamAttribute(aclrtStream, aclrtStreamAttr,
	aclrtStreamAttrValue *);
aclError aclrtGetStreamAttribute(aclrtStream, aclrtStreamAttr,
	aclrtStreamAttrValue *);
aclError aclrtDeviceGetStreamPriorityRange(int32_t *, int32_t *);

aclError aclrtStreamAbort(aclrtStream);
aclError aclrtStreamStop(aclrtStream);
aclError aclrtGetThreadLastTaskId(uint32_t *);
aclError aclrtCreateEvent(aclrtEvent *);
aclError aclrtCreateEventWithFlag(aclrtEvent *, uint32_t);
aclError aclrtCreateEventExWithFlag(aclrtEvent *, uint32_t);
aclError aclrtDestroyEvent(aclrtEvent);
aclError aclrtRecordEvent(aclrtEvent, aclrtStream);
aclError aclrtRecordEventWithFlag(aclrtEvent, aclrtStream, uint32_t);
aclError aclrtResetEvent(aclrtEvent, aclrtStream);
aclError aclrtQueryEvent(aclrtEvent, aclrtEventStatus *);
aclError aclrtQueryEventStatus(aclrtEvent, aclrtEventRecordedStatus *);
aclError aclrtQueryEventWaitStatus(aclrtEvent, aclrtEventWaitStatus *);
aclError aclrtSynchronizeEvent(aclrtEvent);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent, int32_t);
aclError aclrtEventElapsedTime(float *, aclrtEvent, aclrtEvent);
aclError aclrtEventGetTimestamp(aclrtEvent, uint64_t *);
aclError aclrtGetEventId(aclrtEvent, uint32_t *);
aclError aclrtGetEventAvailNum(uint32_t *);
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent);
aclError aclrtStreamWaitEventWithTimeout(aclrtStream, aclrtEvent, int32_t);
aclError aclrtStreamWaitEventWithFlag(aclrtStream, aclrtEvent, uint32_t,
	uint32_t);
aclError aclrtSetOpWaitTimeout(uint32_t);
aclError aclrtSetOpExecuteTimeOut(uint32_t);
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t);
aclError aclrtSetOpExecuteTimeOutV2(uint64_t, uint64_t *);
aclError aclrtGetOpTimeOutInterval(uint64_t *);
aclError aclrtGetOpExecuteTimeout(uint32_t * const);
aclError aclrtMemcpyAsync(void *, size_t, const void *, size_t,
	aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyAsyncWithCondition(void *, size_t, const void *, size_t,
	aclrtMemcpyKind, aclrtStream);
aclError aclrtMemsetAsync(void *, size_t, int32_t, size_t, aclrtStream);
aclError aclrtMemsetD32Async(void *, size_t, uint32_t, size_t, aclrtStream);
aclError aclrtMemcpy2dAsync(void *, size_t, const void *, size_t, size_t,
	size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyBatchAsync(void **, size_t *, void **, size_t *, size_t,
	aclrtMemcpyBatchAttr *, size_t *, size_t, size_t *, aclrtStream);
aclError aclrtMemcpyBatchAsyncV2(void **, size_t *, void **, size_t *, size_t,
	aclrtMemcpyBatchAttr *, size_t *, size_t, aclrtStream);
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind, size_t *);
aclError aclrtSetMemcpyDesc(void *, aclrtMemcpyKind, void *, void *, size_t,
	void *);
aclError aclrtMemcpyAsyncWithDesc(void *, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyAsyncWithOffset(void **, size_t, size_t, const void **,
	size_t, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtValueWait(void *, uint64_t, uint32_t, aclrtStream);
aclError aclrtValueWrite(void *, uint64_t, uint32_t, aclrtStream);
aclError aclrtReduceAsync(void *, const void *, uint64_t, aclrtReduceKind,
	aclDataType, aclrtStream, void *);
aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *, const aclrtStream,
	void *);

aclError aclrtMalloc(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocAlign32(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocCached(void **, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocWithCfg(void **, size_t, aclrtMemMallocPolicy,
	aclrtMallocConfig *);
aclError aclrtMallocForTaskScheduler(void **, size_t, aclrtMemMallocPolicy,
	aclrtMallocConfig *);
aclError aclrtMallocHostWithCfg(void **, uint64_t, aclrtMallocConfig *);
aclError aclrtPointerGetAttributes(const void *, aclrtPtrAttributes *);
aclError aclrtFree(void *);
aclError aclrtMallocHost(void **, size_t);
aclError aclrtFreeHost(void *);
aclError aclrtFreeWithDevSync(void *);
aclError aclrtFreeHostWithDevSync(void *);
aclError aclrtMemcpy(void *, size_t, const void *, size_t, aclrtMemcpyKind);
aclError aclrtMemset(void *, size_t, int32_t, size_t);
aclError aclrtMemsetD32(void *, size_t, uint32_t, size_t);
aclError aclrtMemcpy2d(void *, size_t, const void *, size_t, size_t, size_t,
	aclrtMemcpyKind);
aclError aclrtGetMemInfo(aclrtMemAttr, size_t *, size_t *);
aclError aclrtGetMemUsageInfo(int32_t, aclrtMemUsageInfo *, size_t, size_t *);
aclError aclrtMemcpyBatch(void **, size_t *, void **, size_t *, size_t,
	aclrtMemcpyBatchAttr *, size_t *, size_t, size_t *);
aclError aclrtMemcpyBatchV2(void **, size_t *, void **, size_t *, size_t,
	aclrtMemcpyBatchAttr *, size_t *, size_t);
aclError aclrtCheckMemType(void **, uint32_t, uint32_t, uint32_t *, uint32_t);

aclError aclrtReserveMemAddress(void **, size_t, size_t, void *, uint64_t);
aclError aclrtReserveMemAddressNoUCMemory(void **, size_t, size_t, void *,
	uint64_t);
aclError aclrtReleaseMemAddress(void *);
aclError aclrtMallocPhysical(aclrtDrvMemHandle *, size_t,
	const aclrtPhysicalMemProp *, uint64_t);
aclError aclrtFreePhysical(aclrtDrvMemHandle);
aclError aclrtMapMem(void *, size_t, size_t, aclrtDrvMemHandle, uint64_t);
aclError aclrtMemMapNoAccess(void *, size_t, size_t, aclrtDrvMemHandle,
	uint64_t);
aclError aclrtUnmapMem(void *);
aclError aclrtMemSetAccess(void *, size_t, aclrtMemAccessDesc *, size_t);
aclError aclrtMemGetAccess(void *, aclrtMemLocation *, uint64_t *);
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *,
	aclrtMemGranularityOptions, size_t *);
aclError aclrtMemRetainAllocationHandle(void *, aclrtDrvMemHandle *);
aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle,
	aclrtPhysicalMemProp *);
aclError aclrtMemGetAddressRange(void *, void **, size_t *);
aclError aclrtMemP2PMap(void *, size_t, int32_t, uint64_t);
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle, aclrtMemHandleType,
	uint64_t, uint64_t *);
aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle, uint64_t,
	aclrtMemSharedHandleType, void *);
aclError aclrtMemSetPidToShareableHandle(uint64_t, int32_t *, size_t);
aclError aclrtMemSetPidToShareableHandleV2(void *, aclrtMemSharedHandleType,
	int32_t *, size_t);
aclError aclrtMemImportFromShareableHandle(uint64_t, int32_t,
	aclrtDrvMemHandle *);
aclError aclrtMemImportFromShareableHandleV2(void *, aclrtMemSharedHandleType,
	uint64_t, aclrtDrvMemHandle *);
aclError aclrtIpcMemGetExportKey(void *, size_t, char *, size_t, uint64_t);
aclError aclrtIpcMemSetImportPid(const char *, int32_t *, size_t);
aclError aclrtIpcMemImportByKey(void **, const char *, uint64_t);
aclError aclrtIpcMemImportPidInterServer(const char *, aclrtServerPid *,
	size_t);
aclError aclrtIpcMemSetAttr(const char *, aclrtIpcMemAttrType, uint64_t);
aclError aclrtIpcMemClose(const char *);
aclError aclrtMemMapSetLink(aclrtDrvMemHandle, aclrtMemLinkType);
aclError aclrtMemMapSelectedLink(void *, size_t, void *, uint32_t);
aclError aclrtPersistentTaskClean(aclrtStream);
aclError aclrtMemManagedPrefetchAsync(const void *, size_t,
				      aclrtMemManagedLocation, uint32_t,
				      aclrtStream);
aclError aclrtMemManagedPrefetchBatchAsync(const void **, size_t *, size_t,
					   aclrtMemManagedLocation *, size_t *,
					   size_t, uint64_t, aclrtStream);
aclError aclrtIpcGetEventHandle(aclrtEvent, aclrtIpcEventHandle *);
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle, aclrtEvent *);
aclError aclrtHostRegister(void *, uint64_t, aclrtHostRegisterType, void **);
aclError aclrtHostRegisterV2(void *, uint64_t, uint32_t);
aclError aclrtHostGetDevicePointer(void *, void **, uint32_t);
aclError aclrtHostUnregister(void *);
aclError aclrtHostMemMapCapabilities(uint32_t, aclrtHacType,
	aclrtHostMemMapCapability *);
aclError aclrtMemAllocManaged(void **, uint64_t, uint32_t);
aclError aclrtMemManagedAdvise(const void *const, uint64_t,
	aclrtMemManagedAdviseType, aclrtMemManagedLocation);
aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute, const void *,
	size_t, void *, size_t);
aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *, size_t,
	const void *, size_t, void **, size_t *);

aclError aclrtCreateNotify(aclrtNotify *, uint64_t);
aclError aclrtDestroyNotify(aclrtNotify);
aclError aclrtRecordNotify(aclrtNotify, aclrtStream);
aclError aclrtWaitAndResetNotify(aclrtNotify, aclrtStream, uint32_t);
aclError aclrtGetNotifyId(aclrtNotify, uint32_t *);
aclError aclrtNotifyBatchReset(aclrtNotify *, size_t);
aclError aclrtNotifyGetExportKey(aclrtNotify, char *, size_t, uint64_t);
aclError aclrtNotifyImportByKey(aclrtNotify *, const char *, uint64_t);
aclError aclrtNotifySetImportPid(aclrtNotify, int32_t *, size_t);
aclError aclrtNotifySetImportPidInterServer(aclrtNotify, aclrtServerPid *,
	size_t);
aclError aclrtCntNotifyCreate(aclrtCntNotify *, uint64_t);
aclError aclrtCntNotifyDestroy(aclrtCntNotify);
aclError aclrtCntNotifyRecord(aclrtCntNotify, aclrtStream,
	aclrtCntNotifyRecordInfo *);
aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify, aclrtStream,
	aclrtCntNotifyWaitInfo *);
aclError aclrtCntNotifyReset(aclrtCntNotify, aclrtStream);
aclError aclrtCntNotifyGetId(aclrtCntNotify, uint32_t *);

aclError aclrtSubscribeReport(uint64_t, aclrtStream);
aclError aclrtUnSubscribeReport(uint64_t, aclrtStream);
aclError aclrtLaunchCallback(aclrtCallback, void *, aclrtCallbackBlockType,
	aclrtStream);
aclError aclrtProcessReport(int32_t);
aclError aclrtLaunchHostFunc(aclrtStream, aclrtHostFunc, void *);
aclError aclrtSubscribeHostFunc(uint64_t, aclrtStream);
aclError aclrtProcessHostFunc(int32_t);
aclError aclrtUnSubscribeHostFunc(uint64_t, aclrtStream);
aclError aclrtRegStreamStateCallback(const char *, aclrtStreamStateCallback,
	void *);
aclError aclrtRegDeviceStateCallback(const char *, aclrtDeviceStateCallback,
	void *);

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback);
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback);
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback);
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *);
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *);
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *);
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *);
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *);
aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *, void **,
	uint32_t *);
aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *,
	aclrtFuncHandle *);
aclError aclrtBinarySetExceptionCallback(aclrtBinHandle,
	aclrtOpExceptionCallback, void *);
aclError aclrtGetMemUceInfo(int32_t, aclrtMemUceInfo *, size_t, size_t *);
aclError aclrtMemUceRepair(int32_t, aclrtMemUceInfo *, size_t);
aclError aclrtDeviceTaskAbort(int32_t, uint32_t);
aclError aclrtSetDeviceTaskAbortCallback(const char *,
	aclrtDeviceTaskAbortCallback, void *);
aclError aclrtGetErrorVerbose(int32_t, aclrtErrorInfo *);
aclError aclrtRepairError(int32_t, const aclrtErrorInfo *);

aclError aclrtSetDeviceResLimit(int32_t, aclrtDevResLimitType, uint32_t);
aclError aclrtGetDeviceResLimit(int32_t, aclrtDevResLimitType, uint32_t *);
aclError aclrtResetDeviceResLimit(int32_t);
aclError aclrtSetStreamResLimit(aclrtStream, aclrtDevResLimitType, uint32_t);
aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType, uint32_t
	*);
aclError aclrtResetStreamResLimit(aclrtStream);
aclError aclrtUseStreamResInCurrentThread(aclrtStream);
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream);
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType, uint32_t *);
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode);
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *);
aclError aclrtSetStreamOverflowSwitch(aclrtStream, uint32_t);
aclError aclrtGetStreamOverflowSwitch(aclrtStream, uint32_t *);
aclError aclrtGetOverflowStatus(void *, size_t, aclrtStream);
aclError aclrtResetOverflowStatus(aclrtStream);
aclError aclrtCtxGetFloatOverflowAddr(void **);
aclError aclrtGetFloatOverflowStatus(void *, uint64_t, aclrtStream);
aclError aclrtResetFloatOverflowStatus(aclrtStream);
aclError aclrtNpuGetFloatOverFlowStatus(void *, uint64_t, uint32_t,
	aclrtStream);
aclError aclrtNpuClearFloatOverFlowStatus(uint32_t, aclrtStream);

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);
aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc);
aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc, aclrtAllocator);
aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc,
	aclrtAllocatorAllocFunc);
aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc,
	aclrtAllocatorFreeFunc);
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc,
	aclrtAllocatorAllocAdviseFunc);
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc,
	aclrtAllocatorGetAddrFromBlockFunc);
aclError aclrtAllocatorRegister(aclrtStream, aclrtAllocatorDesc);
aclError aclrtAllocatorGetByStream(aclrtStream, aclrtAllocatorDesc *,
	aclrtAllocator *, aclrtAllocatorAllocFunc *, aclrtAllocatorFreeFunc *,
	aclrtAllocatorAllocAdviseFunc *, aclrtAllocatorGetAddrFromBlockFunc *);
aclError aclrtAllocatorUnregister(aclrtStream);

aclError aclrtMemPoolCreate(aclrtMemPool *, const aclrtMemPoolProps *);
aclError aclrtMemPoolDestroy(const aclrtMemPool);
aclError aclrtMemPoolSetAttr(aclrtMemPool, aclrtMemPoolAttr, void *);
aclError aclrtMemPoolGetAttr(aclrtMemPool, aclrtMemPoolAttr, void *);
aclError aclrtMemPoolMallocAsync(void **, size_t, aclrtMemPool, aclrtStream);
aclError aclrtMemPoolFreeAsync(void *, aclrtStream);
aclError aclrtMemPoolTrimTo(aclrtMemPool, size_t);

aclError aclrtPeekAtLastError(aclrtLastErrLevel);
aclError aclrtGetLastError(aclrtLastErrLevel);

/* Platform */
aclError aclplatformGetDeviceInfo(aclplatformDevInfo, char *, uint32_t);
aclError aclplatformGetInstructionInfo(aclplatformCoreType, const char *, char *,
	uint32_t);

/* Data buffers, shared buffers, caches, snapshots */
aclError aclrtMemFlush(void *, size_t);
aclError aclrtMemInvalidate(void *, size_t);
aclError aclrtCmoAsync(void *, size_t, aclrtCmoType, aclrtStream);
aclError aclrtCmoAsyncWithBarrier(void *, size_t, aclrtCmoType, uint32_t,
	aclrtStream);
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *, aclrtStream, uint32_t);
aclError aclrtCmoGetDescSize(size_t *);
aclError aclrtCmoSetDesc(void *, void *, size_t);
aclError aclrtCmoAsyncWithDesc(void *, aclrtCmoType, aclrtStream, const void *);
aclError aclrtDeviceL2CacheFlush(void *);
aclDataBuffer *aclCreateDataBuffer(void *, size_t);
aclError aclDestroyDataBuffer(const aclDataBuffer *);
aclError aclUpdateDataBuffer(aclDataBuffer *, void *, size_t);
void *aclGetDataBufferAddr(const aclDataBuffer *);
uint32_t aclGetDataBufferSize(const aclDataBuffer *);
size_t aclGetDataBufferSizeV2(const aclDataBuffer *);
aclError aclrtGetBufFromChain(aclrtMbuf, uint32_t, aclrtMbuf *);
aclError aclrtGetBufChainNum(aclrtMbuf, uint32_t *);
aclError aclrtAppendBufChain(aclrtMbuf, aclrtMbuf);
aclError aclrtCopyBufRef(const aclrtMbuf, aclrtMbuf *);
aclError aclrtGetBufUserData(const aclrtMbuf, void *, size_t, size_t);
aclError aclrtSetBufUserData(aclrtMbuf, const void *, size_t, size_t);
aclError aclrtGetBufData(const aclrtMbuf, void **, size_t *);
aclError aclrtGetBufDataLen(aclrtMbuf, size_t *);
aclError aclrtSetBufDataLen(aclrtMbuf, size_t);
aclError aclrtFreeBuf(aclrtMbuf);
aclError aclrtAllocBuf(aclrtMbuf *, size_t);
aclmdlDesc *aclmdlCreateDesc(void);
aclError aclmdlDestroyDesc(aclmdlDesc *);
aclError aclmdlGetDesc(aclmdlDesc *, uint32_t);
aclError aclmdlGetDescFromFile(aclmdlDesc *, const char *);
aclError aclmdlGetDescFromMem(aclmdlDesc *, const void *, size_t);
size_t aclmdlGetNumInputs(aclmdlDesc *);
size_t aclmdlGetNumOutputs(aclmdlDesc *);
size_t aclmdlGetInputSizeByIndex(aclmdlDesc *, size_t);
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *, size_t);
aclmdlExecConfigHandle *aclmdlCreateExecConfigHandle(void);
aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *);
aclmdlDataset *aclmdlCreateDataset(void);
aclError aclmdlDestroyDataset(const aclmdlDataset *);
aclError aclmdlAddDatasetBuffer(aclmdlDataset *, aclDataBuffer *);
aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *, aclTensorDesc *, size_t);
aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *, size_t);
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *);
aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *, size_t);
aclError aclmdlLoadFromFile(const char *, uint32_t *);
aclError aclmdlLoadFromMem(const void *, size_t, uint32_t *);
aclError aclmdlLoadFromFileWithMem(const char *, uint32_t *, void *, size_t,
	void *, size_t);
aclError aclmdlLoadFromMemWithMem(const void *, size_t, uint32_t *, void *,
	size_t, void *, size_t);
aclError aclmdlExecute(uint32_t, const aclmdlDataset *, aclmdlDataset *);
aclError aclmdlExecuteV2(uint32_t, const aclmdlDataset *, aclmdlDataset *,
	aclrtStream, const aclmdlExecConfigHandle *);
aclError aclmdlExecuteAsyncV2(uint32_t, const aclmdlDataset *, aclmdlDataset *,
	aclrtStream, const aclmdlExecConfigHandle *);
aclError aclmdlExecuteAsync(uint32_t, const aclmdlDataset *, aclmdlDataset *,
	aclrtStream);
aclError aclmdlUnload(uint32_t);
aclError aclmdlQuerySize(const char *, size_t *, size_t *);
aclError aclmdlQuerySizeFromMem(const void *, size_t, size_t *, size_t *);
aclError aclmdlSetDynamicBatchSize(uint32_t, aclmdlDataset *, size_t, uint64_t);
aclError aclmdlSetDynamicHWSize(uint32_t, aclmdlDataset *, size_t, uint64_t,
	uint64_t);
aclError aclmdlSetInputDynamicDims(uint32_t, aclmdlDataset *, size_t, const
	aclmdlIODims *);
aclError aclmdlGetInputDims(const aclmdlDesc *, size_t, aclmdlIODims *);
aclError aclmdlGetInputDimsV2(const aclmdlDesc *, size_t, aclmdlIODims *);
aclError aclmdlGetOutputDims(const aclmdlDesc *, size_t, aclmdlIODims *);
aclError aclmdlGetCurOutputDims(const aclmdlDesc *, size_t, aclmdlIODims *);
const char *aclmdlGetInputNameByIndex(const aclmdlDesc *, size_t);
const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *, size_t);
aclFormat aclmdlGetInputFormat(const aclmdlDesc *, size_t);
aclFormat aclmdlGetOutputFormat(const aclmdlDesc *, size_t);
aclDataType aclmdlGetInputDataType(const aclmdlDesc *, size_t);
aclDataType aclmdlGetOutputDataType(const aclmdlDesc *, size_t);
aclError aclmdlGetInputIndexByName(const aclmdlDesc *, const char *, size_t *);
aclError aclmdlGetOutputIndexByName(const aclmdlDesc *, const char *, size_t *);
aclError aclmdlGetDynamicBatch(const aclmdlDesc *, aclmdlBatch *);
aclError aclmdlGetDynamicHW(const aclmdlDesc *, size_t, aclmdlHW *);
aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc *, size_t, size_t *);
aclError aclmdlGetInputDynamicDims(const aclmdlDesc *, size_t, aclmdlIODims *,
	size_t);
aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *, uint32_t *);
aclmdlConfigHandle *aclmdlCreateConfigHandle(void);
aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle *);
aclError aclmdlSetConfigOpt(aclmdlConfigHandle *, aclmdlConfigAttr, const void
	*, size_t);
aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *, aclmdlExecConfigAttr,
	const void *, size_t);
const char *aclmdlGetTensorRealName(const aclmdlDesc *, const char *);
aclError aclmdlGetInputDimsRange(const aclmdlDesc *, size_t,
	aclmdlIODimsRange *);
const char *aclmdlGetOpAttr(aclmdlDesc *, const char *, const char *);
aclmdlAIPP *aclmdlCreateAIPP(uint64_t);
aclError aclmdlDestroyAIPP(const aclmdlAIPP *);
aclError aclmdlGetAippDataSize(uint64_t, size_t *);
aclError aclmdlSetAIPPInputFormat(aclmdlAIPP *, aclAippInputFormat);
aclError aclmdlSetAIPPCscParams(aclmdlAIPP *, int8_t, int16_t, int16_t, int16_t,
	int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, uint8_t, uint8_t,
	uint8_t, uint8_t, uint8_t, uint8_t);
aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP *, int8_t);
aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP *, int8_t);
aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP *, int32_t, int32_t);
aclError aclmdlSetAIPPScfParams(aclmdlAIPP *, int8_t, int32_t, int32_t, int32_t,
	int32_t, uint64_t);
aclError aclmdlSetAIPPCropParams(aclmdlAIPP *, int8_t, int32_t, int32_t,
	int32_t, int32_t, uint64_t);
aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP *, int8_t, int32_t, int32_t,
	int32_t, int32_t, uint64_t);
aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP *, int16_t, int16_t, int16_t,
	int16_t, uint64_t);
aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP *, float, float, float, float,
	uint64_t);
aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP *, float, float, float, float,
	uint64_t);
aclError aclmdlSetInputAIPP(uint32_t, aclmdlDataset *, size_t, const
	aclmdlAIPP *);
aclError aclmdlSetAIPPByInputIndex(uint32_t, aclmdlDataset *, size_t, const
	aclmdlAIPP *);
aclError aclmdlGetAippType(uint32_t, size_t, aclmdlInputAippType *, size_t *);
aclError aclmdlGetFirstAippInfo(uint32_t, size_t, aclAippInfo *);
aclError aclmdlInitDump(void);
aclError aclmdlSetDump(const char *);
aclError aclmdlFinalizeDump(void);
aclError aclopStartDumpArgs(uint32_t, const char *);
aclError aclopStopDumpArgs(uint32_t);
const char *acldumpGetPath(acldumpType);
aclError aclmdlSetAttribute(uint32_t, aclmdlAttr, aclmdlAttrValue_t *);
aclError aclmdlGetAttribute(uint32_t, aclmdlAttr, aclmdlAttrValue_t *);
aclTensorDesc *aclCreateTensorDesc(aclDataType, int, const int64_t *,
	aclFormat);
void aclDestroyTensorDesc(const aclTensorDesc *);
aclDataType aclGetTensorDescType(const aclTensorDesc *);
aclFormat aclGetTensorDescFormat(const aclTensorDesc *);
size_t aclGetTensorDescSize(const aclTensorDesc *);
size_t aclGetTensorDescElementCount(const aclTensorDesc *);
size_t aclGetTensorDescNumDims(const aclTensorDesc *);
int64_t aclGetTensorDescDim(const aclTensorDesc *, size_t);
aclError aclGetTensorDescDimV2(const aclTensorDesc *, size_t, int64_t *);
void aclSetTensorDescName(aclTensorDesc *, const char *);
const char *aclGetTensorDescName(aclTensorDesc *);

aclError aclmdlRICaptureBegin(aclrtStream, aclmdlRICaptureMode);
aclError aclmdlRICaptureGetInfo(aclrtStream, aclmdlRICaptureStatus *,
	aclmdlRI *);
aclError aclmdlRICaptureEnd(aclrtStream, aclmdlRI *);
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *);
aclError aclmdlRIExecuteAsync(aclmdlRI, aclrtStream);
aclError aclmdlRIExecute(aclmdlRI, int32_t);
aclError aclmdlRIDestroy(aclmdlRI);
aclError aclmdlRIDebugPrint(aclmdlRI);
aclError aclmdlRIDebugJsonPrint(aclmdlRI, const char *, uint32_t);
aclError aclmdlRICondHandleCreate(aclmdlRI, uint32_t, aclmdlRICondHandleFlag,
	aclmdlRICondHandle *);
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle, uint64_t **);
aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams, aclrtStream, uint32_t);
aclError aclmdlRICaptureToModelRIBegin(aclrtStream, aclmdlRI,
	aclmdlRICaptureMode);
aclError aclmdlRISetName(aclmdlRI, const char *);
aclError aclmdlRIGetName(aclmdlRI, uint32_t, char *);
aclError aclmdlRIGetId(aclmdlRI, uint32_t *);
aclError aclmdlRIAbort(aclmdlRI);
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI, aclrtCallback, void *);
aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI, aclrtCallback);
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream);
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream, aclrtTaskGrp *);
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream, aclrtTaskGrp);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream);
aclError aclmdlRIGetStreams(aclmdlRI, aclrtStream *, uint32_t *);
aclError aclmdlRIGetTasksByStream(aclrtStream, aclmdlRITask *, uint32_t *);
aclError aclmdlRITaskGetType(aclmdlRITask, aclmdlRITaskType *);
aclError aclmdlRITaskGetSeqId(aclmdlRITask, uint32_t *);
aclError aclmdlRITaskGetParams(aclmdlRITask, aclmdlRITaskParams *);
aclError aclmdlRITaskSetParams(aclmdlRITask, aclmdlRITaskParams *);
aclError aclmdlRITaskDisable(aclmdlRITask);
aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask, aclrtLaunchKernelAttrId,
	aclrtLaunchKernelAttrValue *);
aclError aclmdlRIUpdate(aclmdlRI);
aclError aclmdlRIBuildBegin(aclmdlRI *, uint32_t);
aclError aclmdlRIBindStream(aclmdlRI, aclrtStream, uint32_t);
aclError aclmdlRIEndTask(aclmdlRI, aclrtStream);
aclError aclmdlRIBuildEnd(aclmdlRI, void *);
aclError aclmdlRIUnbindStream(aclmdlRI, aclrtStream);
aclError aclrtTaskUpdateAsync(aclrtStream, uint32_t, aclrtTaskUpdateInfo *,
	aclrtStream);

aclError aclrtCreateLabel(aclrtLabel *);
aclError aclrtSetLabel(aclrtLabel, aclrtStream);
aclError aclrtDestroyLabel(aclrtLabel);
aclError aclrtCreateLabelList(aclrtLabel *, size_t, aclrtLabelList *);
aclError aclrtDestroyLabelList(aclrtLabelList);
aclError aclrtSwitchLabelByIndex(void *, uint32_t, aclrtLabelList, aclrtStream);
aclError aclrtActiveStream(aclrtStream, aclrtStream);
aclError aclrtSwitchStream(void *, aclrtCondition, void *, aclrtCompareDataType,
	aclrtStream, aclrtStream, aclrtStream);

aclError aclrtSnapShotProcessLock(int, void *);
aclError aclrtSnapShotProcessUnlock(int, void *);
aclError aclrtSnapShotProcessBackup(int, aclrtSnapShotBackupArgs *);
aclError aclrtSnapShotProcessRestore(int, aclrtSnapShotRestoreArgs *);
aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage,
	aclrtSnapShotCallBack, void *);
aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage,
	aclrtSnapShotCallBack);

/* Profiling */
aclError aclprofInit(const char *, size_t);
aclError aclprofFinalize(void);
aclError aclprofStart(const aclprofConfig *);
aclprofConfig *aclprofCreateConfig(uint32_t *, uint32_t, aclprofAicoreMetrics,
	const aclprofAicoreEvents *, uint64_t);
aclError aclprofDestroyConfig(const aclprofConfig *);
aclError aclprofStop(const aclprofConfig *);
aclError aclprofSetConfig(aclprofConfigType, const char *, size_t);
aclError aclprofModelSubscribe(uint32_t, const aclprofSubscribeConfig *);
aclError aclprofModelUnSubscribe(uint32_t);
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t,
	aclprofAicoreMetrics, void *);
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *);
aclError aclprofGetOpDescSize(size_t *);
aclError aclprofGetOpNum(const void *, size_t, uint32_t *);
aclError aclprofGetOpTypeLen(const void *, size_t, uint32_t, size_t *);
aclError aclprofGetOpType(const void *, size_t, uint32_t, char *, size_t);
aclError aclprofGetOpNameLen(const void *, size_t, uint32_t, size_t *);
aclError aclprofGetOpName(const void *, size_t, uint32_t, char *, size_t);
uint64_t aclprofGetOpStart(const void *, size_t, uint32_t);
uint64_t aclprofGetOpEnd(const void *, size_t, uint32_t);
uint64_t aclprofGetOpDuration(const void *, size_t, uint32_t);
size_t aclprofGetModelId(const void *, size_t, uint32_t);
aclprofSubscribeOpFlag aclprofGetOpFlag(const void *, size_t, uint32_t);
const char *aclprofGetOpAttriValue(const void *, size_t, uint32_t,
	aclprofSubscribeOpAttri);
aclError aclprofGetStepTimestamp(aclprofStepInfo *, aclprofStepTag,
	aclrtStream);
aclprofStepInfo *aclprofCreateStepInfo(void);
void aclprofDestroyStepInfo(aclprofStepInfo *);
void *aclprofCreateStamp(void);
void aclprofDestroyStamp(void *);
aclError aclprofPush(void *);
aclError aclprofPop(void);
aclError aclprofRangeStart(void *, uint32_t *);
aclError aclprofRangeStop(uint32_t);
aclError aclprofSetStampTraceMessage(void *, const char *, uint32_t);
aclError aclprofMark(void *);
aclError aclprofMarkEx(const char *, size_t, aclrtStream);
uint64_t aclprofStr2Id(const char *);
aclError aclprofRangePushEx(aclprofEventAttributes *);
aclError aclprofRangePop(void);
aclError aclrtProfTrace(void *, int32_t, aclrtStream);
aclError aclrtCacheLastTaskOpInfo(const void * const, const size_t);
aclError aclrtCacheLastTaskExtendInfo(const char * const, const size_t);

aclrtBinary aclrtCreateBinary(const void *, size_t);
aclError aclrtDestroyBinary(aclrtBinary);
aclError aclrtBinaryLoad(const aclrtBinary, aclrtBinHandle *);
aclError aclrtBinaryUnLoad(aclrtBinHandle);
aclError aclrtBinaryGetFunction(const aclrtBinHandle, const char *,
	aclrtFuncHandle *);
aclError aclrtLaunchKernel(aclrtFuncHandle, uint32_t, const void *, size_t,
	aclrtStream);
aclError aclrtBinaryLoadFromFile(const char *, aclrtBinaryLoadOptions *,
	aclrtBinHandle *);
aclError aclrtBinaryGetDevAddress(const aclrtBinHandle, void **, size_t *);
aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle, uint64_t,
	aclrtFuncHandle *);
aclError aclrtBinaryGetGlobal(aclrtBinHandle, const char *, void **, size_t *);
aclError aclrtGetFuncBySymbol(const void *, aclrtFuncHandle *);
aclError aclrtGetSymbolAddress(const void *, void **);
aclError aclrtGetSymbolSize(const void *, size_t *);
aclError aclrtMemcpyFromSymbol(void *, size_t, const void *, size_t, size_t,
	aclrtMemcpyKind);
aclError aclrtMemcpyFromSymbolAsync(void *, size_t, const void *, size_t, size_t,
	aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpyToSymbol(const void *, const void *, size_t, size_t,
	aclrtMemcpyKind);
aclError aclrtMemcpyToSymbolAsync(const void *, const void *, size_t, size_t,
	aclrtMemcpyKind, aclrtStream);
aclError aclrtGetFunctionAddr(aclrtFuncHandle, void **, void **);
aclError aclrtGetFunctionSize(aclrtFuncHandle, size_t *, size_t *);
aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle, size_t *);
aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle, size_t, size_t *);
aclError aclrtKernelArgsInit(aclrtFuncHandle, aclrtArgsHandle *);
aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle, aclrtArgsHandle, void *,
	size_t);
aclError aclrtKernelArgsAppend(aclrtArgsHandle, void *, size_t,
	aclrtParamHandle *);
aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle, aclrtParamHandle *);
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle, aclrtParamHandle,
	size_t, void **);
aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle, aclrtParamHandle, void *,
	size_t);
aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle, uint32_t, aclrtStream,
	aclrtLaunchKernelCfg *, aclrtArgsHandle, void *);
aclError aclrtKernelArgsFinalize(aclrtArgsHandle);
aclError aclrtGetFunctionName(aclrtFuncHandle, uint32_t, char *);
aclError aclrtBinaryLoadFromData(const void *, size_t,
	const aclrtBinaryLoadOptions *, aclrtBinHandle *);
aclError aclrtRegisterCpuFunc(const aclrtBinHandle, const char *, const char *,
	aclrtFuncHandle *);
aclError aclrtLaunchKernelV2(aclrtFuncHandle, uint32_t, const void *, size_t,
	aclrtLaunchKernelCfg *, aclrtStream);
aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle, uint32_t, aclrtStream,
	aclrtLaunchKernelCfg *, void *, size_t, aclrtPlaceHolderInfo *, size_t);
aclError aclrtLaunchKernelWithArgsArray(void *, uint32_t, aclrtStream,
	aclrtLaunchKernelCfg *, void **);
aclError aclrtLaunchSIMTKernelWithArgsArray(void *, dim3, dim3, size_t,
	aclrtStream, aclrtLaunchKernelCfg *, void **);
aclError aclrtLaunchSIMTKernelWithHostArgs(void *, dim3, dim3, size_t,
	aclrtStream, aclrtLaunchKernelCfg *, void *, size_t,
	aclrtPlaceHolderInfo *, size_t);
aclError aclrtGetHardwareSyncAddr(void **);
aclError aclrtGetFunctionAttribute(aclrtFuncHandle, aclrtFuncAttribute,
	int64_t *);
aclError aclrtFunctionGetBinary(const aclrtFuncHandle, aclrtBinHandle *);
aclError aclrtFunctionGetParamCount(const void *, size_t *);
aclError aclrtFunctionGetParamInfo(const void *, size_t, size_t *, size_t *);
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *, uint32_t, size_t *);

aclError aclrtcCreateProg(aclrtcProg *, const char *, const char *, int,
	const char **, const char **);
aclError aclrtcCompileProg(aclrtcProg, int, const char **);
aclError aclrtcDestroyProg(aclrtcProg *);
aclError aclrtcAddNameExpr(aclrtcProg, const char *);
aclError aclrtcGetBinDataSize(aclrtcProg, size_t *);
aclError aclrtcGetBinData(aclrtcProg, char *);
aclError aclrtcGetLoweredName(aclrtcProg, const char *, const char **);
aclError aclrtcGetCompileLogSize(aclrtcProg, size_t *);
aclError aclrtcGetCompileLog(aclrtcProg, char *);

#ifdef __cplusplus
}
#endif

int main(void)
{
	printf("TAP version 13\n1..1\nok 1 prototypes\n");
	return 0;
}
