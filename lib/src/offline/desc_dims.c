// SPDX-License-Identifier: MIT
/* Descriptions of models: sizes of tensors, and gears. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "desc.h"
#include "offline.h"

/* In place of a gear: sizes that differ between gears are -1. */
enum { ANY_GEAR = -1 };

_Static_assert(OM_GEARS <= ACL_MAX_BATCH_NUM && OM_GEARS <= ACL_MAX_HW_NUM,
	       "room for all gears");
_Static_assert(OM_VALUES <= ACL_MAX_DIM_CNT, "room for all sizes of inputs");

/* Make a short name for a tensor with a name that is too long for aclmdlIODims. */
static void alias(char *name, uint32_t model, bool is_output, size_t index)
{
	snprintf(name, ACL_MAX_TENSOR_NAME_LEN, "acl_modelId_%u_%s_%zu", model,
		 is_output ? "output" : "input", index);
}

static bool is_long(const char *name)
{
	return strlen(name) >= ACL_MAX_TENSOR_NAME_LEN;
}

static aclError no_tensor(const struct vnpu_om *om, bool is_output,
			  size_t index)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"index = %zu: the model has %zu %s", index,
		is_output ? (size_t)om->om.head->outputs : vnpu_om_inputs(om),
		is_output ? "outputs" : "inputs");
}

/* Get the description of a model for a call that returns @dims. */
static aclError view_dims(const aclmdlDesc *modelDesc, const aclmdlIODims *dims,
			  struct vnpu_desc_view *view)
{
	if (!dims)
		return vnpu_error_null("dims");
	return vnpu_desc_view(modelDesc, view);
}

/* Get the sizes of a tensor, in a gear or with -1. */
static aclError fill(const struct vnpu_desc_view *view, bool is_output,
		     size_t index, int gear, aclmdlIODims *dims)
{
	const struct vnpu_om *om = view->om;
	struct vnpu_desc_tensor t;
	struct program p;

	if (!vnpu_desc_tensor(om, is_output, index, &t))
		return no_tensor(om, is_output, index);
	*dims = (aclmdlIODims){ .dimCount = t.rank };
	if (is_long(t.name))
		alias(dims->name, view->model, is_output, index);
	else
		strcpy(dims->name, t.name);
	if (!t.dims) {
		dims->dims[0] = t.values;
		return ACL_SUCCESS;
	}
	if (gear != ANY_GEAR) {
		om_program(&om->om, gear, &p);
		index += is_output ? om->om.head->inputs : 0;
		t.dims = p.tensors[index].dims;
	}
	memcpy(dims->dims, t.dims, t.rank * sizeof(*t.dims));
	return ACL_SUCCESS;
}

static aclError input_dims(const aclmdlDesc *modelDesc, size_t index,
			   aclmdlIODims *dims)
{
	struct vnpu_desc_view view;
	aclError ret = view_dims(modelDesc, dims, &view);

	if (ret)
		return ret;
	ret = fill(&view, false, index, ANY_GEAR, dims);
	vnpu_om_put(view.om);
	return ret;
}

aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index,
			    aclmdlIODims *dims)
{
	VNPU_CALL();

	return input_dims(modelDesc, index, dims);
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc, size_t index,
			      aclmdlIODims *dims)
{
	VNPU_CALL();

	return input_dims(modelDesc, index, dims);
}

aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index,
			     aclmdlIODims *dims)
{
	VNPU_CALL();
	struct vnpu_desc_view view;
	aclError ret = view_dims(modelDesc, dims, &view);

	if (ret)
		return ret;
	ret = fill(&view, true, index, view.om->om.head->kind == OM_RANGE ?
		   ANY_GEAR : (int)om_largest(&view.om->om), dims);
	vnpu_om_put(view.om);
	return ret;
}

aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index,
				aclmdlIODims *dims)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	struct vnpu_desc_view view;
	aclError ret = view_dims(modelDesc, dims, &view);

	if (ret)
		return ret;
	ret = vnpu_offline_find(view.model, &model);
	if (!ret && view.om->om.head->kind == OM_RANGE) {
		ret = vnpu_error(ACL_ERROR_API_NOT_SUPPORT,
			"model %u (%s) has ranges of sizes, and each run its own; aclmdlGetDatasetTensorDesc has those of its outputs",
			view.model, vnpu_offline_name(model));
		vnpu_offline_put(model);
	} else if (!ret) {
		ret = fill(&view, true, index, atomic_load(&model->gear), dims);
		vnpu_offline_put(model);
	}
	vnpu_om_put(view.om);
	return ret;
}

