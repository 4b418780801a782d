// SPDX-License-Identifier: MIT
/*
 * Shared buffers: device memory with a small record of the program's own, in
 * chains.
 *
 * Several buffers may refer to one area of device memory, which the last of
 * them frees.  A chain is named by its first buffer, its head; freeing the head
 * frees the chain; mbuf_chain.c has the calls.  One lock protects all buffers,
 * because each call is short.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt_mbuf.h"
#include "base/child.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "base/handle.h"
#include "io/io.h"
#include "runtime/context.h"
#include "malloc.h"
#include "mbuf.h"
#include "mbuf_internal.h"

#define BYTES_MAX	(4ULL << 30)

static pthread_mutex_t mbuf_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_mbuf *all;		/* protected by the lock */

void vnpu_mbuf_lock(void)
{
	pthread_mutex_lock(&mbuf_mutex);
}

void vnpu_mbuf_unlock(void)
{
	pthread_mutex_unlock(&mbuf_mutex);
}

aclError vnpu_mbuf_find(const char *name, aclrtMbuf handle,
			  struct vnpu_mbuf **found)
{
	if (!handle)
		return vnpu_error_null(name);
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	vnpu_mbuf_lock();
	*found = vnpu_handle_find(VNPU_HANDLE_MBUF, handle);
	if (*found)
		return ACL_SUCCESS;
	vnpu_mbuf_unlock();
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = %p is not a buffer, or was freed, or its device was reset; pass one of aclrtAllocBuf or aclrtCopyBufRef",
		name, handle);
}

static struct vnpu_mbuf *mbuf_new(void)
{
	struct vnpu_mbuf *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->handle = vnpu_handle_add(VNPU_HANDLE_MBUF, new);
	if (!new->handle) {
		free(new);
		return NULL;
	}
	new->head = new;
	return new;
}

static void publish_locked(struct vnpu_mbuf *mbuf, struct vnpu_mbuf_area *area)
{
	mbuf->area = area;
	area->refs++;
	mbuf->all_next = all;
	mbuf->all_link = &all;
	if (all)
		all->all_link = &mbuf->all_next;
	all = mbuf;
}

/* Free a buffer.  Returns its area if no other buffer refers to it. */
static struct vnpu_mbuf_area *mbuf_free_locked(struct vnpu_mbuf *mbuf)
{
	struct vnpu_mbuf_area *area = mbuf->area;

	*mbuf->all_link = mbuf->all_next;
	if (mbuf->all_next)
		mbuf->all_next->all_link = mbuf->all_link;
	vnpu_handle_remove_put(mbuf->handle);
	free(mbuf);
	return --area->refs ? NULL : area;
}

void vnpu_mbuf_set_head(struct vnpu_mbuf *head)
{
	for (struct vnpu_mbuf *mbuf = head; mbuf; mbuf = mbuf->next)
		mbuf->head = head;
}

static void chain_unlink(struct vnpu_mbuf *mbuf)
{
	struct vnpu_mbuf *previous = mbuf->head;

	if (previous == mbuf) {
		vnpu_mbuf_set_head(mbuf->next);
		return;
	}
	while (previous->next != mbuf)
		previous = previous->next;
	previous->next = mbuf->next;
}

/* The memory is freed with all other memory of the device. */
void vnpu_mbuf_drop_all(uint32_t device)
{
	struct vnpu_mbuf *next;

	vnpu_mbuf_lock();
	for (struct vnpu_mbuf *mbuf = all; mbuf; mbuf = next) {
		next = mbuf->all_next;
		if (mbuf->area->device != device)
			continue;
		chain_unlink(mbuf);
		free(mbuf_free_locked(mbuf));
	}
	vnpu_mbuf_unlock();
}

/* Free an area that no buffer refers to; the memory may be gone already. */
static aclError area_free(struct vnpu_mbuf_area *area)
{
	aclError ret = vnpu_mem_free(area->ptr);

	free(area);
	return ret;
}

/* Create the first buffer of an area, and allocate its memory. */
static aclError alloc_buffer(struct vnpu_mbuf_area *area,
			     struct vnpu_mbuf **found)
{
	struct vnpu_mbuf *new = mbuf_new();
	bool is_alive;

	if (!new) {
		area_free(area);
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a buffer");
	}
	/*
	 * The reset of a device ends its contexts before it drops buffers: if
	 * the context lives, the reset will find this buffer.
	 */
	vnpu_mbuf_lock();
	is_alive = vnpu_context_mine();
	publish_locked(new, area);
	if (!is_alive)
		free(mbuf_free_locked(new));
	vnpu_mbuf_unlock();
	if (!is_alive)
		return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
				  "the device was reset during the call");
	*found = new;
	return ACL_SUCCESS;
}

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_mbuf *new = NULL;
	struct vnpu_mbuf_area *area;
	aclError ret;

	if (!buf)
		return vnpu_error_null("buf");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "size is 0; pass at least 1 byte");
	if (size > BYTES_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size = %zu is more than 4 GiB; request less", size);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	area = calloc(1, sizeof(*area));
	if (!area)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a buffer");
	area->device = current.device;
	area->size = size;
	ret = vnpu_mem_alloc(&area->ptr, size);
	if (ret) {
		free(area);
		return ret;
	}
	ret = alloc_buffer(area, &new);
	if (!ret)
		*buf = vnpu_u64_to_ptr(new->handle);
	return ret;
}

