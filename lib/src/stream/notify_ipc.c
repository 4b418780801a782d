// SPDX-License-Identifier: MIT
/*
 * Notifies of other processes: keys and admitted processes, as for memory.
 */
#include <errno.h>

#include "base/error.h"
#include "io/io.h"
#include "ipc/share.h"
#include "notify.h"

/* Share @notify unless it is shared; the runtime lock is held.  0 or -errno. */
static int share_locked(struct vnpu_notify *notify, bool any_pid)
{
	const struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_NOTIFY,
		.timeline = notify->counter,
		.can_signal = true,
		.number = notify->number,
		.any_pid = any_pid,
		.device = notify->device,
		.length = 1,
	};
	int ret;

	if (notify->is_exported)
		return 0;
	ret = vnpu_share_create(&spec, &notify->token);
	notify->is_exported = !ret;
	return ret;
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len,
				 uint64_t flags)
{
	VNPU_CALL();
	const uint64_t any = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
	struct vnpu_notify *found;
	struct vnpu_token token;
	bool is_imported;
	aclError ret;
	int err = 0;

	if (!notify)
		return vnpu_error_null("notify");
	if (!key)
		return vnpu_error_null("key");
	if (len < VNPU_TOKEN_TEXT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"len = %zu is too short for a key; pass at least %d",
			len, VNPU_TOKEN_TEXT);
	if (flags & ~any)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %llu is not known; use ACL_RT_NOTIFY_EXPORT_FLAG_*",
			(unsigned long long)flags);
	ret = vnpu_notify_lock(VNPU_HANDLE_NOTIFY, notify, &found);
	if (ret)
		return ret;
	is_imported = found->is_imported;
	if (!is_imported)
		err = share_locked(found, flags & any);
	token = found->token;
	vnpu_runtime_unlock();

	if (is_imported)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"notify = %p was imported; only the process that created it can export it",
			notify);
	if (err)
		return vnpu_error_errno(err, "sharing a notify");
	vnpu_token_to_text(&token, key, len);
	return ACL_SUCCESS;
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
	VNPU_CALL();
	struct vnpu_notify *found;
	int err = -ENOENT;
	aclError ret;

	if (!notify)
		return vnpu_error_null("notify");
	if (!pid)
		return vnpu_error_null("pid");
	if (!num)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"num is 0; pass at least 1 process id");
	ret = vnpu_notify_lock(VNPU_HANDLE_NOTIFY, notify, &found);
	if (ret)
		return ret;
	if (found->is_exported)
		err = vnpu_share_allow(VNPU_SHARE_NOTIFY, &found->token, pid,
				       num);
	vnpu_runtime_unlock();
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"notify = %p was not exported by this process; call aclrtNotifyGetExportKey first",
			notify);
	return err ? vnpu_error_errno(err, "admitting processes") :
		     ACL_SUCCESS;
}

aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
					    aclrtServerPid *serverPids,
					    size_t num)
{
	VNPU_CALL();

	(void)notify;
	(void)serverPids;
	(void)num;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"other servers cannot access this device; name processes of this server with aclrtNotifySetImportPid");
}

aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key,
				uint64_t flags)
{
	VNPU_CALL();
	const uint64_t peer = ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS;
	struct vnpu_current current;
	struct vnpu_shared shared;
	struct vnpu_token token;
	aclError ret;
	int err;

	if (!notify)
		return vnpu_error_null("notify");
	if (!key)
		return vnpu_error_null("key");
	if (flags & ~peer)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %llu is not known; use ACL_RT_NOTIFY_IMPORT_FLAG_*",
			(unsigned long long)flags);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	if (!vnpu_token_from_text(key, &token))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"key is invalid; pass the %d bytes that aclrtNotifyGetExportKey wrote",
			VNPU_TOKEN_TEXT);

	err = vnpu_share_fetch(VNPU_SHARE_NOTIFY, &token, &shared);
	if (err)
		return vnpu_share_error(err, "key");
	return vnpu_notify_adopt(shared.timeline, shared.number, &current,
				 notify);
}
