// SPDX-License-Identifier: MIT
/*
 * Shareable handles: physical memory for other processes.
 *
 * A handle is a number, or a structure of 128 bytes.  In CANN the second type
 * is for memory across servers; here it only differs in length.
 */
#include <errno.h>
#include <string.h>

#include "base/child.h"
#include "base/error.h"
#include "ipc/share.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "physical.h"

static aclError type_check(aclrtMemSharedHandleType type)
{
	if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT ||
	    type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"shareType = %d is not known; use a value of aclrtMemSharedHandleType",
		type);
}

/* Read a shareable handle that the program passed. */
static aclError token_read(const void *handle, aclrtMemSharedHandleType type,
			   struct vnpu_token *token)
{
	aclError ret = type_check(type);
	uint64_t number;
	bool is_token;

	if (ret)
		return ret;
	if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
		const aclrtMemFabricHandle *fabric = handle;

		is_token = vnpu_token_from_text(fabric->data, token);
	} else {
		/* It may be unaligned, as inside a message. */
		memcpy(&number, handle, sizeof(number));
		is_token = vnpu_token_from_number(number, token);
	}
	if (is_token)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"shareableHandle is invalid, or of the other type; pass the exported handle");
}

static void token_write(const struct vnpu_token *token,
			aclrtMemSharedHandleType type, void *handle)
{
	uint64_t number;

	if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
		aclrtMemFabricHandle *fabric = handle;

		vnpu_token_to_text(token, fabric->data, sizeof(fabric->data));
	} else {
		number = vnpu_token_to_number(token);
		memcpy(handle, &number, sizeof(number));
	}
}

static int share_locked(struct vnpu_physical *physical, bool any_pid,
			bool is_short)
{
	const struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_HANDLE,
		.mem_id = physical->mem.id,
		.any_pid = any_pid,
		.is_short = is_short,
		.device = physical->device,
		.length = physical->mem.length,
	};
	int ret = vnpu_share_create(&spec, &physical->token);

	physical->is_shared = !ret;
	return ret;
}

static aclError export(aclrtDrvMemHandle handle, uint64_t flags,
		       aclrtMemSharedHandleType type, void *shareable)
{
	struct vnpu_physical *physical;
	bool was_shared, is_host;
	aclError ret;
	int err = 0;

	if (!shareable)
		return vnpu_error_null("shareableHandle");
	ret = type_check(type);
	if (ret)
		return ret;
	if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %llu is not known; use ACL_RT_VMM_EXPORT_FLAG_*",
			(unsigned long long)flags);
	ret = vnpu_physical_lock(handle, &physical);
	if (ret)
		return ret;

	was_shared = physical->is_shared;
	is_host = physical->is_host;
	if (!was_shared && !is_host)
		err = share_locked(physical, flags,
				   type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT);
	if (!was_shared && !is_host && !err)
		token_write(&physical->token, type, shareable);
	vnpu_runtime_unlock();

	if (is_host)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"handle = %p is host memory; only device memory can be shared",
			handle);
	if (was_shared)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"handle = %p was exported before; pass on that shareable handle",
			handle);
	if (err)
		return vnpu_error_errno(err, "sharing memory");
	return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
					 aclrtMemHandleType handleType,
					 uint64_t flags,
					 uint64_t *shareableHandle)
{
	VNPU_CALL();

	if (!handle)
		return vnpu_error_null("handle");
	if (handleType != ACL_MEM_HANDLE_TYPE_NONE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"handleType = %d is not supported; use ACL_MEM_HANDLE_TYPE_NONE",
			handleType);
	return export(handle, flags, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT,
		      shareableHandle);
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
					   uint64_t flags,
					   aclrtMemSharedHandleType shareType,
					   void *shareableHandle)
{
	VNPU_CALL();

	if (!handle)
		return vnpu_error_null("handle");
	return export(handle, flags, shareType, shareableHandle);
}

static aclError allow(const struct vnpu_token *token, const int32_t *pids,
		      size_t count)
{
	int err;

	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	err = vnpu_share_allow(VNPU_SHARE_HANDLE, token, pids, count);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"shareableHandle was not exported by this process, or its memory was freed");
	return err ? vnpu_error_errno(err, "admitting processes") :
		     ACL_SUCCESS;
}

static aclError pids_check(const int32_t *pids, size_t count)
{
	if (!pids)
		return vnpu_error_null("pid");
	if (!count)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"pidNum is 0; pass at least 1 process id");
	return ACL_SUCCESS;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
					 size_t pidNum)
{
	VNPU_CALL();
	struct vnpu_token token;
	aclError ret = pids_check(pid, pidNum);

	if (!ret)
		ret = token_read(&shareableHandle,
				 ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &token);
	return ret ? ret : allow(&token, pid, pidNum);
}

aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
					   aclrtMemSharedHandleType shareType,
					   int32_t *pid, size_t pidNum)
{
	VNPU_CALL();
	struct vnpu_token token;
	aclError ret;

	if (!shareableHandle)
		return vnpu_error_null("shareableHandle");
	ret = pids_check(pid, pidNum);
	if (!ret)
		ret = token_read(shareableHandle, shareType, &token);
	return ret ? ret : allow(&token, pid, pidNum);
}

static aclError import(const struct vnpu_token *token, uint32_t device,
		       aclrtDrvMemHandle *handle)
{
	struct vnpu_physical *physical;
	struct vnpu_shared shared;
	int err;

	err = vnpu_share_fetch(VNPU_SHARE_HANDLE, token, &shared);
	if (err)
		return vnpu_share_error(err, "shareableHandle");
	vnpu_runtime_lock();
	physical = vnpu_physical_import_locked(&shared.mem, device);
	if (physical)
		*handle = vnpu_u64_to_ptr(physical->handle);
	vnpu_runtime_unlock();
	return physical ? ACL_SUCCESS :
			  vnpu_error_errno(-ENOMEM, "creating a handle");
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
					   int32_t deviceId,
					   aclrtDrvMemHandle *handle)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_token token;
	uint32_t device;
	aclError ret;

	if (!handle)
		return vnpu_error_null("handle");
	ret = vnpu_device_resolve(deviceId, &device);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = token_read(&shareableHandle,
				 ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &token);
	return ret ? ret : import(&token, device, handle);
}

aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
					     aclrtMemSharedHandleType shareType,
					     uint64_t flags,
					     aclrtDrvMemHandle *handle)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_token token;
	aclError ret;

	if (!shareableHandle)
		return vnpu_error_null("shareableHandle");
	if (!handle)
		return vnpu_error_null("handle");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags = %llu is reserved; pass 0",
			(unsigned long long)flags);
	ret = vnpu_context_current(&current);
	if (!ret)
		ret = token_read(shareableHandle, shareType, &token);
	return ret ? ret : import(&token, current.device, handle);
}
