// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bindings: the map from a client's device addresses to memory.
 *
 * Whoever resolves an address takes a reference to the memory and gives the
 * lock back before any byte moves. So memory that is unbound while it is in
 * use stays until that use ends, and only then goes back to the arena.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "client.h"
#include "mem.h"

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

static struct vnpu_binding *vnpu_binding_of(struct vnpu_va_node *node)
{
	return node ? container_of(node, struct vnpu_binding, node) : NULL;
}

static bool vnpu_window_contains_locked(struct vnpu_client *client, u64 va)
{
	lockdep_assert_held(&client->lock);
	return va >= client->window_start && va < client->window_end;
}

/**
 * vnpu_bind_in_window() - is this a device address?
 * @client: whose
 * @va: any number
 */
bool vnpu_bind_in_window(struct vnpu_client *client, u64 va)
{
	bool in_window;

	down_read(&client->lock);
	in_window = vnpu_window_contains_locked(client, va);
	up_read(&client->lock);
	return in_window;
}

static int vnpu_bind_check_free_locked(struct vnpu_client *client, u64 va,
				       u64 last)
{
	if (!vnpu_window_contains_locked(client, va) ||
	    !vnpu_window_contains_locked(client, last))
		return -EFAULT;
	return vnpu_va_first(&client->map, va, last) ? -EEXIST : 0;
}

/**
 * vnpu_bind_check_free() - would a binding be refused?
 * @client: whose addresses
 * @va: device address
 * @length: bytes, not 0
 *
 * So that memory is not allocated for nothing; the answer can be another when
 * it comes to binding it.
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
	ret = vnpu_bind_check_free_locked(client, va, last);
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_bind_insert() - bind memory to device addresses
 * @client: whose addresses
 * @mem: the memory; the binding takes a reference of its own
 * @va: device address, page-aligned
 * @length: bytes, page-aligned, not 0
 * @offset: into @mem, page-aligned; the range was found to lie in it
 *
 * Return: 0, -EOVERFLOW, -EFAULT (outside of the window), -EEXIST (taken) or
 * -ENOMEM.
 */
int vnpu_bind_insert(struct vnpu_client *client, struct vnpu_mem *mem, u64 va,
		     u64 length, u64 offset)
{
	struct vnpu_binding *binding;
	u64 last;
	int ret;

	if (check_add_overflow(va, length - 1, &last))
		return -EOVERFLOW;

	binding = kmem_cache_zalloc(vnpu_binding_cache, GFP_KERNEL);
	if (!binding)
		return -ENOMEM;
	binding->node.start = va;
	binding->node.last = last;
	binding->offset = offset;
	binding->mem = mem;

	down_write(&client->lock);
	ret = vnpu_bind_check_free_locked(client, va, last);
	if (!ret)
		ret = vnpu_va_insert(&client->map, &binding->node);
	if (!ret) {
		vnpu_mem_get(mem);
		atomic_inc(&mem->bindings);
	}
	up_write(&client->lock);

	if (ret)
		kmem_cache_free(vnpu_binding_cache, binding);
	return ret;
}

static void vnpu_bind_detach_locked(struct vnpu_client *client,
				    struct vnpu_binding *binding,
				    struct list_head *detached)
{
	vnpu_va_remove(&client->map, &binding->node);
	list_add_tail(&binding->link, detached);
}

static void vnpu_bind_free_detached(struct list_head *detached)
{
	struct vnpu_binding *binding, *next;

	list_for_each_entry_safe(binding, next, detached, link) {
		atomic_dec(&binding->mem->bindings);
		vnpu_mem_put(binding->mem);
		kmem_cache_free(vnpu_binding_cache, binding);
	}
}

/*
 * After the bindings left the map no fault can find them; faults that had have
 * ended, since they hold the lock. What is mapped now is what must go. A
 * mapping of something bound here since goes as well, and is faulted in anew.
 */
static void vnpu_bind_zap(struct vnpu_client *client, u64 va, u64 length)
{
	unmap_mapping_range(client->inode->i_mapping, va, length, 1);
}

/**
 * vnpu_bind_first_locked() - the lowest binding in a range
 * @client: whose; its lock is held
 * @va: first address of the range
 * @last: last address of the range
 *
 * Return: the binding, good while the lock is held, or NULL.
 */
struct vnpu_binding *vnpu_bind_first_locked(struct vnpu_client *client, u64 va,
					    u64 last)
{
	lockdep_assert_held(&client->lock);
	return vnpu_binding_of(vnpu_va_first(&client->map, va, last));
}

