/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory object can be bound to a range of device addresses. Its kind knows
 * where the bytes are: device memory (devmem.h), memory of the host
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
 * struct vnpu_mem_ops - operations of a kind of memory object
 * @kind: VNPU_MEM_KIND_*
 * @addr: return the kernel address of the bytes from an offset on. The caller
 *	sets *length to the maximum number of bytes; the function sets it to the
 *	number for which the pointer is valid, which is all of them or up to the
 *	end of a page. The object is pinned, and an access has begun.
 * @pfn: return the physical page at an offset; NULL if no process can map the
 *	object. The object is pinned.
 * @is_foreign: true if each access has to call another driver, which may sleep
 *	and wait without limit. Neither an engine, see foreign.c, nor a caller
 *	that holds a lock may begin an access.
 * @begin_access: begin an access by the kernel. May sleep, and is called with
 *	no lock held. Returns 0, -EINTR, -EIO, or -ENODEV if the memory is that
 *	of a device that is gone. NULL if there is nothing to do.
 * @try_access: same for an engine; returns -EAGAIN instead of waiting. Called
 *	with the lock of a client that has bound the object. NULL if
 *	@begin_access is NULL or @is_foreign is set.
 * @end_access: end an access. NULL if @begin_access is NULL. Engines call it,
 *	unless @is_foreign is set.
 * @mark_written: record that bytes are about to be written; NULL if not needed
 * @hold: count one more id or binding of a client, with the object's lock held.
 *	NULL if the kind is not accounted.
 * @unhold: count one id or binding less, with the object's lock held
 * @release: free the object, after its last reference was dropped
 * @release_some: free the first of @nr such objects, and following ones that
 *	can be freed with it; returns the number of objects freed. NULL if each
 *	object is freed on its own.
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
 * @ops: operations of its kind; constant
 * @dev: the device that has the memory, or NULL; constant
 * @length: bytes; constant
 * @flags: VNPU_MEM_F_*; constant
 * @page_shift: page class; constant
 * @align_order: for device memory that is one run of several pages: it begins
 *	at a multiple of 1 << @align_order pages of 4 KiB; constant
 * @read_only: true if it may not be written through device addresses; constant
 * @stale: true if its device or its mapping is gone, so that no use may begin;
 *	never cleared
 * @ref: held by each id, binding and exported file, and by users of the memory
 * @pins: number of users that need the bytes to stay where they are;
 *	VNPU_MEM_MOVING while the object is being moved
 * @lock: protects the following members, and those that the kind documents;
 *	constant. All objects share a fixed number of locks, so a holder must
 *	not take the lock of another object, except the holder of an alias's
 *	lock that of its target. Inside vnpu_client.lock and outside of
 *	vnpu_device.lock.
 * @mapped: the bindings of all clients through which the host can have the
 *	object mapped, the newest first: vnpu_binding.mem_link
 * @nr_bindings: number of bindings, mapped or not
 * @uses: number of pieces that engines use with a pin but without a reference,
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

/*
 * Limit the batch: objects that wait to be freed are in the way of compaction.
 */
#define VNPU_MEM_BATCH_MAX	32

/**
 * struct vnpu_mem_batch - objects that are about to be freed together
 * @nr: number of objects; 0 initially
 * @mems: the objects; their last references are gone
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

/* Check if users may have to wait for each other, or for other drivers. */
static inline bool vnpu_mem_is_shared(const struct vnpu_mem *mem)
{
	return mem->ops->begin_access;
}

/* Return the error code for the use of a stale object. */
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
