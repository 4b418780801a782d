// SPDX-License-Identifier: MIT
/*
 * Groups of cores.  A 910B has none, so there is no description of them either,
 * for which CANN documents NULL.
 */
#include "base/error.h"
#include "context.h"

aclError aclrtGetGroupCount(uint32_t *count)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!count)
		return vnpu_error_null("count");
	ret = vnpu_context_current(&current);
	if (!ret)
		*count = 0;
	return ret;
}

aclError aclrtSetGroup(int32_t groupId)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);

	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_GROUP_NOT_CREATE,
		"groupId = %d does not exist; the device has no groups, and all its cores are used",
		groupId);
}

aclrtGroupInfo *aclrtCreateGroupInfo(void)
{
	VNPU_CALL();

	vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   "the device has no groups");
	return NULL;
}

static aclError no_info(const void *info)
{
	if (!info)
		return vnpu_error_null("groupInfo");
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"groupInfo = %p is not from aclrtCreateGroupInfo", info);
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo)
{
	VNPU_CALL();

	return no_info(groupInfo);
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo)
{
	VNPU_CALL();

	return no_info(groupInfo);
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo,
				 int32_t groupIndex, aclrtGroupAttr attr,
				 void *attrValue, size_t valueLen,
				 size_t *paramRetSize)
{
	VNPU_CALL();

	(void)groupIndex;
	(void)attr;
	(void)valueLen;
	if (!attrValue)
		return vnpu_error_null("attrValue");
	if (!paramRetSize)
		return vnpu_error_null("paramRetSize");
	return no_info(groupInfo);
}
