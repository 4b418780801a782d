/* SPDX-License-Identifier: MIT */
/*
 * Device memory that several processes use, by a key.
 */
#ifndef ACL_ACL_RT_IPC_H
#define ACL_ACL_RT_IPC_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_notify.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Processes that may import an export, see aclrtIpcMemGetExportKey(). */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION	0x1UL

/* See aclrtIpcMemImportByKey(). */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT			0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS		0x1UL

/* Links between dies for aclrtIpcMemSetAttr().  This device has none. */
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO			0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS			1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH	2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH	3

typedef enum aclrtIpcMemAttrType {
	ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

/**
 * aclrtIpcMemGetExportKey() - get a key by which other processes import memory
 * @devPtr: device memory
 * @size: bytes, inside one block
 * @key: filled with a key, to be sent to these processes
 * @len: its length, 65
 * @flags: ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT to admit the processes that
 *	aclrtIpcMemSetImportPid() names,
 *	ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION to admit every process
 *	that has the key
 *
 * The other processes can access all pages that the range touches.  The key is
 * valid until it is closed, or the memory is freed.  Processes that have
 * imported the memory by then keep it, also after this process has ended.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * @size of 0, another @len, unknown @flags, and a range that is not in one
 * block; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size,
	char *key, size_t len, uint64_t flags);

/**
 * aclrtIpcMemSetImportPid() - allow processes to import memory by a key
 * @key: a key that this process exported
 * @pid: their process ids, in the pid namespace of this process
 * @num: their number, at least 1
 *
 * Adds them to those of earlier calls.  The calling process is always admitted.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a key that this process did not export.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char *key,
	int32_t *pid, size_t num);

/**
 * aclrtIpcMemImportByKey() - import device memory of another process
 * @devPtr: set to its address in this process
 * @key: the key that the exporting process sent
 * @flags: ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS to do for the current
 *	device what aclrtDeviceEnablePeerAccess() does, or
 *	ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT
 *
 * The exporting process must not have ended.  A
 * second import of a key gives the same address.  The import belongs to the
 * current device, and the reset of this device closes it; aclrtFree() rejects
 * the address.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * unknown @flags and an unknown key, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_PERMISSION if this process is not admitted.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr,
	const char *key, uint64_t flags);

/**
 * aclrtIpcMemImportPidInterServer() - allow processes of other servers (not
 * supported)
 * @key: a key that this process exported
 * @serverPids: the processes
 * @num: their number
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device is on one server.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids,
				size_t num);

/**
 * aclrtIpcMemSetAttr() - choose the link by which a key's memory is accessed
 * @key: a key that this process exported
 * @type: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK
 * @attr: ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_*
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no links.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char *key,
	aclrtIpcMemAttrType type, uint64_t attr);

/**
 * aclrtIpcMemClose() - close an import or an export
 * @key: a key that this process imported or exported
 *
 * Closes one import, or the export if no import is left.  After that no process
 * can import the key any more; processes that have imported it keep the memory.
 * Processes may close in any order.  Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * key that this process neither imported nor exported.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char *key);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_IPC_H */
