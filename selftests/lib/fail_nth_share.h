/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: sharing memory, events and notifies between
 * processes.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_SHARE_H
#define SELFTESTS_LIB_FAIL_NTH_SHARE_H

#include "fail_nth_memory.h"
#include "fail_nth_stream.h"

static aclError export_number(struct world *w, uint64_t flags)
{
	return aclrtMemExportToShareableHandleV2(w->physical, flags,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &w->number);
}

CALL(export_v2, {
	return export_number(w, 1);
})

/* For all processes, and for named ones. */
static aclError make_number(struct world *w)
{
	aclError err = make_physical(w);

	return err ? err : export_number(w, 1);
}

static aclError make_limited(struct world *w)
{
	aclError err = make_physical(w);

	return err ? err : export_number(w, 0);
}

CALL(set_pid, {
	int32_t pid = getpid();

	return aclrtMemSetPidToShareableHandle(w->number, &pid, 1);
})

CALL(import_number, {
	return aclrtMemImportFromShareableHandle(w->number, 0, &w->second);
})

CALL(export_fabric, {
	return aclrtMemExportToShareableHandleV2(w->physical, 1,
		ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &w->fabric);
})

static aclError make_fabric(struct world *w)
{
	aclError err = make_physical(w);

	return err ? err : call_export_fabric(w);
}

CALL(import_fabric, {
	return aclrtMemImportFromShareableHandleV2(&w->fabric,
		ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &w->second);
})

static aclError make_limited_key(struct world *w)
{
	aclError err = make_dev(w);

	return err ? err : aclrtIpcMemGetExportKey(w->dev, AREA, w->key,
						   KEY_LENGTH, 0);
}

CALL(set_import_pid, {
	int32_t pid = getpid();

	return aclrtIpcMemSetImportPid(w->key, &pid, 1);
})

CALL(export_notify, {
	return aclrtNotifyGetExportKey(w->notify, w->notify_key, KEY_LENGTH,
				       ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT);
})

static aclError make_limited_notify(struct world *w)
{
	aclError err = make_notify(w);

	return err ? err : call_export_notify(w);
}

CALL(set_notify_pid, {
	int32_t pid = getpid();

	return aclrtNotifySetImportPid(w->notify, &pid, 1);
})

static aclError make_notify_key(struct world *w)
{
	aclError err = make_limited_notify(w);

	return err ? err : call_set_notify_pid(w);
}

CALL(import_notify, {
	return aclrtNotifyImportByKey(&w->imported, w->notify_key, 0);
})

static const struct sweep share_calls[] = {
	{ "aclrtMemExportToShareableHandleV2", make_physical, call_export_v2,
	  false, 0 },
	{ "aclrtMemSetPidToShareableHandle", make_limited, call_set_pid, false, 0 },
	{ "aclrtMemImportFromShareableHandle", make_number, call_import_number,
	  false, 0 },
	{ "aclrtMemExportToShareableHandleV2, fabric", make_physical,
	  call_export_fabric, false, 0 },
	{ "aclrtMemImportFromShareableHandleV2", make_fabric,
	  call_import_fabric, false, 0 },
	{ "aclrtIpcMemSetImportPid", make_limited_key, call_set_import_pid,
	  false, 0 },
	{ "aclrtNotifyGetExportKey", make_notify, call_export_notify, false, 0 },
	{ "aclrtNotifySetImportPid", make_limited_notify, call_set_notify_pid,
	  false, 0 },
	{ "aclrtNotifyImportByKey", make_notify_key, call_import_notify,
	  false, 0 },
	{ 0 }
};

#endif
