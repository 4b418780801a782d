/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts of the AscendCL headers: layouts as CANN publishes them (interface
 * 1.17, x86-64), for the declarations of our headers.
 *
 * The file is built once as C and once as C++, and this is the test: a layout
 * that differs fails an assertion. Programs are built with CANN's own headers
 * too, so these facts never change; new ones may be added.
 */
#include <stddef.h>
#include <stdio.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_memory_soma.h"

#ifdef __cplusplus
#define ASSERT(cond)	static_assert(cond, #cond)
#else
#define ASSERT(cond)	_Static_assert(cond, #cond)
#endif

#define SIZE(type, bytes, align) \
	ASSERT(sizeof(type) == (bytes) && __alignof__(type) == (align))
#define FIELD(type, field, offset, kind) \
	ASSERT(offsetof(type, field) == (offset) && \
	       sizeof(((type *)0)->field) == sizeof(kind))

SIZE(aclmdlIODims, 1160, 8);
FIELD(aclmdlIODims, name, 0, char[128]);
FIELD(aclmdlIODims, dimCount, 128, size_t);
FIELD(aclmdlIODims, dims, 136, int64_t[128]);
SIZE(aclmdlBatch, 1032, 8);
FIELD(aclmdlBatch, batchCount, 0, size_t);
FIELD(aclmdlBatch, batch, 8, uint64_t[128]);
SIZE(aclmdlIODimsRange, 2056, 8);
FIELD(aclmdlIODimsRange, rangeCount, 0, size_t);
FIELD(aclmdlIODimsRange, range, 8, int64_t[128][2]);
SIZE(aclAippDims, 2336, 8);
FIELD(aclAippDims, srcSize, 1160, size_t);
FIELD(aclAippDims, aippOutSize, 2328, size_t);
FIELD(aclAippInfo, inputFormat, 0, int);
FIELD(aclAippInfo, cropSwitch, 12, int8_t);
FIELD(aclAippInfo, loadStartPosW, 16, int32_t);
FIELD(aclAippInfo, resizeSwitch, 32, int8_t);
FIELD(aclAippInfo, paddingSwitch, 44, int8_t);
FIELD(aclAippInfo, leftPaddingSize, 48, int32_t);
FIELD(aclAippInfo, cscSwitch, 64, int8_t);
FIELD(aclAippInfo, singleLineMode, 67, int8_t);
FIELD(aclAippInfo, matrixR0C0, 68, int32_t);
FIELD(aclAippInfo, minChn0, 144, float);
FIELD(aclAippInfo, varReciChn3, 172, float);
FIELD(aclAippInfo, srcFormat, 176, int);
FIELD(aclAippInfo, srcDimNum, 184, size_t);
FIELD(aclAippInfo, outDims, 200, aclAippDims[128]);
SIZE(aclmdlAttrValue_t, 32, 4);
FIELD(aclmdlAttrValue_t, mdlPriority, 0, uint32_t);
SIZE(aclmdlHW, 2056, 8);
FIELD(aclmdlHW, hwCount, 0, size_t);
FIELD(aclmdlHW, hw, 8, uint64_t[128][2]);
SIZE(aclmdlRICondTaskParams, 24, 8);
FIELD(aclmdlRICondTaskParams, handle, 0, aclmdlRICondHandle);
FIELD(aclmdlRICondTaskParams, type, 8, aclmdlRICondTaskType);
FIELD(aclmdlRICondTaskParams, size, 12, uint32_t);
FIELD(aclmdlRICondTaskParams, modelRIArray, 16, aclmdlRI *);
SIZE(aclmdlRIKernelTaskParams, 88, 8);
FIELD(aclmdlRIKernelTaskParams, funcHandle, 0, aclrtFuncHandle);
FIELD(aclmdlRIKernelTaskParams, cfg, 8, aclrtLaunchKernelCfg *);
FIELD(aclmdlRIKernelTaskParams, args, 16, void *);
FIELD(aclmdlRIKernelTaskParams, isHostArgs, 24, uint32_t);
FIELD(aclmdlRIKernelTaskParams, argsSize, 32, size_t);
FIELD(aclmdlRIKernelTaskParams, numBlocks, 40, uint32_t);
FIELD(aclmdlRIKernelTaskParams, rsv, 44, uint32_t[10]);
SIZE(aclmdlRIEventRecordTaskParams, 16, 8);
FIELD(aclmdlRIEventRecordTaskParams, event, 0, aclrtEvent);
FIELD(aclmdlRIEventRecordTaskParams, eventFlag, 8, uint32_t);
FIELD(aclmdlRIEventRecordTaskParams, recordFlag, 12, uint32_t);
SIZE(aclmdlRIEventWaitTaskParams, 16, 8);
FIELD(aclmdlRIEventWaitTaskParams, event, 0, aclrtEvent);
FIELD(aclmdlRIEventWaitTaskParams, eventFlag, 8, uint32_t);
FIELD(aclmdlRIEventWaitTaskParams, waitFlag, 12, uint32_t);
SIZE(aclmdlRIEventResetTaskParams, 16, 8);
FIELD(aclmdlRIEventResetTaskParams, event, 0, aclrtEvent);
FIELD(aclmdlRIEventResetTaskParams, eventFlag, 8, uint32_t);
FIELD(aclmdlRIEventResetTaskParams, resetFlag, 12, uint32_t);
SIZE(aclmdlRIValueWriteTaskParams, 16, 8);
FIELD(aclmdlRIValueWriteTaskParams, devAddr, 0, void *);
FIELD(aclmdlRIValueWriteTaskParams, value, 8, uint64_t);
SIZE(aclmdlRIValueWaitTaskParams, 24, 8);
FIELD(aclmdlRIValueWaitTaskParams, devAddr, 0, void *);
FIELD(aclmdlRIValueWaitTaskParams, value, 8, uint64_t);
FIELD(aclmdlRIValueWaitTaskParams, flag, 16, uint32_t);
SIZE(aclmdlRITaskParams, 200, 8);
FIELD(aclmdlRITaskParams, type, 0, aclmdlRITaskType);
FIELD(aclmdlRITaskParams, rsv0, 4, uint32_t[3]);
FIELD(aclmdlRITaskParams, taskGrp, 16, aclrtTaskGrp);
FIELD(aclmdlRITaskParams, opInfoPtr, 24, void *);
FIELD(aclmdlRITaskParams, opInfoSize, 32, size_t);
FIELD(aclmdlRITaskParams, rsv1, 40, uint8_t[32]);
FIELD(aclmdlRITaskParams, rsv2, 72, uint8_t[128]);
FIELD(aclmdlRITaskParams, kernelTaskParams, 72,
	struct aclmdlRIKernelTaskParams);
