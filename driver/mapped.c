// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bindings by which the host may reach an object, and taking them away.
 *
 * An object that is moved leaves all mappings of the host, and the process that
 * waits for the move pays for it. To take one binding out of the mappings costs
 * about as much as to move a few pages, however little of it is mapped. So their
 * number is limited: each client may have an object mapped by a few bindings at a
 * time, and all clients together by some more. A fault by another binding takes the
 * oldest one out, which is faulted in anew when it is used.
 *
 * A fault marks its binding before it enters pages, and looks again afterwards,
 * since another fault may have revoked the binding meanwhile. The object is pinned
 * all the time, so a move finds all bindings that are mapped in the list.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include "bind.h"
#include "client.h"
#include "mem.h"

/* By how many bindings an object may be mapped at a time: of a client, of all. */
#define VNPU_MAPPED_CLIENT	8
#define VNPU_MAPPED_ALL		64

static void vnpu_binding_revoke_locked(struct vnpu_binding *binding)
{
	lockdep_assert_held(binding->mem->lock);
	WRITE_ONCE(binding->mapped, VNPU_MAPPED_GOING);
	/* Pairs with that in vnpu_window_end(), between entering and looking. */
	smp_mb();
	unmap_mapping_range(binding->client->inode->i_mapping,
			    binding->node.start, vnpu_binding_length(binding),
			    1);
	hlist_del(&binding->mem_link);
	/* Pairs with smp_load_acquire() in vnpu_binding_is_mapped(). */
	smp_store_release(&binding->mapped, VNPU_MAPPED_NO);
}

/*
 * The oldest of the client's if these are too many, or else of all; or NULL. What is
 * no device's memory is never moved.
 */
static struct vnpu_binding *
vnpu_mapped_find_excess_locked(struct vnpu_mem *mem,
			       const struct vnpu_client *client)
{
	struct vnpu_binding *binding, *last = NULL, *own = NULL;
	u32 nr_own = 0, nr = 0;

	if (!mem->dev)
		return NULL;
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
 * vnpu_binding_note_mapped() - the host may have some of a binding mapped
 * @binding: of an object that is pinned; its client's lock is held
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

/**
 * vnpu_mapped_revoke() - take an object out of all windows
 * @mem: the object, being moved or stale: no fault enters it anew
 */
void vnpu_mapped_revoke(struct vnpu_mem *mem)
{
	struct vnpu_binding *binding;
	struct hlist_node *next;

	mutex_lock(mem->lock);
	hlist_for_each_entry_safe(binding, next, &mem->mapped, mem_link)
		vnpu_binding_revoke_locked(binding);
	mutex_unlock(mem->lock);
}
