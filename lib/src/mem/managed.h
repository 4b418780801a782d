/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: one address on host and device.
 */
#ifndef VNPU_LIB_MANAGED_H
#define VNPU_LIB_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Check whether an address is in such memory. */
bool vnpu_managed_has(uint64_t va);

/* Drop the record of freed memory at @va, if it was managed. */
void vnpu_managed_forget(uint64_t va);

/*
 * Check the range and the location of a prefetch, and complete the location.
 */
aclError vnpu_managed_check(const void *ptr, uint64_t size,
			    aclrtMemManagedLocation *location);

/* Record a prefetch, unless the memory was freed. */
void vnpu_managed_prefetched(uint64_t va, uint64_t size,
			     const aclrtMemManagedLocation *location);

#endif /* VNPU_LIB_MANAGED_H */
