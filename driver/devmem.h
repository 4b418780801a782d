/* SPDX-License-Identifier: GPL-2.0-only */
/* Device memory: a memory object made of pages of a device's arena. */
#ifndef VNPU_DEVMEM_H
#define VNPU_DEVMEM_H

#include <linux/spinlock.h>

#include "mem.h"
#include "pages.h"

struct vnpu_quota_state;
struct vnpu_usage;

/**
 * struct vnpu_holder - a client that has ids or bindings of an object
 * @link: in vnpu_devmem.holders
 * @usage: the client's account
 * @count: how many ids and bindings
 */
struct vnpu_holder {
	struct list_head link;
	struct vnpu_usage *usage;
	u32 count;
};

/**
 * struct vnpu_devmem - device memory
 * @mem: the memory object
 * @dev_link: in vnpu_device.mems, under the device's lock
 * @asked: bytes that were asked for, at most @mem.length; constant
 * @alignment: of a contiguous object, a power of two; constant
 * @holders: who has it, under @mem.lock
 * @first: the holder who allocated it, for the many that are never shared
 * @dmabufs: those that stand for it: vnpu_dmabuf.link, under @mem.lock
 * @charged: whose memory it is, with a reference to the client; under @mem.lock
 *	and the device's lock. One of @holders, or the last that was one.
 * @written_lock: protects the two that follow
 * @written_start: no byte below was written since the memory was clear
 * @written_end: nor one from here on
 * @pages: what it consists of. Changed only by a move, with nobody using the
 *	object, and under the device's lock.
 */
struct vnpu_devmem {
	struct vnpu_mem mem;
	struct list_head dev_link;
	u64 asked;
	u64 alignment;

	struct list_head holders;
	struct vnpu_holder first;
	struct list_head dmabufs;
	struct vnpu_usage *charged;

	spinlock_t written_lock;
	u64 written_start;
	u64 written_end;

	struct vnpu_pages pages;
};

/**
 * struct vnpu_devmem_spec - what is to be allocated
 * @length: bytes, any but 0
 * @alignment: of a contiguous object, a power of two, or 0
 * @page_shift: VNPU_PAGE_SHIFT_*
 * @flags: VNPU_MEM_F_*
 */
struct vnpu_devmem_spec {
	u64 length;
	u64 alignment;
	u32 page_shift;
	u32 flags;
};

int vnpu_devmem_init_cache(void);
void vnpu_devmem_fini_cache(void);

int vnpu_devmem_round(const struct vnpu_devmem_spec *spec, u64 *length);
struct vnpu_devmem *vnpu_devmem_create(struct vnpu_client *client,
				       unsigned int device,
				       const struct vnpu_devmem_spec *spec);
struct vnpu_devmem *vnpu_devmem_of(struct vnpu_mem *mem);

void vnpu_devmem_set_pages(struct vnpu_devmem *devmem,
			   struct vnpu_pages *pages);
int vnpu_devmem_account_locked(struct vnpu_devmem *devmem,
			       struct vnpu_usage *usage,
			       struct vnpu_quota_state *refusal);

static inline unsigned int vnpu_devmem_order(const struct vnpu_devmem *devmem)
{
	return devmem->mem.page_shift - VNPU_PAGE_SHIFT;
}

#endif