FIELD(aclmdlRITaskParams, eventRecordTaskParams, 72,
	struct aclmdlRIEventRecordTaskParams);
FIELD(aclmdlRITaskParams, eventWaitTaskParams, 72,
	struct aclmdlRIEventWaitTaskParams);
FIELD(aclmdlRITaskParams, eventResetTaskParams, 72,
	struct aclmdlRIEventResetTaskParams);
FIELD(aclmdlRITaskParams, valueWriteTaskParams, 72,
	struct aclmdlRIValueWriteTaskParams);
FIELD(aclmdlRITaskParams, valueWaitTaskParams, 72,
	struct aclmdlRIValueWaitTaskParams);
SIZE(aclrtMallocAttrValue, 8, 4);
FIELD(aclrtMallocAttrValue, moduleId, 0, uint16_t);
FIELD(aclrtMallocAttrValue, deviceId, 0, uint32_t);
FIELD(aclrtMallocAttrValue, vaFlag, 0, uint32_t);
FIELD(aclrtMallocAttrValue, rsv, 0, uint8_t[8]);
SIZE(aclrtMallocAttribute, 12, 4);
FIELD(aclrtMallocAttribute, attr, 0, aclrtMallocAttrType);
FIELD(aclrtMallocAttribute, value, 4, aclrtMallocAttrValue);
SIZE(aclrtMallocConfig, 16, 8);
FIELD(aclrtMallocConfig, attrs, 0, aclrtMallocAttribute *);
FIELD(aclrtMallocConfig, numAttrs, 8, size_t);
SIZE(aclrtStreamConfigHandle, 32, 8);
FIELD(aclrtStreamConfigHandle, workptr, 0, void *);
FIELD(aclrtStreamConfigHandle, workSize, 8, size_t);
FIELD(aclrtStreamConfigHandle, flag, 16, size_t);
FIELD(aclrtStreamConfigHandle, priority, 24, uint32_t);
SIZE(aclrtUtilizationInfo, 24, 8);
FIELD(aclrtUtilizationInfo, cubeUtilization, 0, int32_t);
FIELD(aclrtUtilizationInfo, vectorUtilization, 4, int32_t);
FIELD(aclrtUtilizationInfo, aicpuUtilization, 8, int32_t);
FIELD(aclrtUtilizationInfo, memoryUtilization, 12, int32_t);
FIELD(aclrtUtilizationInfo, utilizationExtend, 16,
	aclrtUtilizationExtendInfo *);
