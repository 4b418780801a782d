// SPDX-License-Identifier: GPL-2.0-only
/* Memory for tested pools, see host.h. */
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
	    (host->longest && length > host->longest))
		return -EADDRNOTAVAIL;
	addr = mmap(NULL, all, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (addr == MAP_FAILED)
		return -errno;
	host->lengths = mmap(NULL, length / HOST_UNIT * sizeof(uint32_t),
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (host->lengths == MAP_FAILED) {
		munmap(addr, all);
		return -ENOMEM;
	}
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
	munmap(host->lengths, length / HOST_UNIT * sizeof(uint32_t));
	host->length = 0;
}

static uint64_t unit_of(const struct host *host, uint64_t addr)
{
	return (addr - host->base) / HOST_UNIT;
}

/* Check that these addresses belong to the pool and have no memory yet. */
static bool is_vacant(const struct host *host, uint64_t addr, uint64_t length)
{
	if ((addr | length) % host->unit || !length || addr < host->base ||
	    addr + length > host->base + host->length)
		return false;
	for (uint64_t i = 0; i < length / HOST_UNIT; i++)
		if (host->lengths[unit_of(host, addr) + i])
			return false;
	return true;
}

static bool is_to_fail(const struct host *host, unsigned int call,
		       unsigned int fail_at)
{
	return call == fail_at ||
	       (host->fail_every && !(call % host->fail_every));
}

static int host_map(void *user, uint64_t addr, uint64_t length)
{
	struct host *host = user;

	host->errors += !is_vacant(host, addr, length);
	if (is_to_fail(host, ++host->calls, host->fail_at))
		return -ENOSPC;
	if (host->most && host->mapped + length > host->most)
		return -ENOSPC;
	if (mprotect((void *)(uintptr_t)addr, length, PROT_READ | PROT_WRITE))
		return -errno;
	host->lengths[unit_of(host, addr)] = length / HOST_UNIT;
	host->mapped += length;
	return 0;
}

static void host_unmap(void *user, uint64_t addr, uint64_t length)
{
	struct host *host = user;
	uint32_t *units = &host->lengths[unit_of(host, addr)];

	host->errors += *units != length / HOST_UNIT;
	*units = 0;
	host->mapped -= length;
	madvise((void *)(uintptr_t)addr, length, MADV_DONTNEED);
	mprotect((void *)(uintptr_t)addr, length, PROT_NONE);
}

/* The contents are lost, which detects a pool that moves memory in use. */
static int host_move(void *user, uint64_t from, uint64_t to, uint64_t length)
{
	struct host *host = user;
	uint32_t *units = &host->lengths[unit_of(host, from)];

	host->errors += *units != length / HOST_UNIT;
	host->errors += !is_vacant(host, to, length);
	if (is_to_fail(host, ++host->moves, host->fail_move_at))
		return -EIO;
	if (mprotect((void *)(uintptr_t)to, length, PROT_READ | PROT_WRITE))
		return -errno;
	madvise((void *)(uintptr_t)from, length, MADV_DONTNEED);
	mprotect((void *)(uintptr_t)from, length, PROT_NONE);
	*units = 0;
	host->lengths[unit_of(host, to)] = length / HOST_UNIT;
	return 0;
}

void host_init(struct host *host)
{
	memset(host, 0, sizeof(*host));
	host->unit = HOST_SLOT;
	host->provider = (struct vnpu_pool_provider){
		.reserve = host_reserve,
		.release = host_release,
		.map = host_map,
		.unmap = host_unmap,
		.move = host_move,
		.user = host,
	};
}
