/* SPDX-License-Identifier: MIT */
/*
 * Binaries of kernels, and the functions in them.
 */
#ifndef ACL_ACL_RT_BINARY_H
#define ACL_ACL_RT_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_exception.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtBinary;

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

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_BINARY_H */
