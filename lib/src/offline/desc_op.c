// SPDX-License-Identifier: MIT
/* Descriptions of models: ranges of sizes, and operators. */
#include <string.h>

#include "base/error.h"
#include "desc.h"

/* The one attribute of operators that a program can read. */
#define ORIGINAL_NAMES	"_datadump_original_op_names"

_Static_assert(VNPU_TENSOR_DIMS <= ACL_MAX_DIM_CNT, "room for all ranges");

static void fill_range(const struct om *om, uint32_t index,
		       aclmdlIODimsRange *range)
{
	unsigned int rank = om->tensors[index].rank;

	*range = (aclmdlIODimsRange){ 0 };
	/* Gears are single shapes. */
	if (om_has_choice(om))
		return;
	range->rangeCount = rank;
	for (unsigned int i = 0; i < rank; i++)
		om_range(om, index, i, &range->range[i][0],
			 &range->range[i][1]);
}

aclError aclmdlGetInputDimsRange(const aclmdlDesc *modelDesc, size_t index,
				 aclmdlIODimsRange *dimsRange)
{
	VNPU_CALL();
	struct vnpu_desc_view view;
	aclError ret;

	if (!dimsRange)
		return vnpu_error_null("dimsRange");
	ret = vnpu_desc_view(modelDesc, &view);
	if (ret)
		return ret;
	if (index < view.om->om.head->inputs)
		fill_range(&view.om->om, index, dimsRange);
	else if (index < vnpu_om_inputs(view.om))
		*dimsRange = (aclmdlIODimsRange){ 0 };
	else
		ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu: the model has %zu inputs", index,
			vnpu_om_inputs(view.om));
	vnpu_om_put(view.om);
	return ret;
}

/* Check whether a step of a model belongs to an operator. */
static bool has_operator(const struct om *om, const char *name)
{
	const struct program_step *step = NULL;
	struct program p;

	for (uint32_t i = 0; i < om->head->gears; i++) {
		om_program(om, i, &p);
		while ((step = program_next(&p, step)))
			if (!strcmp(p.text + step->name, name))
				return true;
	}
	return false;
}

static aclError check_attr(const struct om *om, const char *name,
			   const char *attr)
{
	if (!has_operator(om, name))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"opName = %s: the model has no such operator, or it became a part of another one",
			name);
	if (strcmp(attr, ORIGINAL_NAMES))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr = %s is not known; pass " ORIGINAL_NAMES, attr);
	return ACL_SUCCESS;
}

const char *aclmdlGetOpAttr(aclmdlDesc *modelDesc, const char *opName,
			    const char *attr)
{
	VNPU_CALL();
	struct vnpu_desc_view view;
	aclError ret;

	if (!opName || !attr) {
		vnpu_error_null(opName ? "attr" : "opName");
		return NULL;
	}
	if (vnpu_desc_view(modelDesc, &view))
		return NULL;
	ret = check_attr(&view.om->om, opName, attr);
	vnpu_om_put(view.om);
	/* A file has no names of operators that became parts of others. */
	return ret ? NULL : "";
}
