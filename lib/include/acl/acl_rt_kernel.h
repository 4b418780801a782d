/* SPDX-License-Identifier: MIT */
/*
 * Kernels: arguments and launches.  acl_rt_binary.h has binaries and functions.
 *
 * Kernels are compiled from source by vnpu-cc, see Documentation/kernels.md, and
 * run in a process of their own, see Documentation/launch.md.
 */
#ifndef ACL_ACL_RT_KERNEL_H
#define ACL_ACL_RT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_exception.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

typedef enum aclrtEngineType {
	ACL_RT_ENGINE_TYPE_AIC	= 0,
	ACL_RT_ENGINE_TYPE_AIV	= 1
} aclrtEngineType;

typedef enum aclrtLaunchKernelAttrId {
	ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE		= 1,
	ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE	= 2,
	ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE		= 2,
	ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE		= 3,
	ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET	= 4,
	ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH	= 5,
	ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP		= 6,
	ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT		= 7,
	ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US		= 8,
	ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING	= 9
} aclrtLaunchKernelAttrId;

typedef struct aclrtTimeoutUs {
	uint32_t timeoutLow;
	uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
	uint8_t schemMode;
	uint32_t localMemorySize;
	uint32_t dynUBufSize;
	aclrtEngineType engineType;
	uint32_t blockDimOffset;
	uint8_t isBlockTaskPrefetch;
	uint8_t isDataDump;
	uint16_t timeout;
	aclrtTimeoutUs timeoutUs;
	uint8_t enableProfiling;
	uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
	aclrtLaunchKernelAttrId id;
	aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
	aclrtLaunchKernelAttr *attrs;
	size_t numAttrs;
} aclrtLaunchKernelCfg;

typedef struct aclrtPlaceHolderInfo {
	uint32_t addrOffset;
	uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* The shape of a launch of a SIMT kernel. */
struct dim3 {
	uint32_t x;
	uint32_t y;
	uint32_t z;
#ifdef __cplusplus
	dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1)
		: x(vx), y(vy), z(vz)
	{
	}
#endif
};

#ifndef __cplusplus
typedef struct dim3 dim3;
#endif

/**
 * aclrtKernelArgsInit() - create a list of arguments
 * @funcHandle: the function
 * @argsHandle: set to the list
 *
 * The list holds up to 128 parameters and 64 KiB.  It lives until its binary is
 * unloaded.  One thread at a time may change or launch a list.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
	aclrtArgsHandle *argsHandle);

/**
 * aclrtKernelArgsInitByUserMem() - create a list of arguments in given memory
 * @funcHandle: the function
 * @argsHandle: memory of aclrtKernelArgsGetHandleMemSize() bytes, aligned to 8,
 *	that is the list from now on
 * @userHostMem: memory for the arguments
 * @actualArgsSize: its bytes
 *
 * Errors: as aclrtKernelArgsInit(), and ACL_ERROR_RT_PARAM_INVALID for memory
 * that is not aligned, or for 0 bytes.
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
	aclrtArgsHandle argsHandle, void *userHostMem, size_t actualArgsSize);

/**
 * aclrtKernelArgsGetHandleMemSize() - get the bytes of a list in given memory
 * @funcHandle: the function
 * @memSize: set to the bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize);

/**
 * aclrtKernelArgsGetMemSize() - get the bytes that arguments take
 * @funcHandle: the function
 * @userArgsSize: bytes of the arguments
 * @actualArgsSize: set to the bytes of memory for them
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID for more than 64 KiB.
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
	size_t *actualArgsSize);

/**
 * aclrtKernelArgsAppend() - append an argument
 * @argsHandle: the list
 * @param: the argument, which is copied
 * @paramSize: its bytes
 * @paramHandle: set to the argument's place
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID if the list is full,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT after aclrtKernelArgsFinalize().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle,
	void *param, size_t paramSize, aclrtParamHandle *paramHandle);

/**
 * aclrtKernelArgsAppendPlaceHolder() - append the address of data in the list
 * @argsHandle: the list
 * @paramHandle: set to the argument's place
 *
 * Errors: as aclrtKernelArgsAppend().
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
	aclrtParamHandle *paramHandle);

/**
 * aclrtKernelArgsGetPlaceHolderBuffer() - get memory for such data
 * @argsHandle: the list, with all its arguments
 * @paramHandle: from aclrtKernelArgsAppendPlaceHolder()
 * @dataSize: bytes of the data
 * @bufferAddr: set to memory that is copied to the device by each launch
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID for another @paramHandle or if the list is full,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT after aclrtKernelArgsFinalize().
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
	aclrtParamHandle paramHandle, size_t dataSize, void **bufferAddr);

/**
 * aclrtKernelArgsParaUpdate() - change an argument
 * @argsHandle: the list
 * @paramHandle: from aclrtKernelArgsAppend()
 * @param: the new value, which is copied
 * @paramSize: its bytes, at most those of the old value
 *
 * A finalized list has to be finalized again.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID for another @paramHandle or more bytes.
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
	aclrtParamHandle paramHandle, void *param, size_t paramSize);

/**
 * aclrtKernelArgsFinalize() - complete a list
 * @argsHandle: the list, which can then be launched any number of times
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * aclrtLaunchKernel() - launch a kernel with arguments in device memory
 * @funcHandle: the function
 * @numBlocks: number of blocks, at least 1
 * @argsData: device address of the arguments; stays valid until the kernel has
 *	run
 * @argsSize: their bytes
 * @stream: the stream, or NULL for the default stream
 *
 * The first launch on a device starts the process that runs kernels.  Failures
 * of the kernel are returned by the next call that waits for the stream:
 * ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, and the
 * codes of timeouts and traps beside them.
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_PARAM_INVALID for 0 blocks,
 * ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT for machine
 * code of a card, ACL_ERROR_RT_INTERNAL_ERROR if the process cannot be started,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle,
	uint32_t numBlocks, const void *argsData, size_t argsSize,
	aclrtStream stream);

/**
 * aclrtLaunchKernelV2() - launch a kernel with arguments in device memory and
 * attributes
 * @funcHandle: as aclrtLaunchKernel(), like the next three
 * @numBlocks: ...
 * @argsData: ...
 * @argsSize: ...
 * @cfg: attributes, or NULL
 * @stream: the stream, or NULL for the default stream
 *
 * Errors: as aclrtLaunchKernel(), and ACL_ERROR_RT_PARAM_INVALID for an unknown
 * attribute or an invalid value.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle,
	uint32_t numBlocks, const void *argsData, size_t argsSize,
	aclrtLaunchKernelCfg *cfg, aclrtStream stream);

/**
 * aclrtLaunchKernelWithConfig() - launch a kernel with a list of arguments
 * @funcHandle: the function
 * @numBlocks: number of blocks, at least 1
 * @stream: the stream, or NULL for the default stream
 * @cfg: attributes, or NULL
 * @argsHandle: a finalized list, which is copied
 * @reserve: NULL
 *
 * Errors: as aclrtLaunchKernelV2(), and ACL_ERROR_RT_PARAM_INVALID for a list
 * that is not finalized.
 */