SIZE(aclrtMemLocation, 8, 4);
FIELD(aclrtMemLocation, id, 0, uint32_t);
FIELD(aclrtMemLocation, type, 4, aclrtMemLocationType);
SIZE(aclrtPtrAttributes, 28, 4);
FIELD(aclrtPtrAttributes, location, 0, aclrtMemLocation);
FIELD(aclrtPtrAttributes, pageSize, 8, uint32_t);
FIELD(aclrtPtrAttributes, rsv, 12, uint32_t[4]);
SIZE(aclrtMemUsageInfo, 112, 8);
FIELD(aclrtMemUsageInfo, name, 0, char[32]);
FIELD(aclrtMemUsageInfo, curMemSize, 32, uint64_t);
FIELD(aclrtMemUsageInfo, memPeakSize, 40, uint64_t);
FIELD(aclrtMemUsageInfo, reserved, 48, size_t[8]);
SIZE(aclrtMemManagedLocation, 8, 4);
FIELD(aclrtMemManagedLocation, type, 0, aclrtMemManagedLocationType);
FIELD(aclrtMemManagedLocation, id, 4, int32_t);
SIZE(aclrtStreamAttrValue, 16, 8);
FIELD(aclrtStreamAttrValue, failureMode, 0, uint64_t);
FIELD(aclrtStreamAttrValue, overflowSwitch, 0, uint32_t);
FIELD(aclrtStreamAttrValue, userCustomTag, 0, uint32_t);
FIELD(aclrtStreamAttrValue, cacheOpInfoSwitch, 0, uint32_t);
FIELD(aclrtStreamAttrValue, streamPriority, 0, uint32_t);
FIELD(aclrtStreamAttrValue, reserve, 0, uint32_t[4]);
SIZE(aclrtMemcpyBatchAttr, 32, 4);
FIELD(aclrtMemcpyBatchAttr, dstLoc, 0, aclrtMemLocation);
FIELD(aclrtMemcpyBatchAttr, srcLoc, 8, aclrtMemLocation);
FIELD(aclrtMemcpyBatchAttr, rsv, 16, uint8_t[16]);
SIZE(aclrtIpcEventHandle, 64, 1);
FIELD(aclrtIpcEventHandle, reserved, 0, char[64]);

