// SPDX-License-Identifier: MIT
/* The parts of device memory. See parts.h. */
#include "base/handle.h"
#include "io/io.h"
#include "mem/mem.h"
#include "mem/vmm.h"
#include "pool/pool.h"
#include "parts.h"

/* Check whether the memory at @va, where a part begins, belongs to that before. */
static bool is_joined(uint64_t va)
{
	bool is_mapped;

	if (vnpu_registry_find(va) &&
	    vnpu_registry_find(va) == vnpu_registry_find(va - 1))
		return true;
	vnpu_runtime_lock();
	is_mapped = vnpu_vmm_physical_locked(va);
	vnpu_runtime_unlock();
	return is_mapped;
}

unsigned int vnpu_collective_memory_parts(const void *ptr, uint64_t size)
{
	uint64_t va = vnpu_ptr_to_u64(ptr), base, length, rest;
	unsigned int parts = 0;

	do {
		if ((parts && !is_joined(va)) ||
		    !vnpu_mem_find_range(va, &base, &length))
			return 0;
		parts++;
		rest = length - (va - base);
		va += rest;
	} while (rest < size && (size -= rest));
	return parts;
}
