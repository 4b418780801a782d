// SPDX-License-Identifier: MIT
/* Functions of aclnn that concern neither objects nor operators. */
#include "aclnn.h"

aclnnStatus aclnnInit(const char *configPath)
{
	(void)configPath;
	return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
	return ACLNN_SUCCESS;
}

static aclnnStatus weight_size(const char *name, const aclIntArray *handle,
			       uint64_t *size)
{
	const struct aclnn_array *shape =
		aclnn_handle_get(ACLNN_OBJECT_INTS, handle);
	uint64_t elements = 1;

	if (!shape)
		return aclnn_error_handle(name, "tensorShape", handle,
					  "an array of integers");
	if (!size)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "weightTensorSize is NULL");
	for (uint64_t i = 0; i < shape->size; i++)
		if (shape->i[i] < 0 ||
		    __builtin_mul_overflow(elements, shape->i[i], &elements))
			return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
					   "tensorShape: a size is negative, or there are too many elements");
	*size = elements;
	return ACLNN_SUCCESS;
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape,
					   uint64_t *weightTensorSize)
{
	return weight_size(__func__, tensorShape, weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape,
					     aclDataType dataType,
					     uint64_t *weightTensorSize)
{
	(void)dataType;
	return weight_size(__func__, tensorShape, weightTensorSize);
}
