/* SPDX-License-Identifier: GPL-2.0-only */
/* Device memory: a memory object made of pages of a device's arena. */
#ifndef VNPU_DEVMEM_H
#define VNPU_DEVMEM_H

#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "bind.h"
#include "mem.h"
#include "pages.h"

struct vnpu_quota_state;
struct vnpu_usage;

/**
 * struct vnpu_holder - a client that has ids or bindings of another's object
 * @node: in vnpu_devmem.others, by the client's id
 * @usage: the client's account
 * @count: how many ids and bindings
 */
struct vnpu_holder {
	struct rb_node node;
	struct vnpu_usage *usage;
	u32 count;
};

/**
 * union vnpu_written - what of an object was written since it was clear
 * @start: no page before this one
 * @end: nor this one, or any behind it
 * @both: the two, to change them at once
 */
union vnpu_written {
	struct {
		u32 start;
		u32 end;
	};
	u64 both;
};

/**
 * struct vnpu_devmem - device memory
 * @mem: the memory object
 * @dev_link: in vnpu_device.mems, under the device's lock: from the first pages on
 *	until there is no reference, so that a walk can pause at it. An object whose
 *	allocation was broken off has no pages.
 * @charged: whose memory it is, with a reference to the client; under @mem.lock
 *	and the device's lock. NULL before the first pages, and when its allocation
 *	was broken off.
 * @others: the clients that have it beside that one, vnpu_holder.node; under
 *	@mem.lock
 * @dmabufs: those that stand for it and the host may have mapped, the newest
 *	first: vnpu_dmabuf.link, under @mem.lock
 * @count: how many ids and bindings the client has that is charged, under
 *	@mem.lock. 0 if nobody has any.
 * @nr_others: how many there are in @others; under @mem.lock
 * @pending: it is charged, but its allocation may still fail; under the device's
 *	lock
 * @slack: how many bytes less were asked for than @mem.length; constant
 * @written: what of it was written; only grows
 * @pages: what it consists of. Changed under the device's lock: by a move, with
 *	nobody using the object; and while it is being allocated or released, with
 *	a pin or without a reference. So who saw it without a pin, under that lock,
 *	and has a reference and the compact_lock, may read it without the lock.
 * @binding: the place for one: most objects are allocated where they are bound
 */
struct vnpu_devmem {
	struct vnpu_mem mem;
	struct list_head dev_link;

	struct vnpu_usage *charged;
	struct rb_root others;
	struct hlist_head dmabufs;
	u32 count;
	u32 nr_others;

	bool pending;
	u32 slack;
	union vnpu_written written;
	struct vnpu_pages pages;
	struct vnpu_binding binding;
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

/**
 * struct vnpu_devmem_iter - a walk along all objects of a device
 * @dev: the device
 * @at: the object that it is at, or NULL before the first
 * @kept: one that it has a reference to, which keeps it in the list; or NULL
 * @seen: objects that it passed since it took the device's lock, and extents
 * @extents: of @at that it passed, see vnpu_devmem_iter_next_extent(), since the
 *	last pause in it
 */
struct vnpu_devmem_iter {
	struct vnpu_device *dev;
	struct vnpu_devmem *at;
	struct vnpu_devmem *kept;
	u32 seen;
	u32 extents;
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

void vnpu_devmem_iter_begin(struct vnpu_devmem_iter *iter,
			    struct vnpu_device *dev);
struct vnpu_devmem *vnpu_devmem_iter_next(struct vnpu_devmem_iter *iter);
bool vnpu_devmem_iter_next_extent(struct vnpu_devmem_iter *iter, u32 *page,
				  struct vnpu_extent *ext);
bool vnpu_devmem_iter_pause(struct vnpu_devmem_iter *iter);
void vnpu_devmem_iter_resume(struct vnpu_devmem_iter *iter);
void vnpu_devmem_iter_end(struct vnpu_devmem_iter *iter);

/* holder.c */
int vnpu_devmem_hold(struct vnpu_mem *mem, struct vnpu_client *client);
void vnpu_devmem_unhold(struct vnpu_mem *mem, struct vnpu_client *client);
u32 vnpu_devmem_clients_locked(const struct vnpu_devmem *devmem);
int vnpu_devmem_account_locked(struct vnpu_devmem *devmem,
			       struct vnpu_usage *usage,
			       struct vnpu_quota_state *refusal);
void vnpu_devmem_settle(struct vnpu_devmem *devmem);
bool vnpu_devmem_give_back_some_locked(struct vnpu_devmem *devmem,
				       u64 *charged);

/* Of an object that is known to be device memory; else vnpu_devmem_of(). */
static inline struct vnpu_devmem *to_vnpu_devmem(const struct vnpu_mem *mem)
{
	return container_of(mem, struct vnpu_devmem, mem);
}

/* Does it take a run of more than one page of its class? */
static inline bool vnpu_devmem_is_run(const struct vnpu_devmem *devmem)
{
	return devmem->mem.flags & VNPU_MEM_F_CONTIGUOUS &&
	       devmem->mem.length >> devmem->mem.page_shift > 1;
}

/* Bytes that were asked for. */
static inline u64 vnpu_devmem_asked(const struct vnpu_devmem *devmem)
{
	return devmem->mem.length - devmem->slack;
}

static inline unsigned int vnpu_devmem_order(const struct vnpu_devmem *devmem)
{
	return devmem->mem.page_shift - VNPU_PAGE_SHIFT;
}

#endif
