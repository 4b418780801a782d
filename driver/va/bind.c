// SPDX-License-Identifier: GPL-2.0-only
/* Bindings: the map from a client's device addresses to memory objects. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <linux/vnpu.h>

#include "account/host_account.h"
#include "base/client.h"
#include "mem/mem.h"
#include "bind.h"
#include "trace_mem.h"

/*
 * Maximum time in ms that a change of the bindings waits for engines: twice the
 * longest pause between two attempts of a task, which then waits for its turn.
 * If no engine has got the lock by then, the change goes ahead. Changes then
 * happen only once in this time, so the lock is free for most of it.
 */
#define VNPU_ENGINE_FIRST	2

static struct kmem_cache *vnpu_binding_cache;

int vnpu_bind_init_cache(void)
{
	vnpu_binding_cache = KMEM_CACHE(vnpu_binding, SLAB_ACCOUNT);
	return vnpu_binding_cache ? 0 : -ENOMEM;
}

void vnpu_bind_fini_cache(void)
{
	kmem_cache_destroy(vnpu_binding_cache);
}

/*
 * Take the lock to change the bindings.
 *
 * If many tasks change bindings all the time, there is always a task waiting
 * for the lock, so an engine, which only tries it, would never get it. So let
 * engines go first that have failed for a while. Changes of the window and the
 * end of a client take the lock directly, because they are rare.
 *
 * The timeout is in jiffies, because user space can set the slack of a
 * high-resolution timer.
 */
static void vnpu_bind_lock(struct vnpu_client *client)
{
	if (unlikely(atomic_read(&client->nr_lock_requests)))
		wait_event_timeout(client->lock_requests_done,
				   !atomic_read(&client->nr_lock_requests),
				   msecs_to_jiffies(VNPU_ENGINE_FIRST) + 1);
	down_write(&client->lock);
}

/* Check if the window allows a binding in a range; ignores other bindings. */
static int vnpu_bind_check_range_locked(struct vnpu_client *client, u64 va,
					u64 last)
{
	if (!vnpu_client_window_contains(client, va) ||
	    !vnpu_client_window_contains(client, last))
		return -EFAULT;
	return vnpu_va_first(&client->slab_windows, va, last) ? -EEXIST : 0;
}

/**
 * vnpu_bind_check_free() - check if a range can be bound
 * @client: the client whose addresses are to be bound
 * @va: device address
 * @length: bytes, not 0
 *
 * The caller avoids allocating memory in vain. The result may have changed when
 * the memory is bound.
 *
 * Return: 0, -EOVERFLOW, -EFAULT or -EEXIST, as vnpu_bind_insert().
 */
int vnpu_bind_check_free(struct vnpu_client *client, u64 va, u64 length)
{
	u64 last;
	int ret;

	if (check_add_overflow(va, length - 1, &last))
		return -EOVERFLOW;

	down_read(&client->lock);
	ret = vnpu_bind_check_range_locked(client, va, last);
	if (!ret && vnpu_va_first(&client->map, va, last))
		ret = -EEXIST;
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_binding_create() - create a binding without adding it to the map
 * @client: the client whose addresses are to be bound
 * @spec: the request
 *
 * Return: the binding or ERR_PTR of -EDQUOT or -ENOMEM.
 */
struct vnpu_binding *vnpu_binding_create(struct vnpu_client *client,
					 const struct vnpu_bind_spec *spec)
{
	struct vnpu_binding *binding = spec->storage;
	int ret;

	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_BINDINGS, 1);
	if (ret)
		goto err_drop;
	if (!binding)
		binding = kmem_cache_zalloc(vnpu_binding_cache, GFP_KERNEL);
	if (!binding) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	binding->is_part = spec->storage;
	binding->node.start = spec->va;
	binding->node.last = spec->va + spec->length - 1;
	binding->client = client;
	binding->mem = spec->mem;
	binding->mem_id = spec->mem_id;
	binding->offset = spec->offset;
	if (!spec->no_access) {
		binding->read_devices = U64_MAX;
		binding->write_devices = U64_MAX;
		if (!spec->no_host_access)
			binding->host_access = VNPU_ACCESS_READ_WRITE;
	}
	return binding;

err_uncharge:
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_BINDINGS, 1);
err_drop:
	vnpu_mem_drop(spec->mem, client);
	return ERR_PTR(ret);
}

/*
 * Free a binding; call before dropping its memory object, which may embed it.
 */
static void vnpu_binding_free(struct vnpu_binding *binding)
{
	vnpu_host_account_uncharge(binding->client->host_account, VNPU_HOST_BINDINGS, 1);
	if (!binding->is_part)
		kmem_cache_free(vnpu_binding_cache, binding);
}

