// SPDX-License-Identifier: MIT
/* Tensors. */
#include <stdlib.h>
#include <string.h>

#include "aclnn.h"

static unsigned int engine_type(aclDataType dtype)
{
	switch (dtype) {
	case ACL_FLOAT:
		return VNPU_DT_F32;
	case ACL_FLOAT16:
		return VNPU_DT_F16;
	case ACL_BF16:
		return VNPU_DT_BF16;
	case ACL_DOUBLE:
		return VNPU_DT_F64;
	case ACL_INT8:
		return VNPU_DT_I8;
	case ACL_INT16:
		return VNPU_DT_I16;
	case ACL_INT32:
		return VNPU_DT_I32;
	case ACL_INT64:
		return VNPU_DT_I64;
	case ACL_UINT8:
		return VNPU_DT_U8;
	case ACL_BOOL:
		return VNPU_DT_BOOL;
	case ACL_INT4:
		return VNPU_DT_I4;
	default:
		return VNPU_DT_NONE;
	}
}

/* Get the type of the halves of an element; VNPU_DT_NONE for most types. */
static unsigned int half_type(aclDataType dtype)
{
	switch (dtype) {
	case ACL_COMPLEX32:
		return VNPU_DT_F16;
	case ACL_COMPLEX64:
		return VNPU_DT_F32;
	case ACL_COMPLEX128:
		return VNPU_DT_F64;
	case ACL_INT64:
	case ACL_UINT64:
		return VNPU_DT_U32;
	default:
		return VNPU_DT_NONE;
	}
}

static bool is_empty(const struct vnpu_tensor *view)
{
	for (unsigned int i = 0; i < view->rank; i++)
		if (!view->dims[i])
			return true;
	return false;
}

/* Set the bytes of the storage; false if there are too many. */
static bool set_bytes(struct aclnn_tensor *tensor)
{
	unsigned int bits = vnpu_dtype_bits(tensor->view.dtype);
	uint64_t bytes = 1;

	if (!bits)
		bits = 2 * vnpu_dtype_bits(half_type(tensor->dtype));
	/* Sizes that a program computes from such a view may be negative. */
	if (is_empty(&tensor->view)) {
		tensor->view.bytes = 0;
		return true;
	}
	for (uint32_t i = 0; i < tensor->storage_rank; i++)
		if (tensor->storage[i] < 0 ||
		    __builtin_mul_overflow(bytes, tensor->storage[i], &bytes))
			return false;
	if (__builtin_mul_overflow(bytes, bits, &bytes) ||
	    bytes > UINT64_MAX - 7)
		return false;
	tensor->view.bytes = (bytes + 7) / 8;
	return true;
}

/*
 * Some programs compute storageDims from the sizes and strides of a view alone,
 * and leave out its offset.  If a view fits only without its offset, extend the
 * storage to the end of the view.
 */
static void count_offset(struct vnpu_tensor *view)
{
	unsigned int bits = vnpu_dtype_bits(view->dtype);
	struct vnpu_tensor probe = *view;
	int64_t last = view->offset;
	const char *why;

	/* Any aligned address: the real one is checked later. */
	probe.data = 4096;
	if (last <= 0 || last > VNPU_TENSOR_MAX ||
	    !vnpu_tensor_check(&probe, &why))
		return;
	probe.offset = 0;
	if (vnpu_tensor_check(&probe, &why))
		return;
	for (unsigned int i = 0; i < view->rank; i++)
		if (view->strides[i] > 0)
			last += (view->dims[i] - 1) * view->strides[i];
	view->bytes = ((uint64_t)(last + 1) * bits + 7) / 8;
}

/* Double a stride or an offset; the engine refuses those beyond its limit. */
static int64_t twice(int64_t distance)
{
	if (distance > VNPU_TENSOR_MAX || distance < -VNPU_TENSOR_MAX)
		return VNPU_TENSOR_MAX + 1;
	return 2 * distance;
}

/* View the first half of each element. */
static void set_half(struct aclnn_tensor *tensor)
{
	struct vnpu_tensor *half = &tensor->half;

	*half = tensor->view;
	half->dtype = half_type(tensor->dtype);
	for (unsigned int i = 0; i < half->rank; i++)
		half->strides[i] = twice(half->strides[i]);
	/* The second half is the last that a storage must have. */
	half->offset = twice(half->offset) + 1;
	count_offset(half);
	half->offset--;
}

