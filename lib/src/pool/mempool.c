// SPDX-License-Identifier: MIT
/*
 * Pools of device memory: the calls. mempool_segment.c has the implementation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt_memory_soma.h"

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "memprof/profile.h"
#include "runtime/device.h"
#include "stream/capture.h"
#include "mempool_internal.h"

static aclError bad_props(const char *what)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM, "poolProps->%s", what);
}

static aclError props_check(const aclrtMemPoolProps *props)
{
	static const unsigned char zeros[sizeof(props->reserved)];

	if (props->allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
		return bad_props("allocType is not known; use ACL_MEM_ALLOCATION_TYPE_PINNED");
	if (props->handleType != ACL_MEM_HANDLE_TYPE_NONE)
		return bad_props("handleType is not supported; use ACL_MEM_HANDLE_TYPE_NONE");
	if (props->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return bad_props("location is not a device; use ACL_MEM_LOCATION_TYPE_DEVICE");
	if (memcmp(props->reserved, zeros, sizeof(zeros)))
		return bad_props("reserved is not zero");
	return ACL_SUCCESS;
}

static aclError size_check(uint32_t device, uint64_t size, uint64_t *max_size)
{
	struct vnpu_io_device info;
	aclError ret = vnpu_device_query(device, &info);

	if (ret)
		return ret;
	if (size > info.total)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"poolProps->maxSize = %llu is more than the %llu bytes of the device",
			(unsigned long long)size,
			(unsigned long long)info.total);
	*max_size = size ? size : info.total;
	return ACL_SUCCESS;
}

aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
			    const aclrtMemPoolProps *poolProps)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_mempool *new;
	uint64_t max_size = 0, handle;
	uint32_t device;
	aclError ret;

	if (!memPool)
		return vnpu_error_null("memPool");
	if (!poolProps)
		return vnpu_error_null("poolProps");
	ret = props_check(poolProps);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = vnpu_device_resolve(poolProps->location.id, &device);
	if (!ret)
		ret = size_check(device, poolProps->maxSize, &max_size);
	if (ret)
		return ret;

	new = calloc(1, sizeof(*new));
	handle = new ? vnpu_handle_add(VNPU_HANDLE_POOL, new) : 0;
	if (!handle) {
		free(new);
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a pool");
	}
	new->handle = handle;
	new->user_device = poolProps->location.id;
	new->device = device;
	new->max_size = max_size;
	new->follows_events = 1;
	new->opportunistic = 1;
	new->adds_waits = 1;
	vnpu_mempool_lock();
	vnpu_mempool_publish(new);
	vnpu_mempool_unlock();
	*memPool = vnpu_u64_to_ptr(handle);
	return ACL_SUCCESS;
}

/* Look up a pool; on success the lock of pools is held. */
static aclError pool_lock(aclrtMemPool handle, struct vnpu_mempool **pool)
{
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	vnpu_mempool_lock();
	*pool = vnpu_handle_find(VNPU_HANDLE_POOL, handle);
	if (*pool)
		return ACL_SUCCESS;
	vnpu_mempool_unlock();
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"memPool = %p is not a pool, or was destroyed, or its device was reset",
		handle);
}

/* Wait until the work of a stream on the memory of a pool is done. */
static void pool_wait(aclrtMemPool handle, struct vnpu_stream *stream,
		      uint64_t seq)
{
	struct vnpu_mempool *pool;

	vnpu_queue_wait(&stream->queue, seq, -1);
	vnpu_mempool_lock();
	/* A reset of the device may have ended the pool. */
	pool = vnpu_handle_find(VNPU_HANDLE_POOL, handle);
	if (pool)
		vnpu_mempool_settle(pool, stream, seq);
	vnpu_mempool_unlock();
	vnpu_stream_put(stream);
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
	VNPU_CALL();
	struct vnpu_stream *stream = NULL;
	struct vnpu_mempool *pool;
	unsigned int count;
	uint64_t seq;
	aclError ret;

	if (!memPool)
		return vnpu_error_null("memPool");
	do {
		if (stream)
			pool_wait(memPool, stream, seq);
		ret = pool_lock(memPool, &pool);
		if (ret)
			return ret;
		count = pool->nr_allocated;
		stream = count ? NULL : vnpu_mempool_end(pool, &seq);
		vnpu_mempool_unlock();
	} while (stream);
	return count ? vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%u allocation(s) of memPool = %p are not freed; free them with aclrtMemPoolFreeAsync first",
		count, memPool) : ACL_SUCCESS;
}

/* Find an attribute, as one of two types; false if it is unknown. */
static bool attr_find(struct vnpu_mempool *pool, aclrtMemPoolAttr attr,
		      uint32_t **flag, uint64_t **bytes)
{
	*flag = NULL;
	*bytes = NULL;
	switch (attr) {
	case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
		*flag = &pool->follows_events;
		return true;
	case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
		*flag = &pool->opportunistic;
		return true;
	case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		*flag = &pool->adds_waits;
		return true;
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		*bytes = &pool->threshold;
		return true;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
		*bytes = &pool->reserved;
		return true;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
		*bytes = &pool->reserved_high;
		return true;
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
		*bytes = &pool->used;
		return true;
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
		*bytes = &pool->used_high;
		return true;
	default:
		return false;
	}
}

