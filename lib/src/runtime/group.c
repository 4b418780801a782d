// SPDX-License-Identifier: MIT
/*
 * Groups of cores.  A 910B has none, so there is no description of them either,
 * for which CANN documents NULL.
 */
#include "base/error.h"
#include "context.h"

aclError aclrtGetGroupCount(uint32_t *count)
{
	struct vnpu_current current;
	aclError ret;

	if (!count)
		return vnpu_error_null(__func__, "count");
	ret = vnpu_context_current(__func__, &current);
	if (!ret)
		*count = 0;
	return ret;
}

aclError aclrtSetGroup(int32_t groupId)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(__func__, &current);

	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_GROUP_NOT_CREATE, __func__,
		"groupId = %d does not exist; the device has no groups, and all its cores are used",
		groupId);
}

aclrtGroupInfo *aclrtCreateGroupInfo(void)
{
	vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		   "the device has no groups");
	return NULL;
}

static aclError no_info(const char *call, const void *info)
{
	if (!info)
		return vnpu_error_null(call, "groupInfo");
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE, call,
		"groupInfo = %p is not from aclrtCreateGroupInfo", info);
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo)
{
	return no_info(__func__, groupInfo);
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo)
{
	return no_info(__func__, groupInfo);
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo,
				 int32_t groupIndex, aclrtGroupAttr attr,
				 void *attrValue, size_t valueLen,
				 size_t *paramRetSize)
{
	(void)groupIndex;
	(void)attr;
	(void)valueLen;
	if (!attrValue)
		return vnpu_error_null(__func__, "attrValue");
	if (!paramRetSize)
		return vnpu_error_null(__func__, "paramRetSize");
	return no_info(__func__, groupInfo);
}
