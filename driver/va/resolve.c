// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of device addresses to memory.
 *
 * A caller that resolves an address gets a reference to the memory and pins it,
 * and drops the lock before it accesses the memory. So memory that is unbound
 * while it is in use is not moved, and returns to the arena only when the use
 * ends. Engines take no reference, see mem.c.
 */
#include <linux/overflow.h>
#include <linux/sched.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "base/device.h"
#include "mem/mem.h"
#include "ras/inject.h"
#include "bind.h"

/**
 * vnpu_bind_in_window() - check if a number is a device address
 * @client: the client that has the window
 * @va: any number
 *
 * Return: true if @va is in the window.
 */
bool vnpu_bind_in_window(struct vnpu_client *client, u64 va)
{
	bool in_window;

	down_read(&client->lock);
	in_window = vnpu_client_window_contains(client, va);
	up_read(&client->lock);
	return in_window;
}

static void vnpu_bind_assert_locked(const struct vnpu_client *client)
{
	lockdep_assert(lockdep_is_held(&client->lock) ||
		       lockdep_is_held(&client->map_lock));
}

/**
 * vnpu_bind_first_locked() - find the lowest binding in a range
 * @client: the client; its lock or map_lock is held
 * @va: first address of the range
 * @last: last address of the range
 *
 * Return: the binding, valid while the lock is held, or NULL.
 */
struct vnpu_binding *vnpu_bind_first_locked(struct vnpu_client *client, u64 va,
					    u64 last)
{
	vnpu_bind_assert_locked(client);
	return vnpu_binding_of(vnpu_va_first(&client->map, va, last));
}

/**
 * vnpu_bind_find_locked() - find the binding that contains an address
 * @client: the client; its lock or map_lock is held
 * @va: any number
 *
 * Return: the binding, valid while the lock is held, or NULL.
 */
struct vnpu_binding *vnpu_bind_find_locked(struct vnpu_client *client, u64 va)
{
	vnpu_bind_assert_locked(client);
	return vnpu_binding_of(vnpu_va_find(&client->map, va));
}

/**
 * vnpu_binding_allows() - check the access rights of a binding
 * @binding: the binding
 * @device: index of the device, or VNPU_DEVICE_HOST
 * @wanted: VNPU_ACCESS_*
 *
 * Return: true if @device has all rights of @wanted.
 */
bool vnpu_binding_allows(const struct vnpu_binding *binding, u32 device,
			 u32 wanted)
{
	u32 granted = binding->host_access;

	if (device != VNPU_DEVICE_HOST) {
		granted = binding->read_devices & BIT_ULL(device % 64) ?
			  VNPU_ACCESS_READ : VNPU_ACCESS_NONE;
		if (binding->write_devices & BIT_ULL(device % 64))
			granted = VNPU_ACCESS_READ_WRITE;
	}
	if (binding->mem->read_only)
		granted &= VNPU_ACCESS_READ;
	return (granted & wanted) == wanted;
}

/**
 * vnpu_bind_device() - find the device of the memory that is bound at an address
 * @client: the client that has the address
 * @va: device address
 * @device: filled with the index, or VNPU_DEVICE_HOST for memory of the host
 *
 * Return: 0 or -EFAULT.
 */
