/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping of memory objects into the host's page tables. */
#ifndef VNPU_HOSTMAP_H
#define VNPU_HOSTMAP_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct vnpu_mem;

/**
 * struct vnpu_block - the pages that one fault maps
 * @address: first host address
 * @offset: offset into the memory object in bytes
 * @length: bytes
 */
struct vnpu_block {
	u64 address;
	u64 offset;
	u64 length;
};

struct vnpu_block vnpu_block_around(const struct vm_fault *vmf, u64 before,
				    u64 after);
vm_fault_t vnpu_block_check(struct vm_fault *vmf, const struct vnpu_mem *mem,
			    const struct vnpu_block *block, vm_fault_t ret);
vm_fault_t vnpu_block_enter(struct vm_fault *vmf, struct vnpu_mem *mem,
			    const struct vnpu_block *block, bool may_write);
vm_fault_t vnpu_block_mkwrite(struct vm_fault *vmf);

#endif