const char *aclmdlGetTensorRealName(const aclmdlDesc *modelDesc,
				    const char *name)
{
	VNPU_CALL();
	char other[ACL_MAX_TENSOR_NAME_LEN];
	const char *found = NULL;
	struct vnpu_desc_view view;
	struct vnpu_desc_tensor t;

	if (!name) {
		vnpu_error_null("name");
		return NULL;
	}
	if (vnpu_desc_view(modelDesc, &view))
		return NULL;
	for (unsigned int i = 0; !found && i < 2; i++) {
		for (size_t k = 0;
		     !found && vnpu_desc_tensor(view.om, i, k, &t); k++) {
			alias(other, view.model, i, k);
			if (!strcmp(t.name, name) ||
			    (is_long(t.name) && !strcmp(other, name)))
				found = t.name;
		}
	}
	vnpu_om_put(view.om);
	if (!found)
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			"name = %s: the model has no such input or output",
			name);
	return found;
}

aclError aclmdlGetDynamicBatch(const aclmdlDesc *modelDesc, aclmdlBatch *batch)
{
	VNPU_CALL();
	int64_t values[OM_VALUES];
	struct vnpu_desc_view view;
	const struct om *om;
	aclError ret;

	if (!batch)
		return vnpu_error_null("batch");
	ret = vnpu_desc_view(modelDesc, &view);
	if (ret)
		return ret;
	om = &view.om->om;
	*batch = (aclmdlBatch){ 0 };
	for (uint32_t i = 0; om->head->kind == OM_BATCH && i < om->head->gears;
	     i++) {
		om_values(om, i, values);
		batch->batch[batch->batchCount++] = values[0];
	}
	vnpu_om_put(view.om);
	return ACL_SUCCESS;
}

aclError aclmdlGetDynamicHW(const aclmdlDesc *modelDesc, size_t index,
			    aclmdlHW *hw)
{
	VNPU_CALL();
	int64_t values[OM_VALUES];
	struct vnpu_desc_view view;
	const struct om *om;
	aclError ret;

	(void)index;
	if (!hw)
		return vnpu_error_null("hw");
	ret = vnpu_desc_view(modelDesc, &view);
	if (ret)
		return ret;
	om = &view.om->om;
	*hw = (aclmdlHW){ 0 };
	for (uint32_t i = 0; om->head->kind == OM_IMAGE && i < om->head->gears;
	     i++) {
		om_values(om, i, values);
		hw->hw[hw->hwCount][0] = values[0];
		hw->hw[hw->hwCount++][1] = values[1];
	}
	vnpu_om_put(view.om);
	return ACL_SUCCESS;
}

/* Get a description for a call about all inputs. */
static aclError view_all(const aclmdlDesc *modelDesc, size_t index,
			 struct vnpu_desc_view *view)
{
	if (index != (size_t)-1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu: the sizes are those of all inputs; pass -1",
			index);
	return vnpu_desc_view(modelDesc, view);
}

static size_t count_gears(const struct om *om)
{
	return om->head->kind == OM_DIMS ? om->head->gears : 0;
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc *modelDesc,
					size_t index, size_t *gearCount)
{
	VNPU_CALL();
	struct vnpu_desc_view view;
	aclError ret;

	if (!gearCount)
		return vnpu_error_null("gearCount");
	ret = view_all(modelDesc, index, &view);
	if (ret)
		return ret;
	*gearCount = count_gears(&view.om->om);
	vnpu_om_put(view.om);
	return ACL_SUCCESS;
}

/* Get the sizes of all inputs in a gear. */
static void fill_all(const struct om *om, unsigned int gear, aclmdlIODims *dims)
{
	struct program p;

	*dims = (aclmdlIODims){ 0 };
	om_program(om, gear, &p);
	for (uint32_t i = 0; i < om->head->inputs; i++)
		for (unsigned int k = 0; k < p.tensors[i].rank; k++)
			dims->dims[dims->dimCount++] = p.tensors[i].dims[k];
}

aclError aclmdlGetInputDynamicDims(const aclmdlDesc *modelDesc, size_t index,
				   aclmdlIODims *dims, size_t gearCount)
{
	VNPU_CALL();
	struct vnpu_desc_view view;
	size_t gears;
	aclError ret;

	if (!dims)
		return vnpu_error_null("dims");
	ret = view_all(modelDesc, index, &view);
	if (ret)
		return ret;
	gears = count_gears(&view.om->om);
	if (gearCount < gears)
		ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
			"gearCount = %zu is too small: the model has %zu gears",
			gearCount, gears);
	for (size_t i = 0; !ret && i < gears; i++)
		fill_all(&view.om->om, i, &dims[i]);
	vnpu_om_put(view.om);
	return ret;
}
