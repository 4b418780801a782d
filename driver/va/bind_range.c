// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges of bindings: the calls that remove all bindings of a range, or change
 * their access rights.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/sched.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "mem/mem.h"
#include "bind.h"
#include "bind_internal.h"
#include "trace_mem.h"

/* Return the next binding up to @last. Reschedule: there may be very many. */
static struct vnpu_binding *
vnpu_bind_next_locked(struct vnpu_binding *binding, u64 last)
{
	struct vnpu_va_node *node;

	cond_resched();
	if (binding->node.last >= last)
		return NULL;
	node = vnpu_va_next(&binding->node);
	return node && node->start <= last ? vnpu_binding_of(node) : NULL;
}

/* Remove bindings from the map, from @binding up to @last, and chain them. */
static void vnpu_bind_detach_locked(struct vnpu_client *client,
				    struct vnpu_binding *binding, u64 last)
{
	struct vnpu_binding *next;

	down_write(&client->map_lock);
	for (; binding; binding = next) {
		next = vnpu_bind_next_locked(binding, last);
		trace_vnpu_unbind(binding);
		vnpu_va_remove(&client->map, &binding->node);
		binding->next = next;
	}
	up_write(&client->map_lock);
}

/* Unlink last: a move must know a binding until no host mapping is left. */
static void vnpu_binding_unlink_and_unhold(struct vnpu_binding *binding)
{
	struct vnpu_mem *mem = binding->mem;

	mutex_lock(mem->lock);
	vnpu_binding_unlink_locked(binding);
	vnpu_mem_unhold_locked(mem, binding->client);
	mutex_unlock(mem->lock);
}

static void vnpu_bind_free_one(struct vnpu_binding *binding)
{
	struct vnpu_mem *mem = binding->mem;

	vnpu_binding_unlink_and_unhold(binding);
	vnpu_binding_free(binding);
	vnpu_mem_put(mem);
}

/* Free in the order of addresses, which mostly is that of the memory. */
static noinline_for_stack void
vnpu_bind_free_many(struct vnpu_binding *binding)
{
	struct vnpu_mem_batch batch = { .nr = 0 };
	struct vnpu_binding *next;

	for (; binding; binding = next) {
		struct vnpu_mem *mem = binding->mem;

		next = binding->next;
		vnpu_binding_unlink_and_unhold(binding);
		vnpu_binding_free(binding);
		vnpu_mem_put_batched(mem, &batch);
		cond_resched();
	}
	vnpu_mem_batch_end(&batch);
}

static void vnpu_bind_free_detached(struct vnpu_binding *detached)
{
	if (detached->next)
		vnpu_bind_free_many(detached);
	else
		vnpu_bind_free_one(detached);
}

/*
 * Look up a range as the ioctls define it. A length of 0 means the one binding
 * that begins at the address; otherwise no binding may extend beyond the range.
 * Fills @last. Returns the first binding or ERR_PTR().
 */
static struct vnpu_binding *
vnpu_bind_range_locked(struct vnpu_client *client, u64 va, u64 length, u64 *last)
{
	struct vnpu_binding *first, *binding;

	*last = va;
	if (length && check_add_overflow(va, length - 1, last))
		return ERR_PTR(-EOVERFLOW);
	first = vnpu_bind_first_locked(client, va, *last);
	if (!first)
		return ERR_PTR(-ENOENT);
	if (!length) {
		*last = first->node.last;
		return first->node.start == va ? first : ERR_PTR(-ENOENT);
	}
	if (first->node.start < va)
		return ERR_PTR(-EINVAL);
	binding = vnpu_bind_find_locked(client, *last);
	if (binding && binding->node.last > *last)
		return ERR_PTR(-EINVAL);
	return first;
}

/* Sum up the bindings in a range, and check that all of them may be removed. */
static int vnpu_bind_examine_locked(struct vnpu_binding *binding, u64 last,
				    bool only_owned,
				    struct vnpu_unbound *unbound,
				    bool *was_mapped)
{
	*unbound = (struct vnpu_unbound){
		.page_shift = binding->mem->page_shift,
	};
	*was_mapped = false;
	for (; binding; binding = vnpu_bind_next_locked(binding, last)) {
		if (binding->mem->flags & VNPU_MEM_F_SLAB)
			return -EINVAL;
		if (only_owned && binding->mem_id)
			return -EINVAL;
		*was_mapped |= vnpu_binding_is_mapped(binding);
		unbound->length += vnpu_binding_length(binding);
		unbound->bindings++;
	}
	return 0;
}

