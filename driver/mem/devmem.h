/* SPDX-License-Identifier: GPL-2.0-only */
/* Device memory: a memory object that consists of pages of a device's arena. */
#ifndef VNPU_DEVMEM_H
#define VNPU_DEVMEM_H

#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "binding.h"
#include "mem.h"
#include "pages.h"

struct vnpu_quota_state;
struct vnpu_account;

/**
 * struct vnpu_sharer - a client that uses an object charged to another client
 * @node: in vnpu_devmem.others, by the client's id
 * @account: the client's account
 * @count: number of ids and bindings that the client has
 */
struct vnpu_sharer {
	struct rb_node node;
	struct vnpu_account *account;
	u32 count;
};

/**
 * union vnpu_written - the range of an object that was written since it was
 * clear
 * @start: first page that may have been written
 * @end: end of the range, exclusive
 * @both: both members, to change them in one atomic operation
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
 * @serial: position in vnpu_device.mems, in ascending order
 * @dev_link: in vnpu_device.mems, under the device's lock. The object is on the
 *	list from its first pages on until its last reference is dropped, so
 *	that a walk can pause at it. If its allocation fails half-way, the
 *	object stays on the list without pages.
 * @charged: account of the client that is charged for the object, with a
 *	reference to the client; under @mem.lock and the device's lock. NULL
 *	before the first pages, and after its allocation failed.
 * @others: the other clients that use the object, vnpu_sharer.node; under
 *	@mem.lock
 * @dmabufs: the dma-bufs of the object that the host may have mapped, the
 *	newest first: vnpu_dmabuf.link, under @mem.lock
 * @count: number of ids and bindings that the charged client has, under
 *	@mem.lock. 0 if no client has any.
 * @nr_others: number of clients in @others; under @mem.lock
 * @pending: true if the object is charged but its allocation may still fail;
 *	under the device's lock
 * @slack: @mem.length minus the requested bytes; constant
 * @written: the range that was written; only grows
 * @pages: the object's pages. Changed under the device's lock: by a move, while
 *	the object is not in use; and by allocation and release, while the
 *	object is pinned or has no reference. So a holder of a reference and of
 *	the compact_lock, that has seen the object unpinned under the device's
 *	lock, may read @pages without that lock.
 * @binding: space for one binding: most objects are bound when they are
 *	allocated
 */
struct vnpu_devmem {
	struct vnpu_mem mem;
	struct list_head dev_link;
	u64 serial;

	struct vnpu_account *charged;
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
 * struct vnpu_devmem_spec - a request for device memory
 * @length: bytes, not 0
 * @alignment: alignment of a contiguous object, a power of two, or 0
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
 * struct vnpu_devmem_iter - a walk over all objects of a device
 * @dev: the device
 * @at: the current object, or NULL before the first
 * @held: object to which the walk holds a reference, so that it stays in the
 *	list; or NULL
 * @last: serial of the last object to visit
 * @seen: number of objects and extents passed since the walk took the device's
 *	lock
 * @extents: number of extents of @at passed since the last pause in it, see
 *	vnpu_devmem_iter_next_extent()
 */
struct vnpu_devmem_iter {
	struct vnpu_device *dev;
	struct vnpu_devmem *at;
	struct vnpu_devmem *held;
	u64 last;
	u32 seen;
	u32 extents;
};

int vnpu_devmem_init_cache(void);
void vnpu_devmem_fini_cache(void);

int vnpu_devmem_round(const struct vnpu_devmem_spec *spec, u64 *length);
struct vnpu_devmem *vnpu_devmem_new(struct vnpu_device *dev);
void vnpu_devmem_give_back(struct vnpu_devmem *devmem, bool is_released);
struct vnpu_devmem *vnpu_devmem_of(struct vnpu_mem *mem);

void vnpu_devmem_set_pages(struct vnpu_devmem *devmem,
			   struct vnpu_pages *pages);

void vnpu_devmem_iter_begin(struct vnpu_devmem_iter *iter,
			    struct vnpu_device *dev);
struct vnpu_devmem *vnpu_devmem_iter_next(struct vnpu_devmem_iter *iter);
bool vnpu_devmem_iter_next_extent(struct vnpu_devmem_iter *iter, u32 *page,
				  struct vnpu_extent *ext);
bool vnpu_devmem_iter_keep(struct vnpu_devmem_iter *iter);
void vnpu_devmem_iter_pause(struct vnpu_devmem_iter *iter);
void vnpu_devmem_iter_resume(struct vnpu_devmem_iter *iter);
void vnpu_devmem_iter_end(struct vnpu_devmem_iter *iter);

/* mem/charge.c */
int vnpu_devmem_hold(struct vnpu_mem *mem, struct vnpu_client *client);
void vnpu_devmem_unhold(struct vnpu_mem *mem, struct vnpu_client *client);
u32 vnpu_devmem_clients_locked(const struct vnpu_devmem *devmem);
int vnpu_devmem_account_locked(struct vnpu_devmem *devmem,
			       struct vnpu_account *account,
			       struct vnpu_quota_state *refusal);
void vnpu_devmem_settle(struct vnpu_devmem *devmem);
bool vnpu_devmem_give_back_some_locked(struct vnpu_devmem *devmem,
				       u64 *charged);

/* Convert an object known to be device memory; see also vnpu_devmem_of(). */
static inline struct vnpu_devmem *to_vnpu_devmem(const struct vnpu_mem *mem)
{
	return container_of(mem, struct vnpu_devmem, mem);
}

/* Check if an object needs a contiguous run of several pages of its class. */
static inline bool vnpu_devmem_is_run(const struct vnpu_devmem *devmem)
{
	return devmem->mem.flags & VNPU_MEM_F_CONTIGUOUS &&
	       devmem->mem.length >> devmem->mem.page_shift > 1;
}

/* Return the number of bytes that the client requested. */
static inline u64 vnpu_devmem_requested(const struct vnpu_devmem *devmem)
{
	return devmem->mem.length - devmem->slack;
}

static inline unsigned int vnpu_devmem_order(const struct vnpu_devmem *devmem)
{
	return devmem->mem.page_shift - VNPU_PAGE_SHIFT;
}

#endif
