// SPDX-License-Identifier: MIT
/*
 * Data buffers, see databuffer.h.  The pointer that programs have is a handle.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "databuffer.h"
#include "error.h"
#include "handle.h"

struct data_buffer {
	void *_Atomic data;
	_Atomic size_t size;
};

static struct data_buffer *buffer_get(const aclDataBuffer *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_DATA_BUFFER, handle);
}

static void buffer_put(const aclDataBuffer *handle, struct data_buffer *buffer)
{
	if (vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		free(buffer);
}

bool vnpu_data_buffer_get(const aclDataBuffer *handle, void **data,
			  size_t *size)
{
	struct data_buffer *buffer = buffer_get(handle);

	if (!buffer)
		return false;
	*data = atomic_load_explicit(&buffer->data, memory_order_relaxed);
	*size = atomic_load_explicit(&buffer->size, memory_order_relaxed);
	buffer_put(handle, buffer);
	return true;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
	VNPU_CALL();
	struct data_buffer *new = malloc(sizeof(*new));
	uint64_t handle = 0;

	if (new) {
		atomic_init(&new->data, data);
		atomic_init(&new->size, size);
		handle = vnpu_handle_add(VNPU_HANDLE_DATA_BUFFER, new);
	}
	if (!handle) {
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a data buffer");
	}
	return vnpu_u64_to_ptr(handle);
}

static aclError not_a_buffer(const aclDataBuffer *handle)
{
	if (!handle)
		return vnpu_error_null("dataBuffer");
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"dataBuffer = %p is not a data buffer, or was destroyed; pass one of aclCreateDataBuffer",
		(const void *)handle);
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
	VNPU_CALL();
	struct data_buffer *buffer =
		vnpu_handle_remove(VNPU_HANDLE_DATA_BUFFER, dataBuffer);

	if (!buffer)
		return not_a_buffer(dataBuffer);
	buffer_put(dataBuffer, buffer);
	return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
	VNPU_CALL();
	struct data_buffer *buffer = buffer_get(dataBuffer);

	if (!buffer)
		return not_a_buffer(dataBuffer);
	atomic_store_explicit(&buffer->data, data, memory_order_relaxed);
	atomic_store_explicit(&buffer->size, size, memory_order_relaxed);
	buffer_put(dataBuffer, buffer);
	return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
	void *data = NULL;
	size_t size;

	vnpu_data_buffer_get(dataBuffer, &data, &size);
	return data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
	size_t size = 0;
	void *data;

	vnpu_data_buffer_get(dataBuffer, &data, &size);
	return size;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
	size_t size = 0;
	void *data;

	vnpu_data_buffer_get(dataBuffer, &data, &size);
	return size;
}