SIZE(aclrtRandomParaInfo, 16, 1);
FIELD(aclrtRandomParaInfo, isAddr, 0, uint8_t);
FIELD(aclrtRandomParaInfo, valueOrAddr, 1, uint8_t[8]);
FIELD(aclrtRandomParaInfo, size, 9, uint8_t);
FIELD(aclrtRandomParaInfo, rsv, 10, uint8_t[6]);
SIZE(aclrtDropoutBitmaskInfo, 16, 1);
FIELD(aclrtDropoutBitmaskInfo, dropoutRation, 0, aclrtRandomParaInfo);
SIZE(aclrtUniformDisInfo, 32, 1);
FIELD(aclrtUniformDisInfo, min, 0, aclrtRandomParaInfo);
FIELD(aclrtUniformDisInfo, max, 16, aclrtRandomParaInfo);
SIZE(aclrtNormalDisInfo, 32, 1);
FIELD(aclrtNormalDisInfo, mean, 0, aclrtRandomParaInfo);
FIELD(aclrtNormalDisInfo, stddev, 16, aclrtRandomParaInfo);
SIZE(aclrtRandomNumFuncParaInfo, 36, 4);
FIELD(aclrtRandomNumFuncParaInfo, funcType, 0, aclrtRandomNumFuncType);
FIELD(aclrtRandomNumFuncParaInfo, paramInfo.dropoutBitmaskInfo, 4, aclrtDropoutBitmaskInfo);
FIELD(aclrtRandomNumFuncParaInfo, paramInfo.uniformDisInfo, 4, aclrtUniformDisInfo);
FIELD(aclrtRandomNumFuncParaInfo, paramInfo.normalDisInfo, 4, aclrtNormalDisInfo);
SIZE(aclrtRandomNumTaskInfo, 104, 8);
FIELD(aclrtRandomNumTaskInfo, dataType, 0, aclDataType);
FIELD(aclrtRandomNumTaskInfo, randomNumFuncParaInfo, 4, aclrtRandomNumFuncParaInfo);
FIELD(aclrtRandomNumTaskInfo, randomParaAddr, 40, void *);
FIELD(aclrtRandomNumTaskInfo, randomResultAddr, 48, void *);
FIELD(aclrtRandomNumTaskInfo, randomCounterAddr, 56, void *);
FIELD(aclrtRandomNumTaskInfo, randomSeed, 64, aclrtRandomParaInfo);
FIELD(aclrtRandomNumTaskInfo, randomNum, 80, aclrtRandomParaInfo);
FIELD(aclrtRandomNumTaskInfo, rsv, 96, uint8_t[8]);
SIZE(aclrtMemFabricHandle, 128, 1);
FIELD(aclrtMemFabricHandle, data, 0, uint8_t[128]);
SIZE(aclrtPhysicalMemProp, 32, 8);
FIELD(aclrtPhysicalMemProp, handleType, 0, aclrtMemHandleType);
FIELD(aclrtPhysicalMemProp, allocationType, 4, aclrtMemAllocationType);
FIELD(aclrtPhysicalMemProp, memAttr, 8, aclrtMemAttr);
FIELD(aclrtPhysicalMemProp, location, 12, aclrtMemLocation);
FIELD(aclrtPhysicalMemProp, reserve, 24, uint64_t);
SIZE(aclrtMemAccessDesc, 24, 4);
FIELD(aclrtMemAccessDesc, flags, 0, aclrtMemAccessFlags);
FIELD(aclrtMemAccessDesc, location, 4, aclrtMemLocation);
FIELD(aclrtMemAccessDesc, rsv, 12, uint8_t[12]);
SIZE(aclrtUuid, 16, 1);
FIELD(aclrtUuid, bytes, 0, char[16]);
SIZE(aclCANNPackageVersion, 512, 1);
FIELD(aclCANNPackageVersion, version, 0, char[128]);
FIELD(aclCANNPackageVersion, majorVersion, 128, char[64]);
FIELD(aclCANNPackageVersion, minorVersion, 192, char[64]);
FIELD(aclCANNPackageVersion, releaseVersion, 256, char[64]);
FIELD(aclCANNPackageVersion, patchVersion, 320, char[64]);
FIELD(aclCANNPackageVersion, reserved, 384, char[128]);
SIZE(aclrtServerPid, 24, 8);
FIELD(aclrtServerPid, sdid, 0, uint32_t);
FIELD(aclrtServerPid, pid, 8, int32_t *);
FIELD(aclrtServerPid, num, 16, size_t);
SIZE(aclrtCntNotifyRecordInfo, 8, 4);
FIELD(aclrtCntNotifyRecordInfo, mode, 0, aclrtCntNotifyRecordMode);
FIELD(aclrtCntNotifyRecordInfo, value, 4, uint32_t);
SIZE(aclrtCntNotifyWaitInfo, 16, 4);
FIELD(aclrtCntNotifyWaitInfo, mode, 0, aclrtCntNotifyWaitMode);
FIELD(aclrtCntNotifyWaitInfo, value, 4, uint32_t);
FIELD(aclrtCntNotifyWaitInfo, timeout, 8, uint32_t);
FIELD(aclrtCntNotifyWaitInfo, isClear, 12, uint8_t);
FIELD(aclrtCntNotifyWaitInfo, rsv, 13, uint8_t[3]);
SIZE(aclrtMemUceInfo, 128, 8);
FIELD(aclrtMemUceInfo, addr, 0, void *);
FIELD(aclrtMemUceInfo, len, 8, size_t);
FIELD(aclrtMemUceInfo, reserved, 16, size_t[14]);
SIZE(aclrtMemUceInfoArray, 2568, 8);
FIELD(aclrtMemUceInfoArray, arraySize, 0, size_t);
FIELD(aclrtMemUceInfoArray, memUceInfoArray, 8, aclrtMemUceInfo[20]);
SIZE(aclrtErrorInfoDetail, 2568, 8);
FIELD(aclrtErrorInfoDetail, uceInfo, 0, aclrtMemUceInfoArray);
FIELD(aclrtErrorInfoDetail, aicoreErrType, 0, aclrtAicoreErrorType);
SIZE(aclrtErrorInfo, 2576, 8);
FIELD(aclrtErrorInfo, tryRepair, 0, uint8_t);
FIELD(aclrtErrorInfo, hasDetail, 1, uint8_t);
FIELD(aclrtErrorInfo, reserved, 2, uint8_t[2]);
FIELD(aclrtErrorInfo, errorType, 4, aclrtErrorType);
FIELD(aclrtErrorInfo, detail, 8, aclrtErrorInfoDetail);
SIZE(aclrtMemPoolProps, 56, 8);
FIELD(aclrtMemPoolProps, allocType, 0, aclrtMemAllocationType);
FIELD(aclrtMemPoolProps, handleType, 4, aclrtMemHandleType);
FIELD(aclrtMemPoolProps, location, 8, aclrtMemLocation);
FIELD(aclrtMemPoolProps, maxSize, 16, size_t);
FIELD(aclrtMemPoolProps, reserved, 24, unsigned char[32]);

