// SPDX-License-Identifier: MIT
/* Descriptions of models: inputs and outputs, see desc.h. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "desc.h"
#include "offline.h"

bool vnpu_desc_tensor(const struct vnpu_om *om, bool is_output, size_t index,
		      struct vnpu_desc_tensor *tensor)
{
	const struct om_head *h = om->om.head;
	const struct om_tensor *t = om->om.tensors;
	int64_t values[OM_VALUES];

	if (!is_output && index == h->inputs && om_has_choice(&om->om)) {
		*tensor = (struct vnpu_desc_tensor){
			.name = VNPU_GEAR_INPUT,
			.type = ACL_INT64,
			.format = ACL_FORMAT_ND,
			.rank = 1,
			.values = om_values(&om->om, 0, values),
		};
		tensor->bytes = tensor->values * VNPU_GEAR_BYTES;
		return true;
	}
	if (index >= (is_output ? h->outputs : h->inputs))
		return false;
	t += is_output ? h->inputs + index : index;
	*tensor = (struct vnpu_desc_tensor){
		.name = om->om.text + t->name,
		.type = vnpu_om_type(t->dtype),
		.format = (aclFormat)t->format,
		.bytes = t->bytes,
		.rank = t->rank,
		.dims = t->dims,
	};
	/* The sizes of a run decide, and are not known before. */
	for (unsigned int i = 0; is_output && h->kind == OM_RANGE &&
	     i < t->rank; i++)
		if (t->dims[i] == -1)
			tensor->bytes = 0;
	return true;
}

/* Get a tensor of a description; false if there is none. */
static bool peek(const aclmdlDesc *handle, bool is_output, size_t index,
		 struct vnpu_desc_tensor *tensor)
{
	struct vnpu_desc_view view;
	bool is_there;

	if (!vnpu_desc_peek(handle, &view))
		return false;
	is_there = vnpu_desc_tensor(view.om, is_output, index, tensor);
	/* The description still refers to the file, which has the name. */
	vnpu_om_put(view.om);
	return is_there;
}

static size_t count(const aclmdlDesc *handle, bool is_output)
{
	struct vnpu_desc_view view;
	size_t number;

	if (!vnpu_desc_peek(handle, &view))
		return 0;
	number = is_output ? view.om->om.head->outputs :
			     vnpu_om_inputs(view.om);
	vnpu_om_put(view.om);
	return number;
}

size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc)
{
	return count(modelDesc, false);
}

size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc)
{
	return count(modelDesc, true);
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, false, index, &t) ? t.bytes : 0;
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, true, index, &t) ? t.bytes : 0;
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, false, index, &t) ? t.name : "";
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc,
				       size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, true, index, &t) ? t.name : "";
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, false, index, &t) ? t.format :
						   ACL_FORMAT_UNDEFINED;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, true, index, &t) ? t.format :
						  ACL_FORMAT_UNDEFINED;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, false, index, &t) ? t.type : ACL_DT_UNDEFINED;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
	struct vnpu_desc_tensor t;

	return peek(modelDesc, true, index, &t) ? t.type : ACL_DT_UNDEFINED;
}

static aclError find(const aclmdlDesc *handle, bool is_output,
		     const char *name, size_t *index)
{
	struct vnpu_desc_view view;
	struct vnpu_desc_tensor t;
	aclError ret;
	size_t i;

	if (!name)
		return vnpu_error_null("name");
	if (!index)
		return vnpu_error_null("index");
	ret = vnpu_desc_view(handle, &view);
	if (ret)
		return ret;
	for (i = 0; vnpu_desc_tensor(view.om, is_output, i, &t); i++)
		if (!strcmp(t.name, name))
			break;
	if (vnpu_desc_tensor(view.om, is_output, i, &t))
		*index = i;
	else
		ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
			"name = %s: the model has no such %s", name,
			is_output ? "output" : "input");
	vnpu_om_put(view.om);
	return ret;
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc,
				   const char *name, size_t *index)
{
	VNPU_CALL();

	return find(modelDesc, false, name, index);
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc,
				    const char *name, size_t *index)
{
	VNPU_CALL();

	return find(modelDesc, true, name, index);
}
