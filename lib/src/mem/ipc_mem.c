// SPDX-License-Identifier: MIT
/*
 * Keys, which share device memory with other processes.
 *
 * A key stands for a part of one memory block.  An importer gets all pages that
 * the part touches, because only whole pages can be bound.  A second import of
 * a key gives the same address, and has to be closed as well.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/error.h"
#include "base/handle.h"
#include "io/io.h"
#include "io/va.h"
#include "ipc/share.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "ipc_mem.h"
#include "peer.h"

struct import {
	struct import *next;
	struct vnpu_token token;
	unsigned int refs;
	uint32_t device;		/* a reset of it ends this */
	uint32_t memory_device;
	unsigned int page_shift;
	uint64_t va;			/* of the pages */
	uint64_t length;
	uint64_t ptr;			/* the address that the program got */
};

static struct import *imports;		/* protected by the runtime lock */

static struct import *find_locked(const struct vnpu_token *token)
{
	struct import *import = imports;

	while (import && !vnpu_token_is_same(&import->token, token))
		import = import->next;
	return import;
}

static void drop_locked(struct import *import)
{
	struct import **link = &imports;

	while (*link != import)
		link = &(*link)->next;
	*link = import->next;

	vnpu_io_unbind(import->va);
	vnpu_share_forget(import->va);
	vnpu_va_free(import->page_shift, import->length, import->va);
	free(import);
}

void vnpu_ipc_close_all(uint32_t device)
{
	struct import *next;

	for (struct import *import = imports; import; import = next) {
		next = import->next;
		if (import->device == device)
			drop_locked(import);
	}
}

static aclError bad_key(void)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"key is invalid; pass the %d bytes that aclrtIpcMemGetExportKey wrote",
		VNPU_TOKEN_TEXT);
}

static int share(const void *ptr, uint64_t size, bool any_pid,
		 struct vnpu_token *token)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_KEY,
		.any_pid = any_pid,
		.length = size,
	};
	struct vnpu_io_binding binding;
	int ret;

	if (!vnpu_io_is_device_address(va))
		return -ENOENT;
	ret = vnpu_io_va_query(va, false, &binding);
	if (ret)
		return ret;
	if (size > binding.length - (va - binding.va))
		return -ENOENT;
	spec.va = binding.va;
	spec.device = binding.device;
	spec.offset = binding.offset + (va - binding.va);
	ret = vnpu_io_mem_open(va, &spec.mem_id);
	if (ret)
		return ret;
	ret = vnpu_share_create(&spec, token);
	/* The key keeps the memory. */
	vnpu_io_mem_close(spec.mem_id);
	return ret;
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key,
				 size_t len, uint64_t flags)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_token token;
	aclError ret;
	int err;

	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (!key)
		return vnpu_error_null("key");
	if (!size)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size is 0; share at least 1 byte");
	if (len != VNPU_TOKEN_TEXT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"len = %zu is not the length of a key; pass %d", len,
			VNPU_TOKEN_TEXT);
	if (flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %llu is not known; use ACL_RT_IPC_MEM_EXPORT_FLAG_*",
			(unsigned long long)flags);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	err = share(devPtr, size, flags, &token);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"devPtr = %p, size = %zu is not inside one block of device memory",
			devPtr, size);
	if (err)
		return vnpu_error_errno(err, "sharing memory");
	vnpu_token_to_text(&token, key, len);
	return ACL_SUCCESS;
}

int vnpu_collective_key_create(const void *ptr, size_t size, char *key,
			       size_t key_size)
{
	struct vnpu_token token;
	int ret = share(ptr, size, true, &token);

	if (!ret)
		vnpu_token_to_text(&token, key, key_size);
	return ret;
}

bool vnpu_collective_key_is_valid(const char *key)
{
	struct vnpu_token token;

	return vnpu_token_from_text(key, &token) &&
	       vnpu_share_has_memory(&token);
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
	VNPU_CALL();
	struct vnpu_token token;
	int err;

	if (!key)
		return vnpu_error_null("key");
	if (!pid)
		return vnpu_error_null("pid");
	if (!num)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"num is 0; pass at least 1 process id");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	if (!vnpu_token_from_text(key, &token))
		return bad_key();
	err = vnpu_share_allow(VNPU_SHARE_KEY, &token, pid, num);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"key was not exported by this process, or was closed; only the exporting process can admit others");
	return err ? vnpu_error_errno(err, "admitting processes") :
		     ACL_SUCCESS;
}

