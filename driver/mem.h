/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory object: what a range of device addresses can be bound to. Where its
 * bytes are is known to its kind: device memory (devmem.h) or memory of the host
 * (hostmem.h), or a dma-buf (dmabuf.h).
 */
#ifndef VNPU_MEM_H
#define VNPU_MEM_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <linux/vnpu.h>

struct vnpu_client;
struct vnpu_device;
struct vnpu_mem;

/**
 * struct vnpu_mem_ops - a kind of memory object
 * @kind: VNPU_MEM_KIND_*
 * @addr: where the kernel reaches the bytes from an offset on. *length is how
 *	many are wanted at most, and becomes how many the pointer is good for:
 *	all of them, or up to the end of a page. The object is pinned, and an
 *	access begun.
 * @pfn: the physical page at an offset; NULL if the host cannot map it. The
 *	object is pinned.
 * @is_foreign: another driver has to be asked for each access, and may sleep, and
 *	wait for whatever it likes. No engine calls it, see foreign.c; nor does a
 *	caller that holds a lock.
 * @begin_access: the kernel is about to use the bytes. May sleep, and is called
 *	with no lock held. 0, -EINTR, -EIO, or -ENODEV where the bytes are a
 *	device's that is gone; NULL if there is nothing to do.
 * @try_access: the same for an engine, which does not wait: -EAGAIN instead.
 *	Called with the lock of a client that the object is bound by. NULL if
 *	@begin_access is, or @is_foreign
 * @end_access: it does not any more; NULL if @begin_access is. Engines call it,
 *	unless @is_foreign.
 * @mark_written: bytes are about to be written; NULL if nobody wants to know
 * @hold: a client has one more id or binding of it; its lock is held. NULL if
 *	not accounted
 * @unhold: one less; its lock is held
 * @release: nothing refers to it any more: free it
 * @release_some: free the first of @nr such objects, and those after it that go
 *	well with it; returns how many. NULL if each is freed by itself
 */
struct vnpu_mem_ops {
	u32 kind;
	bool is_foreign;
	void *(*addr)(const struct vnpu_mem *mem, u64 offset, u64 *length);
	unsigned long (*pfn)(const struct vnpu_mem *mem, u64 offset);
	int (*begin_access)(struct vnpu_mem *mem);
	int (*try_access)(struct vnpu_mem *mem);
	void (*end_access)(struct vnpu_mem *mem);
	void (*mark_written)(struct vnpu_mem *mem, u64 offset, u64 length);
	int (*hold)(struct vnpu_mem *mem, struct vnpu_client *client);
	void (*unhold)(struct vnpu_mem *mem, struct vnpu_client *client);
	void (*release)(struct vnpu_mem *mem);
	u32 (*release_some)(struct vnpu_mem **mems, u32 nr);
};

/**
 * struct vnpu_mem - a memory object
 * @ops: its kind; constant
 * @dev: the device whose memory it is, or NULL; constant
 * @length: bytes; constant
 * @flags: VNPU_MEM_F_*; constant
 * @page_shift: page class; constant
 * @align_order: of a device's memory that is one run of several pages: it begins at
 *	a multiple of 1 << @align_order pages of 4 KiB; constant
 * @read_only: nobody may write to it by a device address; constant
 * @stale: its bytes are not any more what they stood for, and no use of them
 *	may begin; never taken back
 * @ref: held by each id, binding and exported file, and by who is using it
 * @pins: how many are using its bytes where they are now; VNPU_MEM_MOVING when
 *	they are being moved elsewhere
 * @lock: protects what follows, and what a kind says; constant. One of many
 *	that all objects share: who holds it takes no other's, but for that of
 *	what a view shows. Inside vnpu_client.lock and outside of
 *	vnpu_device.lock.
 * @mapped: the bindings by which the host may have it mapped, of all clients, the
 *	newest first: vnpu_binding.mem_link
 * @nr_bindings: how many bindings there are, mapped or not
 * @uses: by how many pieces engines are using it that have a pin and no reference,
 *	see vnpu_mem_begin_use(). No lock protects this.
 */
struct vnpu_mem {
	const struct vnpu_mem_ops *ops;
	struct vnpu_device *dev;
	u64 length;
	u32 flags;
	u8 page_shift;
	u8 align_order;
	bool read_only;
	bool stale;
	struct kref ref;
	atomic_t pins;

	struct mutex *lock;
	struct hlist_head mapped;
	u32 nr_bindings;

	atomic_t uses;
};

#define VNPU_MEM_MOVING	(-1)

/* What waits to be freed is in nobody's way but that of a compaction. */
#define VNPU_MEM_BATCH_MAX	32

/**
 * struct vnpu_mem_batch - objects that are about to be freed together
 * @nr: how many; 0 at first
 * @mems: nothing refers to them any more
 */
struct vnpu_mem_batch {
	u32 nr;
	struct vnpu_mem *mems[VNPU_MEM_BATCH_MAX];
};

void vnpu_mem_init_locks(void);
void vnpu_mem_init(struct vnpu_mem *mem, const struct vnpu_mem_ops *ops);
void vnpu_mem_get(struct vnpu_mem *mem);
void vnpu_mem_put(struct vnpu_mem *mem);
void vnpu_mem_put_batched(struct vnpu_mem *mem, struct vnpu_mem_batch *batch);
void vnpu_mem_batch_end(struct vnpu_mem_batch *batch);

void vnpu_mem_begin_use(struct vnpu_mem *mem);
void vnpu_mem_end_use(struct vnpu_mem *mem);

void vnpu_mem_pin(struct vnpu_mem *mem);
int vnpu_mem_pin_killable(struct vnpu_mem *mem);
bool vnpu_mem_try_pin(struct vnpu_mem *mem);
void vnpu_mem_unpin(struct vnpu_mem *mem);
bool vnpu_mem_begin_move(struct vnpu_mem *mem);
void vnpu_mem_end_move(struct vnpu_mem *mem);

int vnpu_mem_hold(struct vnpu_mem *mem, struct vnpu_client *client);
void vnpu_mem_unhold_locked(struct vnpu_mem *mem, struct vnpu_client *client);
void vnpu_mem_drop(struct vnpu_mem *mem, struct vnpu_client *client);

int vnpu_mem_reserve_id(struct vnpu_client *client, u32 *id);
void vnpu_mem_cancel_id(struct vnpu_client *client, u32 id);
void vnpu_mem_publish_id(struct vnpu_client *client, u32 id,
			 struct vnpu_mem *mem);
struct vnpu_mem *vnpu_mem_get_by_id(struct vnpu_client *client, u32 id);
int vnpu_mem_give_up_id(struct vnpu_client *client, u32 id);
void vnpu_mem_give_up_all(struct vnpu_client *client);

static inline void *vnpu_mem_addr(const struct vnpu_mem *mem, u64 offset,
				  u64 *length)
{
	return mem->ops->addr(mem, offset, length);
}

/* Whether its users may have to wait for each other, or for other drivers. */
static inline bool vnpu_mem_is_shared(const struct vnpu_mem *mem)
{
	return mem->ops->begin_access;
}

/* What the use of a stale object fails with. */
static inline int vnpu_mem_stale_error(const struct vnpu_mem *mem)
{
	return mem->dev ? -ENODEV : -EFAULT;
}

static inline void vnpu_mem_mark_written(struct vnpu_mem *mem, u64 offset,
					 u64 length)
{
	if (mem->ops->mark_written)
		mem->ops->mark_written(mem, offset, length);
}

#endif
