/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of tensors: type, sizes and format, which programs pass with
 * the data buffers of models.
 *
 * Any thread may read a description, but not while another one changes it.
 */
#ifndef ACL_ACL_BASE_MDL_H
#define ACL_ACL_BASE_MDL_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensorDesc aclTensorDesc;

/**
 * aclCreateTensorDesc() - describe a tensor
 * @dataType: type of its elements
 * @numDims: number of dimensions, up to 128
 * @dims: their sizes; may be NULL if there are none
 * @format: memory layout
 *
 * Returns NULL for other values of @numDims, for NULL with dimensions, and
 * without host memory.
 */
ACL_FUNC_VISIBILITY aclTensorDesc *aclCreateTensorDesc(aclDataType dataType,
	int numDims, const int64_t *dims, aclFormat format);

/**
 * aclDestroyTensorDesc() - destroy a description
 * @desc: a description, or NULL, for which nothing happens
 */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc *desc);

/**
 * aclGetTensorDescType() - get the type of the elements
 * @desc: a description
 *
 * Returns ACL_DT_UNDEFINED for NULL or a destroyed description.
 */
ACL_FUNC_VISIBILITY aclDataType
aclGetTensorDescType(const aclTensorDesc *desc);

/**
 * aclGetTensorDescFormat() - get the memory layout
 * @desc: a description
 *
 * Returns ACL_FORMAT_UNDEFINED for NULL or a destroyed description.
 */
ACL_FUNC_VISIBILITY aclFormat
aclGetTensorDescFormat(const aclTensorDesc *desc);

/**
 * aclGetTensorDescSize() - get the bytes of all elements
 * @desc: a description
 *
 * Returns 0 if a size is negative, if the number is too large, and for NULL or a
 * destroyed description.
 */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc *desc);

/**
 * aclGetTensorDescElementCount() - count the elements
 * @desc: a description
 *
 * Returns 0 as aclGetTensorDescSize().
 */
ACL_FUNC_VISIBILITY size_t
aclGetTensorDescElementCount(const aclTensorDesc *desc);

/**
 * aclGetTensorDescNumDims() - count the dimensions
 * @desc: a description
 *
 * Returns 0 for NULL or a destroyed description.
 */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);

/**
 * aclGetTensorDescDim() - get the size of a dimension
 * @desc: a description
 * @index: the dimension, from 0
 *
 * Returns -1 if there is none.
 */
ACL_DEPRECATED_MESSAGE("use aclGetTensorDescDimV2")
ACL_FUNC_VISIBILITY int64_t aclGetTensorDescDim(const aclTensorDesc *desc,
	size_t index);

/**
 * aclGetTensorDescDimV2() - get the size of a dimension
 * @desc: a description
 * @index: the dimension, from 0
 * @dimSize: set to its size
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if there is none.
 */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc *desc,
	size_t index, int64_t *dimSize);

/**
 * aclSetTensorDescName() - name a tensor
 * @desc: a description
 * @name: the name, which is copied; NULL removes it
 */
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc *desc,
	const char *name);

/**
 * aclGetTensorDescName() - get the name of a tensor
 * @desc: a description, which owns the name until it gets another one
 *
 * Returns "" without a name.
 */
ACL_FUNC_VISIBILITY const char *aclGetTensorDescName(aclTensorDesc *desc);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_BASE_MDL_H */
