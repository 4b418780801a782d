// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects smaller than a page: connects the slab cache (core/slab.c) with
 * memory.
 *
 * The pages of a slab are an ordinary memory object, bound in the slab window
 * of the client; copies, accounting and compaction need not know about slabs. A
 * slab belongs to one client only, so no other client can see the data that is
 * left in a freed object, until the page is freed and cleared.
 *
 * A slab is bound before any of its objects can be allocated, and unbound
 * before its place in the window can be used again. Both happen under the lock.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "base/client.h"
#include "base/device.h"
#include "alloc/devmem_alloc.h"
#include "mem/devmem.h"
#include "bind.h"
#include "slabs.h"
#include "trace_mem.h"

static_assert(VNPU_SLAB_MAX_LENGTH == VNPU_SLAB_MAX_SIZE);
static_assert(VNPU_SLAB_ALIGNMENT == VNPU_SLAB_UNIT);
static_assert(VNPU_SLAB_PLACE == 1 << VNPU_SLAB_CHUNK_SHIFT);

/**
 * struct vnpu_bound_slab - a slab with its pages
 * @slab: the slab, in the cache
 * @binding: the binding of its pages
 */
struct vnpu_bound_slab {
	struct vnpu_slab slab;
	struct vnpu_binding *binding;
};

static struct vnpu_bound_slab *vnpu_bound_slab_of(struct vnpu_slab *slab)
{
	return container_of(slab, struct vnpu_bound_slab, slab);
}

static int vnpu_slabs_publish(struct vnpu_slabs *slabs)
{
	struct vnpu_client *client = slabs->client;
	u64 va = slabs->window.start, last = slabs->window.last;
	int ret = 0;

	down_write(&client->lock);
	if (!vnpu_client_window_contains(client, va) ||
	    !vnpu_client_window_contains(client, last))
		ret = -EFAULT;
	else if (client->slabs[slabs->device])
		ret = -EBUSY;
	else if (vnpu_va_first(&client->map, va, last))
		ret = -EEXIST;
	else
		ret = vnpu_va_insert(&client->slab_windows, &slabs->window);
	if (!ret) {
		WRITE_ONCE(client->slabs_start, min(client->slabs_start, va));
		WRITE_ONCE(client->slabs_last, max(client->slabs_last, last));
		/* Pairs with smp_load_acquire() in vnpu_slabs_of(). */
		smp_store_release(&client->slabs[slabs->device], slabs);
	}
	up_write(&client->lock);
	return ret;
}

static void vnpu_slabs_destroy(struct vnpu_slabs *slabs)
{
	mutex_destroy(&slabs->lock);
	mutex_destroy(&slabs->grow_lock);
	kfree(slabs);
}

/**
 * vnpu_slabs_create() - create a slab window of a client on a device
 * @client: the client
 * @device: index of the device
 * @va: first device address, page-aligned
 * @length: bytes, page-aligned, not 0; @va + @length does not overflow
 *
 * Return: 0, -ENODEV, -EFAULT (outside of the client's window), -EEXIST (the
 * range is in use), -EBUSY (there is a slab window already) or -ENOMEM.
 */
int vnpu_slabs_create(struct vnpu_client *client, unsigned int device, u64 va,
		      u64 length)
{
	struct vnpu_account *account = vnpu_client_account(client, device);
	struct vnpu_slabs *slabs;
	int ret;

	if (IS_ERR(account))
		return PTR_ERR(account);
	slabs = kzalloc(sizeof(*slabs), GFP_KERNEL_ACCOUNT);
	if (!slabs)
		return -ENOMEM;
	slabs->client = client;
	slabs->device = account->dev->index;
	slabs->window.start = va;
	slabs->window.last = va + length - 1;
	mutex_init(&slabs->grow_lock);
	mutex_init(&slabs->lock);
	vnpu_slab_init(&slabs->cache, length);

	ret = vnpu_slabs_publish(slabs);
	if (ret)
		vnpu_slabs_destroy(slabs);
	return ret;
}

/**
 * vnpu_slabs_end_all() - free all slabs of a client, on all devices
 * @client: the client, which has no bindings left and is used only by readers
 *	of its statistics
 *
 * May be called twice.
 */
void vnpu_slabs_end_all(struct vnpu_client *client)
{
	unsigned int i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_slabs *slabs = client->slabs[i];
		struct vnpu_slab *slab;

		if (!slabs)
			continue;
		mutex_lock(&slabs->lock);
		/*
		 * There may be as many slabs as pages, if each has one object.
		 */
		while ((slab = vnpu_slab_pop(&slabs->cache))) {
			kfree(vnpu_bound_slab_of(slab));
			cond_resched();
		}
		kvfree(slabs->cache.table);
		vnpu_slab_init(&slabs->cache, 0);
		mutex_unlock(&slabs->lock);
	}
}

/**
 * vnpu_slabs_destroy_all() - free what remains after vnpu_slabs_end_all()
 * @client: the client; its last reference is gone
 */
