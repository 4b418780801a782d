/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: those for kernels.  The core runs before a launch
 * is made to fail; launch.c has what fails when it starts.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_KERNEL_H
#define SELFTESTS_LIB_FAIL_NTH_KERNEL_H

#include <sys/mman.h>

#include "acl-kernel.h"
#include "fail_nth_calls.h"

/* The image of kernels.asc, and a file with it. */
static void *image_data;
static size_t image_size;
static char image_file[32];

/*
 * Copy the image to memory.  In a machine of vnpu-vm it is on 9p, where a file is
 * lost if opening it failed without memory.
 */
static __attribute__((constructor)) void copy_image(void)
{
	char path[PATH_MAX];
	int fd = memfd_create("kernels", MFD_CLOEXEC);

	kernels_path(path, sizeof(path));
	image_data = read_all(path, &image_size);
	if (!image_data || fd < 0 ||
	    write(fd, image_data, image_size) != (ssize_t)image_size) {
		perror(path);
		exit(1);
	}
	snprintf(image_file, sizeof(image_file), "/proc/self/fd/%d", fd);
}

static inline const void *image(size_t *size)
{
	*size = image_size;
	return image_data;
}

static inline const char *image_path(void)
{
	return image_file;
}

static aclError with_binary(struct world *w)
{
	return aclrtBinaryLoadFromFile(image_path(), NULL, &w->bin);
}

static aclError with_function(struct world *w)
{
	aclError err = with_binary(w);

	return err ? err : aclrtBinaryGetFunction(w->bin, "keyed_23", &w->func);
}

static aclError with_args(struct world *w)
{
	aclError err = with_function(w);

	if (!err)
		err = aclrtKernelArgsInit(w->func, &w->args);
	if (!err)
		err = aclrtKernelArgsAppend(w->args, &w->work.dev, 8, &w->param);
	return err;
}

static aclError launch_once(struct world *w)
{
	return aclrtLaunchKernelWithHostArgs(w->func, 1, w->work.a, NULL,
					     &w->work.dev, 8, NULL, 0);
}

static aclError with_core(struct world *w)
{
	aclError err = with_args(w);

	if (!err)
		err = aclrtKernelArgsFinalize(w->args);
	if (!err)
		err = aclrtBinaryGetFunction(w->bin, "nothing", &w->func);
	if (!err)
		err = launch_once(w);
	return err ? err : aclrtSynchronizeStream(w->work.a);
}

CALL(create_binary, {
	size_t size;
	const void *data = image(&size);

	w->raw = aclrtCreateBinary(data, size);
	return made(w->raw);
})

CALL(destroy_binary, {
	return END(w, raw, aclrtDestroyBinary(w->raw));
})

CALL(load_raw, {
	return aclrtBinaryLoad(w->raw, &w->bin);
})

CALL(load_data, {
	size_t size;
	const void *data = image(&size);

	return aclrtBinaryLoadFromData(data, size, NULL, &w->bin);
})

CALL(unload, {
	return END(w, bin, aclrtBinaryUnLoad(w->bin));
})

CALL(launch_device_args, {
	return aclrtLaunchKernel(w->func, 1, w->work.dev, 8, w->work.a);
})

CALL(launch_device_args_v2, {
	return aclrtLaunchKernelV2(w->func, 1, w->work.dev, 8, NULL,
				   w->work.a);
})

CALL(launch_list, {
	return aclrtLaunchKernelWithConfig(w->func, 1, w->work.a, NULL,
					   w->args, NULL);
})

CALL(launch_array, {
	void *array[] = { &w->work.dev };

	return aclrtLaunchKernelWithArgsArray(w->func, 1, w->work.a, NULL,
					      array);
})

CALL(launch_host_args, {
	return launch_once(w);
})

/* A model whose only task is a group. */
static aclError with_group(struct world *w)
{
	aclError err = with_core(w);

	if (!err)
		err = aclmdlRICaptureBegin(w->work.a,
					   ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	w->is_captured = !err;
	if (!err)
		err = aclmdlRICaptureTaskGrpBegin(w->work.a);
	if (!err)
		err = launch_once(w);
	if (!err)
		err = aclmdlRICaptureTaskGrpEnd(w->work.a, &w->group);
	w->is_captured = false;
	return err ? err : aclmdlRICaptureEnd(w->work.a, &w->model);
}

CALL(begin_update, {
	aclError err = aclmdlRICaptureTaskUpdateBegin(w->work.b, w->group);

	w->is_updating = !err;
	return err;
})

static aclError with_update(struct world *w)
{
	aclError err = with_group(w);

	if (!err)
		err = call_begin_update(w);
	return err ? err : aclrtLaunchKernelWithHostArgs(w->func, 1,
			w->work.b, NULL, &w->work.dev, 8, NULL, 0);
}

CALL(end_update, {
	w->is_updating = false;
	return aclmdlRICaptureTaskUpdateEnd(w->work.b);
})

/* The launch of the model, as a task. */
static aclError with_launch(struct world *w)
{
	aclError err = with_group(w);
	uint32_t count = 1;

	if (!err)
		err = aclmdlRIGetStreams(w->model, &w->model_stream, &count);
	return err ? err : aclmdlRIGetTasksByStream(w->model_stream,
						    &w->model_task, &count);
}

CALL(task_attribute, {
	aclrtLaunchKernelAttrValue value;

	return aclmdlRIKernelTaskGetAttribute(w->model_task,
			ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value);
})

CALL(set_launch, {
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_KERNEL,
		.kernelTaskParams = {
			.funcHandle = w->func, .args = &w->work.dev,
			.isHostArgs = 1, .argsSize = 8, .numBlocks = 1,
		},
	};

	return aclmdlRITaskSetParams(w->model_task, &params);
})

