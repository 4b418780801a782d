/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: addresses that the program reserves, and its mappings there.
 *
 * The runtime lock protects everything.
 */
#ifndef VNPU_LIB_VMM_H
#define VNPU_LIB_VMM_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_physical;

/* Get the memory of the mapping at an address, or NULL; the lock is held. */
struct vnpu_physical *vnpu_vmm_physical_locked(uint64_t va);

/* Check whether mappings make up the whole range; the lock is held. */
bool vnpu_vmm_is_mapped_locked(uint64_t va, uint64_t size);

/* Fail because no mapping begins at @ptr. */
aclError vnpu_vmm_not_mapped(const void *ptr);

/*
 * Unmap and release everything of a device: its reservations with their
 * mappings, and its physical memory with all its mappings.  The lock is held.
 */
void vnpu_vmm_release_all(uint32_t device);

#endif /* VNPU_LIB_VMM_H */
