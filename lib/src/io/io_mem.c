// SPDX-License-Identifier: MIT
/* The interface to the kernel, see io.h: memory of devices and of the host. */
#include <errno.h>
#include <sys/mman.h>

#include <linux/vnpu.h>

#include "base/util.h"
#include "io.h"
#include "io_call.h"

_Static_assert(VNPU_IO_SHIFT_4K == VNPU_PAGE_SHIFT_4K, "page class");
_Static_assert(VNPU_IO_SHIFT_2M == VNPU_PAGE_SHIFT_2M, "page class");
_Static_assert(VNPU_IO_SHIFT_1G == VNPU_PAGE_SHIFT_1G, "page class");
_Static_assert(VNPU_IO_SLAB_MAX == VNPU_SLAB_MAX_LENGTH, "longest object");

static uint32_t alloc_flags_to_uapi(unsigned int flags)
{
	return (flags & VNPU_IO_ALLOC_HOST_ACCESS ? VNPU_MEM_F_HOST_ACCESS :
						    0) |
	       (flags & VNPU_IO_ALLOC_TRY ? VNPU_MEM_F_TRY : 0) |
	       (flags & VNPU_IO_ALLOC_CONTIGUOUS ? VNPU_MEM_F_CONTIGUOUS : 0) |
	       (flags & VNPU_IO_ALLOC_NO_COMPACT ? VNPU_MEM_F_NO_COMPACT : 0);
}

int vnpu_io_mem_alloc(uint32_t device, unsigned int page_shift,
		      uint64_t length, uint64_t va, unsigned int flags,
		      uint64_t *report)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		.flags = vnpu_io_alloc_flags() | VNPU_MEM_F_BIND |
			 alloc_flags_to_uapi(flags),
		.device = device,
		.page_shift = page_shift,
		.length = length,
		.va = va,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);

	if (report)
		*report = alloc.out_report;
	return ret;
}

int vnpu_io_slab_window(uint32_t device, uint64_t va, uint64_t length)
{
	struct vnpu_slab_window window = {
		.size = sizeof(window),
		.device = device,
		.va = va,
		.length = length,
	};
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (vnpu_io_alloc_flags() & VNPU_MEM_F_HOST_ACCESS)
		return -EOPNOTSUPP;
	return vnpu_io_call(VNPU_IOCTL_SLAB_WINDOW, &window);
}

int vnpu_io_slab_alloc(uint32_t device, uint64_t length, uint64_t *va)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		/* The caller falls back to pages. */
		.flags = VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY,
		.device = device,
		.length = length,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);

	if (!ret)
		*va = alloc.out_va;
	return ret;
}

int vnpu_io_mem_free(uint64_t va, uint64_t *length, unsigned int *page_shift)
{
	struct vnpu_va_unbind unbind = {
		.size = sizeof(unbind),
		.flags = VNPU_VA_UNBIND_F_FREE,
		.va = va,
	};
	int ret = vnpu_io_retry(VNPU_IOCTL_VA_UNBIND, &unbind);

	if (!ret) {
		*length = unbind.out_length;
		*page_shift = unbind.out_page_shift;
	}
	return ret;
}

int vnpu_io_mem_create(uint32_t device, unsigned int page_shift,
		       uint64_t length, struct vnpu_io_mem *mem,
		       uint64_t *report)
{
	struct vnpu_mem_alloc alloc = {
		.size = sizeof(alloc),
		.device = device,
		.page_shift = page_shift,
		.length = length,
	};
	int ret = vnpu_io_open();

	*report = 0;
	if (ret)
		return ret;
	alloc.flags = vnpu_io_alloc_flags() | VNPU_MEM_F_HOST_ACCESS;
	ret = vnpu_io_call(VNPU_IOCTL_MEM_ALLOC, &alloc);
	*report = alloc.out_report;
	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = alloc.out_id,
			.device = device,
			.page_shift = page_shift,
			.length = alloc.out_length,
		};
	return ret;
}