#define KERNEL_ROWS(ROW)						\
	ROW(aclrtBinaryLoadFromFile, NULL, (image_path(), NULL, &w->bin)) \
	ROW(aclrtBinaryGetFunction, with_binary,			\
	    (w->bin, "add", &w->func))					\
	ROW(aclrtBinaryGetFunctionByEntry, with_binary,			\
	    (w->bin, 23, &w->func))					\
	ROW(aclrtBinaryGetDevAddress, with_binary,			\
	    (w->bin, result(0), result(1)))				\
	ROW(aclrtGetFunctionAddr, with_function,			\
	    (w->func, result(0), result(1)))				\
	ROW(aclrtGetFunctionSize, with_function,			\
	    (w->func, result(0), result(1)))				\
	ROW(aclrtGetFunctionName, with_function, (w->func, 16, result(0))) \
	ROW(aclrtGetFunctionAttribute, with_function,			\
	    (w->func, ACL_FUNC_ATTR_KERNEL_TYPE, result(0)))		\
	ROW(aclrtFunctionGetBinary, with_function, (w->func, result(0))) \
	ROW(aclrtFunctionGetParamCount, with_function,			\
	    (w->func, result(0)))					\
	ROW(aclrtFunctionGetParamInfo, with_function,			\
	    (w->func, 0, result(0), result(1)))				\
	ROW(aclrtFunctionGetAvailDynUbufPerBlock, with_function,	\
	    (w->func, 0, result(0)))					\
	ROW(aclrtBinarySetExceptionCallback, with_function,		\
	    (w->bin, ignore_exception, NULL))				\
	ROW(aclrtKernelArgsInit, with_function, (w->func, &w->args))	\
	ROW(aclrtKernelArgsInitByUserMem, with_function,		\
	    (w->func, result(0), result(1), 64))			\
	ROW(aclrtKernelArgsGetHandleMemSize, with_function,		\
	    (w->func, result(0)))					\
	ROW(aclrtKernelArgsGetMemSize, with_function,			\
	    (w->func, 64, result(0)))					\
	ROW(aclrtKernelArgsAppend, with_args,				\
	    (w->args, &w->work.dev, 8, result(0)))			\
	ROW(aclrtKernelArgsAppendPlaceHolder, with_args,		\
	    (w->args, result(0)))					\
	ROW(aclrtKernelArgsParaUpdate, with_args,			\
	    (w->args, w->param, &w->work.dev, 8))			\
	ROW(aclrtKernelArgsFinalize, with_args, (w->args))		\
	ROW(aclrtGetHardwareSyncAddr, NULL, (result(0)))

static void ignore_exception(aclrtExceptionInfo *info, void *data)
{
	(void)info;
	(void)data;
}

KERNEL_ROWS(ROW_CALL)

static const struct sweep kernels_calls[] = {
	KERNEL_ROWS(ROW_ENTRY)
	{ "aclrtCreateBinary", NULL, call_create_binary, false, 0 },
	{ "aclrtDestroyBinary", call_create_binary, call_destroy_binary,
	  false, 0 },
	{ "aclrtBinaryLoad", call_create_binary, call_load_raw, false, 0 },
	{ "aclrtBinaryLoadFromData", NULL, call_load_data, false, 0 },
	{ "aclrtBinaryUnLoad", with_core, call_unload, false, 0 },
	{ "aclrtLaunchKernel", with_core, call_launch_device_args, false, 0 },
	{ "aclrtLaunchKernelV2", with_core, call_launch_device_args_v2, false,
	  0 },
	{ "aclrtLaunchKernelWithConfig", with_core, call_launch_list, false,
	  0 },
	{ "aclrtLaunchKernelWithArgsArray", with_core, call_launch_array,
	  false, 0 },
	{ "aclrtLaunchKernelWithHostArgs", with_core, call_launch_host_args,
	  false, 0 },
	{ "aclmdlRICaptureTaskUpdateBegin", with_group, call_begin_update,
	  true, 0 },
	{ "aclmdlRICaptureTaskUpdateEnd", with_update, call_end_update, true,
	  0 },
	{ "aclmdlRIKernelTaskGetAttribute", with_launch, call_task_attribute,
	  false, 0 },
	{ "aclmdlRITaskSetParams", with_launch, call_set_launch, true, 0 },
	{ 0 }
};

#endif
