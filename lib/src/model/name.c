// SPDX-License-Identifier: MIT
/* Names and numbers of models. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model.h"

/* A longer name is cut. */
aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	if (!name)
		return vnpu_error_null("name");
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	snprintf(model->name, sizeof(model->name), "%s", name);
	pthread_mutex_unlock(&model->lock);
	vnpu_model_put(model);
	return ACL_SUCCESS;
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	if (!name)
		return vnpu_error_null("name");
	if (!maxLen)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "maxLen is 0; pass at least 1 byte");
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	snprintf(name, maxLen, "%s", model->name);
	pthread_mutex_unlock(&model->lock);
	vnpu_model_put(model);
	return ACL_SUCCESS;
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	if (!modelRIId)
		return vnpu_error_null("modelRIId");
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	*modelRIId = model->number;
	vnpu_model_put(model);
	return ACL_SUCCESS;
}
