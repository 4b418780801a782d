// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for pools under test, see host.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"

static int host_reserve(void *user, uint64_t length, uint64_t *base)
{
	struct host *host = user;
	uint64_t all = length + HOST_SLOT;
	void *addr;

	if (host->length || length % HOST_SLOT ||
	    length / HOST_SLOT > HOST_SLOTS ||
	    (host->longest && length > host->longest))
		return -EADDRNOTAVAIL;
	addr = mmap(NULL, all, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (addr == MAP_FAILED)
		return -errno;
	host->base = ((uintptr_t)addr + HOST_SLOT - 1) & ~(HOST_SLOT - 1);
	host->length = length;
	*base = host->base;
	return 0;
}

static void host_release(void *user, uint64_t base, uint64_t length)
{
	struct host *host = user;

	if (base != host->base || length != host->length || host->mapped)
		host->errors++;
	munmap((void *)(uintptr_t)base, length);
	host->length = 0;
}

static int host_map(void *user, uint64_t addr, uint64_t length)
{
	struct host *host = user;
	uint64_t slot = (addr - host->base) / HOST_SLOT;

	if ((addr | length) % HOST_SLOT || !length || addr < host->base ||
	    addr + length > host->base + host->length)
		host->errors++;
	if (++host->calls == host->fail_at)
		return -ENOSPC;
	if (host->most && host->mapped + length > host->most)
		return -ENOSPC;
	for (uint64_t i = 0; i < length / HOST_SLOT; i++)
		if (host->lengths[slot + i])
			host->errors++;
	if (mprotect((void *)(uintptr_t)addr, length, PROT_READ | PROT_WRITE))
		return -errno;
	host->lengths[slot] = length / HOST_SLOT;
	host->mapped += length;
	return 0;
}

static void host_unmap(void *user, uint64_t addr, uint64_t length)
{
	struct host *host = user;
	uint64_t slot = (addr - host->base) / HOST_SLOT;

	if (host->lengths[slot] != length / HOST_SLOT)
		host->errors++;
	host->lengths[slot] = 0;
	host->mapped -= length;
	madvise((void *)(uintptr_t)addr, length, MADV_DONTNEED);
	mprotect((void *)(uintptr_t)addr, length, PROT_NONE);
}

void host_init(struct host *host)
{
	memset(host, 0, sizeof(*host));
	host->provider = (struct vnpu_pool_provider){
		.reserve = host_reserve,
		.release = host_release,
		.map = host_map,
		.unmap = host_unmap,
		.user = host,
	};
}
