/* SPDX-License-Identifier: MIT */
/*
 * The AscendCL runtime. This header declares start and end, messages, versions and
 * contexts, and includes the other parts, acl_rt_*.h.
 *
 * Rules for every call, unless its comment says otherwise:
 *
 * - Any thread may call it, at any time.  The current context, the last error
 *   and the recent message belong to the calling thread.
 * - It returns ACL_SUCCESS, or an error code with its outputs unchanged.
 *   ACL_ERROR_INVALID_PARAM stands for a NULL pointer or a zero size where
 *   neither is allowed; it leaves the last error unchanged.  All other codes
 *   listed are runtime errors and set the last error.  For either,
 *   aclGetRecentErrMsg() has a message.
 * - A call that needs a context returns ACL_ERROR_RT_CONTEXT_NULL in a thread
 *   without one.  Device numbers are those of the process: see
 *   ASCEND_RT_VISIBLE_DEVICES in libvnpu(7).
 * - A stale or invalid handle gives ACL_ERROR_RT_INVALID_HANDLE.
 * - After fork() the child cannot use objects of the parent: its calls fail,
 *   and neither harm nor delay the parent.
 *
 * The rules come from the AscendCL page of each call, or from the published
 * behaviour of CANN 8 and 9 where that page is silent.
 */
#ifndef ACL_ACL_RT_H
#define ACL_ACL_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"
#include "acl_rt_allocator.h"
#include "acl_rt_binary.h"
#include "acl_rt_cache.h"
#include "acl_rt_callback.h"
#include "acl_rt_copy.h"
#include "acl_rt_device.h"
#include "acl_rt_dump.h"
#include "acl_rt_event.h"
#include "acl_rt_exception.h"
#include "acl_rt_ipc.h"
#include "acl_rt_kernel.h"
#include "acl_rt_label.h"
#include "acl_rt_limit.h"
#include "acl_rt_managed.h"
#include "acl_rt_mbuf.h"
#include "acl_rt_memory.h"
#include "acl_rt_model.h"
#include "acl_rt_model_build.h"
#include "acl_rt_model_cond.h"
#include "acl_rt_model_edit.h"
#include "acl_rt_model_group.h"
#include "acl_rt_notify.h"
#include "acl_rt_peer.h"
#include "acl_rt_snapshot.h"
#include "acl_rt_stream.h"
#include "acl_rt_symbol.h"
#include "acl_rt_task.h"
#include "acl_rt_vmm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the interface that these headers follow. */
#define ACL_MAJOR_VERSION	1
#define ACL_MINOR_VERSION	17
#define ACL_PATCH_VERSION	0

/*
 * Start, end, versions, messages
 */

#define ACL_PKG_VERSION_MAX_SIZE	128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE	64

typedef enum aclCANNPackageName {
	ACL_PKG_NAME_CANN	= 0,
	ACL_PKG_NAME_RUNTIME	= 1,
	ACL_PKG_NAME_COMPILER	= 2,
	ACL_PKG_NAME_HCCL	= 3,
	ACL_PKG_NAME_TOOLKIT	= 4,
	ACL_PKG_NAME_OPP	= 5,
	ACL_PKG_NAME_OPP_KERNEL	= 6,
	ACL_PKG_NAME_DRIVER	= 7
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
	char version[128];
	char majorVersion[64];
	char minorVersion[64];
	char releaseVersion[64];
	char patchVersion[64];
	char reserved[128];
} aclCANNPackageVersion;

/* The side on which the program runs: always ACL_HOST with this library. */
typedef enum aclrtRunMode {
	ACL_DEVICE	= 0,
	ACL_HOST	= 1
} aclrtRunMode;

/* The module that a callback belongs to; programs use ACL_REG_TYPE_OTHER. */
typedef enum aclRegisterCallbackType {
	ACL_REG_TYPE_ACL_MODEL		= 0,
	ACL_REG_TYPE_ACL_OP_EXECUTOR	= 1,
	ACL_REG_TYPE_ACL_OP_CBLAS	= 2,
	ACL_REG_TYPE_ACL_OP_COMPILER	= 3,
	ACL_REG_TYPE_ACL_TDT_CHANNEL	= 4,
	ACL_REG_TYPE_ACL_TDT_QUEUE	= 5,
	ACL_REG_TYPE_ACL_DVPP		= 6,
	ACL_REG_TYPE_ACL_RETR		= 7,
	ACL_REG_TYPE_OTHER		= 0xFFFF
} aclRegisterCallbackType;

typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len,
	void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* Scope of the last-error calls: only the thread's own error exists. */
typedef enum aclrtLastErrLevel {
	ACL_RT_THREAD_LEVEL	= 0
} aclrtLastErrLevel;

/**
 * aclInit() - start AscendCL in this process
 * @configPath: a JSON file, or NULL or "" for none
 *
 * Each successful or repeated call takes one reference.  As with CANN, the
 * aclrt calls do not need it.  A program may call it again after aclFinalize().
 * The member "dump" of the file begins a dump until then, see acl_rt_dump.h.
 *
 * Errors: ACL_ERROR_REPEAT_INITIALIZE if AscendCL is started already (the call
 * takes a reference and does no harm), ACL_ERROR_INVALID_FILE for a file that
 * cannot be read, ACL_ERROR_PARSE_FILE for one that is not a JSON object,
 * ACL_ERROR_INVALID_DUMP_CONFIG for a dump with values that are not valid,
 * ACL_ERROR_DUMP_ALREADY_RUN for a dump after aclmdlInitDump(),
 * ACL_ERROR_BAD_ALLOC; otherwise the return value of a callback.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/**
 * aclFinalize() - end AscendCL in this process
 *
 * Ignores the number of references.  It neither resets devices nor frees
 * memory.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE if AscendCL is not started.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/**
 * aclFinalizeReference() - drop one reference of aclInit()
 * @refCount: set to the number of references left; may be NULL
 *
 * Dropping the last one ends AscendCL as aclFinalize() does.
 *
 * Errors: ACL_ERROR_REPEAT_FINALIZE if there is none.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/**
 * aclInitCallbackRegister() - register a function for aclInit() to call
 * @type: the module that the callback belongs to
 * @cbFunc: called with the text of the configuration and its length in bytes
 * @userData: passed to it
 *
 * If AscendCL is started already, calls @cbFunc at once.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @cbFunc or an unknown @type,
 * ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclInitCallbackRegister(aclRegisterCallbackType type,
	aclInitCallbackFunc cbFunc, void *userData);

/**
 * aclInitCallbackUnRegister() - undo aclInitCallbackRegister()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a pair that is not registered.
 */
ACL_FUNC_VISIBILITY aclError
aclInitCallbackUnRegister(aclRegisterCallbackType type,
	aclInitCallbackFunc cbFunc);

/**
 * aclFinalizeCallbackRegister() - register a function for aclFinalize() to call
 * @type: the module that the callback belongs to
 * @cbFunc: the function
 * @userData: passed to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @cbFunc or an unknown @type,
 * ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclFinalizeCallbackRegister(aclRegisterCallbackType type,
	aclFinalizeCallbackFunc cbFunc, void *userData);

/**
 * aclFinalizeCallbackUnRegister() - undo aclFinalizeCallbackRegister()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a pair that is not registered.
 */
ACL_FUNC_VISIBILITY aclError
aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
	aclFinalizeCallbackFunc cbFunc);

/**
 * aclGetRecentErrMsg() - take the messages of this thread's failures
 *
 * A message names the call, the argument and the remedy.  If memory ran out, it
 * also has the request, the free memory and the holders of the rest.  The
 * newest message comes first, one per line; very old ones are dropped.
 *
 * Return: a string that stays valid until this thread's next call of this
 * function, or the end of this thread; exit() does not free it.  The caller must
 * not free it.  NULL if nothing failed since the last call.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/**
 * aclrtGetLastError() - get and clear this thread's last runtime error
 * @level: ACL_RT_THREAD_LEVEL
 *
 * Return: the code of the last call that failed in the runtime, or ACL_SUCCESS;
 * successful calls do not clear it.  ACL_ERROR_INVALID_PARAM for another
 * @level.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * aclrtPeekAtLastError() - get this thread's last runtime error, and keep it
 * @level: ACL_RT_THREAD_LEVEL
 */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * aclsysGetCANNVersion() - get the version of a package of the software stack
 * @name: the package
 * @version: filled with the full version and its parts
 *
 * Use aclsysGetVersionStr() in new programs.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown package,
 * ACL_ERROR_INVALID_FILE for a package that is not installed.
 */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
	aclCANNPackageVersion *version);