/* Handles, and types that are older names of others */
SIZE(aclrtStream, 8, 8);
SIZE(aclrtEvent, 8, 8);
SIZE(aclrtContext, 8, 8);
SIZE(aclrtDrvMemHandle, 8, 8);
SIZE(aclrtNotify, 8, 8);
SIZE(aclrtCntNotify, 8, 8);
SIZE(aclrtMemPool, 8, 8);
SIZE(aclrtAllocatorDesc, 8, 8);
SIZE(aclError, 4, 4);
SIZE(aclFloat16, 2, 2);
SIZE(aclDataType, 4, 4);

/* The cache, updates of tasks, and snapshots */
SIZE(aclrtBarrierCmoInfo, 8, 4);
FIELD(aclrtBarrierCmoInfo, cmoType, 0, aclrtCmoType);
FIELD(aclrtBarrierCmoInfo, barrierId, 4, uint32_t);
SIZE(aclrtBarrierTaskInfo, 56, 8);
FIELD(aclrtBarrierTaskInfo, barrierNum, 0, size_t);
FIELD(aclrtBarrierTaskInfo, cmoInfo, 8, aclrtBarrierCmoInfo[6]);
SIZE(aclrtRandomTaskUpdateAttr, 32, 8);
FIELD(aclrtRandomTaskUpdateAttr, srcAddr, 0, void *);
FIELD(aclrtRandomTaskUpdateAttr, size, 8, size_t);
FIELD(aclrtRandomTaskUpdateAttr, rsv, 16, uint32_t[4]);
SIZE(aclrtAicAivTaskUpdateAttr, 40, 8);
FIELD(aclrtAicAivTaskUpdateAttr, binHandle, 0, void *);
FIELD(aclrtAicAivTaskUpdateAttr, funcEntryAddr, 8, void *);
FIELD(aclrtAicAivTaskUpdateAttr, blockDimAddr, 16, void *);
FIELD(aclrtAicAivTaskUpdateAttr, rsv, 24, uint32_t[4]);
SIZE(aclrtUpdateTaskAttrVal, 40, 8);
FIELD(aclrtUpdateTaskAttrVal, randomTaskAttr, 0, aclrtRandomTaskUpdateAttr);
FIELD(aclrtUpdateTaskAttrVal, aicAivTaskAttr, 0, aclrtAicAivTaskUpdateAttr);
SIZE(aclrtTaskUpdateInfo, 48, 8);
FIELD(aclrtTaskUpdateInfo, id, 0, aclrtUpdateTaskAttrId);
FIELD(aclrtTaskUpdateInfo, val, 8, aclrtUpdateTaskAttrVal);
SIZE(aclrtSnapShotBackupArgs, 64, 4);
FIELD(aclrtSnapShotBackupArgs, backupFlags, 0, uint32_t);
FIELD(aclrtSnapShotBackupArgs, reserved, 4, char[60]);
SIZE(aclrtSnapShotRestoreArgs, 64, 4);
FIELD(aclrtSnapShotRestoreArgs, restoreFlags, 0, uint32_t);
FIELD(aclrtSnapShotRestoreArgs, reserved, 4, char[60]);
SIZE(aclrtSnapShotCallBack, 8, 8);
SIZE(aclrtMbuf, 8, 8);

