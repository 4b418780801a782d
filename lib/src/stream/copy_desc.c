// SPDX-License-Identifier: MIT
/*
 * Copies that read their addresses from device memory when they run.
 */
#include <stddef.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "runtime/context.h"
#include "capture.h"
#include "copy.h"
#include "stream.h"
#include "timeout.h"

/* The descriptor that aclrtSetMemcpyDesc() writes to the device. */
struct descriptor {
	uint64_t src;
	uint64_t dst;
	uint64_t count;
	uint64_t reserved[5];
};

static aclError check_kind(aclrtMemcpyKind kind)
{
	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"kind = %d is not for this call; use ACL_MEMCPY_INNER_DEVICE_TO_DEVICE",
			kind);
	return ACL_SUCCESS;
}

static aclError check_device(const char *name, uint64_t addr)
{
	if (vnpu_io_is_device_address(addr))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = 0x%llx is not a device address", name,
		(unsigned long long)addr);
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
	VNPU_CALL();
	aclError ret;

	if (!descSize)
		return vnpu_error_null("descSize");
	ret = check_kind(kind);
	if (!ret)
		*descSize = sizeof(struct descriptor);
	return ret;
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr,
			    void *dstAddr, size_t count, void *config)
{
	VNPU_CALL();
	const struct descriptor descriptor = {
		.src = vnpu_ptr_to_u64(srcAddr),
		.dst = vnpu_ptr_to_u64(dstAddr),
		.count = count,
	};
	struct vnpu_current current;
	aclError ret;

	if (!desc)
		return vnpu_error_null("desc");
	if (!srcAddr)
		return vnpu_error_null("srcAddr");
	if (!dstAddr)
		return vnpu_error_null("dstAddr");
	if (config)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "config is reserved; pass NULL");
	ret = check_kind(kind);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = check_device("desc", vnpu_ptr_to_u64(desc));
	return ret ? ret : vnpu_copy(desc, &descriptor, sizeof(descriptor));
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind,
				  aclrtStream stream)
{
	VNPU_CALL();
	uint64_t addr = vnpu_ptr_to_u64(desc);
	const struct vnpu_task task = {
		.op = VNPU_TASK_COPY_INDIRECT,
		.timeout_ms = vnpu_timeout_execute(),
		.dst = addr + offsetof(struct descriptor, dst),
		.src = addr + offsetof(struct descriptor, src),
		.arg2 = addr + offsetof(struct descriptor, count),
	};
	aclError ret;

	if (!desc)
		return vnpu_error_null("desc");
	ret = check_kind(kind);
	if (!ret)
		ret = check_device("desc", addr);
	if (ret)
		return ret;
	if (addr % sizeof(uint64_t))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "desc = %p is not aligned to 8 bytes", desc);
	return vnpu_stream_submit_to(stream, &task);
}

/* Check whether a task can read a pointer, and get its address. */
static bool reach_pointer(const void *ptr, uint64_t *va)
{
	return !(vnpu_ptr_to_u64(ptr) % sizeof(uint64_t)) &&
	       vnpu_copy_reach(ptr, sizeof(uint64_t), va);
}

/*
 * Wait for the earlier tasks, which may write the pointers, and then read them.
 */
static aclError copy_after(struct vnpu_stream *stream, void **dst,
			   const void **src, const struct vnpu_task *task)
{
	void *to, *from;
	aclError ret = vnpu_capture_wait_now(stream);

	if (!ret)
		ret = vnpu_copy(&to, dst, sizeof(to));
	if (!ret)
		ret = vnpu_copy(&from, src, sizeof(from));
	if (!ret)
		ret = check_device("source", vnpu_ptr_to_u64(from));
	if (!ret)
		ret = check_device("destination", vnpu_ptr_to_u64(to));
	if (ret || !task->length)
		return ret;
	return vnpu_copy_submit(stream, (char *)to + task->arg0,
				(char *)from + task->arg1, task->length);
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax,
				    size_t dstDataOffset, const void **src,
				    size_t count, size_t srcDataOffset,
				    aclrtMemcpyKind kind, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_COPY_INDIRECT,
		.timeout_ms = vnpu_timeout_execute(),
		.length = count,
		.arg0 = dstDataOffset,
		.arg1 = srcDataOffset,
	};
	struct vnpu_stream *found;
	uint64_t to, from;
	aclError ret;

	vnpu_gate_pass();
	if (!dst)
		return vnpu_error_null("dst");
	if (!src)
		return vnpu_error_null("src");
	ret = check_kind(kind);
	if (ret)
		return ret;
	if (count > destMax)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"count = %zu is more than destMax = %zu; copy at most destMax bytes",
			count, destMax);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	if (reach_pointer(dst, &to) && reach_pointer(src, &from)) {
		task.dst = to;
		task.src = from;
		ret = vnpu_stream_submit(found, &task, 1, NULL);
	} else {
		ret = copy_after(found, dst, src, &task);
	}
	vnpu_stream_put(found);
	return ret;
}
