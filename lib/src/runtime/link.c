// SPDX-License-Identifier: MIT
/*
 * Links between the dies of a card, and between servers: a program may choose
 * the link by which memory is accessed.  This device has only one way to access
 * memory, and only for processes of this server.
 */
#include "acl/acl_rt.h"
#include "base/error.h"

static aclError no_links(const char *call)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, call,
		"this device has no links to choose from; omit the call, the memory is accessible without it");
}

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
			    aclrtMemLinkType adviceLink)
{
	(void)handle;
	(void)adviceLink;
	return no_links(__func__);
}

aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc,
				 uint32_t linkIdx)
{
	(void)virPtrDst;
	(void)size;
	(void)virPtrSrc;
	(void)linkIdx;
	return no_links(__func__);
}

aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type,
			    uint64_t attr)
{
	(void)key;
	(void)type;
	(void)attr;
	return no_links(__func__);
}

aclError aclrtIpcMemImportPidInterServer(const char *key,
					 aclrtServerPid *serverPids, size_t num)
{
	(void)key;
	(void)serverPids;
	(void)num;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"other servers cannot access this device; name processes of this server with aclrtIpcMemSetImportPid");
}