/**
 * aclsysGetVersionStr() - get the version of a package as a string
 * @pkgName: "runtime", for instance
 * @versionStr: at least ACL_PKG_VERSION_MAX_SIZE bytes; NUL-terminated
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_INVALID_FILE for a
 * package that is not installed.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName,
	char *versionStr);

/**
 * aclsysGetVersionNum() - get the version of a package as a comparable number
 * @pkgName: "runtime", for instance
 * @versionNum: set to the number; a later version has a higher number
 *
 * Errors: as aclsysGetVersionStr().
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName,
	int32_t *versionNum);

/**
 * aclrtGetVersion() - get the version of the interface
 * @majorVersion: set to ACL_MAJOR_VERSION of the library
 * @minorVersion: set to ACL_MINOR_VERSION of the library
 * @patchVersion: set to ACL_PATCH_VERSION of the library
 *
 * Use aclsysGetVersionStr() in new programs.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion,
	int32_t *minorVersion, int32_t *patchVersion);

/**
 * aclrtCheckArchCompatibility() - check whether code built for a chip can run
 * here
 * @socVersion: name of the chip, as from aclrtGetSocName()
 * @canCompatible: set to 1 if it can, else 0
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL or an unknown chip.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion,
	int32_t *canCompatible);

/**
 * aclrtGetRunMode() - get the side on which the program runs
 * @runMode: set to ACL_HOST
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * aclrtSetSysParamOpt() - set an option of the process
 * @opt: the option
 * @value: 0 or 1; for ACL_OPT_DETERMINISTIC up to 3
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown option,
 * ACL_ERROR_RT_PARAM_INVALID for another value.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt,
	int64_t value);

/**
 * aclrtGetSysParamOpt() - get an option of the process
 * @opt: the option
 * @value: set to its value; 0 if it was never set
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an unknown option.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt,
	int64_t *value);

/*
 * Contexts
 */

/**
 * aclrtCreateContext() - create a context and make it current
 * @context: set to the context
 * @deviceId: device
 *
 * A context has streams, one of which is its default stream; memory belongs to
 * the device. aclrtDestroyContext() or the last reset of the device destroys
 * it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context,
	int32_t deviceId);

/**
 * aclrtDestroyContext() - wait for a context's work, and destroy it
 * @context: a context of aclrtCreateContext()
 *
 * Destroys its streams, too.  Threads in which it was current have no context
 * any more.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL for a device's primary context.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/**
 * aclrtSetCurrentContext() - make a context this thread's current one
 * @context: from aclrtCreateContext() or aclrtGetCurrentContext(), of any
 *	thread
 *
 * The current device changes with it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * aclrtGetCurrentContext() - get this thread's current context
 * @context: set to the context, or to NULL on failure
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * aclrtCtxSetSysParamOpt() - set an option of the current context
 * @opt: the option
 * @value: 0 or 1; for ACL_OPT_DETERMINISTIC up to 3
 *
 * Takes precedence over aclrtSetSysParamOpt().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown option or one that applies to
 * processes only (ACL_OPT_ENABLE_KERNEL_EARLY_START),
 * ACL_ERROR_RT_PARAM_INVALID for another value, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt,
	int64_t value);

/**
 * aclrtCtxGetSysParamOpt() - get an option of the current context
 * @opt: the option
 * @value: set to its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an option that a context does
 * not have, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET if it
 * was never set in this context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt,
	int64_t *value);

/**
 * aclrtCtxGetCurrentDefaultStream() - get the current context's default stream
 * @stream: set to the stream
 *
 * NULL as a stream stands for it.  It cannot be destroyed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * aclrtGetPrimaryCtxState() - check whether a device's primary context exists
 * @deviceId: device
 * @flags: reserved: must be NULL
 * @active: set to 1 if it exists, else 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @active or other @flags,
 * ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId,
	uint32_t *flags, int32_t *active);

/*
 * Information for profiles of tasks that a model captured.  It is not kept: the
 * calls return ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize);
ACL_FUNC_VISIBILITY aclError
aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
	const size_t infoSize);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_H */
