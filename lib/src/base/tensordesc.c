// SPDX-License-Identifier: MIT
/*
 * Descriptions of tensors, see tensordesc.h.  The pointer that programs have is a
 * handle.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "handle.h"
#include "lock.h"
#include "tensordesc.h"

struct tensor_desc {
	struct vnpu_lock lock;		/* protects all */
	struct vnpu_tensor_desc desc;
	char *name;
};

static struct tensor_desc *desc_get(const aclTensorDesc *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_TENSOR_DESC, handle);
}

static void desc_put(const aclTensorDesc *handle, struct tensor_desc *desc)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	free(desc->name);
	free(desc);
}

bool vnpu_tensor_desc_get(const aclTensorDesc *handle,
			  struct vnpu_tensor_desc *desc)
{
	struct tensor_desc *found = desc_get(handle);

	if (!found)
		return false;
	vnpu_lock(&found->lock);
	*desc = found->desc;
	vnpu_unlock(&found->lock);
	desc_put(handle, found);
	return true;
}

bool vnpu_tensor_desc_set_dims(const aclTensorDesc *handle, size_t rank,
			       const int64_t *dims)
{
	struct tensor_desc *found = desc_get(handle);

	if (!found)
		return false;
	vnpu_lock(&found->lock);
	found->desc.rank = rank;
	memcpy(found->desc.dims, dims, rank * sizeof(*dims));
	vnpu_unlock(&found->lock);
	desc_put(handle, found);
	return true;
}

aclTensorDesc *vnpu_tensor_desc_create(const struct vnpu_tensor_desc *desc)
{
	struct tensor_desc *new = calloc(1, sizeof(*new));
	uint64_t handle = 0;

	if (new) {
		new->desc = *desc;
		handle = vnpu_handle_add(VNPU_HANDLE_TENSOR_DESC, new);
	}
	if (!handle) {
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a description of a tensor");
	}
	return vnpu_u64_to_ptr(handle);
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims,
				   const int64_t *dims, aclFormat format)
{
	VNPU_CALL();
	struct vnpu_tensor_desc desc = { .type = dataType, .format = format };

	if (numDims < 0 || numDims > VNPU_TENSOR_DESC_DIMS) {
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			"numDims = %d is not possible; pass 0 to %d", numDims,
			VNPU_TENSOR_DESC_DIMS);
		return NULL;
	}
	if (numDims && !dims) {
		vnpu_error_null("dims");
		return NULL;
	}
	desc.rank = numDims;
	if (numDims)
		memcpy(desc.dims, dims, numDims * sizeof(*dims));
	return vnpu_tensor_desc_create(&desc);
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
	struct tensor_desc *taken =
		vnpu_handle_remove(VNPU_HANDLE_TENSOR_DESC, desc);

	if (taken)
		desc_put(desc, taken);
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
	struct vnpu_tensor_desc found;

	return vnpu_tensor_desc_get(desc, &found) ? found.type :
						    ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
	struct vnpu_tensor_desc found;

	return vnpu_tensor_desc_get(desc, &found) ? found.format :
						    ACL_FORMAT_UNDEFINED;
}

static size_t count_elements(const struct vnpu_tensor_desc *desc)
{
	size_t count = 1;

	for (size_t i = 0; i < desc->rank; i++)
		if (desc->dims[i] < 0 ||
		    __builtin_mul_overflow(count, desc->dims[i], &count))
			return 0;
	return count;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
	struct vnpu_tensor_desc found;

	return vnpu_tensor_desc_get(desc, &found) ? count_elements(&found) : 0;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
	struct vnpu_tensor_desc found;
	size_t size;

	if (!vnpu_tensor_desc_get(desc, &found) ||
	    __builtin_mul_overflow(count_elements(&found),
				   aclDataTypeSize(found.type), &size))
		return 0;
	return size;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
	struct vnpu_tensor_desc found;

	return vnpu_tensor_desc_get(desc, &found) ? found.rank : 0;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
	struct vnpu_tensor_desc found;

	return vnpu_tensor_desc_get(desc, &found) && index < found.rank ?
		       found.dims[index] : -1;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index,
			       int64_t *dimSize)
{
	VNPU_CALL();
	struct vnpu_tensor_desc found;

	if (!desc)
		return vnpu_error_null("desc");
	if (!dimSize)
		return vnpu_error_null("dimSize");
	if (!vnpu_tensor_desc_get(desc, &found))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"desc = %p is not a description of a tensor, or was destroyed; pass one of aclCreateTensorDesc",
			(const void *)desc);
	if (index >= found.rank)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu: the tensor has %zu dimensions", index,
			found.rank);
	*dimSize = found.dims[index];
	return ACL_SUCCESS;
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
	struct tensor_desc *found = desc_get(desc);
	char *copy, *old;

	if (!found)
		return;
	copy = name ? strdup(name) : NULL;
	vnpu_lock(&found->lock);
	old = found->name;
	found->name = copy;
	vnpu_unlock(&found->lock);
	free(old);
	desc_put(desc, found);
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
	struct tensor_desc *found = desc_get(desc);
	const char *name;

	if (!found)
		return "";
	vnpu_lock(&found->lock);
	name = found->name;
	vnpu_unlock(&found->lock);
	desc_put(desc, found);
	return name ? name : "";
}