void vnpu_slabs_destroy_all(struct vnpu_client *client)
{
	unsigned int i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++)
		if (client->slabs[i])
			vnpu_slabs_destroy(client->slabs[i]);
}

/**
 * vnpu_slabs_of() - get the slabs of a client on a device
 * @client: the client
 * @device: index of the device, less than VNPU_MAX_DEVICES
 *
 * Return: the slabs, which live as long as the client, or NULL.
 */
struct vnpu_slabs *vnpu_slabs_of(struct vnpu_client *client,
				 unsigned int device)
{
	/* Pairs with smp_store_release() in vnpu_slabs_publish(). */
	return smp_load_acquire(&client->slabs[device]);
}

/**
 * vnpu_slabs_at_locked() - find the slabs by an address in their window
 * @client: the client, with its lock held
 * @va: any number
 *
 * Return: the slabs, which live as long as the client, or NULL.
 */
struct vnpu_slabs *vnpu_slabs_at_locked(struct vnpu_client *client, u64 va)
{
	struct vnpu_va_node *node;

	lockdep_assert_held(&client->lock);
	node = vnpu_va_find(&client->slab_windows, va);
	return node ? container_of(node, struct vnpu_slabs, window) : NULL;
}

/**
 * vnpu_slabs_at() - find the slabs by an address in their window
 * @client: the client
 * @va: any number
 *
 * Return: the slabs, which live as long as the client, or NULL.
 */
struct vnpu_slabs *vnpu_slabs_at(struct vnpu_client *client, u64 va)
{
	struct vnpu_slabs *slabs;

	/*
	 * A caller with an address of an object got it after the window was
	 * set.
	 */
	if (va < READ_ONCE(client->slabs_start) ||
	    va > READ_ONCE(client->slabs_last))
		return NULL;
	down_read(&client->lock);
	slabs = vnpu_slabs_at_locked(client, va);
	up_read(&client->lock);
	return slabs;
}

/* Allocate the pages of a slab, with a binding that is not in the map yet. */
static struct vnpu_binding *vnpu_slabs_get_pages(struct vnpu_slabs *slabs,
						 u32 size, u64 *report)
{
	struct vnpu_devmem_spec spec = {
		.length = (u64)vnpu_slab_pages(size) << VNPU_PAGE_SHIFT,
		.page_shift = VNPU_PAGE_SHIFT_4K,
		.flags = VNPU_MEM_F_SLAB | (report ? 0 : VNPU_MEM_F_TRY),
	};
	struct vnpu_binding *binding;
	struct vnpu_devmem *devmem;
	u64 none;

	devmem = vnpu_devmem_create(slabs->client, slabs->device, &spec,
				    report ?: &none);
	if (IS_ERR(devmem))
		return ERR_CAST(devmem);
	/* The binding takes over the hold and the reference. */
	binding = vnpu_binding_create(slabs->client, &(struct vnpu_bind_spec){
		.mem = &devmem->mem,
		.storage = &devmem->binding,
		.length = devmem->mem.length,
	});
	if (!IS_ERR(binding))
		vnpu_devmem_settle(devmem);
	return binding;
}

/* Allocate a table for one more slab; NULL if the current one has room. */
static struct vnpu_slab **vnpu_slabs_get_table(struct vnpu_slabs *slabs,
					       u32 *room)
{
	struct vnpu_slab **table;

	mutex_lock(&slabs->lock);
	*room = vnpu_slab_table_size(&slabs->cache);
	mutex_unlock(&slabs->lock);
	if (!*room)
		return NULL;
	table = kvmalloc_array(*room, sizeof(struct vnpu_slab *),
			       GFP_KERNEL_ACCOUNT);
	return table ?: ERR_PTR(-ENOMEM);
}

static int vnpu_slabs_add(struct vnpu_slabs *slabs,
			  struct vnpu_bound_slab *bound, u32 size, u64 *addr)
{
	struct vnpu_slab **table, **old = NULL;
	u32 room;
	int ret;

	lockdep_assert_held(&slabs->grow_lock);
	table = vnpu_slabs_get_table(slabs, &room);
	if (IS_ERR(table))
		return PTR_ERR(table);

	mutex_lock(&slabs->lock);
	if (table)
		old = vnpu_slab_set_table(&slabs->cache, table, room);
	ret = vnpu_slab_add(&slabs->cache, &bound->slab, size, addr);
	if (!ret)
		vnpu_binding_insert_slab(bound->binding, slabs->window.start +
					 vnpu_slab_base(&bound->slab));
	mutex_unlock(&slabs->lock);
	kvfree(old);
	return ret;
}

static int vnpu_slabs_grow(struct vnpu_slabs *slabs, u32 size, u64 *report,
			   u64 *addr)
{
	struct vnpu_bound_slab *bound;
	int ret;

	bound = kmalloc(sizeof(*bound), GFP_KERNEL_ACCOUNT);
	if (!bound)
		return -ENOMEM;
	bound->binding = vnpu_slabs_get_pages(slabs, size, report);
	if (IS_ERR(bound->binding)) {
		ret = PTR_ERR(bound->binding);
		goto err_free;
	}
	ret = vnpu_slabs_add(slabs, bound, size, addr);
	if (!ret)
		return 0;
	vnpu_binding_destroy(bound->binding);
err_free:
	kfree(bound);
	return ret;
}