/**
 * vnpu_binding_destroy() - destroy a binding and drop its memory object
 * @binding: the binding, which is not in the map
 */
void vnpu_binding_destroy(struct vnpu_binding *binding)
{
	struct vnpu_client *client = binding->client;
	struct vnpu_mem *mem = binding->mem;

	vnpu_binding_free(binding);
	vnpu_mem_drop(mem, client);
}

static int vnpu_bind_map_insert_locked(struct vnpu_client *client,
				       struct vnpu_binding *binding)
{
	int ret;

	down_write(&client->map_lock);
	ret = vnpu_va_insert(&client->map, &binding->node);
	up_write(&client->map_lock);
	return ret;
}

static void vnpu_binding_link(struct vnpu_binding *binding)
{
	struct vnpu_mem *mem = binding->mem;

	mutex_lock(mem->lock);
	WRITE_ONCE(mem->nr_bindings, mem->nr_bindings + 1);
	mutex_unlock(mem->lock);
	trace_vnpu_bind(binding);
}

static void vnpu_binding_unlink_locked(struct vnpu_binding *binding)
{
	lockdep_assert_held(binding->mem->lock);
	if (binding->mapped)
		hlist_del(&binding->mem_link);
	WRITE_ONCE(binding->mem->nr_bindings, binding->mem->nr_bindings - 1);
}

/*
 * Remove the mappings of a range, by the host and by cores. Faults hold the lock,
 * so once a binding has left the map, no fault can find it. vnpu_bind_remove()
 * calls this before it drops the lock, so that the range can only be bound again
 * when no old mapping is left.
 */
static void vnpu_bind_zap(struct vnpu_client *client, u64 va, u64 length)
{
	unmap_mapping_range(client->inode->i_mapping, va, length, 1);
}

/**
 * vnpu_binding_insert_slab() - add a slab's binding to its client's slab window
 * @binding: the binding of the slab's pages
 * @va: device address; free, because only slabs are bound in the window
 */
void vnpu_binding_insert_slab(struct vnpu_binding *binding, u64 va)
{
	struct vnpu_client *client = binding->client;
	u64 length = vnpu_binding_length(binding);

	binding->node.start = va;
	binding->node.last = va + length - 1;
	vnpu_bind_lock(client);
	WARN_ON_ONCE(vnpu_bind_map_insert_locked(client, binding));
	vnpu_binding_link(binding);
	up_write(&client->lock);
}

/**
 * vnpu_binding_remove_slab() - remove a slab's binding from the map
 * @binding: the binding, which the caller destroys next; only cores can have it
 *	mapped
 */
void vnpu_binding_remove_slab(struct vnpu_binding *binding)
{
	struct vnpu_client *client = binding->client;

	vnpu_bind_lock(client);
	trace_vnpu_unbind(binding);
	down_write(&client->map_lock);
	vnpu_va_remove(&client->map, &binding->node);
	up_write(&client->map_lock);
	if (vnpu_binding_is_mapped(binding))
		vnpu_bind_zap(client, binding->node.start,
			      vnpu_binding_length(binding));
	mutex_lock(binding->mem->lock);
	vnpu_binding_unlink_locked(binding);
	mutex_unlock(binding->mem->lock);
	up_write(&client->lock);
}

/**
 * vnpu_bind_insert() - bind memory to device addresses
 * @client: the client whose addresses are to be bound
 * @spec: the request
 *
 * Return: 0, -EOVERFLOW, -EFAULT (outside of the window), -EEXIST (already
 * bound), -EDQUOT or -ENOMEM.
 */
int vnpu_bind_insert(struct vnpu_client *client,
		     const struct vnpu_bind_spec *spec)
{
	struct vnpu_binding *binding;
	u64 last;
	int ret;

	if (check_add_overflow(spec->va, spec->length - 1, &last)) {
		vnpu_mem_drop(spec->mem, client);
		return -EOVERFLOW;
	}

	binding = vnpu_binding_create(client, spec);
	if (IS_ERR(binding))
		return PTR_ERR(binding);

	vnpu_bind_lock(client);
	ret = vnpu_bind_check_range_locked(client, spec->va, last);
	if (!ret)
		ret = vnpu_bind_map_insert_locked(client, binding);
	if (!ret)
		vnpu_binding_link(binding);
	up_write(&client->lock);

	if (ret)
		vnpu_binding_destroy(binding);
	return ret;
}

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
 * @client: the client whose addresses are bound
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
 * @client: the client whose addresses are bound
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
