/* SPDX-License-Identifier: MIT */
/*
 * Kernels: binaries, functions, arguments and launches.
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

typedef void *aclrtBinary;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

#define ACL_RT_BINARY_MAGIC_ELF_AICORE		0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE	0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE	0x41494343U

typedef enum aclrtBinaryLoadOptionType {
	ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD	= 1,
	ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC	= 2,
	ACL_RT_BINARY_LOAD_OPT_MAGIC		= 2,
	ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE	= 3
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
	uint32_t isLazyLoad;
	uint32_t magic;
	int32_t cpuKernelMode;
	uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
	aclrtBinaryLoadOptionType type;
	aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
	aclrtBinaryLoadOption *options;
	size_t numOpt;
} aclrtBinaryLoadOptions;

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

typedef enum aclrtFuncAttribute {
	ACL_FUNC_ATTR_KERNEL_TYPE	= 1,
	ACL_FUNC_ATTR_KERNEL_RATIO	= 2,
	ACL_FUNC_ATTR_KERNEL_SCHED_MODE	= 3
} aclrtFuncAttribute;

typedef enum aclrtKernelType {
	ACL_KERNEL_TYPE_AICORE	= 0,
	ACL_KERNEL_TYPE_CUBE	= 1,
	ACL_KERNEL_TYPE_VECTOR	= 2,
	ACL_KERNEL_TYPE_MIX	= 3,
	ACL_KERNEL_TYPE_AICPU	= 100
} aclrtKernelType;

/**
 * aclrtCreateBinary() - describe a binary in memory
 * @data: the binary; stays valid until aclrtBinaryLoad()
 * @dataLen: its bytes
 *
 * Return: the description; NULL for a NULL @data, 0 bytes, or without memory.
 */
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void *data,
	size_t dataLen);

/**
 * aclrtDestroyBinary() - destroy a description
 * @binary: from aclrtCreateBinary()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * aclrtBinaryLoad() - load a described binary
 * @binary: from aclrtCreateBinary()
 * @binHandle: set to the binary
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, and as aclrtBinaryLoadFromData().
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary,
	aclrtBinHandle *binHandle);

/**
 * aclrtBinaryLoadFromFile() - load a binary
 * @binPath: its path: an image of vnpu-cc --image or ascendc_fatbin_library()
 * @options: properties, or NULL; they do not matter here
 * @binHandle: set to the binary
 *
 * Needs no context.  Machine code of a card can be loaded, and its functions
 * have names and properties; it cannot be launched.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * file that cannot be read or is not a binary, and for an unknown option,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char *binPath,
	aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/**
 * aclrtBinaryLoadFromData() - load a binary from memory
 * @data: the binary, which is copied
 * @length: its bytes
 * @options: as aclrtBinaryLoadFromFile()
 * @binHandle: set to the binary
 *
 * Errors: as aclrtBinaryLoadFromFile().
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data,
	size_t length, const aclrtBinaryLoadOptions *options,
	aclrtBinHandle *binHandle);

/**
 * aclrtBinaryUnLoad() - unload a binary
 * @binHandle: the binary
 *
 * Its functions and argument lists become invalid.  Launches that were submitted
 * before still run.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * aclrtBinaryGetFunction() - find a kernel by name
 * @binHandle: the binary
 * @kernelName: name of the kernel in the symbol table
 * @funcHandle: set to the function, or to NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID for a name that the binary does not have.
 */
ACL_FUNC_VISIBILITY aclError
aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
	aclrtFuncHandle *funcHandle);

/**
 * aclrtBinaryGetFunctionByEntry() - find a kernel by its tiling key
 * @binHandle: the binary
 * @funcEntry: the key; that of a kernel NAME_123 is 123
 * @funcHandle: set to the function, or to NULL
 *
 * Errors: as aclrtBinaryGetFunction().
 */
ACL_FUNC_VISIBILITY aclError
aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
	aclrtFuncHandle *funcHandle);

