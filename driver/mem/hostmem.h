/* SPDX-License-Identifier: GPL-2.0-only */
/* Host memory: memory objects that consist of pages of the kernel. */
#ifndef VNPU_HOSTMEM_H
#define VNPU_HOSTMEM_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "mem.h"

struct page;
struct vm_area_struct;
struct vnpu_client;
struct vnpu_host_account;

/**
 * struct vnpu_hostmem - host memory
 * @mem: the memory object
 * @pages: its pages; constant
 * @nr_pages: how many
 * @host_account: account that it is charged to, with a reference; constant. NULL where
 *	the driver did not allocate it
 */
struct vnpu_hostmem {
	struct vnpu_mem mem;
	struct page **pages;
	unsigned long nr_pages;
	struct vnpu_host_account *host_account;
};

struct vnpu_mem *vnpu_hostmem_create(struct vnpu_client *client, u64 length,
				     int node);
int vnpu_hostmem_mmap(struct vnpu_client *client, struct vm_area_struct *vma);

int vnpu_hostmem_init(struct vnpu_hostmem *host, u64 length);
void vnpu_hostmem_fini(struct vnpu_hostmem *host);
void *vnpu_hostmem_addr(const struct vnpu_mem *mem, u64 offset, u64 *length);
unsigned long vnpu_hostmem_pfn(const struct vnpu_mem *mem, u64 offset);
u32 vnpu_hostmem_extents(struct vnpu_mem *mem);

static inline struct vnpu_hostmem *vnpu_hostmem_of(const struct vnpu_mem *mem)
{
	return container_of(mem, struct vnpu_hostmem, mem);
}

#endif
