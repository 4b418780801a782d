// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bindings through which processes can have an object mapped, and their
 * removal from the page tables.
 *
 * When pages of an object are moved, the worker that moves them removes them from
 * all mappings; another one removes registered memory that was unmapped. Removing
 * one binding costs about as much as moving a few pages, however little of it is
 * mapped. So the number of such bindings is limited, for each client and for all
 * clients together. A fault through one more binding removes the oldest one; the
 * next access to that one faults it in again.
 *
 * A fault marks its binding as mapped before it enters pages, and checks the
 * mark again afterwards, because another fault may have revoked the binding in
 * the meantime. The object is pinned all the time, so a move finds all mapped
 * bindings in the list.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include "base/client.h"
#include "binding.h"
#include "mem.h"

/* Maximum number of mapped bindings per object: of a client, of all clients. */
#define VNPU_MAPPED_CLIENT	8
#define VNPU_MAPPED_ALL		64

static void vnpu_binding_revoke_locked(struct vnpu_binding *binding)
{
	lockdep_assert_held(binding->mem->lock);
	WRITE_ONCE(binding->mapped, VNPU_MAPPED_GOING);
	/*
	 * Order the store to mapped before the page tables are cleared. Pairs
	 * with smp_mb() in vnpu_window_end().
	 */
	smp_mb();
	unmap_mapping_range(binding->client->inode->i_mapping,
			    binding->node.start, vnpu_binding_length(binding),
			    1);
	hlist_del(&binding->mem_link);
	/* Pairs with smp_load_acquire() in vnpu_binding_is_mapped(). */
	smp_store_release(&binding->mapped, VNPU_MAPPED_NO);
}

/*
 * Return a binding to revoke before another one is mapped, or NULL: the
 * client's oldest one if the client has too many, else the oldest of all if
 * there are too many.
 */
static struct vnpu_binding *
vnpu_mapped_find_excess_locked(struct vnpu_mem *mem,
			       const struct vnpu_client *client)
{
	struct vnpu_binding *binding, *last = NULL, *own = NULL;
	u32 nr_own = 0, nr = 0;

	hlist_for_each_entry(binding, &mem->mapped, mem_link) {
		last = binding;
		nr++;
		if (binding->client != client)
			continue;
		own = binding;
		nr_own++;
	}
	if (nr_own >= VNPU_MAPPED_CLIENT)
		return own;
	return nr >= VNPU_MAPPED_ALL ? last : NULL;
}

/**
 * vnpu_binding_note_mapped() - mark a binding as mapped by the host
 * @binding: the binding; its object is pinned and its client's lock is held
 */
void vnpu_binding_note_mapped(struct vnpu_binding *binding)
{
	struct vnpu_mem *mem = binding->mem;
	struct vnpu_binding *excess;

	if (likely(READ_ONCE(binding->mapped) == VNPU_MAPPED_YES))
		return;
	mutex_lock(mem->lock);
	if (binding->mapped == VNPU_MAPPED_NO) {
		excess = vnpu_mapped_find_excess_locked(mem, binding->client);
		if (excess)
			vnpu_binding_revoke_locked(excess);
		hlist_add_head(&binding->mem_link, &mem->mapped);
		WRITE_ONCE(binding->mapped, VNPU_MAPPED_YES);
	}
	mutex_unlock(mem->lock);
}

/*
 * Remove a part of an object from the mappings of a binding. If only a part of
 * the binding is removed, it remains marked as mapped: the object is being moved,
 * and faults wait.
 */
static void vnpu_binding_unmap_locked(struct vnpu_binding *binding, u64 first,
				      u64 length)
{
	u64 start = max(binding->offset, first);
	u64 end = min(binding->offset + vnpu_binding_length(binding),
		      first + length);

	if (start >= end)
		return;
	if (end - start == vnpu_binding_length(binding))
		vnpu_binding_revoke_locked(binding);
	else
		unmap_mapping_range(binding->client->inode->i_mapping,
				    binding->node.start + start -
				    binding->offset, end - start, 1);
}

/**
 * vnpu_mapped_revoke() - remove a part of an object from all windows
 * @mem: the object, being moved or stale, so that no fault enters it again
 * @first: offset of the part in bytes
 * @length: bytes of the part
 *
 * A binding of which a part remains stays in the list of mapped ones.
 */
void vnpu_mapped_revoke(struct vnpu_mem *mem, u64 first, u64 length)
{
	struct vnpu_binding *binding;
	struct hlist_node *next;

	mutex_lock(mem->lock);
	hlist_for_each_entry_safe(binding, next, &mem->mapped, mem_link)
		vnpu_binding_unmap_locked(binding, first, length);
	mutex_unlock(mem->lock);
}
