/* SPDX-License-Identifier: MIT */
/*
 * The objects that operators of aclnn take: tensors, scalars, arrays, lists; and
 * executors.  libvnpu-op has these functions (-lnnopbase).
 *
 * A handle is a number, not an address.  A function that gets NULL, or the handle
 * of another object or of one that was destroyed, returns an error, and
 * aclGetRecentErrMsg() explains it.
 *
 * Any thread may call these functions.  An object may be used by several threads
 * at a time, unless one of them destroys or changes it.
 */
#ifndef ACLNN_ACL_META_H
#define ACLNN_ACL_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ACLNN_META
#define ACLNN_META
typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

typedef int32_t aclnnStatus;
static const aclnnStatus OK = 0;
#endif

/**
 * aclCreateTensor() - describe a tensor
 * @viewDims: sizes of the dimensions; may be NULL for a single element
 * @viewDimsNum: number of dimensions, up to 8
 * @dataType: type of the elements
 * @stride: distances of neighbours in elements, or NULL for a contiguous tensor
 * @offset: first element of the view in the storage
 * @format: layout; operators use the sizes and distances above
 * @storageDims: sizes of the storage; they may leave out the offset
 * @storageDimsNum: their number
 * @tensorData: device address of the storage
 *
 * The arrays are copied.  The memory belongs to the caller.
 *
 * Return: the tensor, which aclDestroyTensor() frees, or NULL.
 */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims,
	uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
	int64_t offset, aclFormat format, const int64_t *storageDims,
	uint64_t storageDimsNum, void *tensorData);

/*
 * Change the description of a tensor; the arguments are those of
 * aclCreateTensor().
 */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor,
	const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
	const int64_t *stride, int64_t offset, aclFormat format,
	const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);

/* Make a scalar of a value of the type; it is copied.  NULL on failure. */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value,
	aclDataType dataType);

/* Make an array of copies of @size values.  NULL on failure. */
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value,
	uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value,
	uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value,
	uint64_t size);

/* Make a list, which owns its members from then on.  NULL on failure. */
ACL_FUNC_VISIBILITY aclTensorList *
aclCreateTensorList(const aclTensor *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList *
aclCreateScalarList(const aclScalar *const *value, uint64_t size);

/*
 * Free an object, and the members of a list.  An executor does not need them.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyTensorList(const aclTensorList *array);
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyScalarList(const aclScalarList *array);

/*
 * Get the sizes or distances of a tensor, as a new array of the caller, which
 * frees it; NULL and 0 for a tensor without dimensions.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor,
	int64_t **viewDims, uint64_t *viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor,
	int64_t **stridesValue, uint64_t *stridesNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor,
	int64_t **storageDims, uint64_t *storageDimsNum);

/* Get other properties of a tensor. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor,
	int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor,
	aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor,
	aclDataType *dataType);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor,
	void **addr);

/* Change the address of a tensor's storage. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor,
	void *addr);

/* Get the number of elements. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array,
	uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus
aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array,
	uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus
aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus
aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/**
 * aclSetAclOpExecutorRepeatable() - let an executor run more than once
 * @executor: an executor that has not run
 *
 * Otherwise the first call that launches it frees it, also if the launch fails.
 * An error of the call's arguments leaves the executor as it is.  A repeatable
 * executor stays until aclDestroyAclOpExecutor().
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);

/* Free an executor that is repeatable, or was not run. */
ACL_FUNC_VISIBILITY aclnnStatus
aclDestroyAclOpExecutor(aclOpExecutor *executor);

/**
 * aclSetTensorAddr() - change the address of an argument of an executor
 * @executor: a repeatable executor
 * @index: number of the tensor among the inputs and outputs of the operator; a
 *	list counts as one, and a missing argument counts, too
 * @tensor: the tensor that was the argument
 * @addr: the new device address of its storage
 *
 * aclSetInputTensorAddr() counts inputs only, aclSetOutputTensorAddr() outputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor,
	const size_t index, aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor,
	const size_t index, aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor,
	const size_t index, aclTensor *tensor, void *addr);

/* Change the address of member @relativeIndex of a list. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(
	aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
	aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(
	aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
	aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(
	aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
	aclTensorList *tensors, void *addr);

#ifdef __cplusplus
}
#endif

#endif /* ACLNN_ACL_META_H */