int vnpu_io_mem_create_host(int64_t node, uint64_t length,
			    struct vnpu_io_mem *mem)
{
	struct vnpu_host_alloc alloc = {
		.size = sizeof(alloc),
		.length = length,
	};
	int ret;

	if (node != VNPU_IO_ANY_NUMA) {
		alloc.flags = VNPU_HOST_ALLOC_F_NODE;
		alloc.node = node;
	}
	ret = vnpu_io_call(VNPU_IOCTL_HOST_ALLOC, &alloc);
	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = alloc.out_id,
			.page_shift = VNPU_IO_SHIFT_4K,
			.length = alloc.out_length,
		};
	return ret;
}

int vnpu_io_mem_open(uint64_t va, uint32_t *id)
{
	struct vnpu_mem_open open = { .size = sizeof(open), .va = va };
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_OPEN, &open);

	if (!ret)
		*id = open.out_id;
	return ret;
}

int vnpu_io_mem_close(uint32_t id)
{
	struct vnpu_mem_free free = { .size = sizeof(free), .id = id };

	return vnpu_io_retry(VNPU_IOCTL_MEM_FREE, &free);
}

int vnpu_io_mem_export(uint32_t id, int *fd)
{
	struct vnpu_mem_export export = { .size = sizeof(export), .id = id };
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_EXPORT, &export);

	if (!ret)
		*fd = export.out_fd;
	return ret;
}

int vnpu_io_mem_export_dmabuf(uint32_t id, bool read_only, int *fd)
{
	struct vnpu_mem_export_dmabuf export = {
		.size = sizeof(export),
		.flags = read_only ? VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY : 0,
		.id = id,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_EXPORT_DMABUF, &export);

	if (!ret)
		*fd = export.out_fd;
	return ret;
}

int vnpu_io_mem_import_dmabuf(int fd, struct vnpu_io_mem *mem)
{
	struct vnpu_mem_import_dmabuf import = {
		.size = sizeof(import),
		.fd = fd,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_IMPORT_DMABUF, &import);

	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = import.out_id,
			.device = import.out_device,
			.page_shift = import.out_page_shift,
			.length = import.out_length,
			.is_host = import.out_device == VNPU_DEVICE_HOST,
		};
	return ret;
}

int vnpu_io_mem_import(int fd, struct vnpu_io_mem *mem)
{
	struct vnpu_mem_import import = { .size = sizeof(import), .fd = fd };
	int ret = vnpu_io_call(VNPU_IOCTL_MEM_IMPORT, &import);

	if (!ret)
		*mem = (struct vnpu_io_mem){
			.id = import.out_id,
			.device = import.out_device,
			.page_shift = import.out_page_shift,
			.length = import.out_length,
		};
	return ret;
}

int vnpu_io_host_alloc(uint64_t length, void **addr, uint32_t *id)
{
	struct vnpu_host_alloc alloc = {
		.size = sizeof(alloc),
		.length = length,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_HOST_ALLOC, &alloc);

	if (ret)
		return ret;
	*addr = vnpu_io_map(length,
			    VNPU_MMAP_HOST + alloc.out_id * VNPU_PAGE_SIZE);
	if (*addr == MAP_FAILED) {
		ret = -errno;
		vnpu_io_mem_close(alloc.out_id);
	} else {
		*id = alloc.out_id;
	}
	return ret;
}

void vnpu_io_host_free(void *addr, uint64_t length)
{
	munmap(addr, length);
}

int vnpu_io_host_register(const void *addr, uint64_t length, bool read_only,
			  uint32_t *id)
{
	struct vnpu_host_register reg = {
		.size = sizeof(reg),
		.flags = read_only ? VNPU_HOST_REGISTER_F_READ_ONLY : 0,
		.addr = vnpu_ptr_to_u64(addr),
		.length = length,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_HOST_REGISTER, &reg);

	if (!ret)
		*id = reg.out_id;
	return ret;
}
