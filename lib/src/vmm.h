/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: addresses that the program reserves, and what it maps there.
 *
 * Everything is under the runtime lock.
 */
#ifndef VNPU_LIB_VMM_H
#define VNPU_LIB_VMM_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_physical;

/* The memory whose mapping begins at an address, or NULL; locked. */
struct vnpu_physical *vnpu_vmm_physical_locked(uint64_t va);

/* Whether mappings make up the whole range. */
bool vnpu_vmm_is_mapped_locked(uint64_t va, uint64_t size);

/* Fail for @call because no mapping begins at @ptr. */
aclError vnpu_vmm_not_mapped(const char *call, const void *ptr);

/*
 * Unmap and release all that belongs to a device: its reservations with all in
 * them, and its physical memory wherever it is mapped.  The lock is held.
 */
void vnpu_vmm_release_all(uint32_t device);

#endif /* VNPU_LIB_VMM_H */
