// SPDX-License-Identifier: MIT
/* Descriptions of models: their life, see desc.h. */
#include <stdlib.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/lock.h"
#include "desc.h"
#include "offline.h"

struct desc {
	struct vnpu_lock lock;		/* protects the rest */
	struct vnpu_desc_view view;	/* om may be NULL */
};

static struct desc *desc_get(const aclmdlDesc *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_MODEL_DESC, handle);
}

static void desc_put(const aclmdlDesc *handle, struct desc *desc)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	if (desc->view.om)
		vnpu_om_put(desc->view.om);
	free(desc);
}

static aclError not_a_desc(const aclmdlDesc *handle)
{
	if (!handle)
		return vnpu_error_null("modelDesc");
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"modelDesc = %p is not a description of a model, or was destroyed; pass one of aclmdlCreateDesc",
		(const void *)handle);
}

bool vnpu_desc_peek(const aclmdlDesc *handle, struct vnpu_desc_view *view)
{
	struct desc *desc = desc_get(handle);

	if (!desc)
		return false;
	vnpu_lock(&desc->lock);
	*view = desc->view;
	if (view->om)
		vnpu_om_ref(view->om);
	vnpu_unlock(&desc->lock);
	desc_put(handle, desc);
	return view->om;
}

aclError vnpu_desc_view(const aclmdlDesc *handle, struct vnpu_desc_view *view)
{
	view->om = NULL;
	if (vnpu_desc_peek(handle, view))
		return ACL_SUCCESS;
	if (!vnpu_handle_find(VNPU_HANDLE_MODEL_DESC, handle))
		return not_a_desc(handle);
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"modelDesc = %p describes no model; call aclmdlGetDesc first",
		(const void *)handle);
}

aclmdlDesc *aclmdlCreateDesc(void)
{
	VNPU_CALL();
	struct desc *new = calloc(1, sizeof(*new));
	uint64_t handle = 0;

	if (new)
		handle = vnpu_handle_add(VNPU_HANDLE_MODEL_DESC, new);
	if (!handle) {
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a description of a model");
	}
	return vnpu_u64_to_ptr(handle);
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
	VNPU_CALL();
	struct desc *desc = vnpu_handle_remove(VNPU_HANDLE_MODEL_DESC, modelDesc);

	if (!desc)
		return not_a_desc(modelDesc);
	desc_put(modelDesc, desc);
	return ACL_SUCCESS;
}

/* Set the model of a description; takes over the reference to @om. */
static void fill(struct desc *desc, struct vnpu_om *om, uint32_t model)
{
	struct vnpu_om *old;

	vnpu_lock(&desc->lock);
	old = desc->view.om;
	desc->view = (struct vnpu_desc_view){ om, model };
	vnpu_unlock(&desc->lock);
	if (old)
		vnpu_om_put(old);
}

aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId)
{
	VNPU_CALL();
	struct desc *desc = desc_get(modelDesc);
	struct vnpu_offline *model;
	aclError ret;

	if (!desc)
		return not_a_desc(modelDesc);
	ret = vnpu_offline_find(modelId, &model);
	if (!ret) {
		vnpu_om_ref(model->om);
		fill(desc, model->om, modelId);
		vnpu_offline_put(model);
	}
	desc_put(modelDesc, desc);
	return ret;
}

/* Describe a file that was read, unless there was an error. */
static aclError describe(aclmdlDesc *handle, struct desc *desc,
			 struct vnpu_om *om, aclError ret)
{
	if (!ret) {
		vnpu_om_drop_weights(om);
		fill(desc, om, 0);
	}
	desc_put(handle, desc);
	return ret;
}

aclError aclmdlGetDescFromFile(aclmdlDesc *modelDesc, const char *modelPath)
{
	VNPU_CALL();
	struct desc *desc = desc_get(modelDesc);
	struct vnpu_om *om = NULL;
	aclError ret;

	if (!desc)
		return not_a_desc(modelDesc);
	ret = vnpu_om_read(modelPath, &om);
	return describe(modelDesc, desc, om, ret);
}

aclError aclmdlGetDescFromMem(aclmdlDesc *modelDesc, const void *model,
			      size_t modelSize)
{
	VNPU_CALL();
	struct desc *desc = desc_get(modelDesc);
	struct vnpu_om *om = NULL;
	aclError ret;

	if (!desc)
		return not_a_desc(modelDesc);
	ret = vnpu_om_copy(model, modelSize, &om);
	return describe(modelDesc, desc, om, ret);
}