/* Bind the pages that contain the shared part. */
static int bind_pages(const struct vnpu_shared *shared, struct import *import)
{
	const uint64_t page = 1ULL << shared->mem.page_shift;
	uint64_t start = shared->offset & ~(page - 1);
	uint64_t end = vnpu_align_up(shared->offset + shared->length, page);
	int ret;

	import->page_shift = shared->mem.page_shift;
	import->length = end - start;
	ret = vnpu_va_alloc(import->page_shift, import->length, &import->va);
	if (ret)
		return ret;
	ret = vnpu_io_bind(shared->mem.id, import->va, import->length, start,
			   VNPU_IO_DEVICES);
	if (ret)
		vnpu_va_free(import->page_shift, import->length, import->va);
	import->ptr = import->va + (shared->offset - start);
	return ret;
}

static int import_locked(const struct vnpu_token *token,
			 const struct vnpu_shared *shared, uint32_t device,
			 struct import **result)
{
	struct import *import = find_locked(token);
	int ret;

	/* Another thread has imported it in the meantime. */
	if (import) {
		import->refs++;
		*result = import;
		return 0;
	}
	import = calloc(1, sizeof(*import));
	if (!import)
		return -ENOMEM;
	ret = bind_pages(shared, import);
	if (ret) {
		free(import);
		return ret;
	}
	import->token = *token;
	import->refs = 1;
	import->device = device;
	import->memory_device = shared->mem.device;
	import->next = imports;
	imports = import;
	*result = import;
	return 0;
}

static bool import_again(const struct vnpu_token *token, uint64_t *ptr,
			 uint32_t *memory_device)
{
	struct import *import;

	vnpu_runtime_lock();
	import = find_locked(token);
	if (import) {
		import->refs++;
		*ptr = import->ptr;
		*memory_device = import->memory_device;
	}
	vnpu_runtime_unlock();
	return import;
}

static int import_first(const struct vnpu_token *token, uint32_t device,
			uint64_t *ptr, uint32_t *memory_device)
{
	struct vnpu_shared shared;
	struct import *import;
	int ret = vnpu_share_fetch(VNPU_SHARE_KEY, token, &shared);

	if (ret)
		return ret;
	vnpu_runtime_lock();
	ret = import_locked(token, &shared, device, &import);
	if (!ret) {
		*ptr = import->ptr;
		*memory_device = import->memory_device;
	}
	vnpu_runtime_unlock();
	/* The binding keeps the memory alive. */
	vnpu_io_mem_close(shared.mem.id);
	return ret;
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_token token;
	uint32_t memory_device;
	uint64_t ptr;
	aclError ret;
	int err;

	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (!key)
		return vnpu_error_null("key");
	if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %llu is not known; use ACL_RT_IPC_MEM_IMPORT_FLAG_*",
			(unsigned long long)flags);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	if (!vnpu_token_from_text(key, &token))
		return bad_key();

	if (!import_again(&token, &ptr, &memory_device)) {
		err = import_first(&token, current.device, &ptr,
				   &memory_device);
		if (err)
			return vnpu_share_error(err, "key");
	}
	if (flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		vnpu_peer_enable(current.user_device,
				 vnpu_device_user_number(memory_device));
	*devPtr = vnpu_u64_to_ptr(ptr);
	return ACL_SUCCESS;
}

/*
 * If the process has both exported and imported it, the import is closed first.
 */
aclError aclrtIpcMemClose(const char *key)
{
	VNPU_CALL();
	struct vnpu_token token;
	struct import *import;
	bool was_imported;

	if (!key)
		return vnpu_error_null("key");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	if (!vnpu_token_from_text(key, &token))
		return bad_key();

	vnpu_runtime_lock();
	import = find_locked(&token);
	was_imported = import;
	if (import && !--import->refs)
		drop_locked(import);
	vnpu_runtime_unlock();
	if (was_imported || !vnpu_share_close(VNPU_SHARE_KEY, &token))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"key was neither exported nor imported by this process, or was closed before");
}
