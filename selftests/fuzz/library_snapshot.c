// SPDX-License-Identifier: GPL-2.0-only
/* Calls for snapshots of the process. */
#include "library.h"

static uint32_t on_snapshot(int32_t device, void *args)
{
	(void)device;
	return args != NULL;
}

static int process(struct worker *w)
{
	return below(w, 8) ? getpid() : small(w);
}

static void *nothing(struct worker *w)
{
	return below(w, 8) ? NULL : w->host;
}

/*
 * A locked process stops the calls of other threads, so the same thread unlocks
 * it, and no other thread is in one of these calls meanwhile.  A backup would
 * wait for streams that nothing lets go on.
 */
static pthread_mutex_t snapshot_mutex = PTHREAD_MUTEX_INITIALIZER;

static aclError fuzz_aclrtSnapShotProcessLock(struct worker *w)
{
	aclrtSnapShotRestoreArgs *args = out(w, 0);
	aclError ret;

	pthread_mutex_lock(&snapshot_mutex);
	ret = aclrtSnapShotProcessLock(process(w), nothing(w));
	if (!ret) {
		args->restoreFlags = below(w, 3);
		aclrtSnapShotProcessRestore(process(w),
					    below(w, 2) ? args : NULL);
		ret = aclrtSnapShotProcessUnlock(getpid(), NULL);
		if (ret == ACL_ERROR_SNAPSHOT_CALLBACK_FAILED)
			ret = ACL_SUCCESS;
	}
	pthread_mutex_unlock(&snapshot_mutex);
	return ret;
}

/* The process is not locked here. */
static aclError fuzz_aclrtSnapShotProcessUnlock(struct worker *w)
{
	aclError ret;

	pthread_mutex_lock(&snapshot_mutex);
	ret = aclrtSnapShotProcessUnlock(process(w), nothing(w));
	pthread_mutex_unlock(&snapshot_mutex);
	return ret;
}

static aclError fuzz_aclrtSnapShotProcessBackup(struct worker *w)
{
	aclrtSnapShotBackupArgs *args = out(w, 0);
	aclError ret;

	args->backupFlags = below(w, 3);
	pthread_mutex_lock(&snapshot_mutex);
	ret = aclrtSnapShotProcessBackup(process(w), below(w, 2) ? args : NULL);
	pthread_mutex_unlock(&snapshot_mutex);
	return ret;
}

static aclError fuzz_aclrtSnapShotProcessRestore(struct worker *w)
{
	aclrtSnapShotRestoreArgs *args = out(w, 0);
	aclError ret;

	args->restoreFlags = below(w, 3);
	pthread_mutex_lock(&snapshot_mutex);
	ret = aclrtSnapShotProcessRestore(process(w),
					  below(w, 2) ? args : NULL);
	pthread_mutex_unlock(&snapshot_mutex);
	return ret;
}

static aclrtSnapShotCallBack snapshot_callback(struct worker *w)
{
	return below(w, 8) ? on_snapshot : NULL;
}

#define SNAPSHOT_ROWS(ROW)						\
	ROW(aclrtSnapShotCallbackRegister,				\
	    (small(w), snapshot_callback(w), nothing(w)))		\
	ROW(aclrtSnapShotCallbackUnregister,				\
	    (small(w), snapshot_callback(w)))

SNAPSHOT_ROWS(ROW_CALL)

const struct call snapshot_calls[] = {
	SNAPSHOT_ROWS(ROW_ENTRY)
	CALL(aclrtSnapShotProcessLock),
	CALL(aclrtSnapShotProcessUnlock),
	CALL(aclrtSnapShotProcessBackup),
	CALL(aclrtSnapShotProcessRestore),
	{ 0 }
};