ACL_FUNC_VISIBILITY aclError
aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
	aclrtStream stream, aclrtLaunchKernelCfg *cfg,
	aclrtArgsHandle argsHandle, void *reserve);

/**
 * aclrtLaunchKernelWithHostArgs() - launch a kernel with arguments in host
 * memory
 * @funcHandle: the function
 * @numBlocks: number of blocks, at least 1
 * @stream: the stream, or NULL for the default stream
 * @cfg: attributes, or NULL
 * @hostArgs: the arguments, which are copied
 * @argsSize: their bytes
 * @placeHolderArray: addresses to fill in: that of the byte @dataOffset of the
 *	copy is stored at @addrOffset; or NULL
 * @placeHolderNum: their number
 *
 * Errors: as aclrtLaunchKernelV2(), and ACL_ERROR_RT_PARAM_INVALID for an offset
 * outside of the arguments.
 */
ACL_FUNC_VISIBILITY aclError
aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
	aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,
	size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
	size_t placeHolderNum);

/**
 * aclrtLaunchKernelWithArgsArray() - launch a kernel with one pointer for each
 * argument
 * @func: a function, or the address of a host function as in
 *	aclrtGetFuncBySymbol()
 * @numBlocks: number of blocks, at least 1
 * @stream: the stream, or NULL for the default stream
 * @cfg: attributes, or NULL
 * @args: addresses of the arguments, which are copied; NULL if there are none
 *
 * Errors: as aclrtLaunchKernelV2(), and ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the
 * binary does not record its parameters.
 */
ACL_FUNC_VISIBILITY aclError
aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks,
	aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args);

/**
 * aclrtLaunchSIMTKernelWithArgsArray() - launch a SIMT kernel (not supported)
 * @func: as aclrtLaunchKernelWithArgsArray()
 * @gridDim: number of blocks
 * @blockDim: threads of a block
 * @dynUbufSize: bytes of unified buffer that the kernel manages
 * @stream: the stream
 * @cfg: attributes, or NULL
 * @args: addresses of the arguments
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE, otherwise
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim,
	size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
	void **args);

/**
 * aclrtLaunchSIMTKernelWithHostArgs() - launch a SIMT kernel (not supported)
 * @func: as aclrtLaunchKernelWithArgsArray()
 * @gridDim: number of blocks
 * @blockDim: threads of a block
 * @dynUbufSize: bytes of unified buffer that the kernel manages
 * @stream: the stream
 * @cfg: attributes, or NULL
 * @hostArgs: the arguments
 * @argsSize: their bytes
 * @placeHolderArray: addresses to fill in, or NULL
 * @placeHolderNum: their number
 *
 * Errors: as aclrtLaunchSIMTKernelWithArgsArray().
 */
ACL_FUNC_VISIBILITY aclError
aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim,
	size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
	void *hostArgs, size_t argsSize,
	aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/**
 * aclrtGetHardwareSyncAddr() - get the address of the flags between cores
 * @addr: set to an address of the current device's memory
 *
 * Programs pass it to mixed kernels.  Cores here do not use it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetHardwareSyncAddr(void **addr);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_KERNEL_H */
