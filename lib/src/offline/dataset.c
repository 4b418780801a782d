// SPDX-License-Identifier: MIT
/* Datasets, see dataset.h.  The pointer that programs have is a handle. */
#include <stdlib.h>
#include <string.h>

#include "graph/program/program.h"

#include "base/databuffer.h"
#include "base/error.h"
#include "base/handle.h"
#include "stream/copy.h"
#include "dataset.h"

static struct vnpu_dataset *find(const aclmdlDataset *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_DATASET, handle);
}

static aclError not_a_dataset(const char *argument, const aclmdlDataset *handle)
{
	if (!handle)
		return vnpu_error_null(argument);
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"%s = %p is not a dataset, or was destroyed; pass one of aclmdlCreateDataset",
		argument, (const void *)handle);
}

aclError vnpu_dataset_get(const char *argument, const aclmdlDataset *handle,
			  struct vnpu_dataset **dataset)
{
	*dataset = find(handle);
	return *dataset ? ACL_SUCCESS : not_a_dataset(argument, handle);
}

void vnpu_dataset_put(const aclmdlDataset *handle, struct vnpu_dataset *dataset)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	for (size_t i = 0; i < dataset->count; i++)
		aclDestroyTensorDesc(dataset->entries[i].desc);
	free(dataset->entries);
	free(dataset->values);
	free(dataset);
}

aclmdlDataset *aclmdlCreateDataset(void)
{
	VNPU_CALL();
	struct vnpu_dataset *new = calloc(1, sizeof(*new));
	uint64_t handle = 0;

	if (new)
		handle = vnpu_handle_add(VNPU_HANDLE_DATASET, new);
	if (!handle) {
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a dataset");
	}
	return vnpu_u64_to_ptr(handle);
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
	VNPU_CALL();
	struct vnpu_dataset *taken =
		vnpu_handle_remove(VNPU_HANDLE_DATASET, dataset);

	if (!taken)
		return not_a_dataset("dataset", dataset);
	vnpu_dataset_put(dataset, taken);
	return ACL_SUCCESS;
}

static aclError append(struct vnpu_dataset *dataset, aclDataBuffer *buffer)
{
	struct vnpu_dataset_entry *more;

	vnpu_lock(&dataset->lock);
	more = reallocarray(dataset->entries, dataset->count + 1,
			    sizeof(*more));
	if (more) {
		more[dataset->count++] = (struct vnpu_dataset_entry){
			.buffer = buffer,
		};
		dataset->entries = more;
	}
	vnpu_unlock(&dataset->lock);
	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a dataset");
	return ACL_SUCCESS;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset,
				aclDataBuffer *dataBuffer)
{
	VNPU_CALL();
	struct vnpu_dataset *found;
	size_t size;
	void *data;
	aclError ret;

	if (!vnpu_data_buffer_get(dataBuffer, &data, &size)) {
		if (!dataBuffer)
			return vnpu_error_null("dataBuffer");
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dataBuffer = %p is not a data buffer, or was destroyed; pass one of aclCreateDataBuffer",
			(void *)dataBuffer);
	}
	ret = vnpu_dataset_get("dataset", dataset, &found);
	if (ret)
		return ret;
	ret = append(found, dataBuffer);
	vnpu_dataset_put(dataset, found);
	return ret;
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset)
{
	struct vnpu_dataset *found = find(dataset);
	size_t count;

	if (!found)
		return 0;
	vnpu_lock(&found->lock);
	count = found->count;
	vnpu_unlock(&found->lock);
	vnpu_dataset_put(dataset, found);
	return count;
}

/* Read an entry; all NULL if there is none. */
static struct vnpu_dataset_entry read_entry(const aclmdlDataset *dataset,
					    size_t index)
{
	struct vnpu_dataset *found = find(dataset);
	struct vnpu_dataset_entry entry = { 0 };

	if (!found)
		return entry;
	vnpu_lock(&found->lock);
	if (index < found->count)
		entry = found->entries[index];
	vnpu_unlock(&found->lock);
	vnpu_dataset_put(dataset, found);
	return entry;
}

aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset,
				      size_t index)
{
	return read_entry(dataset, index).buffer;
}

aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset,
					  size_t index)
{
	return read_entry(dataset, index).desc;
}

aclError vnpu_dataset_describe(struct vnpu_dataset *dataset, size_t index,
			       const struct vnpu_tensor_desc *desc)
{
	aclTensorDesc *new = vnpu_tensor_desc_create(desc), *old = new;
	size_t count;

	if (!new)
		return ACL_ERROR_BAD_ALLOC;
	vnpu_lock(&dataset->lock);
	count = dataset->count;
	if (index < count) {
		old = dataset->entries[index].desc;
		dataset->entries[index].desc = new;
	}
	vnpu_unlock(&dataset->lock);
	aclDestroyTensorDesc(old);
	if (index < count)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"index = %zu: the dataset has %zu data buffers", index, count);
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset,
				    aclTensorDesc *tensorDesc, size_t index)
{
	VNPU_CALL();
	struct vnpu_tensor_desc desc;
	struct vnpu_dataset *found;
	aclError ret;

	if (!tensorDesc)
		return vnpu_error_null("tensorDesc");
	if (!vnpu_tensor_desc_get(tensorDesc, &desc))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"tensorDesc = %p is not a description of a tensor, or was destroyed; pass one of aclCreateTensorDesc",
			(void *)tensorDesc);
	if (desc.rank > VNPU_TENSOR_DIMS)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"tensorDesc has %zu dimensions; tensors of models have at most %d",
			desc.rank, VNPU_TENSOR_DIMS);
	ret = vnpu_dataset_get("dataset", dataset, &found);
	if (ret)
		return ret;
	ret = vnpu_dataset_describe(found, index, &desc);
	vnpu_dataset_put(dataset, found);
	return ret;
}

aclError vnpu_dataset_choose(struct vnpu_dataset *dataset,
			     const int64_t *values, unsigned int count)
{
	int64_t *new = malloc((count + 1) * sizeof(*new)), *old;

	if (!new)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a dataset");
	memcpy(new, values, count * sizeof(*new));
	vnpu_lock(&dataset->lock);
	old = dataset->values;
	dataset->values = new;
	dataset->value_count = count;
	vnpu_unlock(&dataset->lock);
	free(old);
	return ACL_SUCCESS;
}

aclError vnpu_dataset_write(const aclmdlDataset *handle, size_t index,
			    const void *from, size_t bytes)
{
	size_t size;
	void *data;

	if (!vnpu_data_buffer_get(aclmdlGetDatasetBuffer(handle, index), &data,
				  &size))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu: the dataset has %zu data buffers; add one of %zu bytes for this input",
			index, aclmdlGetDatasetNumBuffers(handle), bytes);
	if (!data)
		return vnpu_error(ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID,
			"index = %zu: the data buffer has no memory", index);
	if (size < bytes)
		return vnpu_error(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
			"index = %zu: the data buffer has %zu bytes, expected %zu",
			index, size, bytes);
	return vnpu_copy(data, from, bytes);
}