/* Set an attribute; returns the reason of a failure, or NULL. */
static const char *attr_set(struct vnpu_mempool *pool, aclrtMemPoolAttr attr,
			    const void *value)
{
	uint32_t *flag, number;
	uint64_t *bytes, size;

	if (!attr_find(pool, attr, &flag, &bytes))
		return "is not known; use a value of aclrtMemPoolAttr";
	if (flag) {
		memcpy(&number, value, sizeof(number));
		if (number > 1)
			return "is 0 or 1";
		*flag = number;
		return NULL;
	}
	memcpy(&size, value, sizeof(size));
	switch (attr) {
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		*bytes = size;
		return NULL;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
		if (size)
			return "can only be set to 0, to restart it";
		*bytes = attr == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH ?
			 pool->used : pool->reserved;
		return NULL;
	default:
		return "is read-only";
	}
}

static aclError attr_args(aclrtMemPool memPool, const void *value)
{
	if (!memPool)
		return vnpu_error_null("memPool");
	if (!value)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"value is NULL; pass a valid pointer");
	return ACL_SUCCESS;
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
			     void *value)
{
	VNPU_CALL();
	struct vnpu_mempool *pool;
	const char *why;
	aclError ret = attr_args(memPool, value);

	if (!ret)
		ret = pool_lock(memPool, &pool);
	if (ret)
		return ret;
	why = attr_set(pool, attr, value);
	vnpu_mempool_unlock();
	return why ? vnpu_error(ACL_ERROR_RT_PARAM_INVALID, "attr = %d %s",
				attr, why) : ACL_SUCCESS;
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
			     void *value)
{
	VNPU_CALL();
	struct vnpu_mempool *pool;
	uint32_t *flag;
	uint64_t *bytes;
	bool is_known;
	aclError ret = attr_args(memPool, value);

	if (!ret)
		ret = pool_lock(memPool, &pool);
	if (ret)
		return ret;
	is_known = attr_find(pool, attr, &flag, &bytes);
	if (flag)
		memcpy(value, flag, sizeof(*flag));
	else if (bytes)
		memcpy(value, bytes, sizeof(*bytes));
	vnpu_mempool_unlock();
	return is_known ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"attr = %d is not known; use a value of aclrtMemPoolAttr",
		attr);
}

/* Make the stream wait, if it has to before it uses the memory. */
static aclError wait_first(struct vnpu_stream *stream,
			   const struct vnpu_mempool_grant *grant)
{
	aclError ret;

	if (!grant->must_wait)
		return ACL_SUCCESS;
	ret = vnpu_reuse_after(stream, &grant->freed);
	if (!ret)
		return ACL_SUCCESS;
	vnpu_mempool_lock();
	vnpu_mempool_free_after(grant->va, grant->freed.by, grant->freed.seq);
	vnpu_mempool_unlock();
	return ret;
}

static aclError alloc_error(int err, uint64_t size)
{
	if (err == -ENOSPC)
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"%llu bytes are not available in this pool or its device; free memory, or synchronize streams that freed it",
			(unsigned long long)size);
	return vnpu_error_errno(err, "allocating from a pool");
}

static aclError pool_malloc(void **ptr, uint64_t size, aclrtMemPool memPool,
			    struct vnpu_stream *stream)
{
	struct vnpu_mempool_grant grant;
	struct vnpu_mempool *pool;
	aclError ret = pool_lock(memPool, &pool);
	uint32_t device;
	int err;

	if (ret)
		return ret;
	err = vnpu_mempool_alloc(pool, size, stream, &grant);
	device = pool->device;
	vnpu_mempool_unlock();
	if (err)
		return alloc_error(err, size);
	ret = wait_first(stream, &grant);
	if (grant.freed.by)
		vnpu_stream_put(grant.freed.by);
	if (ret)
		return ret;
	vnpu_profile_alloc(VNPU_PROFILE_POOL, grant.va, size, device,
			   stream->number);
	*ptr = vnpu_u64_to_ptr(grant.va);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool,
				 aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	if (!memPool)
		return vnpu_error_null("memPool");
	if (!stream)
		return vnpu_error_null("stream");
	if (!size)
		return ACL_SUCCESS;
	ret = vnpu_capture_stream_get(stream, "an allocation from a pool",
				      &found);
	if (ret)
		return ret;
	ret = pool_malloc(ptr, size, memPool, found);
	vnpu_stream_put(found);
	return ret;
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;
	int err;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	ret = vnpu_capture_stream_get(stream, "a free of memory of a pool",
				      &found);
	if (ret)
		return ret;
	vnpu_mempool_lock();
	err = vnpu_mempool_free_after(vnpu_ptr_to_u64(ptr), found,
				      vnpu_queue_last(&found->queue));
	vnpu_mempool_unlock();
	vnpu_stream_put(found);
	return err ? vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"ptr = %p is not allocated from a pool; it was freed before, or use aclrtFree",
		ptr) : ACL_SUCCESS;
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
	VNPU_CALL();
	struct vnpu_mempool *pool;
	aclError ret = pool_lock(memPool, &pool);

	if (ret)
		return ret;
	vnpu_mempool_trim(pool, minBytesToKeep);
	vnpu_mempool_unlock();
	return ACL_SUCCESS;
}