aclError aclrtFreeBuf(aclrtMbuf buf)
{
	VNPU_CALL();
	aclError ret, code = ACL_SUCCESS;
	struct vnpu_mbuf *mbuf, *next;

	vnpu_gate_pass();
	ret = vnpu_mbuf_find("buf", buf, &mbuf);
	if (ret)
		return ret;
	if (mbuf->head != mbuf) {
		vnpu_mbuf_unlock();
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"buf = %p is inside a chain; free the first buffer of the chain, which frees all",
			buf);
	}
	/*
	 * Under the lock, because a reset of the device frees the same memory.
	 */
	for (; mbuf; mbuf = next) {
		struct vnpu_mbuf_area *area;

		next = mbuf->next;
		area = mbuf_free_locked(mbuf);
		if (area)
			ret = area_free(area);
		if (!code)
			code = ret;
	}
	vnpu_mbuf_unlock();
	return code;
}

aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	aclError ret;

	if (!dataPtr)
		return vnpu_error_null("dataPtr");
	if (!size)
		return vnpu_error_null("size");
	ret = vnpu_mbuf_find("buf", buf, &mbuf);
	if (ret)
		return ret;
	*dataPtr = mbuf->area->ptr;
	*size = mbuf->area->size;
	vnpu_mbuf_unlock();
	return ACL_SUCCESS;
}

aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	aclError ret;

	if (!len)
		return vnpu_error_null("len");
	ret = vnpu_mbuf_find("buf", buf, &mbuf);
	if (ret)
		return ret;
	*len = mbuf->length;
	vnpu_mbuf_unlock();
	return ACL_SUCCESS;
}

aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	uint64_t size;
	aclError ret = vnpu_mbuf_find("buf", buf, &mbuf);

	if (ret)
		return ret;
	size = mbuf->area->size;
	if (len && len <= size)
		mbuf->length = len;
	vnpu_mbuf_unlock();
	if (len && len <= size)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"len = %zu: pass 1 to %llu, the size of the buffer", len,
		(unsigned long long)size);
}

/* Look up a buffer and check a range of its user data, as vnpu_mbuf_find(). */
static aclError user_find(aclrtMbuf buf, const void *data, size_t size,
			  size_t offset, struct vnpu_mbuf **mbuf)
{
	if (size > VNPU_MBUF_USER_DATA || offset > VNPU_MBUF_USER_DATA - size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"offset = %zu, size = %zu: the user data has %d bytes",
			offset, size, VNPU_MBUF_USER_DATA);
	if (!data)
		return vnpu_error_null("dataPtr");
	return vnpu_mbuf_find("buf", buf, mbuf);
}

aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size,
			     size_t offset)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	aclError ret = user_find(buf, dataPtr, size, offset, &mbuf);

	if (ret)
		return ret;
	memcpy(mbuf->user + offset, dataPtr, size);
	vnpu_mbuf_unlock();
	return ACL_SUCCESS;
}

aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size,
			     size_t offset)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	aclError ret = user_find(buf, dataPtr, size, offset, &mbuf);

	if (ret)
		return ret;
	memcpy(dataPtr, mbuf->user + offset, size);
	vnpu_mbuf_unlock();
	return ACL_SUCCESS;
}

/* Create a chain that refers to the memory of this one; NULL on failure. */
static struct vnpu_mbuf *chain_copy_locked(const struct vnpu_mbuf *mbuf)
{
	struct vnpu_mbuf *head = NULL, **link = &head;

	for (; mbuf; mbuf = mbuf->next) {
		struct vnpu_mbuf *new = mbuf_new();

		if (!new)
			break;
		new->length = mbuf->length;
		memcpy(new->user, mbuf->user, VNPU_MBUF_USER_DATA);
		publish_locked(new, mbuf->area);
		*link = new;
		link = &new->next;
	}
	if (!mbuf) {
		vnpu_mbuf_set_head(head);
		return head;
	}
	while (head) {
		struct vnpu_mbuf *next = head->next;

		mbuf_free_locked(head);
		head = next;
	}
	return NULL;
}

aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf, *copy;
	aclError ret;

	if (!newBuf)
		return vnpu_error_null("newBuf");
	ret = vnpu_mbuf_find("buf", buf, &mbuf);
	if (ret)
		return ret;
	copy = chain_copy_locked(mbuf);
	if (copy)
		*newBuf = vnpu_u64_to_ptr(copy->handle);
	vnpu_mbuf_unlock();
	return copy ? ACL_SUCCESS :
		      vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a buffer");
}
