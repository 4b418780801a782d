// SPDX-License-Identifier: MIT
/*
 * Calls that launch kernels.  They differ in the form of the arguments.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/gate.h"
#include "kernel/args.h"
#include "mem/pinned.h"
#include "runtime/context.h"
#include "launch.h"

#define SYNC_BYTES	4096

static aclError launch_with_device_args(aclrtFuncHandle handle, uint32_t blocks,
					const void *args, size_t size,
					const aclrtLaunchKernelCfg *config,
					aclrtStream stream)
{
	struct vnpu_launch launch = {
		.stream = stream,
		.blocks = blocks,
		.args = vnpu_ptr_to_u64(args),
		.args_size = size,
	};
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_function_get(handle, &launch.function);
	if (ret)
		return ret;
	ret = vnpu_launch_check_device("argsData", args, size);
	if (!ret)
		ret = vnpu_function_check_args(launch.function,
					       &launch.args_size);
	if (!ret)
		ret = vnpu_launch_configure(config, &launch);
	if (!ret)
		ret = vnpu_launch_submit(&launch);
	vnpu_function_put(launch.function);
	return ret;
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
			   const void *argsData, size_t argsSize,
			   aclrtStream stream)
{
	VNPU_CALL();

	return launch_with_device_args(funcHandle, numBlocks, argsData,
				       argsSize, NULL, stream);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
			     const void *argsData, size_t argsSize,
			     aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	VNPU_CALL();

	return launch_with_device_args(funcHandle, numBlocks, argsData,
				       argsSize, cfg, stream);
}

/* A list of arguments, and the kernel that gets them as parameters. */
struct list {
	const struct vnpu_args *args;
	const struct vnpu_function *function;
};

static void write_list(const void *from, char *to, uint64_t va)
{
	const struct list *list = from;

	vnpu_args_write(list->args, list->function, to, va);
}

static aclError launch_list(struct vnpu_launch *launch,
			    const aclrtLaunchKernelCfg *config,
			    const struct vnpu_args *args)
{
	struct list list = { args, launch->function };
	aclError ret;

	if (!args->is_final)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the list of arguments is not final; call aclrtKernelArgsFinalize first");
	launch->write = write_list;
	launch->from = &list;
	ret = vnpu_args_size(args, launch->function, &launch->args_size);
	if (!ret)
		ret = vnpu_launch_configure(config, launch);
	return ret ? ret : vnpu_launch_submit(launch);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
				     uint32_t numBlocks, aclrtStream stream,
				     aclrtLaunchKernelCfg *cfg,
				     aclrtArgsHandle argsHandle, void *reserve)
{
	VNPU_CALL();
	struct vnpu_launch launch = { .stream = stream, .blocks = numBlocks };
	struct vnpu_args *args;
	aclError ret;

	vnpu_gate_pass();
	if (reserve)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"reserve = %p is reserved; pass NULL", reserve);
	ret = vnpu_function_get(funcHandle, &launch.function);
	if (ret)
		return ret;
	ret = vnpu_args_get(argsHandle, &args);
	if (!ret) {
		ret = launch_list(&launch, cfg, args);
		vnpu_args_put(args);
	}
	vnpu_function_put(launch.function);
	return ret;
}

/* Arguments of the host, and the addresses to fill in. */
struct host_args {
	const void *data;
	size_t size;
	const aclrtPlaceHolderInfo *places;
	size_t count;
	size_t whole;		/* bytes of the block */
};

static void write_host_args(const void *from, char *to, uint64_t va)
{
	const struct host_args *args = from;

	if (args->size)
		memcpy(to, args->data, args->size);
	memset(to + args->size, 0, args->whole - args->size);
	for (size_t i = 0; i < args->count; i++) {
		uint64_t address = va + args->places[i].dataOffset;

		memcpy(to + args->places[i].addrOffset, &address,
		       sizeof(address));
	}
}

static aclError check_host_args(const struct host_args *args)
{
	aclError ret = vnpu_launch_check_host("hostArgs", args->data,
					      args->size);

	if (ret)
		return ret;
	if (args->count && !args->places)
		return vnpu_error_null("placeHolderArray");
	for (size_t i = 0; i < args->count; i++) {
		const aclrtPlaceHolderInfo *place = &args->places[i];

		if (place->addrOffset + sizeof(uint64_t) > args->size ||
		    place->dataOffset >= args->size)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"placeHolderArray[%zu] has the offsets %u and %u, outside of the %zu bytes of arguments",
				i, place->addrOffset, place->dataOffset,
				args->size);
	}
	return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
				       uint32_t numBlocks, aclrtStream stream,
				       aclrtLaunchKernelCfg *cfg,
				       void *hostArgs, size_t argsSize,
				       aclrtPlaceHolderInfo *placeHolderArray,
				       size_t placeHolderNum)
{
	VNPU_CALL();
	struct host_args args = {
		hostArgs, argsSize, placeHolderArray, placeHolderNum, argsSize
	};
	struct vnpu_launch launch = {
		.stream = stream,
		.blocks = numBlocks,
		.args_size = argsSize,
		.write = write_host_args,
		.from = &args,
	};
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_function_get(funcHandle, &launch.function);
	if (ret)
		return ret;
	ret = check_host_args(&args);
	if (!ret)
		ret = vnpu_function_check_args(launch.function, &args.whole);
	launch.args_size = args.whole;
	if (!ret)
		ret = vnpu_launch_configure(cfg, &launch);
	if (!ret)
		ret = vnpu_launch_submit(&launch);
	vnpu_function_put(launch.function);
	return ret;
}

