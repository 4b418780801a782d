/* SPDX-License-Identifier: MIT */
/*
 * Notifies, which one stream sets and another waits for and takes, also in
 * another process, and counting notifies, which carry a number of 32 bits.
 *
 * They belong to the device that was current when they were made, and end with
 * its reset at the latest.  A notify that is destroyed while a stream waits for
 * it lets the stream go on.
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

/* Processes on other servers, which this device does not reach. */
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

/* What ends a wait: the count against the value that is asked for. */
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
	uint32_t timeout;	/* in seconds; 0 for ever */
	uint8_t isClear;	/* 1: set the count to 0 after the wait */
	uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/**
 * aclrtCreateNotify() - make a notify for the current device
 * @notify: set to it
 * @flag: ACL_NOTIFY_DEFAULT, or ACL_NOTIFY_DEVICE_USE_ONLY, which here makes no
 *	difference
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown @flag, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_NOTIFY_RESOURCE when
 * the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify,
	uint64_t flag);

/**
 * aclrtDestroyNotify() - destroy a notify
 * @notify: made by aclrtCreateNotify() or aclrtNotifyImportByKey()
 *
 * Does not wait.  A notify that other processes have imported lives on for
 * them.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * aclrtRecordNotify() - have a stream set a notify
 * @notify: the notify
 * @stream: a stream of the current context, or NULL
 *
 * It is set when all that was submitted to the stream before is done.  To set
 * it again before it was waited for changes nothing.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @notify,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify,
	aclrtStream stream);

/**
 * aclrtWaitAndResetNotify() - have a stream wait for a notify and take it
 * @notify: the notify
 * @stream: a stream of the current context, or NULL
 * @timeout: seconds after which the wait fails, or 0 for as long as it takes
 *
 * Of several that wait, one takes it.
 *
 * Errors: as aclrtRecordNotify(); a wait that fails is an error of the stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify,
	aclrtStream stream, uint32_t timeout);

/**
 * aclrtGetNotifyId() - number of a notify
 * @notify: the notify
 * @notifyId: set to a number that no other living notify of the device has; for
 *	one that was imported, to what it is for its maker
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify,
	uint32_t *notifyId);

/**
 * aclrtNotifyBatchReset() - unset notifies, at once
 * @notifies: array of notifies
 * @num: how many
 *
 * Not ordered with any stream.  If one is no notify, none is reset.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @num of 0, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies,
	size_t num);

/**
 * aclrtNotifyGetExportKey() - let other processes import a notify
 * @notify: made by this process
 * @key: filled with a key, to be sent to them
 * @len: its length, at least 65
 * @flags: ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT for processes that
 *	aclrtNotifySetImportPid() names,
 *	ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION for everyone who knows
 *	it
 *
 * A second call gives the same key; it is good until the notify is destroyed
 * here.  Who has imported it by then keeps it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * short @len, unknown @flags and a notify that was imported,
 * ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify,
	char *key, size_t len, uint64_t flags);

/**
 * aclrtNotifyImportByKey() - get a notify of another process
 * @notify: set to a notify of the current device, to be destroyed as any other
 * @key: what the other process sent
 * @flags: ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT or _ENABLE_PEER_ACCESS; every device
 *	reaches every notify
 *
 * Waits some seconds for the other process, which must be running.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * unknown @flags and a key under which nobody shares a notify,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_PERMISSION where this process was
 * not allowed, ACL_ERROR_RT_WAIT_TIMEOUT when the other one does not answer.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify *notify,
	const char *key, uint64_t flags);

/**
 * aclrtNotifySetImportPid() - allow processes to import a notify
 * @notify: exported by this process
 * @pid: their process ids, as this process sees them
 * @num: how many, at least 1
 *
 * They are added to those of earlier calls.  This process may always.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a notify that this process did not export, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify,
	int32_t *pid, size_t num);

/**
 * aclrtNotifySetImportPidInterServer() - the same for processes of other servers
 * @notify: a notify
 * @serverPids: the processes
 * @num: how many
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device is on one server.
 */
ACL_FUNC_VISIBILITY aclError
aclrtNotifySetImportPidInterServer(aclrtNotify notify,
	aclrtServerPid *serverPids, size_t num);

/**
 * aclrtCntNotifyCreate() - make a counting notify for the current device
 * @cntNotify: set to it; its count is 0
 * @flag: reserved, 0
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL or @flag,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_NOTIFY_RESOURCE when the device has
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
 * aclrtCntNotifyRecord() - have a stream change a count
 * @cntNotify: the notify
 * @stream: a stream of the current context, or NULL
 * @info: how
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
 * @info: for what, and how long
 *
 * Errors: as aclrtCntNotifyRecord(); ACL_ERROR_RT_PARAM_INVALID for an isClear
 * above 1.  A wait that fails is an error of the stream.
 */
ACL_FUNC_VISIBILITY aclError
aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
	aclrtCntNotifyWaitInfo *info);

/**
 * aclrtCntNotifyReset() - have a stream set a count to 0
 * @cntNotify: the notify
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a NULL @cntNotify, and as
 * aclrtRecordNotify().
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify,
	aclrtStream stream);

/**
 * aclrtCntNotifyGetId() - number of a counting notify
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
