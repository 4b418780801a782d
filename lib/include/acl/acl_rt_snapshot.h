/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: a process locks its use of the devices, and a backup waits until
 * the devices are idle.
 *
 * The process is running, locked or backed up:
 *
 *	running --Lock--> locked --Backup--> backed up --Restore--> locked
 *	locked or backed up --Unlock--> running
 *
 * While it is not running, calls wait in all threads until it is unlocked:
 * those that set or reset a device; allocate, free, map, register, copy or set
 * memory; create or destroy a context, stream, event or notify; or submit a
 * task.  Calls of these kinds that began before aclrtSnapShotProcessLock() may
 * still be running after it, as in CANN.
 *
 * CANN copies device memory to the host, so that a checkpoint tool can save the
 * process and start it elsewhere.  Here the memory and all objects stay where
 * they are, and a restore has nothing to do: a program can test its callbacks
 * and the order of its calls, but a process cannot leave its machine.
 */
#ifndef ACL_ACL_RT_SNAPSHOT_H
#define ACL_ACL_RT_SNAPSHOT_H

#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The moment at which a callback is called. */
typedef enum aclrtSnapShotStage {
	ACL_RT_SNAPSHOT_LOCK_PRE	= 0,
	ACL_RT_SNAPSHOT_BACKUP_PRE	= 1,
	ACL_RT_SNAPSHOT_BACKUP_POST	= 2,
	ACL_RT_SNAPSHOT_RESTORE_PRE	= 3,
	ACL_RT_SNAPSHOT_RESTORE_POST	= 4,
	ACL_RT_SNAPSHOT_UNLOCK_POST	= 5
} aclrtSnapShotStage;

/* Returns 0, or another value to make the call fail. */
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void *args);

/* Which memory a backup and a restore include: 0 or 1. */
typedef struct aclrtSnapShotBackupArgs {
	uint32_t backupFlags;
	char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
	uint32_t restoreFlags;
	char reserved[60];
} aclrtSnapShotRestoreArgs;

/**
 * aclrtSnapShotProcessLock() - lock the use of devices by this process
 * @pid: the process's own id
 * @reserve: reserved, must be NULL
 *
 * First calls the callbacks of ACL_RT_SNAPSHOT_LOCK_PRE.  From the return on,
 * also calls of this thread wait, see above.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another @pid or @reserve,
 * ACL_ERROR_SNAPSHOT_LOCK_FAILED unless the process is running,
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessLock(int pid, void *reserve);

/**
 * aclrtSnapShotProcessUnlock() - let the process go on
 * @pid: the process's own id
 * @reserve: reserved, must be NULL
 *
 * Wakes the waiting calls, then calls the callbacks of
 * ACL_RT_SNAPSHOT_UNLOCK_POST.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another @pid or @reserve,
 * ACL_ERROR_SNAPSHOT_UNLOCK_FAILED if the process is running;
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED or ACL_ERROR_BAD_ALLOC, after which the
 * process is unlocked.
 */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);

/**
 * aclrtSnapShotProcessBackup() - wait until the devices are idle
 * @pid: the process's own id
 * @args: NULL
 *
 * Calls the callbacks of ACL_RT_SNAPSHOT_BACKUP_PRE, waits for all streams of
 * all contexts, and calls the callbacks of ACL_RT_SNAPSHOT_BACKUP_POST.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another @pid or unknown flags,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other @args,
 * ACL_ERROR_SNAPSHOT_BACKUP_FAILED unless the process is locked,
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, ACL_ERROR_BAD_ALLOC, or the code of a
 * task that failed, as of aclrtSynchronizeStream().  The process then stays
 * locked.
 */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessBackup(int pid,
	aclrtSnapShotBackupArgs *args);

/**
 * aclrtSnapShotProcessRestore() - return to the state of the backup
 * @pid: the process's own id
 * @args: NULL
 *
 * Calls the callbacks of ACL_RT_SNAPSHOT_RESTORE_PRE and then those of
 * ACL_RT_SNAPSHOT_RESTORE_POST.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another @pid or unknown flags,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other @args,
 * ACL_ERROR_SNAPSHOT_RESTORE_FAILED unless the process is backed up,
 * ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, ACL_ERROR_BAD_ALLOC.  The process then
 * stays backed up.
 */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessRestore(int pid,
	aclrtSnapShotRestoreArgs *args);

/**
 * aclrtSnapShotCallbackRegister() - add a callback for a stage of snapshots
 * @stage: the stage
 * @callback: called for each device that is set, in the thread of the call of
 *	the stage; it must not call the runtime
 * @args: passed to it
 *
 * Callbacks of a stage are called in the order of their registration.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @stage or NULL,
 * ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED if the stage has the callback
 * already, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
			      aclrtSnapShotCallBack callback, void *args);

/**
 * aclrtSnapShotCallbackUnregister() - remove a callback
 * @stage: its stage
 * @callback: the callback
 *
 * A call that is in progress in another thread may still call it once.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown @stage, NULL, or a callback
 * that the stage does not have.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
				aclrtSnapShotCallBack callback);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_SNAPSHOT_H */