int vnpu_bind_device(struct vnpu_client *client, u64 va, u32 *device)
{
	struct vnpu_binding *binding;
	int ret = -EFAULT;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (binding) {
		struct vnpu_device *dev = binding->mem->dev;

		*device = dev ? dev->index : VNPU_DEVICE_HOST;
		ret = 0;
	}
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_bind_check_range() - check if a device may access a whole range
 * @client: the client that has the addresses
 * @va: device address
 * @length: bytes, not 0
 * @device: index of the device
 * @access: VNPU_ACCESS_*
 *
 * Return: 0, -EOVERFLOW, -EFAULT (a part is not bound, or stale), -ENODEV (its
 * device is gone) or -EACCES.
 */
int vnpu_bind_check_range(struct vnpu_client *client, u64 va, u64 length,
			  u32 device, u32 access)
{
	struct vnpu_binding *binding;
	bool allowed = true;
	int ret = -EFAULT;
	u64 last;

	if (check_add_overflow(va, length - 1, &last))
		return -EOVERFLOW;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	while (binding && binding->node.start <= va) {
		if (READ_ONCE(binding->mem->stale)) {
			ret = vnpu_mem_stale_error(binding->mem);
			break;
		}
		allowed &= vnpu_binding_allows(binding, device, access);
		if (binding->node.last >= last) {
			ret = allowed ? 0 : -EACCES;
			break;
		}
		va = binding->node.last + 1;
		binding = vnpu_binding_of(vnpu_va_next(&binding->node));
		cond_resched();
	}
	up_read(&client->lock);
	return ret;
}

/**
 * vnpu_bind_get_span() - resolve a device address
 * @client: the client that has the address
 * @va: device address
 * @length: maximum number of bytes
 * @device: index of the device that accesses the memory, or VNPU_DEVICE_HOST
 * @access: VNPU_ACCESS_*; VNPU_ACCESS_NONE for a debugger
 * @span: filled with the memory, which the caller drops with vnpu_span_put()
 *
 * May wait for other devices, without a time limit. So the caller must hold no
 * lock. A debugger holds mmap_lock; it is refused access to memory of other
 * drivers.
 *
 * Return: 0; -EFAULT if nothing is bound there, or it is stale; -EACCES,
 * -ENODEV, -EINTR or -EIO.
 */
int vnpu_bind_get_span(struct vnpu_client *client, u64 va, u64 length,
		       u32 device, u32 access, struct vnpu_span *span)
{
	struct vnpu_binding *binding;
	int ret = 0;
	u64 skip;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (!binding) {
		up_read(&client->lock);
		return -EFAULT;
	}
	if (READ_ONCE(binding->mem->stale)) {
		ret = vnpu_mem_stale_error(binding->mem);
		up_read(&client->lock);
		return ret;
	}
	/* A debugger holds mmap_lock, so it must not wait for other drivers. */
	if (!vnpu_binding_allows(binding, device, access) ||
	    (access == VNPU_ACCESS_NONE && binding->mem->ops->is_foreign)) {
		up_read(&client->lock);
		return -EACCES;
	}
	skip = va - binding->node.start;
	span->mem = binding->mem;
	vnpu_mem_get(span->mem);
	span->offset = binding->offset + skip;
	span->length = min(length, vnpu_binding_length(binding) - skip);
	up_read(&client->lock);

	vnpu_mem_pin(span->mem);
	if (span->mem->ops->begin_access)
		ret = span->mem->ops->begin_access(span->mem);
	if (ret) {
		vnpu_mem_unpin(span->mem);
		vnpu_mem_put(span->mem);
		return ret;
	}
	span->addr = vnpu_mem_addr(span->mem, span->offset, &span->length);
	return 0;
}

/**
 * vnpu_bind_is_shared_locked() - check if accesses to a range may have to wait
 * @client: the client; its lock or map_lock is held
 * @va: first address of the range
 * @last: last address of the range
 *
 * Return: true if accesses to memory in the range have to be announced, see
 * vnpu_mem_is_shared().
 */
bool vnpu_bind_is_shared_locked(struct vnpu_client *client, u64 va, u64 last)
{
	struct vnpu_binding *binding = vnpu_bind_first_locked(client, va, last);

	while (binding && binding->node.start <= last) {
		if (vnpu_mem_is_shared(binding->mem))
			return true;
		binding = vnpu_binding_of(vnpu_va_next(&binding->node));
		cond_resched();
	}
	return false;
}

/**
 * vnpu_bind_pin_locked() - resolve a device address for a device, and pin it
 * @client: the client; its lock is held, or its map_lock if nothing is shared
 * @va: device address
 * @length: maximum number of bytes, not 0
 * @device: index of the device that accesses the memory
 * @access: VNPU_ACCESS_*
 * @span: filled with the memory, which the caller unpins with
 *	vnpu_span_unpin(). It has no reference: it is valid while the lock is
 *	held, and afterwards if the caller has called vnpu_mem_begin_use(). This
 *	function does not begin an access to memory of other drivers.
 *
 * Return: 0, -EFAULT (nothing is bound there, or it is stale), -ENODEV (its
 * device is gone), -EACCES, -EAGAIN (it is being moved, or in use by others) or
 * -EIO.
 */
int vnpu_bind_pin_locked(struct vnpu_client *client, u64 va, u64 length,
			 u32 device, u32 access, struct vnpu_span *span)
{
	struct vnpu_binding *binding = vnpu_bind_find_locked(client, va);
	u64 skip;

	if (!binding)
		return -EFAULT;
	if (READ_ONCE(binding->mem->stale))
		return vnpu_mem_stale_error(binding->mem);
	if (!vnpu_binding_allows(binding, device, access))
		return -EACCES;
	skip = va - binding->node.start;
	span->mem = binding->mem;
	span->offset = binding->offset + skip;
	span->length = min(length, vnpu_binding_length(binding) - skip);
	if (!vnpu_mem_try_pin(span->mem))
		return -EAGAIN;
	if (span->mem->ops->try_access) {
		int ret = span->mem->ops->try_access(span->mem);

		if (ret) {
			vnpu_mem_unpin(span->mem);
			return ret;
		}
	}
	span->addr = vnpu_mem_addr(span->mem, span->offset, &span->length);
	return 0;
}

/**
 * vnpu_span_unpin() - unpin memory without dropping a reference
 * @span: filled by vnpu_bind_pin_locked()
 */
void vnpu_span_unpin(struct vnpu_span *span)
{
	const struct vnpu_mem_ops *ops = span->mem->ops;

	if (ops->end_access && !ops->is_foreign)
		ops->end_access(span->mem);
	vnpu_mem_unpin(span->mem);
}

/**
 * vnpu_span_put() - end the use of memory and drop its reference
 * @span: filled by vnpu_bind_get_span()
 */
void vnpu_span_put(struct vnpu_span *span)
{
	if (span->mem->ops->is_foreign)
		span->mem->ops->end_access(span->mem);
	vnpu_span_unpin(span);
	vnpu_mem_put(span->mem);
}

/**
 * vnpu_ecc_inject() - inject errors into a use of a piece of memory
 * @client: the client that uses the memory
 * @va: the device address of the piece
 * @span: the piece
 * @addr: set to the address of the error, on failure
 *
 * Return: 0, -EIO, or -EFAULT to fail as if the address were not bound.
 */
int vnpu_ecc_inject(const struct vnpu_client *client, u64 va,
		    const struct vnpu_span *span, u64 *addr)
{
	struct vnpu_device *dev = span->mem->dev;

	/* Errors are injected into device memory only, not into host memory. */
	return dev ? vnpu_inject_memory(dev, client, va, span->length, addr) : 0;
}
