// SPDX-License-Identifier: MIT
/* Attributes of models that are loaded. */
#include "base/error.h"
#include "offline.h"

#include "acl/acl_mdl.h"

aclError vnpu_offline_check_priority(int64_t priority)
{
	if (priority >= 0 && priority <= VNPU_OFFLINE_PRIORITY_MAX)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"the priority of a model cannot be %lld; pass 0 to %d",
		(long long)priority, VNPU_OFFLINE_PRIORITY_MAX);
}

/* Get a model for a call about an attribute. */
static aclError get(uint32_t number, aclmdlAttr attr,
		    const aclmdlAttrValue_t *value, struct vnpu_offline **model)
{
	if (!value)
		return vnpu_error_null("attrValue");
	if (attr != ACL_MDL_ATTR_PRIORITY_INT32)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr = %d is not known; pass ACL_MDL_ATTR_PRIORITY_INT32",
			(int)attr);
	return vnpu_offline_find(number, model);
}

aclError aclmdlSetAttribute(uint32_t modelId, aclmdlAttr attr,
			    aclmdlAttrValue_t *attrValue)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	aclError ret = get(modelId, attr, attrValue, &model);

	if (ret)
		return ret;
	ret = vnpu_offline_check_priority(attrValue->mdlPriority);
	if (!ret)
		atomic_store(&model->priority, attrValue->mdlPriority);
	vnpu_offline_put(model);
	return ret;
}

aclError aclmdlGetAttribute(uint32_t modelId, aclmdlAttr attr,
			    aclmdlAttrValue_t *attrValue)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	aclError ret = get(modelId, attr, attrValue, &model);

	if (ret)
		return ret;
	*attrValue = (aclmdlAttrValue_t){
		.mdlPriority = atomic_load(&model->priority),
	};
	vnpu_offline_put(model);
	return ACL_SUCCESS;
}
