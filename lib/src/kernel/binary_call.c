// SPDX-License-Identifier: MIT
/*
 * Calls that load binaries and find their functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <vnpu/kernel.h>

#include "base/error.h"
#include "runtime/context.h"
#include "runtime/hooks.h"
#include "binary.h"

/* Binaries of aclrtCreateBinary(). */
struct raw_binary {
	uint64_t handle;
	const void *data;
	size_t size;
};

static aclError check_options(const aclrtBinaryLoadOptions *options)
{
	if (!options || !options->numOpt)
		return ACL_SUCCESS;
	if (!options->options)
		return vnpu_error_null("options->options");
	for (size_t i = 0; i < options->numOpt; i++) {
		switch (options->options[i].type) {
		case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
		case ACL_RT_BINARY_LOAD_OPT_MAGIC:
			break;
		case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
			return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"options[%zu] is for binaries of the AICPU, which this device does not have",
				i);
		default:
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"options[%zu].type = %d is not known; use a value of aclrtBinaryLoadOptionType",
				i, options->options[i].type);
		}
	}
	return ACL_SUCCESS;
}

static aclError load_error(int err, const char *name, const char *why)
{
	if (err == -ENOEXEC)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s is not a binary of kernels: %s", name, why);
	if (err == -EFBIG)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s is too large; a binary has at most 2 GiB", name);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"no host memory or no file descriptor for the binary %s",
			name);
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s cannot be read: %s; pass the path of a binary of kernels",
		name, strerrordesc_np(-err));
}

static aclError load_data(const void *data, size_t size, aclrtBinHandle *handle)
{
	struct vnpu_binary *binary;
	const char *why;
	int ret = vnpu_binary_create(data, size, "data", false, &binary, &why);

	if (ret)
		return load_error(ret, "data", why);
	*handle = vnpu_u64_to_ptr(binary->handle);
	return ACL_SUCCESS;
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
	VNPU_CALL();
	struct raw_binary *raw;

	if (!data || !dataLen) {
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			"data = %p or dataLen = %zu is 0; pass a binary", data,
			dataLen);
		return NULL;
	}
	raw = calloc(1, sizeof(*raw));
	if (raw)
		raw->handle = vnpu_handle_add(VNPU_HANDLE_RAW_BINARY, raw);
	if (!raw || !raw->handle) {
		free(raw);
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a binary");
		return NULL;
	}
	raw->data = data;
	raw->size = dataLen;
	return vnpu_u64_to_ptr(raw->handle);
}

static void raw_put(struct raw_binary *raw)
{
	if (vnpu_handle_put(raw->handle))
		free(raw);
}

static aclError raw_error(aclrtBinary binary)
{
	if (!binary)
		return vnpu_error_null("binary");
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"binary = %p was destroyed, or is not from aclrtCreateBinary",
		binary);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
	VNPU_CALL();
	struct raw_binary *raw = vnpu_handle_remove(VNPU_HANDLE_RAW_BINARY,
						    binary);

	if (!raw)
		return raw_error(binary);
	raw_put(raw);
	return ACL_SUCCESS;
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
	VNPU_CALL();
	struct raw_binary *raw;
	aclError ret;

	if (!binHandle)
		return vnpu_error_null("binHandle");
	raw = vnpu_handle_get(VNPU_HANDLE_RAW_BINARY, binary);
	if (!raw)
		return raw_error(binary);
	ret = load_data(raw->data, raw->size, binHandle);
	raw_put(raw);
	return ret;
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
				 const aclrtBinaryLoadOptions *options,
				 aclrtBinHandle *binHandle)
{
	VNPU_CALL();
	aclError ret;

	if (!data)
		return vnpu_error_null("data");
	if (!binHandle)
		return vnpu_error_null("binHandle");
	ret = check_options(options);
	return ret ? ret : load_data(data, length, binHandle);
}

aclError aclrtBinaryLoadFromFile(const char *binPath,
				 aclrtBinaryLoadOptions *options,
				 aclrtBinHandle *binHandle)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	const char *why = NULL;
	int file, ret;
	aclError code;

	if (!binPath)
		return vnpu_error_null("binPath");
	if (!binHandle)
		return vnpu_error_null("binHandle");
	code = check_options(options);
	if (code)
		return code;
	/* Not blocking: it might be a pipe. */
	file = open(binPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return load_error(-errno, binPath, why);
	ret = vnpu_binary_create_from(file, binPath, &binary, &why);
	close(file);
	if (ret)
		return load_error(ret, binPath, why);
	*binHandle = vnpu_u64_to_ptr(binary->handle);
	return ACL_SUCCESS;
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	aclError ret = vnpu_binary_get(binHandle, &binary);
	bool is_mine;

	if (ret)
		return ret;
	/* aclrtFunctionGetBinary() also returns such a handle. */
	if (binary->is_unit) {
		vnpu_binary_put(binary);
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"binHandle = %p is part of the program, and is unloaded with it",
			binHandle);
	}
	is_mine = vnpu_handle_remove(VNPU_HANDLE_BINARY, binHandle);
	if (is_mine) {
		vnpu_hooks_set_binary(binary->handle, NULL, NULL);
		vnpu_binary_unload(binary);
	}
	vnpu_binary_put(binary);
	if (!is_mine)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"binHandle = %p was unloaded during the call",
			binHandle);
	return ACL_SUCCESS;
}