static int vnpu_slabs_try_alloc(struct vnpu_slabs *slabs, u32 size, u64 *addr)
{
	int ret;

	mutex_lock(&slabs->lock);
	ret = vnpu_slab_alloc(&slabs->cache, size, addr);
	mutex_unlock(&slabs->lock);
	return ret;
}

/**
 * vnpu_slabs_alloc() - allocate an object
 * @slabs: the slabs
 * @size: bytes
 * @report: filled with the number of the OOM report if one is made, else
 *	unchanged; or NULL to make no report, if the caller can do without
 * @place: filled with the object's place
 *
 * Return: 0; -EINVAL if @size is 0 or more than VNPU_SLAB_MAX_SIZE; -ENOSPC if
 * a slab is needed, but there is no memory for its pages or no space in the
 * window; -ENOMEM or -EINTR.
 */
int vnpu_slabs_alloc(struct vnpu_slabs *slabs, u32 size, u64 *report,
		     struct vnpu_slab_object_range *place)
{
	u64 addr;
	int ret;

	ret = vnpu_slabs_try_alloc(slabs, size, &addr);
	if (ret == -EAGAIN) {
		if (mutex_lock_killable(&slabs->grow_lock))
			return -EINTR;
		/* Another task may have added a slab in the meantime. */
		ret = vnpu_slabs_try_alloc(slabs, size, &addr);
		if (ret == -EAGAIN)
			ret = vnpu_slabs_grow(slabs, size, report, &addr);
		mutex_unlock(&slabs->grow_lock);
	}
	if (ret)
		return ret;
	place->va = slabs->window.start + addr;
	place->length = vnpu_slab_round(size);
	trace_vnpu_slab_alloc(slabs, place->va, place->length);
	return 0;
}

/**
 * vnpu_slabs_free() - free an object
 * @slabs: the slabs; their window contains @va
 * @va: device address
 * @length: filled with the number of bytes that the object took up
 *
 * If this was the last object of a slab, the slab's pages are free on return,
 * unless a copy still uses them.
 *
 * Return: 0, or -ENOENT if no object begins at @va.
 */
int vnpu_slabs_free(struct vnpu_slabs *slabs, u64 va, u64 *length)
{
	struct vnpu_slab *empty = NULL;
	struct vnpu_bound_slab *bound;
	u32 size;
	int ret;

	mutex_lock(&slabs->lock);
	ret = vnpu_slab_free(&slabs->cache, va - slabs->window.start, &size,
			     &empty);
	if (!ret)
		trace_vnpu_slab_free(slabs, va, vnpu_slab_round(size));
	if (empty)
		vnpu_binding_remove_slab(vnpu_bound_slab_of(empty)->binding);
	mutex_unlock(&slabs->lock);
	if (ret)
		return -ENOENT;

	*length = vnpu_slab_round(size);
	if (empty) {
		bound = vnpu_bound_slab_of(empty);
		vnpu_binding_destroy(bound->binding);
		kfree(bound);
	}
	return 0;
}

/**
 * vnpu_slabs_find() - find the first object that overlaps a range
 * @slabs: the slabs; their window contains the range
 * @va: first device address of the range
 * @last: last device address of the range, not beyond the end of the slab
 * @place: filled with the object's place
 *
 * Return: 0, or -ENOENT if there is none.
 */
int vnpu_slabs_find(struct vnpu_slabs *slabs, u64 va, u64 last,
		    struct vnpu_slab_object_range *place)
{
	u64 addr = va - slabs->window.start;
	struct vnpu_slab_object object;
	int ret;

	last -= slabs->window.start;
	mutex_lock(&slabs->lock);
	/* This takes at most 512 steps, as the range is in one slab. */
	do {
		ret = vnpu_slab_find(&slabs->cache, addr, &object);
		addr = round_down(addr, VNPU_SLAB_UNIT) + VNPU_SLAB_UNIT;
	} while (ret && addr <= last);
	mutex_unlock(&slabs->lock);
	if (ret)
		return ret;
	place->va = slabs->window.start + object.addr;
	place->length = vnpu_slab_round(object.size);
	return 0;
}

/**
 * vnpu_slabs_read() - get the statistics of all size classes at one moment
 * @slabs: the slabs
 * @stats: filled with the statistics, by class
 */
void vnpu_slabs_read(struct vnpu_slabs *slabs,
		     struct vnpu_slab_stats stats[VNPU_SLAB_CLASSES])
{
	u32 class;

	mutex_lock(&slabs->lock);
	for (class = 0; class < VNPU_SLAB_CLASSES; class++)
		vnpu_slab_get_class_stats(&slabs->cache, class, &stats[class]);
	mutex_unlock(&slabs->lock);
}