/* Profiling */
SIZE(aclprofTensor, 48, 4);
FIELD(aclprofTensor, type, 0, uint32_t);
FIELD(aclprofTensor, format, 4, uint32_t);
FIELD(aclprofTensor, dataType, 8, uint32_t);
FIELD(aclprofTensor, shapeDim, 12, uint32_t);
FIELD(aclprofTensor, shape, 16, uint32_t[8]);
SIZE(aclprofTensorInfo, 48, 8);
FIELD(aclprofTensorInfo, opNameId, 0, uint64_t);
FIELD(aclprofTensorInfo, opTypeId, 8, uint64_t);
FIELD(aclprofTensorInfo, resv, 16, uint32_t);
FIELD(aclprofTensorInfo, tensorNum, 20, uint32_t);
FIELD(aclprofTensorInfo, kernelType, 24, uint32_t);
FIELD(aclprofTensorInfo, blockNums, 28, uint32_t);
FIELD(aclprofTensorInfo, stream, 32, void *);
FIELD(aclprofTensorInfo, tensors, 40, aclprofTensor *);
SIZE(aclprofEventAttributes, 16, 8);
FIELD(aclprofEventAttributes, version, 0, uint16_t);
FIELD(aclprofEventAttributes, size, 2, uint16_t);
FIELD(aclprofEventAttributes, messageType, 4, uint32_t);
FIELD(aclprofEventAttributes, message.tensorInfo, 8, aclprofTensorInfo *);

/* Kernels */
SIZE(aclrtBinaryLoadOptionValue, 16, 4);
SIZE(aclrtBinaryLoadOption, 20, 4);
FIELD(aclrtBinaryLoadOption, type, 0, aclrtBinaryLoadOptionType);
FIELD(aclrtBinaryLoadOption, value, 4, aclrtBinaryLoadOptionValue);
SIZE(aclrtBinaryLoadOptions, 16, 8);
FIELD(aclrtBinaryLoadOptions, options, 0, aclrtBinaryLoadOption *);
FIELD(aclrtBinaryLoadOptions, numOpt, 8, size_t);
SIZE(aclrtTimeoutUs, 8, 4);
FIELD(aclrtTimeoutUs, timeoutLow, 0, uint32_t);
FIELD(aclrtTimeoutUs, timeoutHigh, 4, uint32_t);
SIZE(aclrtLaunchKernelAttrValue, 16, 4);
FIELD(aclrtLaunchKernelAttrValue, schemMode, 0, uint8_t);
FIELD(aclrtLaunchKernelAttrValue, timeout, 0, uint16_t);
FIELD(aclrtLaunchKernelAttrValue, engineType, 0, aclrtEngineType);
SIZE(aclrtLaunchKernelAttr, 20, 4);
FIELD(aclrtLaunchKernelAttr, id, 0, aclrtLaunchKernelAttrId);
FIELD(aclrtLaunchKernelAttr, value, 4, aclrtLaunchKernelAttrValue);
SIZE(aclrtLaunchKernelCfg, 16, 8);
FIELD(aclrtLaunchKernelCfg, attrs, 0, aclrtLaunchKernelAttr *);
FIELD(aclrtLaunchKernelCfg, numAttrs, 8, size_t);
SIZE(dim3, 12, 4);
SIZE(aclrtPlaceHolderInfo, 8, 4);
FIELD(aclrtPlaceHolderInfo, addrOffset, 0, uint32_t);
FIELD(aclrtPlaceHolderInfo, dataOffset, 4, uint32_t);

int main(void)
{
	printf("TAP version 13\n1..1\nok 1 layouts\n");
	return 0;
}