/* Get the handle of a kernel's function. */
static aclError get_function(struct vnpu_binary *binary, uint32_t index,
			     aclrtFuncHandle *handle)
{
	struct vnpu_function *function = vnpu_binary_function(binary, index);

	if (!function)
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
				  "no host memory for a function");
	*handle = vnpu_u64_to_ptr(function->handle);
	vnpu_function_put(function);
	return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
				const char *kernelName,
				aclrtFuncHandle *funcHandle)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	uint32_t index;
	aclError ret;

	if (!kernelName)
		return vnpu_error_null("kernelName");
	if (!funcHandle)
		return vnpu_error_null("funcHandle");
	*funcHandle = NULL;
	ret = vnpu_binary_get(binHandle, &binary);
	if (ret)
		return ret;
	index = vnpu_image_find_symbol(&binary->image, kernelName);
	if (index != VNPU_KERNEL_NONE)
		ret = get_function(binary, index, funcHandle);
	else
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s has no kernel %s, but %u others%s%.*s; pass a name of its symbol table, which is a mangled one without extern \"C\"",
			binary->name, kernelName, binary->image.count,
			binary->image.count ? " such as " : "",
			binary->image.count ?
			(int)binary->image.kernels[0].length : 0,
			binary->image.count ?
			binary->image.kernels[0].symbol : "");
	vnpu_binary_put(binary);
	return ret;
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
				       uint64_t funcEntry,
				       aclrtFuncHandle *funcHandle)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	uint32_t index;
	aclError ret;

	if (!funcHandle)
		return vnpu_error_null("funcHandle");
	*funcHandle = NULL;
	ret = vnpu_binary_get(binHandle, &binary);
	if (ret)
		return ret;
	index = vnpu_image_find_entry(&binary->image, funcEntry);
	if (index != VNPU_KERNEL_NONE)
		ret = get_function(binary, index, funcHandle);
	else
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"%s has no kernel with the entry %llu, which would be NAME_%llu",
			binary->name, (unsigned long long)funcEntry,
			(unsigned long long)funcEntry);
	vnpu_binary_put(binary);
	return ret;
}

static aclError address_of(struct vnpu_binary *binary, uint64_t *va)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);
	int err;

	if (ret)
		return ret;
	err = vnpu_binary_address(binary, va);
	return err ? vnpu_error_errno(err, "copying a binary") :
		     ACL_SUCCESS;
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle,
				  void **binAddr, size_t *binSize)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	uint64_t va;
	aclError ret;

	if (!binAddr)
		return vnpu_error_null("binAddr");
	if (!binSize)
		return vnpu_error_null("binSize");
	ret = vnpu_binary_get(binHandle, &binary);
	if (ret)
		return ret;
	ret = address_of(binary, &va);
	if (!ret) {
		*binAddr = vnpu_u64_to_ptr(va);
		*binSize = binary->size;
	}
	vnpu_binary_put(binary);
	return ret;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr,
			      void **aivAddr)
{
	VNPU_CALL();
	struct vnpu_function *function;
	uint64_t va;
	aclError ret;

	if (!aicAddr && !aivAddr)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"aicAddr and aivAddr are NULL; pass a pointer for at least one");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	ret = address_of(function->binary, &va);
	if (!ret) {
		va += vnpu_function_entry(function)->address;
		if (aicAddr)
			*aicAddr = function->cores & VNPU_CORE_CUBE ?
				   vnpu_u64_to_ptr(va) : NULL;
		if (aivAddr)
			*aivAddr = function->cores & VNPU_CORE_VECTOR ?
				   vnpu_u64_to_ptr(va) : NULL;
	}
	vnpu_function_put(function);
	return ret;
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name,
			      void **dptr, size_t *size)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	uint64_t address, length;
	aclError ret;

	if (!name)
		return vnpu_error_null("name");
	if (!dptr && !size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dptr and size are NULL; pass a pointer for at least one");
	ret = vnpu_binary_get(binHandle, &binary);
	if (ret)
		return ret;
	if (!vnpu_image_find_global(&binary->image, name, &address, &length))
		ret = vnpu_error(ACL_ERROR_RT_SYMBOL_NOT_FOUND,
			"%s has no variable %s", binary->name, name);
	else if (dptr)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"variable %s is in the process that runs kernels, and has no device address; pass memory of aclrtMalloc to the kernel",
			name);
	else
		*size = length;
	vnpu_binary_put(binary);
	return ret;
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle,
			      const char *funcName, const char *kernelName,
			      aclrtFuncHandle *funcHandle)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	aclError ret;

	if (!funcName)
		return vnpu_error_null("funcName");
	if (!kernelName)
		return vnpu_error_null("kernelName");
	if (!funcHandle)
		return vnpu_error_null("funcHandle");
	ret = vnpu_binary_get(handle, &binary);
	if (ret)
		return ret;
	ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s is for AI cores, not for the AICPU; use aclrtBinaryGetFunction",
		binary->name);
	vnpu_binary_put(binary);
	return ret;
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
					 aclrtOpExceptionCallback callback,
					 void *userData)
{
	VNPU_CALL();
	struct vnpu_binary *binary;
	aclError ret;

	if (!callback)
		return vnpu_error_null("callback");
	ret = vnpu_binary_get(binHandle, &binary);
	if (ret)
		return ret;
	if (vnpu_hooks_set_binary(binary->handle, callback, userData))
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a registration");
	vnpu_binary_put(binary);
	return ret;
}
