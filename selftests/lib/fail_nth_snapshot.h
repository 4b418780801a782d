/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: snapshots of the process. */
#ifndef SELFTESTS_LIB_FAIL_NTH_SNAPSHOT_H
#define SELFTESTS_LIB_FAIL_NTH_SNAPSHOT_H

#include "fail_nth_calls.h"

static aclError make_hook(struct world *w)
{
	aclError err = aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_PRE,
						     on_snapshot, NULL);

	w->is_hooked = !err;
	return err;
}

CALL(unhook, {
	aclError err = aclrtSnapShotCallbackUnregister(
		ACL_RT_SNAPSHOT_BACKUP_PRE, on_snapshot);

	w->is_hooked = err;
	return err;
})

/* Other calls wait until the process is unlocked, so all of these unlock it. */
static aclError unlock_after(aclError err)
{
	aclError other = aclrtSnapShotProcessUnlock(getpid(), NULL);

	return err ? err : other;
}

CALL(lock, {
	aclError err = aclrtSnapShotProcessLock(getpid(), NULL);

	return err ? err : unlock_after(ACL_SUCCESS);
})

CALL(backup, {
	aclError err = aclrtSnapShotProcessLock(getpid(), NULL);

	if (err)
		return err;
	err = aclrtSnapShotProcessBackup(getpid(), NULL);
	if (!err)
		err = aclrtSnapShotProcessRestore(getpid(), NULL);
	return unlock_after(err);
})

static const struct sweep snapshot_calls[] = {
	{ "aclrtSnapShotCallbackRegister", NULL, make_hook, false, 0 },
	{ "aclrtSnapShotCallbackUnregister", make_hook, call_unhook, false, 0 },
	{ "aclrtSnapShotProcessLock", NULL, call_lock, true, 0 },
	{ "aclrtSnapShotProcessUnlock", make_hook, call_lock, true, 0 },
	{ "aclrtSnapShotProcessBackup", NULL, call_backup, true, 0 },
	{ "aclrtSnapShotProcessRestore", make_hook, call_backup, true, 0 },
	{ 0 }
};

#endif