/* Fill in a tensor, or report an error of @name. */
static aclnnStatus fill(const char *name, struct aclnn_tensor *tensor,
			const int64_t *dims, uint64_t rank, aclDataType dtype,
			const int64_t *strides, int64_t offset,
			aclFormat format, const int64_t *storage,
			uint64_t storage_rank, void *data)
{
	struct vnpu_tensor *view = &tensor->view;

	if ((rank && !dims) || (storage_rank && !storage))
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "%s is NULL, but there are %llu dimensions",
				   dims ? "storageDims" : "viewDims",
				   (unsigned long long)(dims ? storage_rank :
							       rank));
	if (rank > VNPU_TENSOR_DIMS || storage_rank > VNPU_TENSOR_DIMS)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "%llu dimensions of the view and %llu of the storage; at most %d are possible",
				   (unsigned long long)rank,
				   (unsigned long long)storage_rank,
				   VNPU_TENSOR_DIMS);
	*tensor = (struct aclnn_tensor){
		.dtype = dtype,
		.format = format,
		.storage_rank = storage_rank,
	};
	vnpu_tensor_init(view, engine_type(dtype), rank, dims, data);
	if (strides && rank)
		memcpy(view->strides, strides, rank * sizeof(*strides));
	view->offset = offset;
	if (storage_rank)
		memcpy(tensor->storage, storage,
		       storage_rank * sizeof(*storage));
	if (!set_bytes(tensor))
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "storageDims: a size is negative, or there are too many elements");
	count_offset(view);
	if (half_type(dtype))
		set_half(tensor);
	return ACLNN_SUCCESS;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
			   aclDataType dataType, const int64_t *stride,
			   int64_t offset, aclFormat format,
			   const int64_t *storageDims, uint64_t storageDimsNum,
			   void *tensorData)
{
	struct aclnn_tensor *tensor = malloc(sizeof(*tensor));
	aclTensor *handle = NULL;

	if (!tensor) {
		aclnn_error_memory(__func__);
		return NULL;
	}
	if (fill(__func__, tensor, viewDims, viewDimsNum, dataType, stride,
		 offset, format, storageDims, storageDimsNum, tensorData))
		goto err;
	handle = aclnn_handle_add(ACLNN_OBJECT_TENSOR, tensor);
	if (handle)
		return handle;
	aclnn_error_memory(__func__);
err:
	free(tensor);
	return NULL;
}

static struct aclnn_tensor *get(const char *name, const aclTensor *handle,
				aclnnStatus *status)
{
	struct aclnn_tensor *tensor =
		aclnn_handle_get(ACLNN_OBJECT_TENSOR, handle);

	*status = tensor ? ACLNN_SUCCESS :
			   aclnn_error_handle(name, "tensor", handle,
					      "a tensor");
	return tensor;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims,
			  uint64_t viewDimsNum, aclDataType dataType,
			  const int64_t *stride, int64_t offset,
			  aclFormat format, const int64_t *storageDims,
			  uint64_t storageDimsNum, void *tensorData)
{
	struct aclnn_tensor *old, made;
	aclnnStatus status;

	old = get(__func__, tensor, &status);
	if (!old)
		return status;
	status = fill(__func__, &made, viewDims, viewDimsNum, dataType, stride,
		      offset, format, storageDims, storageDimsNum, tensorData);
	if (!status)
		*old = made;
	return status;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
	void *object = aclnn_handle_remove(ACLNN_OBJECT_TENSOR, tensor);

	if (!object)
		return aclnn_error_handle(__func__, "tensor", tensor,
					  "a tensor");
	free(object);
	return ACLNN_SUCCESS;
}

/* Give the caller a copy of an array. */
static aclnnStatus copy_out(const char *name, const int64_t *from,
			    uint64_t count, int64_t **to, uint64_t *to_count)
{
	if (!to || !to_count)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "a result has nowhere to go: NULL");
	*to = NULL;
	*to_count = 0;
	if (!count)
		return ACLNN_SUCCESS;
	*to = malloc(count * sizeof(**to));
	if (!*to)
		return aclnn_error_memory(name);
	memcpy(*to, from, count * sizeof(**to));
	*to_count = count;
	return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
			    uint64_t *viewDimsNum)
{
	aclnnStatus status;
	const struct aclnn_tensor *t = get(__func__, tensor, &status);

	return t ? copy_out(__func__, t->view.dims, t->view.rank, viewDims,
			    viewDimsNum) : status;
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
			      uint64_t *stridesNum)
{
	aclnnStatus status;
	const struct aclnn_tensor *t = get(__func__, tensor, &status);

	return t ? copy_out(__func__, t->view.strides, t->view.rank,
			    stridesValue, stridesNum) : status;
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
			       uint64_t *storageDimsNum)
{
	aclnnStatus status;
	const struct aclnn_tensor *t = get(__func__, tensor, &status);

	return t ? copy_out(__func__, t->storage, t->storage_rank, storageDims,
			    storageDimsNum) : status;
}

/* Define a function that returns a property. */
#define GETTER(name, type, argument, value)				\
	aclnnStatus name(const aclTensor *tensor, type *argument)	\
	{								\
		aclnnStatus status;					\
		const struct aclnn_tensor *t = get(__func__, tensor,	\
						   &status);		\
									\
		if (!t)							\
			return status;					\
		if (!argument)						\
			return aclnn_error(__func__,			\
					   ACLNN_ERR_PARAM_NULLPTR,	\
					   #argument " is NULL");	\
		*argument = value;					\
		return ACLNN_SUCCESS;					\
	}

GETTER(aclGetViewOffset, int64_t, offset, t->view.offset)
GETTER(aclGetFormat, aclFormat, format, t->format)
GETTER(aclGetDataType, aclDataType, dataType, t->dtype)
GETTER(aclGetRawTensorAddr, void *, addr, (void *)(uintptr_t)t->view.data)

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
	aclnnStatus status;
	struct aclnn_tensor *t = get(__func__, tensor, &status);

	if (t)
		t->view.data = (uintptr_t)addr;
	return status;
}
