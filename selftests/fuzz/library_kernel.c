// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for kernels.  The fuzzer has no image of kernels: it only has binaries that it
 * finds, and no launch reaches a core.
 */
#include <vnpu/kernel.h>

#include "acl/acl_rt_compile.h"

#include "library.h"

static const void *bytes(struct worker *w)
{
	return below(w, 8) ? out(w, 4) : NULL;
}

static const char *name_of(struct worker *w)
{
	static const char *const names[] = {
		"add", "", "/proc/self/exe", "/dev/null", "/none"
	};

	return names[below(w, 5)];
}

static aclrtBinaryLoadOptions *options(struct worker *w)
{
	aclrtBinaryLoadOptions *options = out(w, 5);

	options->options = out(w, 4);
	options->numOpt = below(w, 3);
	return below(w, 2) ? options : NULL;
}

static aclrtLaunchKernelCfg *config(struct worker *w)
{
	aclrtLaunchKernelCfg *config = out(w, 5);

	config->attrs = out(w, 4);
	config->numAttrs = below(w, 3);
	return below(w, 2) ? config : NULL;
}

static aclError fuzz_aclrtCreateBinary(struct worker *w)
{
	aclrtBinary raw = aclrtCreateBinary(bytes(w), below(w, PAGE_BYTES));
	aclrtBinHandle bin;
	aclError ret;

	if (!raw)
		return ACL_ERROR_FAILURE;
	ret = aclrtBinaryLoad(raw, &bin);
	if (!ret)
		aclrtBinaryUnLoad(bin);
	return aclrtDestroyBinary(raw);
}

/* A program that is not compiled, which would take a second. */
static aclError fuzz_aclrtcCreateProg(struct worker *w)
{
	aclrtcProg prog;
	aclError ret = aclrtcCreateProg(&prog, name_of(w), name_of(w),
					below(w, 2), NULL, NULL);

	if (!ret)
		ret = aclrtcDestroyProg(&prog);
	return ret;
}

static aclError fuzz_aclrtcDestroyProg(struct worker *w)
{
	aclrtcProg prog = any(w);

	return aclrtcDestroyProg(&prog);
}

/* A list of arguments: memory that may hold one, or any other value. */
static void *list(struct worker *w)
{
	return below(w, 2) ? out(w, 0) : any(w);
}