/**
 * aclrtBinaryGetDevAddress() - get the address of a binary on the device
 * @binHandle: the binary
 * @binAddr: set to the address of a copy in the memory of the current device
 * @binSize: set to its bytes
 *
 * The first call makes the copy.  Kernels do not run from it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError
aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr,
	size_t *binSize);

/**
 * aclrtBinaryGetGlobal() - find a global variable of kernels (not supported)
 * @binHandle: the binary
 * @name: name of the variable
 * @dptr: unchanged
 * @size: set to the bytes of the variable, if not NULL
 *
 * A variable of an image is in the process that runs kernels, and has no device
 * address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if both @dptr and @size are NULL,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_SYMBOL_NOT_FOUND,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT if @dptr is not NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle,
	const char *name, void **dptr, size_t *size);

/**
 * aclrtRegisterCpuFunc() - register a function of AICPU code (not supported)
 * @handle: a binary
 * @funcName: name of the function
 * @kernelName: name of the kernel
 * @funcHandle: unchanged
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * otherwise ACL_ERROR_RT_PARAM_INVALID: the binary is not for the AICPU.
 */
ACL_FUNC_VISIBILITY aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle,
	const char *funcName, const char *kernelName,
	aclrtFuncHandle *funcHandle);

/**
 * aclrtGetFuncBySymbol() - find the kernel of a function of the host program
 * @symbol: address of the function that the program launches by <<<>>>
 * @funcHandle: set to the function
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_SYMBOL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFuncBySymbol(const void *symbol,
	aclrtFuncHandle *funcHandle);

/**
 * aclrtGetFunctionAddr() - get the addresses of a kernel's code
 * @funcHandle: the function
 * @aicAddr: set to that for cube cores, or to NULL; NULL is allowed
 * @aivAddr: set to that for vector cores, or to NULL; NULL is allowed
 *
 * The addresses are in the copy of aclrtBinaryGetDevAddress().
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_INVALID_PARAM if both are NULL,
 * and as aclrtBinaryGetDevAddress().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle,
	void **aicAddr, void **aivAddr);

/**
 * aclrtGetFunctionSize() - get the size of a kernel's code
 * @funcHandle: the function
 * @aicSize: set to the bytes for cube cores
 * @aivSize: set to the bytes for vector cores
 *
 * Sizes are 0 for a file without a symbol table.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle,
	size_t *aicSize, size_t *aivSize);

/**
 * aclrtGetFunctionName() - get the name of a kernel
 * @funcHandle: the function
 * @maxLen: bytes at @name, at least 1
 * @name: set to the name, which is truncated if it is too long
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle,
	uint32_t maxLen, char *name);

/**
 * aclrtGetFunctionAttribute() - get a property of a kernel
 * @funcHandle: the function
 * @attrType: the property
 * @attrValue: set to an aclrtKernelType; to cube and vector cores of a group,
 *	as (cube cores << 16 | vector cores); or to the scheduling mode
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown @attrType.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
	aclrtFuncAttribute attrType, int64_t *attrValue);

/**
 * aclrtFunctionGetBinary() - get the binary of a function
 * @funcHandle: the function
 * @binHandle: set to the binary
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError
aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle,
	aclrtBinHandle *binHandle);

/**
 * aclrtFunctionGetParamCount() - get the number of parameters of a kernel
 * @func: a function, or the address of a host function as in
 *	aclrtGetFuncBySymbol()
 * @paramCount: set to the number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the binary does not record it.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamCount(const void *func,
	size_t *paramCount);

/**
 * aclrtFunctionGetParamInfo() - get the place of a parameter
 * @func: as aclrtFunctionGetParamCount()
 * @paramIndex: its index
 * @paramOffset: set to its offset in the argument block
 * @paramSize: set to its bytes
 *
 * Errors: as aclrtFunctionGetParamCount(), and ACL_ERROR_RT_PARAM_INVALID for too
 * large an index.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamInfo(const void *func,
	size_t paramIndex, size_t *paramOffset, size_t *paramSize);

/**
 * aclrtFunctionGetAvailDynUbufPerBlock() - get the unified buffer that a launch
 * can request
 * @func: as aclrtFunctionGetParamCount()
 * @flags: 0
 * @dynamicUbufSize: set to the bytes
 *
 * Errors: as aclrtFunctionGetParamCount(), and ACL_ERROR_RT_PARAM_INVALID for
 * other flags.
 */
ACL_FUNC_VISIBILITY aclError
aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags,
	size_t *dynamicUbufSize);

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