/**
 * vnpu_bind_remove() - remove bindings
 * @client: the client that has the bindings
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @only_owned: fail if a binding was made by the id of its memory
 * @unbound: filled with a summary of the bindings
 *
 * Return: 0; -EOVERFLOW; -ENOENT if nothing is bound; -EINVAL if a binding
 * extends beyond the range, belongs to a slab, or is refused by @only_owned. On
 * failure no binding is removed.
 */
int vnpu_bind_remove(struct vnpu_client *client, u64 va, u64 length,
		     bool only_owned, struct vnpu_unbound *unbound)
{
	struct vnpu_binding *first;
	bool was_mapped;
	int ret = 0;
	u64 last;

	vnpu_bind_lock(client);
	first = vnpu_bind_range_locked(client, va, length, &last);
	if (IS_ERR(first))
		ret = PTR_ERR(first);
	else
		ret = vnpu_bind_examine_locked(first, last, only_owned, unbound,
					       &was_mapped);
	if (!ret) {
		vnpu_bind_detach_locked(client, first, last);
		if (was_mapped)
			vnpu_bind_zap(client, va, last - va + 1);
	}
	up_write(&client->lock);
	if (!ret)
		vnpu_bind_free_detached(first);
	return ret;
}

/**
 * vnpu_bind_remove_all() - remove all bindings of a client
 * @client: the client
 */
void vnpu_bind_remove_all(struct vnpu_client *client)
{
	struct vnpu_binding *first;

	down_write(&client->lock);
	first = vnpu_bind_first_locked(client, 0, U64_MAX);
	vnpu_bind_detach_locked(client, first, U64_MAX);
	up_write(&client->lock);

	if (!first)
		return;
	vnpu_bind_zap(client, 0, 0);
	vnpu_bind_free_detached(first);
}

static bool vnpu_bind_has_slab_locked(struct vnpu_binding *binding, u64 last)
{
	for (; binding; binding = vnpu_bind_next_locked(binding, last))
		if (binding->mem->flags & VNPU_MEM_F_SLAB)
			return true;
	return false;
}

static void vnpu_binding_grant(struct vnpu_binding *binding, u32 device,
			       u32 granted)
{
	u64 devices = device == VNPU_DEVICE_ALL ? U64_MAX : BIT_ULL(device % 64);

	if (device == VNPU_DEVICE_HOST) {
		binding->host_access = granted;
		return;
	}
	binding->read_devices &= ~devices;
	binding->write_devices &= ~devices;
	if (granted & VNPU_ACCESS_READ)
		binding->read_devices |= devices;
	if (granted == VNPU_ACCESS_READ_WRITE)
		binding->write_devices |= devices;
}

/**
 * vnpu_bind_protect() - set the access rights of bindings
 * @client: the client that has the bindings
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @device: index of a device, VNPU_DEVICE_ALL or VNPU_DEVICE_HOST
 * @access: VNPU_ACCESS_*
 *
 * On return, the host has no mappings left that exceed its rights, and no core
 * has one that exceeds those of its device.
 *
 * Return: 0, -EOVERFLOW, -ENOENT or -EINVAL, as vnpu_bind_remove().
 */
int vnpu_bind_protect(struct vnpu_client *client, u64 va, u64 length,
		      u32 device, u32 access)
{
	struct vnpu_binding *binding;
	bool is_mapped = false;
	int ret = 0;
	u64 last;

	vnpu_bind_lock(client);
	binding = vnpu_bind_range_locked(client, va, length, &last);
	if (IS_ERR(binding))
		ret = PTR_ERR(binding);
	else if (vnpu_bind_has_slab_locked(binding, last))
		ret = -EINVAL;
	if (!ret) {
		down_write(&client->map_lock);
		for (; binding; binding = vnpu_bind_next_locked(binding, last)) {
			vnpu_binding_grant(binding, device, access);
			is_mapped |= vnpu_binding_is_mapped(binding);
		}
		up_write(&client->map_lock);
	}
	up_write(&client->lock);

	/* A fault that begins from here on sees the new rights. */
	if (!ret && is_mapped)
		vnpu_bind_zap(client, va, last - va + 1);
	return ret;
}
