/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory object: device memory that was allocated together. */
#ifndef VNPU_MEM_H
#define VNPU_MEM_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <linux/vnpu.h>

#include "core/buddy.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_usage;

/**
 * struct vnpu_mem - a memory object
 * @ref: held by its id, by each binding, and by who is using it
 * @usage: whose memory it is, and of which device; outlives it; constant
 * @length: bytes; constant
 * @flags: VNPU_MEM_F_*; constant
 * @page_shift: page class; constant
 * @id: id in the client; 0 before it is published and after it is given up
 * @bindings: how often it is bound
 * @written_lock: protects the two that follow
 * @written_start: no byte below was written since the memory was clear
 * @written_end: nor one from here on
 * @nr_extents: what it consists of; constant, as are the following
 * @one: the extent, if there is just one
 * @extents: the extents in order
 * @ends: where in the object each extent ends, in pages; NULL if @nr_extents
 *	is 1
 */
struct vnpu_mem {
	struct kref ref;
	struct vnpu_usage *usage;
	u64 length;
	u32 flags;
	u32 page_shift;
	u32 id;
	atomic_t bindings;

	spinlock_t written_lock;
	u64 written_start;
	u64 written_end;

	u32 nr_extents;
	struct vnpu_extent one;
	struct vnpu_extent *extents;
	u32 *ends;
};

/**
 * struct vnpu_mem_spec - what is to be allocated
 * @length: bytes, any but 0
 * @alignment: of a contiguous object, a power of two, or 0
 * @page_shift: VNPU_PAGE_SHIFT_*
 * @flags: VNPU_MEM_F_*
 */
struct vnpu_mem_spec {
	u64 length;
	u64 alignment;
	u32 page_shift;
	u32 flags;
};

int vnpu_mem_init_cache(void);
void vnpu_mem_fini_cache(void);

int vnpu_mem_round(const struct vnpu_mem_spec *spec, u64 *length);
struct vnpu_mem *vnpu_mem_create(struct vnpu_client *client,
				 unsigned int device,
				 const struct vnpu_mem_spec *spec);
struct vnpu_mem *vnpu_mem_get_by_id(struct vnpu_client *client, u32 id);
void vnpu_mem_get(struct vnpu_mem *mem);
void vnpu_mem_put(struct vnpu_mem *mem);

static inline u32 vnpu_mem_pages(const struct vnpu_mem *mem)
{
	return mem->length >> VNPU_PAGE_SHIFT;
}

/* Where in the object an extent begins, in pages. */
static inline u32 vnpu_mem_extent_first(const struct vnpu_mem *mem, u32 i)
{
	return i ? mem->ends[i - 1] : 0;
}

struct vnpu_device *vnpu_mem_device(const struct vnpu_mem *mem);
void *vnpu_mem_addr(const struct vnpu_mem *mem, u64 offset, u64 *length);
unsigned long vnpu_mem_pfn(const struct vnpu_mem *mem, u64 offset);
void vnpu_mem_mark_written(struct vnpu_mem *mem, u64 offset, u64 length);

#endif