/* One pointer for each argument. */
struct array {
	void **values;
	const struct vnpu_function *function;
};

static void write_array(const void *from, char *to, uint64_t va)
{
	const struct array *array = from;
	const struct vnpu_function *function = array->function;
	uint32_t offset, size;

	(void)va;
	memset(to, 0, vnpu_function_entry(function)->args_size);
	for (uint32_t i = 0; vnpu_image_param(&function->binary->image,
					      function->index, i, &offset,
					      &size); i++)
		memcpy(to + offset, array->values[i], size);
}

static aclError check_array(const struct array *array)
{
	const struct vnpu_function *function = array->function;
	const struct vnpu_kernel_entry *entry = vnpu_function_entry(function);
	uint32_t offset, size;

	if (function->binary->image.is_foreign)
		return vnpu_binary_foreign(function);
	if (entry->param_count && !array->values)
		return vnpu_error_null("args");
	if (entry->args_size > VNPU_LAUNCH_ARGS_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the kernel's %u bytes of arguments are too many",
			entry->args_size);
	for (uint32_t i = 0; vnpu_image_param(&function->binary->image,
					      function->index, i, &offset,
					      &size); i++) {
		if (!array->values[i])
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"args[%u] is NULL; pass the address of the argument",
				i);
		if (offset > entry->args_size ||
		    size > entry->args_size - offset)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"the binary places parameter %u outside of its arguments",
				i);
	}
	return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks,
					aclrtStream stream,
					aclrtLaunchKernelCfg *cfg, void **args)
{
	VNPU_CALL();
	struct vnpu_launch launch = { .stream = stream, .blocks = numBlocks };
	struct array array = { .values = args };
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_function_get_any(func, &launch.function);
	if (ret)
		return ret;
	array.function = launch.function;
	launch.args_size = vnpu_function_entry(launch.function)->args_size;
	launch.write = write_array;
	launch.from = &array;
	ret = check_array(&array);
	if (!ret)
		ret = vnpu_launch_configure(cfg, &launch);
	if (!ret)
		ret = vnpu_launch_submit(&launch);
	vnpu_function_put(launch.function);
	return ret;
}

static aclError refuse_simt(const void *func)
{
	struct vnpu_function *function;
	aclError ret = vnpu_function_get_any(func, &function);

	if (ret)
		return ret;
	vnpu_function_put(function);
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"SIMT kernels are not supported; launch a kernel of blocks without threads");
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim,
					    dim3 blockDim, size_t dynUbufSize,
					    aclrtStream stream,
					    aclrtLaunchKernelCfg *cfg,
					    void **args)
{
	VNPU_CALL();

	(void)gridDim;
	(void)blockDim;
	(void)dynUbufSize;
	(void)stream;
	(void)cfg;
	(void)args;
	return refuse_simt(func);
}

aclError
aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim,
				  size_t dynUbufSize, aclrtStream stream,
				  aclrtLaunchKernelCfg *cfg, void *hostArgs,
				  size_t argsSize,
				  aclrtPlaceHolderInfo *placeHolderArray,
				  size_t placeHolderNum)
{
	VNPU_CALL();

	(void)gridDim;
	(void)blockDim;
	(void)dynUbufSize;
	(void)stream;
	(void)cfg;
	(void)hostArgs;
	(void)argsSize;
	(void)placeHolderArray;
	(void)placeHolderNum;
	return refuse_simt(func);
}

/* One page for all devices, which is kept. */
aclError aclrtGetHardwareSyncAddr(void **addr)
{
	VNPU_CALL();
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t page;
	struct vnpu_current current;
	void *host;
	aclError ret;
	int err = 0;

	if (!addr)
		return vnpu_error_null("addr");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (!page)
		err = vnpu_pinned_alloc(SYNC_BYTES, &host, &page);
	if (err)
		page = 0;
	*addr = vnpu_u64_to_ptr(page);
	pthread_mutex_unlock(&lock);
	return err ? vnpu_error_errno(err, "allocating memory") :
		     ACL_SUCCESS;
}