#define KERNEL_ROWS(ROW)						\
	ROW(aclrtDestroyBinary, (any(w)))				\
	ROW(aclrtBinaryLoad, (any(w), out(w, 0)))			\
	ROW(aclrtBinaryLoadFromFile, (name_of(w), options(w), out(w, 0))) \
	ROW(aclrtBinaryLoadFromData,					\
	    (bytes(w), below(w, PAGE_BYTES), options(w), out(w, 0)))	\
	ROW(aclrtBinaryUnLoad, (any(w)))				\
	ROW(aclrtBinaryGetFunction, (any(w), name_of(w), out(w, 0)))	\
	ROW(aclrtBinaryGetFunctionByEntry, (any(w), below(w, 9), out(w, 0))) \
	ROW(aclrtBinaryGetDevAddress, (any(w), out(w, 0), out(w, 1)))	\
	ROW(aclrtBinaryGetGlobal,					\
	    (any(w), name_of(w), out(w, 0), out(w, 1)))			\
	ROW(aclrtRegisterCpuFunc,					\
	    (any(w), name_of(w), name_of(w), out(w, 0)))		\
	ROW(aclrtGetFuncBySymbol, (any(w), out(w, 0)))			\
	ROW(aclrtGetSymbolAddress, (any(w), out(w, 0)))			\
	ROW(aclrtGetSymbolSize, (any(w), out(w, 0)))			\
	ROW(aclrtMemcpyFromSymbol, (out(w, 0), 8, any(w), 8, 0, below(w, 9))) \
	ROW(aclrtMemcpyFromSymbolAsync,					\
	    (out(w, 0), 8, any(w), 8, 0, below(w, 9), any(w)))		\
	ROW(aclrtMemcpyToSymbol, (any(w), out(w, 0), 8, 0, below(w, 9)))	\
	ROW(aclrtMemcpyToSymbolAsync,					\
	    (any(w), out(w, 0), 8, 0, below(w, 9), any(w)))		\
	ROW(aclrtGetFunctionAddr, (any(w), out(w, 0), out(w, 1)))	\
	ROW(aclrtGetFunctionSize, (any(w), out(w, 0), out(w, 1)))	\
	ROW(aclrtGetFunctionName, (any(w), below(w, 64), out(w, 0)))	\
	ROW(aclrtGetFunctionAttribute, (any(w), below(w, 5), out(w, 0))) \
	ROW(aclrtFunctionGetBinary, (any(w), out(w, 0)))		\
	ROW(aclrtFunctionGetParamCount, (any(w), out(w, 0)))		\
	ROW(aclrtFunctionGetParamInfo,					\
	    (any(w), below(w, 5), out(w, 0), out(w, 1)))		\
	ROW(aclrtFunctionGetAvailDynUbufPerBlock,			\
	    (any(w), below(w, 2), out(w, 0)))				\
	ROW(aclrtKernelArgsInit, (any(w), out(w, 0)))			\
	ROW(aclrtKernelArgsInitByUserMem,				\
	    (any(w), out(w, 0), out(w, 1), below(w, PAGE_BYTES)))	\
	ROW(aclrtKernelArgsGetHandleMemSize, (any(w), out(w, 0)))	\
	ROW(aclrtKernelArgsGetMemSize, (any(w), size_of(w), out(w, 0)))	\
	ROW(aclrtKernelArgsAppend, (list(w), out(w, 0), 8, out(w, 1)))	\
	ROW(aclrtKernelArgsAppendPlaceHolder, (list(w), out(w, 0)))	\
	ROW(aclrtKernelArgsGetPlaceHolderBuffer,			\
	    (list(w), any(w), below(w, PAGE_BYTES), out(w, 0)))	\
	ROW(aclrtKernelArgsParaUpdate, (list(w), any(w), out(w, 0), 8)) \
	ROW(aclrtKernelArgsFinalize, (list(w)))			\
	ROW(aclrtLaunchKernel,						\
	    (any(w), below(w, 9), device_address(w), below(w, 64),	\
	     handle(w, STREAM)))					\
	ROW(aclrtLaunchKernelV2,					\
	    (any(w), below(w, 9), device_address(w), below(w, 64),	\
	     config(w), handle(w, STREAM)))				\
	ROW(aclrtLaunchKernelWithConfig,				\
	    (any(w), below(w, 9), handle(w, STREAM), config(w),		\
	     list(w), NULL))						\
	ROW(aclrtLaunchKernelWithHostArgs,				\
	    (any(w), below(w, 9), handle(w, STREAM), config(w),		\
	     out(w, 0), below(w, 64), out(w, 1), below(w, 3)))		\
	ROW(aclrtLaunchKernelWithArgsArray,				\
	    (any(w), below(w, 9), handle(w, STREAM), config(w), out(w, 0))) \
	ROW(aclrtLaunchSIMTKernelWithArgsArray,				\
	    (any(w), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0,		\
	     handle(w, STREAM), config(w), out(w, 0)))			\
	ROW(aclrtLaunchSIMTKernelWithHostArgs,				\
	    (any(w), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0,		\
	     handle(w, STREAM), config(w), out(w, 0), 8, NULL, 0))	\
	ROW(aclrtcAddNameExpr, (any(w), name_of(w)))			\
	ROW(aclrtcCompileProg, (any(w), 0, NULL))			\
	ROW(aclrtcGetBinData, (any(w), out(w, 0)))			\
	ROW(aclrtcGetBinDataSize, (any(w), out(w, 0)))			\
	ROW(aclrtcGetCompileLog, (any(w), out(w, 0)))			\
	ROW(aclrtcGetCompileLogSize, (any(w), out(w, 0)))		\
	ROW(aclrtcGetLoweredName, (any(w), name_of(w), out(w, 0)))	\
	ROW(aclrtGetHardwareSyncAddr, (out(w, 0)))

KERNEL_ROWS(ROW_CALL)

/* A unit without an image, whose launches fail. */
static aclError with_unit(struct worker *w, bool is_registered)
{
	struct vnpu_launch_config config = {
		.size = sizeof(config),
		.blocks = below(w, 9),
		.threads = below(w, 3),
		.stream = handle(w, STREAM),
	};
	struct vnpu_unit unit = {
		.size = sizeof(unit),
		.abi = below(w, 3),
		.image = out(w, 0),
		.image_size = below(w, PAGE_BYTES),
	};

	if (is_registered)
		vnpu_unit_register(&unit);
	*vnpu_launch_current() = &config;
	vnpu_launch(&unit, "add", out(w, 1), below(w, 64));
	*vnpu_launch_current() = NULL;
	vnpu_unit_unregister(&unit);
	return config.result;
}

static aclError fuzz_vnpu_launch(struct worker *w)
{
	return with_unit(w, false);
}

static aclError fuzz_vnpu_unit_register(struct worker *w)
{
	return with_unit(w, true);
}

static aclError fuzz_vnpu_unit_unregister(struct worker *w)
{
	struct vnpu_unit unit = { .size = sizeof(unit) };

	(void)w;
	vnpu_unit_register(&unit);
	vnpu_unit_unregister(&unit);
	return ACL_SUCCESS;
}

static aclError fuzz_vnpu_launch_current(struct worker *w)
{
	(void)w;
	return made(vnpu_launch_current());
}

const struct call kernel_calls[] = {
	CALL(aclrtCreateBinary),
	CALL(aclrtcCreateProg),
	CALL(aclrtcDestroyProg),
	KERNEL_ROWS(ROW_ENTRY)
	CALL(vnpu_launch),
	CALL(vnpu_launch_current),
	CALL(vnpu_unit_register),
	CALL(vnpu_unit_unregister),
	{ NULL, NULL, false },
};