/* Finds out what is in the range, and whether all of it may go. */
static int vnpu_bind_examine_locked(struct vnpu_client *client, u64 va, u64 last,
				    bool only_owned,
				    struct vnpu_unbound *unbound,
				    bool *host_access)
{
	struct vnpu_binding *binding = vnpu_bind_first_locked(client, va, last);

	if (!binding)
		return -ENOENT;
	*unbound = (struct vnpu_unbound){
		.page_shift = binding->mem->page_shift,
	};
	*host_access = false;
	for (; binding && binding->node.start <= last;
	     binding = vnpu_binding_of(vnpu_va_next(&binding->node))) {
		if (binding->node.start < va || binding->node.last > last)
			return -EINVAL;
		if (only_owned && !(binding->mem->flags & VNPU_MEM_F_BIND))
			return -EINVAL;
		if (binding->mem->flags & VNPU_MEM_F_HOST_ACCESS)
			*host_access = true;
		unbound->length += vnpu_binding_length(binding);
		unbound->bindings++;
	}
	return 0;
}

/**
 * vnpu_bind_remove() - take bindings back
 * @client: whose
 * @va: device address
 * @length: bytes, or 0 for the one binding that begins at @va
 * @only_owned: refuse if one is of memory that is not owned by its binding
 * @unbound: filled
 *
 * Return: 0; -EOVERFLOW; -ENOENT if there is none; -EINVAL if one reaches out
 * of the range or is refused: then none is taken back.
 */
int vnpu_bind_remove(struct vnpu_client *client, u64 va, u64 length,
		     bool only_owned, struct vnpu_unbound *unbound)
{
	struct vnpu_binding *binding;
	LIST_HEAD(detached);
	bool host_access;
	u64 last = va;
	int ret;

	if (length && check_add_overflow(va, length - 1, &last))
		return -EOVERFLOW;

	down_write(&client->lock);
	if (!length) {
		binding = vnpu_bind_find_locked(client, va);
		if (!binding || binding->node.start != va) {
			ret = -ENOENT;
			goto out;
		}
		last = binding->node.last;
	}
	ret = vnpu_bind_examine_locked(client, va, last, only_owned, unbound,
				       &host_access);
	if (ret)
		goto out;
	while ((binding = vnpu_bind_first_locked(client, va, last)))
		vnpu_bind_detach_locked(client, binding, &detached);
out:
	up_write(&client->lock);
	if (ret)
		return ret;

	if (host_access)
		vnpu_bind_zap(client, va, last - va + 1);
	vnpu_bind_free_detached(&detached);
	return 0;
}

/**
 * vnpu_bind_remove_all() - take all bindings of a client back
 * @client: the client
 */
void vnpu_bind_remove_all(struct vnpu_client *client)
{
	struct vnpu_binding *binding;
	LIST_HEAD(detached);

	down_write(&client->lock);
	while ((binding = vnpu_bind_first_locked(client, 0, U64_MAX)))
		vnpu_bind_detach_locked(client, binding, &detached);
	up_write(&client->lock);

	if (list_empty(&detached))
		return;
	vnpu_bind_zap(client, 0, 0);
	vnpu_bind_free_detached(&detached);
}

/**
 * vnpu_bind_find_locked() - what is bound at an address
 * @client: whose; its lock is held
 * @va: any number
 *
 * Return: the binding, good while the lock is held, or NULL.
 */
struct vnpu_binding *vnpu_bind_find_locked(struct vnpu_client *client, u64 va)
{
	lockdep_assert_held(&client->lock);
	return vnpu_binding_of(vnpu_va_find(&client->map, va));
}

/**
 * vnpu_bind_check_range() - is every address of a range bound?
 * @client: whose
 * @va: device address
 * @length: bytes, not 0
 *
 * Return: 0, -EOVERFLOW or -EFAULT.
 */
int vnpu_bind_check_range(struct vnpu_client *client, u64 va, u64 length)
{
	struct vnpu_va_node *node;
	int ret = -EFAULT;
	u64 last;

	if (check_add_overflow(va, length - 1, &last))
		return -EOVERFLOW;

	down_read(&client->lock);
	for (node = vnpu_va_find(&client->map, va); node && node->start <= va;
	     node = vnpu_va_next(node)) {
		if (node->last >= last) {
			ret = 0;
			break;
		}
		va = node->last + 1;
	}
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_bind_get_span() - resolve a device address
 * @client: whose
 * @va: device address
 * @length: bytes wanted at most
 * @span: filled; to be given back by vnpu_span_put()
 *
 * Return: 0, or -EFAULT if nothing is bound there.
 */
int vnpu_bind_get_span(struct vnpu_client *client, u64 va, u64 length,
		       struct vnpu_span *span)
{
	struct vnpu_binding *binding;
	int ret = -EFAULT;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (binding) {
		u64 skip = va - binding->node.start;

		span->mem = binding->mem;
		vnpu_mem_get(span->mem);
		span->offset = binding->offset + skip;
		span->length = min(length, vnpu_binding_length(binding) - skip);
		span->addr = vnpu_mem_addr(span->mem, span->offset,
					   &span->length);
		ret = 0;
	}
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_span_put() - the memory is not used any more
 * @span: filled by vnpu_bind_get_span()
 */
void vnpu_span_put(struct vnpu_span *span)
{
	vnpu_mem_put(span->mem);
}
