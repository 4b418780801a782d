// SPDX-License-Identifier: MIT
/*
 * Links between the dies of a card, and between servers: a program may choose
 * the link by which memory is accessed.  This device has only one way to access
 * memory, and only for processes of this server.
 */
#include "acl/acl_rt.h"
#include "base/error.h"

static aclError no_links(void)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"this device has no links to choose from; omit the call, the memory is accessible without it");
}

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
			    aclrtMemLinkType adviceLink)
{
	VNPU_CALL();

	(void)handle;
	(void)adviceLink;
	return no_links();
}

aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc,
				 uint32_t linkIdx)
{
	VNPU_CALL();

	(void)virPtrDst;
	(void)size;
	(void)virPtrSrc;
	(void)linkIdx;
	return no_links();
}

aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type,
			    uint64_t attr)
{
	VNPU_CALL();

	(void)key;
	(void)type;
	(void)attr;
	return no_links();
}

aclError aclrtIpcMemImportPidInterServer(const char *key,
					 aclrtServerPid *serverPids, size_t num)
{
	VNPU_CALL();

	(void)key;
	(void)serverPids;
	(void)num;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"other servers cannot access this device; name processes of this server with aclrtIpcMemSetImportPid");
}
