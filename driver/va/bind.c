// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings: the map from a client's device addresses to memory objects.
 * bind_range.c has the calls for ranges of bindings, resolve.c the look-ups.
 */
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
#include "bind_internal.h"
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
void vnpu_bind_lock(struct vnpu_client *client)
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
 * @client: the client that has the bindings
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
 * @client: the client that has the bindings
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
void vnpu_binding_free(struct vnpu_binding *binding)
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

void vnpu_binding_unlink_locked(struct vnpu_binding *binding)
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
void vnpu_bind_zap(struct vnpu_client *client, u64 va, u64 length)
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
 * @client: the client that has the bindings
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
