// SPDX-License-Identifier: MIT
/*
 * Synchronous copies and fills; those of streams are in copy_async.c.
 *
 * The addresses determine what is host memory and what is device memory.  The
 * driver makes all accesses to device memory; this file makes those to host
 * memory.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "mem/host.h"
#include "runtime/context.h"
#include "capture.h"
#include "copy.h"

/* Find the first unbound address of a range; 0 if all of it is bound. */
static uint64_t first_unbound(uint64_t va, uint64_t length)
{
	struct vnpu_io_binding binding;
	uint64_t end = va + length;

	while (va < end) {
		if (vnpu_io_va_query(va, false, &binding))
			return va;
		va = binding.va + binding.length;
	}
	return 0;
}

aclError vnpu_copy_check_bound(const char *name, uint64_t va, uint64_t length)
{
	uint64_t hole;

	if (!vnpu_io_is_device_address(va))
		return ACL_SUCCESS;
	hole = first_unbound(va, length);
	if (!hole)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = 0x%llx: no device memory is allocated at 0x%llx, byte %llu of %llu; it was freed, or the range exceeds its allocation",
		name, (unsigned long long)va, (unsigned long long)hole,
		(unsigned long long)(hole - va), (unsigned long long)length);
}

/* Report which pointer caused the driver to return EFAULT. */
static aclError fault_error(uint64_t dst, uint64_t src, uint64_t length)
{
	bool host_is_dst = !vnpu_io_is_device_address(dst);
	aclError ret;

	ret = vnpu_copy_check_bound("dst", dst, length);
	if (!ret)
		ret = vnpu_copy_check_bound("src", src, length);
	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = 0x%llx: %llu bytes of host memory there cannot be %s; a part of the data may have been copied",
		host_is_dst ? "dst" : "src",
		(unsigned long long)(host_is_dst ? dst : src),
		(unsigned long long)length, host_is_dst ? "written" : "read");
}

aclError vnpu_copy(void *dst, const void *src, uint64_t length)
{
	uint64_t to = vnpu_ptr_to_u64(dst);
	uint64_t from = vnpu_ptr_to_u64(src);
	int err;

	if (!vnpu_io_is_device_address(to) &&
	    !vnpu_io_is_device_address(from)) {
		memmove(dst, src, length);
		return ACL_SUCCESS;
	}
	err = vnpu_io_copy(to, from, length);
	if (err == -EFAULT || err == -EOVERFLOW)
		return fault_error(to, from, length);
	return err ? vnpu_error_errno(err, "copying") : ACL_SUCCESS;
}

aclError vnpu_copy_refuse(const void *dst, size_t dest_max, const void *src,
			  size_t count, aclrtMemcpyKind kind)
{
	if (!dst)
		return vnpu_error_null("dst");
	if (!src)
		return vnpu_error_null("src");
	if ((unsigned int)kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"kind = %d is not known; use ACL_MEMCPY_DEFAULT", kind);
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"count = %zu is more than destMax = %zu; copy at most destMax bytes",
		count, dest_max);
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
		     aclrtMemcpyKind kind)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	vnpu_gate_pass();
	if (!count)
		return ACL_SUCCESS;
	ret = vnpu_copy_check(dst, destMax, src, count, kind);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret)
		ret = vnpu_capture_check_now();
	return ret ? ret : vnpu_copy(dst, src, count);
}

/* Set device memory to a value of @size bytes. */
static aclError fill_device(void *ptr, uint64_t length, uint32_t value,
			    unsigned int size)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);
	int err = vnpu_io_fill(addr, length, value, size);

	if (err == -EFAULT || err == -EOVERFLOW) {
		aclError ret = vnpu_copy_check_bound("devPtr", addr, length);

		if (ret)
			return ret;
	}
	return err ? vnpu_error_errno(err, "setting") : ACL_SUCCESS;
}

aclError vnpu_copy_check_host(const void *ptr, uint64_t length)
{
	if (vnpu_host_has(vnpu_ptr_to_u64(ptr), length))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"%p: %llu bytes there are neither device memory nor inside one block of aclrtMallocHost; set other host memory with aclrtMemset",
		ptr, (unsigned long long)length);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	vnpu_gate_pass();
	if (!count)
		return ACL_SUCCESS;
	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (count > maxCount)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"count = %zu is more than maxCount = %zu; set at most maxCount bytes",
			count, maxCount);
	ret = vnpu_context_current(&current);
	if (!ret)
		ret = vnpu_capture_check_now();
	if (ret)
		return ret;
	if (vnpu_io_is_device_address(vnpu_ptr_to_u64(devPtr)))
		return fill_device(devPtr, count, (uint8_t)value, 1);
	memset(devPtr, value, count);
	return ACL_SUCCESS;
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
	VNPU_CALL();
	struct vnpu_current current;
	uint32_t *values = ptr;
	aclError ret;

	vnpu_gate_pass();
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
	ret = vnpu_context_current(&current);
	if (!ret)
		ret = vnpu_capture_check_now();
	if (ret)
		return ret;
	if (vnpu_io_is_device_address(vnpu_ptr_to_u64(ptr)))
		return fill_device(ptr, N * sizeof(value), value,
				   sizeof(value));

	ret = vnpu_copy_check_host(ptr, N * sizeof(value));
	for (size_t i = 0; !ret && i < N; i++)
		values[i] = value;
	return ret;
}
