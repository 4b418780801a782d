// SPDX-License-Identifier: MIT
/*
 * Dma-bufs: export physical memory to the host and to other drivers, and import
 * theirs as physical memory.
 */
#include <errno.h>

#include "base/error.h"
#include "runtime/context.h"
#include "physical.h"
#include "vnpu.h"

aclError vnpu_mem_export_dmabuf(aclrtDrvMemHandle handle, uint32_t flags,
				int *fd)
{
	VNPU_CALL();
	struct vnpu_physical *physical;
	aclError ret;
	int err;

	if (!fd)
		return vnpu_error_null("fd");
	if (flags & ~VNPU_DMABUF_READ_ONLY)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %u is not known; pass 0 or VNPU_DMABUF_READ_ONLY",
			flags);
	ret = vnpu_physical_lock(handle, &physical);
	if (ret)
		return ret;
	err = vnpu_io_mem_export_dmabuf(physical->mem.id,
					flags & VNPU_DMABUF_READ_ONLY, fd);
	vnpu_runtime_unlock();

	if (err == -EOPNOTSUPP)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"handle = %p was imported from a dma-buf; pass on that dma-buf instead",
			handle);
	return err ? vnpu_error_errno(err, "creating a dma-buf") :
		     ACL_SUCCESS;
}

static aclError import_error(int err, int fd)
{
	switch (err) {
	case -EBADF:
	case -EINVAL:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"fd = %d is not a dma-buf", fd);
	case -EOPNOTSUPP:
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"fd = %d: its driver does not let the CPU access it, or its size is not a multiple of a page",
			fd);
	default:
		return vnpu_error_errno(err, "importing a dma-buf");
	}
}

aclError vnpu_mem_import_dmabuf(int fd, aclrtDrvMemHandle *handle, size_t *size)
{
	VNPU_CALL();
	struct vnpu_physical *physical;
	struct vnpu_current current;
	struct vnpu_io_mem mem;
	aclError ret;
	int err;

	if (!handle)
		return vnpu_error_null("handle");
	if (!size)
		return vnpu_error_null("size");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	err = vnpu_io_mem_import_dmabuf(fd, &mem);
	if (err)
		return import_error(err, fd);

	vnpu_runtime_lock();
	physical = vnpu_physical_import_locked(&mem, current.device);
	if (physical) {
		*handle = vnpu_u64_to_ptr(physical->handle);
		*size = mem.length;
	}
	vnpu_runtime_unlock();
	return physical ? ACL_SUCCESS :
			  vnpu_error_errno(-ENOMEM, "creating a handle");
}
