// SPDX-License-Identifier: MIT
/*
 * Addresses of host memory: acl.util, and the pools' source of host memory.
 */
#include "acl_module.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE		4096
#define PROBES		256		/* pages probed by one call */

/*
 * Return whether the host may read all pages.  The library maps device memory,
 * too, where an access raises SIGSEGV; a system call fails instead.
 */
static bool probe(uint64_t address, uint64_t end)
{
	char bytes[PROBES];
	bool may = true;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return false;
	while (may && address < end) {
		struct iovec pages[PROBES];
		int count = 0;

		for (; count < PROBES && address < end; count++) {
			pages[count].iov_base = (void *)(uintptr_t)address;
			pages[count].iov_len = 1;
			address = (address | (PAGE - 1)) + 1;
		}
		may = writev(ends[1], pages, count) == count &&
		      read(ends[0], bytes, sizeof(bytes)) == count;
	}
	close(ends[0]);
	close(ends[1]);
	return may;
}

/* Another thread may unmap the memory afterwards, as in C. */
bool acl_host_may(uint64_t address, uint64_t size, bool write)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t end = address + size, from, to;
	char rights[5], line[512];

	if (!maps)
		return false;
	while (end > address && fgets(line, sizeof(line), maps)) {
		/* A line may be longer, but its rest does not begin like this. */
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to,
			   rights) != 3 || to <= address)
			continue;
		to = to < end ? to : end;
		if (from > address || rights[0] != 'r' ||
		    (write && rights[1] != 'w') ||
		    (strstr(line, "/dev/vnpu") && !probe(address, to)))
			break;
		address = to;
	}
	fclose(maps);
	return end == address;
}

ACL_FUNCTION(util_bytes_to_ptr)
{
	static const char *const names[] = { "data" };
	struct acl_call call = { "acl.util.bytes_to_ptr", names, values, count };

	(void)module;
	if (!acl_arg_count(&call, 1, 1))
		return NULL;
	if (!PyBytes_Check(values[0])) {
		acl_arg_refuse(&call, 0, PyExc_ValueError, "bytes");
		return NULL;
	}
	return PyLong_FromVoidPtr(PyBytes_AS_STRING(values[0]));
}

ACL_FUNCTION(util_ptr_to_bytes)
{
	static const char *const names[] = { "ptr", "size" };
	struct acl_call call = { "acl.util.ptr_to_bytes", names, values, count };
	uint64_t ptr, size;

	(void)module;
	if (!acl_arg_count(&call, 2, 2) ||
	    !acl_arg_uint(&call, 0, &ptr, sizeof(ptr)) ||
	    !acl_arg_uint(&call, 1, &size, sizeof(size)))
		return NULL;
	if (size && !acl_host_may(ptr, size, false)) {
		acl_refuse_address(&call, 0, ptr, size, "read");
		return NULL;
	}
	return PyBytes_FromStringAndSize(size ? (char *)(uintptr_t)ptr : "",
					 size);
}

static int host_reserve(void *user, uint64_t length, uint64_t *base)
{
	void *address;

	(void)user;
	if (aclrtReserveMemAddress(&address, length, 0, NULL, 0))
		return -ENOMEM;
	*base = (uintptr_t)address;
	return 0;
}

static void host_release(void *user, uint64_t base, uint64_t length)
{
	(void)user;
	(void)length;
	aclrtReleaseMemAddress((void *)(uintptr_t)base);
}

static int host_map(void *user, uint64_t address, uint64_t length)
{
	const aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_DDR_MEM_HUGE,
		.location.type = ACL_MEM_LOCATION_TYPE_HOST,
	};
	aclrtDrvMemHandle handle;
	aclError error;

	(void)user;
	if (aclrtMallocPhysical(&handle, length, &prop, 0))
		return -ENOMEM;
	error = aclrtMapMem((void *)(uintptr_t)address, length, 0, handle, 0);
	/* The mapping keeps the memory. */
	aclrtFreePhysical(handle);
	return error ? -ENOMEM : 0;
}

static void host_unmap(void *user, uint64_t address, uint64_t length)
{
	(void)user;
	(void)length;
	aclrtUnmapMem((void *)(uintptr_t)address);
}

const struct vnpu_pool_provider acl_host_provider = {
	.reserve = host_reserve,
	.release = host_release,
	.map = host_map,
	.unmap = host_unmap,
};
