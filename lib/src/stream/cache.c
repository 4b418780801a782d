// SPDX-License-Identifier: MIT
/*
 * Maintenance of caches.  Hosts and devices share coherent memory here, so the
 * calls check their arguments, and an empty task keeps the place of an
 * operation in the order of its stream.
 */
#include <stdbool.h>

#include "acl/acl_rt_cache.h"
#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "runtime/context.h"
#include "copy.h"
#include "stream.h"

#define DESCRIPTOR_ALIGN	64

/* The descriptor that aclrtCmoSetDesc() writes to the device. */
struct descriptor {
	uint64_t src;
	uint64_t size;
	uint64_t reserved[6];
};

_Static_assert(sizeof(struct descriptor) == 64, "memory of the program");

/* Check that a range is in the window of device addresses. */
static aclError range_check(const char *name, const void *ptr, uint64_t size)
{
	uint64_t first = vnpu_ptr_to_u64(ptr);
	uint64_t last = first + size - 1;

	if (last >= first && vnpu_io_is_device_address(first) &&
	    vnpu_io_is_device_address(last))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = %p: %llu bytes from there are not device addresses", name,
		ptr, (unsigned long long)size);
}

/* Check a range of device memory before the host would maintain its cache. */
static aclError host_cache(const void *ptr, uint64_t size)
{
	struct vnpu_current current;
	aclError ret;

	if (!ptr)
		return vnpu_error_null("devPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "size is 0; pass at least 1 byte");
	ret = vnpu_context_current(&current);
	if (!ret)
		ret = range_check("devPtr", ptr, size);
	return ret ? ret : vnpu_copy_check_bound("devPtr", vnpu_ptr_to_u64(ptr),
						 size);
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
	VNPU_CALL();

	return host_cache(devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
	VNPU_CALL();

	return host_cache(devPtr, size);
}

aclError aclrtDeviceL2CacheFlush(void *rsv)
{
	VNPU_CALL();
	struct vnpu_current current;

	if (rsv)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "rsv is reserved; pass NULL");
	return vnpu_context_current(&current);
}

static aclError submit(aclrtStream stream)
{
	const struct vnpu_task task = { .op = VNPU_TASK_NOP };

	return vnpu_stream_submit_to(stream, &task);
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType,
		       aclrtStream stream)
{
	VNPU_CALL();
	aclError ret;

	if (!src)
		return vnpu_error_null("src");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "size is 0; pass at least 1 byte");
	if ((unsigned int)cmoType > ACL_RT_CMO_TYPE_FLUSH)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"cmoType = %d is not known; use a value of aclrtCmoType",
			cmoType);
	ret = range_check("src", src, size);
	return ret ? ret : submit(stream);
}

aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType,
				  uint32_t barrierId, aclrtStream stream)
{
	VNPU_CALL();

	(void)size;
	(void)stream;
	if (!src)
		return vnpu_error_null("src");
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"cmoType = %d, barrierId = %u: this device has no barriers; use aclrtCmoAsync and an event",
		cmoType, barrierId);
}

aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream,
			     uint32_t flag)
{
	VNPU_CALL();
	size_t count;

	(void)stream;
	(void)flag;
	if (!taskInfo)
		return vnpu_error_null("taskInfo");
	count = taskInfo->barrierNum;
	if (!count || count > ACL_RT_CMO_MAX_BARRIER_NUM)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"taskInfo->barrierNum = %zu: pass 1 to %u", count,
			ACL_RT_CMO_MAX_BARRIER_NUM);
	for (size_t i = 0; i < count; i++) {
		const aclrtBarrierCmoInfo *info = &taskInfo->cmoInfo[i];

		if (info->cmoType != ACL_RT_CMO_TYPE_INVALID ||
		    !info->barrierId)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"taskInfo->cmoInfo[%zu]: cmoType = %d, barrierId = %u; use ACL_RT_CMO_TYPE_INVALID and a barrier other than 0",
				i, info->cmoType, info->barrierId);
	}
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"this device has no barriers; use aclrtStreamWaitEvent");
}

aclError aclrtCmoGetDescSize(size_t *size)
{
	VNPU_CALL();

	if (!size)
		return vnpu_error_null("size");
	*size = sizeof(struct descriptor);
	return ACL_SUCCESS;
}

static aclError descriptor_check(const void *desc)
{
	if (!desc)
		return vnpu_error_null("cmoDesc");
	if (vnpu_ptr_to_u64(desc) % DESCRIPTOR_ALIGN)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"cmoDesc = %p is not aligned to %d bytes", desc,
			DESCRIPTOR_ALIGN);
	return range_check("cmoDesc", desc, sizeof(struct descriptor));
}

aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size)
{
	VNPU_CALL();
	const struct descriptor descriptor = {
		.src = vnpu_ptr_to_u64(src),
		.size = size,
	};
	struct vnpu_current current;
	aclError ret;

	if (!src)
		return vnpu_error_null("src");
	if (!size)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "size is 0; pass at least 1 byte");
	ret = vnpu_context_current(&current);
	if (!ret)
		ret = descriptor_check(cmoDesc);
	return ret ? ret : vnpu_copy(cmoDesc, &descriptor, sizeof(descriptor));
}

aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType,
			       aclrtStream stream, const void *reserve)
{
	VNPU_CALL();
	aclError ret;

	if (reserve)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "reserve is reserved; pass NULL");
	if (cmoType != ACL_RT_CMO_TYPE_PREFETCH)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"cmoType = %d: a descriptor can only be prefetched; use ACL_RT_CMO_TYPE_PREFETCH",
			cmoType);
	ret = descriptor_check(cmoDesc);
	return ret ? ret : submit(stream);
}
