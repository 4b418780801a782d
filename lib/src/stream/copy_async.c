// SPDX-License-Identifier: MIT
/*
 * Copies and fills that a stream makes.
 */
#include <string.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "mem/pinned.h"
#include "runtime/context.h"
#include "capture.h"
#include "copy.h"
#include "stream.h"
#include "timeout.h"

bool vnpu_copy_reach(const void *ptr, uint64_t length, uint64_t *va)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);

	if (vnpu_io_is_device_address(addr)) {
		*va = addr;
		return true;
	}
	return vnpu_pinned_translate(addr, length, va);
}

static struct vnpu_task copy_task(uint64_t dst, uint64_t src, uint64_t length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY,
		.timeout_ms = vnpu_timeout_execute(),
		.dst = dst,
		.src = src,
		.length = length,
	};
}

aclError vnpu_copy_submit(struct vnpu_stream *stream, void *dst,
			  const void *src, uint64_t length)
{
	uint64_t to, from;
	aclError ret;

	if (vnpu_copy_reach(dst, length, &to) &&
	    vnpu_copy_reach(src, length, &from)) {
		struct vnpu_task task = copy_task(to, from, length);

		return vnpu_stream_submit(stream, &task, 1, NULL);
	}
	ret = vnpu_capture_wait_now(stream);
	return ret ? ret : vnpu_copy(dst, src, length);
}

static aclError both_host(const void *dst, const void *src)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"dst = %p, src = %p: a stream does not copy from host to host; use memcpy",
		dst, src);
}

/* One of the addresses may be on the host; the arguments were checked. */
static __attribute__((noinline)) aclError
copy_with_host(void *dst, const void *src, size_t count, aclrtMemcpyKind kind,
	       aclrtStream handle)
{
	struct vnpu_stream *stream;
	aclError ret = vnpu_stream_get(handle, false, &stream);

	if (ret)
		return ret;
	if (kind == ACL_MEMCPY_HOST_TO_HOST ||
	    (!vnpu_io_is_device_address(vnpu_ptr_to_u64(dst)) &&
	     !vnpu_io_is_device_address(vnpu_ptr_to_u64(src))))
		ret = both_host(dst, src);
	else
		ret = vnpu_copy_submit(stream, dst, src, count);
	vnpu_stream_put(stream);
	return ret;
}

/* Inlined in its callers: small copies on a device have to be fast. */
static inline aclError copy_async(void *dst, size_t dest_max, const void *src,
				  size_t count, aclrtMemcpyKind kind,
				  aclrtStream handle)
{
	uint64_t to = vnpu_ptr_to_u64(dst), from = vnpu_ptr_to_u64(src);
	struct vnpu_task task;
	aclError ret;

	if (!count)
		return ACL_SUCCESS;
	ret = vnpu_copy_check(dst, dest_max, src, count, kind);
	if (ret)
		return ret;
	if (!vnpu_io_is_device_address(to) ||
	    !vnpu_io_is_device_address(from) || kind == ACL_MEMCPY_HOST_TO_HOST)
		return copy_with_host(dst, src, count, kind, handle);
	task = copy_task(to, from, count);
	return vnpu_stream_submit_to(handle, &task);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
			  size_t count, aclrtMemcpyKind kind,
			  aclrtStream stream)
{
	VNPU_CALL();

	vnpu_gate_pass();
	return copy_async(dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax,
				       const void *src, size_t count,
				       aclrtMemcpyKind kind, aclrtStream stream)
{
	VNPU_CALL();

	vnpu_gate_pass();
	return copy_async(dst, destMax, src, count, kind, stream);
}

/* Set host memory without a device address, as copies of such memory do. */
static aclError fill_after(struct vnpu_stream *stream, void *ptr,
			   uint64_t length, uint8_t value)
{
	aclError ret = vnpu_capture_wait_now(stream);

	if (!ret)
		memset(ptr, value, length);
	return ret;
}

/* Submit a fill with a value of @size bytes. */
static aclError fill_async(void *ptr, uint64_t length, uint32_t value,
			   unsigned int size, aclrtStream handle)
{
	struct vnpu_task task = {
		.op = VNPU_TASK_FILL,
		.mode = size,
		.timeout_ms = vnpu_timeout_execute(),
		.length = length,
		.arg0 = value,
	};
	struct vnpu_stream *stream;
	uint64_t va;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_stream_get(handle, false, &stream);
	if (ret)
		return ret;
	/* Host memory may be set if it has a device address. */
	if (vnpu_copy_reach(ptr, length, &va)) {
		task.dst = va;
		ret = vnpu_stream_submit(stream, &task, 1, NULL);
	} else if (size == 1) {
		ret = fill_after(stream, ptr, length, value);
	} else {
		ret = vnpu_copy_check_host(ptr, length);
	}
	vnpu_stream_put(stream);
	return ret;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
			  size_t count, aclrtStream stream)
{
	VNPU_CALL();

	if (!count)
		return ACL_SUCCESS;
	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (count > maxCount)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"count = %zu is more than maxCount = %zu; set at most maxCount bytes",
			count, maxCount);
	return fill_async(devPtr, count, (uint8_t)value, 1, stream);
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value,
			     size_t N, aclrtStream stream)
{
	VNPU_CALL();

	if (!N)
		return ACL_SUCCESS;
	if (!ptr)
		return vnpu_error_null("ptr");
	if (vnpu_ptr_to_u64(ptr) % sizeof(value))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"ptr = %p is not aligned to 4 bytes", ptr);
	if (N > memSize / sizeof(value))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"N = %zu values of 4 bytes are more than memSize = %zu bytes; set at most memSize / 4 values",
			N, memSize);
	return fill_async(ptr, N * sizeof(value), value, sizeof(value), stream);
}
