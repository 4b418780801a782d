/* SPDX-License-Identifier: MIT */
/*
 * Notifies: one stream sets a notify, and another one, also in another process,
 * waits for it and consumes it.  Counting notifies carry a 32-bit number.
 *
 * A notify belongs to the device that was current when it was created, and ends
 * with the reset of that device at the latest.  If a notify is destroyed, a
 * stream that waits for it continues.
 */
#ifndef ACL_ACL_RT_NOTIFY_H
#define ACL_ACL_RT_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_NOTIFY_DEFAULT		0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY	0x00000001U

#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION	0x2UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS		0x2UL

/* Processes on other servers, which this device cannot reach. */
typedef struct aclrtServerPid {
	uint32_t sdid;
	int32_t *pid;
	size_t num;
} aclrtServerPid;

typedef enum aclrtCntNotifyRecordMode {
	ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE	= 0,
	ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE	= 1,
	ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE	= 2,
	ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE	= 4
} aclrtCntNotifyRecordMode;

typedef struct aclrtCntNotifyRecordInfo {
	aclrtCntNotifyRecordMode mode;
	uint32_t value;
} aclrtCntNotifyRecordInfo;

/* The condition that ends a wait: how the count compares with the value. */
typedef enum aclrtCntNotifyWaitMode {
	ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE		= 0,
	ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE		= 1,
	ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE		= 2,
	ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE	= 3,
	/* All bits of the value are set in the count. */
	ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE	= 4
} aclrtCntNotifyWaitMode;

typedef struct aclrtCntNotifyWaitInfo {
	aclrtCntNotifyWaitMode mode;
	uint32_t value;
	uint32_t timeout;	/* in seconds; 0 for no limit */
	uint8_t isClear;	/* 1: set the count to 0 after the wait */
	uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/**
 * aclrtCreateNotify() - create a notify for the current device
 * @notify: set to the notify
 * @flag: ACL_NOTIFY_DEFAULT, or ACL_NOTIFY_DEVICE_USE_ONLY, which makes no
 *	difference here
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown @flag, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_NOTIFY_RESOURCE if
 * the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify,
	uint64_t flag);

/**
 * aclrtDestroyNotify() - destroy a notify
 * @notify: a notify of aclrtCreateNotify() or aclrtNotifyImportByKey()
 *
 * Does not wait.  Other processes keep a notify that they have imported.  Needs
 * no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * aclrtRecordNotify() - submit a task that sets a notify
 * @notify: the notify
 * @stream: a stream of the current context, or NULL
 *
 * The notify is set when all work that was submitted to the stream before is
 * done.  Setting a notify that is set already has no effect.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @notify,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify,
	aclrtStream stream);

/**
 * aclrtWaitAndResetNotify() - have a stream wait for a notify and consume it
 * @notify: the notify
 * @stream: a stream of the current context, or NULL
 * @timeout: seconds after which the wait fails, or 0 for no limit
 *
 * If several streams wait, one of them consumes the notify.
 *
 * Errors: as aclrtRecordNotify(); a wait that fails is an error of the stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify,
	aclrtStream stream, uint32_t timeout);

/**
 * aclrtGetNotifyId() - get the number of a notify
 * @notify: the notify
 * @notifyId: set to a number that no other living notify of the device has; for
 *	an imported notify, to its number in the exporting process
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify,
	uint32_t *notifyId);

/**
 * aclrtNotifyBatchReset() - reset several notifies at once
 * @notifies: array of notifies
 * @num: their number
 *
 * The reset is not ordered with any stream.  If one handle is not a notify,
 * none is reset.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @num of 0, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies,
	size_t num);

/**
 * aclrtNotifyGetExportKey() - get a key by which other processes import a
 * notify
 * @notify: a notify that this process created
 * @key: filled with a key, to be sent to these processes
 * @len: its length, at least 65
 * @flags: ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT to admit the processes that
 *	aclrtNotifySetImportPid() names,
 *	ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION to admit every process
 *	that has the key
 *
 * A second call gives the same key.  The key is valid until the notify is
 * destroyed here.  Processes that have imported the notify by then keep it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * short @len, unknown @flags and an imported notify,
 * ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify,
	char *key, size_t len, uint64_t flags);

/**
 * aclrtNotifyImportByKey() - import a notify of another process
 * @notify: set to a notify of the current device, to be destroyed like any
 *	other
 * @key: the key that the exporting process sent
 * @flags: ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT or _ENABLE_PEER_ACCESS; every
 *	device can use every notify
 *
 * The exporting process must not have ended.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * unknown @flags and an unknown key, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_PERMISSION if this process is not admitted.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify *notify,
	const char *key, uint64_t flags);

/**
 * aclrtNotifySetImportPid() - allow processes to import a notify
 * @notify: exported by this process
 * @pid: their process ids, as this process sees them
 * @num: their number, at least 1
 *
 * Adds them to those of earlier calls.  The calling process is always admitted.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a notify that this process did not export, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify,
	int32_t *pid, size_t num);

/**
 * aclrtNotifySetImportPidInterServer() - allow processes of other servers (not
 * supported)
 * @notify: a notify
 * @serverPids: the processes
 * @num: their number
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device is on one server.
 */
ACL_FUNC_VISIBILITY aclError
aclrtNotifySetImportPidInterServer(aclrtNotify notify,
	aclrtServerPid *serverPids, size_t num);

/**
 * aclrtCntNotifyCreate() - create a counting notify for the current device
 * @cntNotify: set to the notify; its count is 0
 * @flag: reserved, 0
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL or @flag,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_NOTIFY_RESOURCE if the device has
 * no more notifies of either kind.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify,
	uint64_t flag);

/**
 * aclrtCntNotifyDestroy() - destroy a counting notify
 * @cntNotify: the notify
 *
 * Does not wait.  Needs no context.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/**
 * aclrtCntNotifyRecord() - submit a task that changes a count
 * @cntNotify: the notify
 * @stream: a stream of the current context, or NULL
 * @info: the operation and its value
 *
 * A count has 32 bits and wraps around.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @info, ACL_ERROR_RT_PARAM_INVALID
 * for a NULL @cntNotify and an unknown mode, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify,
	aclrtStream stream, aclrtCntNotifyRecordInfo *info);

/**
 * aclrtCntNotifyWaitWithTimeout() - have a stream wait for a count
 * @cntNotify: the notify
 * @stream: a stream of the current context, or NULL
 * @info: the condition and the time limit
 *
 * Errors: as aclrtCntNotifyRecord(); ACL_ERROR_RT_PARAM_INVALID for an isClear
 * above 1.  A wait that fails is an error of the stream.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
	aclrtCntNotifyWaitInfo *info);

/**
 * aclrtCntNotifyReset() - submit a task that sets a count to 0
 * @cntNotify: the notify
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a NULL @cntNotify, and as
 * aclrtRecordNotify().
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify,
	aclrtStream stream);

/**
 * aclrtCntNotifyGetId() - get the number of a counting notify
 * @cntNotify: the notify
 * @notifyId: set to a number that no other living notify of the device has
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify,
	uint32_t *notifyId);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_NOTIFY_H */
