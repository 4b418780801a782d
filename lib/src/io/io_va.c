// SPDX-License-Identifier: MIT
/*
 * The interface to the kernel, see io.h: device addresses and their contents.
 */
#include <errno.h>

#include <linux/vnpu.h>

#include "io.h"
#include "io_call.h"

_Static_assert(VNPU_IO_ACCESS_NONE == VNPU_ACCESS_NONE, "access");
_Static_assert(VNPU_IO_ACCESS_READ == VNPU_ACCESS_READ, "access");
_Static_assert(VNPU_IO_ACCESS_READ_WRITE == VNPU_ACCESS_READ_WRITE, "access");

int vnpu_io_va_query(uint64_t va, bool next, struct vnpu_io_binding *out)
{
	struct vnpu_va_query query = {
		.size = sizeof(query),
		.flags = next ? VNPU_VA_QUERY_F_NEXT : 0,
	};
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (next && va < vnpu_io_window_start())
		va = vnpu_io_window_start();
	if (!vnpu_io_is_device_address(va))
		return -ENOENT;
	query.va = va;
	ret = vnpu_io_call(VNPU_IOCTL_VA_QUERY, &query);

	if (!ret) {
		out->va = query.out_va;
		out->length = query.out_length;
		out->offset = query.out_offset;
		out->device = query.out_device;
		out->page_shift = query.out_page_shift;
		out->is_host = query.out_device == VNPU_DEVICE_HOST;
		out->has_id = query.out_mem_id;
		out->host_access = VNPU_ACCESS_NONE;
		if (query.out_mem_flags & VNPU_MEM_F_HOST_ACCESS)
			out->host_access = query.out_host_access;
		out->read_devices = query.out_read_devices;
		out->write_devices = query.out_write_devices;
	}
	return ret;
}

int vnpu_io_bind(uint32_t id, uint64_t va, uint64_t length, uint64_t offset,
		 enum vnpu_io_users users)
{
	struct vnpu_va_bind bind = {
		.size = sizeof(bind),
		.mem_id = id,
		.va = va,
		.length = length,
		.offset = offset,
	};

	if (users == VNPU_IO_NOBODY)
		bind.flags = VNPU_VA_BIND_F_NO_ACCESS;
	else if (users == VNPU_IO_DEVICES &&
		 !(vnpu_io_alloc_flags() & VNPU_MEM_F_HOST_ACCESS))
		bind.flags = VNPU_VA_BIND_F_NO_HOST_ACCESS;
	return vnpu_io_call(VNPU_IOCTL_VA_BIND, &bind);
}

int vnpu_io_unbind(uint64_t va)
{
	struct vnpu_va_unbind unbind = { .size = sizeof(unbind), .va = va };

	return vnpu_io_retry(VNPU_IOCTL_VA_UNBIND, &unbind);
}

int vnpu_io_protect(uint64_t va, uint64_t length, uint32_t device,
		    uint32_t access)
{
	struct vnpu_va_protect protect = {
		.size = sizeof(protect),
		.va = va,
		.length = length,
		.device = device,
		.access = access,
	};

	return vnpu_io_call(VNPU_IOCTL_VA_PROTECT, &protect);
}

int vnpu_io_protect_host(uint64_t va, uint64_t length, uint32_t access)
{
	return vnpu_io_protect(va, length, VNPU_DEVICE_HOST, access);
}

int vnpu_io_copy(uint64_t dst, uint64_t src, uint64_t length)
{
	struct vnpu_copy copy = {
		.size = sizeof(copy),
		.dst = dst,
		.src = src,
		.length = length,
	};
	int ret;

	/* A backward copy has its completed part at the end. */
	while ((ret = vnpu_io_call(VNPU_IOCTL_COPY, &copy)) == -EINTR) {
		if (dst <= src || dst - src >= copy.length) {
			copy.dst += copy.out_done;
			copy.src += copy.out_done;
		}
		copy.length -= copy.out_done;
	}
	return ret;
}

int vnpu_io_fill(uint64_t dst, uint64_t length, uint64_t value,
		 unsigned int value_size)
{
	struct vnpu_fill fill = {
		.size = sizeof(fill),
		.dst = dst,
		.length = length,
		.value = value,
		.value_size = value_size,
	};
	int ret;

	do {
		ret = vnpu_io_call(VNPU_IOCTL_FILL, &fill);
	} while (ret == -EINTR);
	return ret;
}
