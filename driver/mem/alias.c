// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aliases: objects that give read-only access to the device memory of another
 * object.
 *
 * Access rights belong to an object, so an alias is an object of its own that
 * shares the memory of another one. It is created when a dma-buf that this
 * driver exported read-only is imported again.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "devmem.h"
#include "dmabuf.h"

/**
 * struct vnpu_alias - a read-only alias of an object
 * @mem: the memory object
 * @target: the object that it shares memory with, with a reference; constant
 */
struct vnpu_alias {
	struct vnpu_mem mem;
	struct vnpu_mem *target;
};

static struct vnpu_mem *vnpu_alias_target(const struct vnpu_mem *mem)
{
	return container_of(mem, struct vnpu_alias, mem)->target;
}

static void *vnpu_alias_addr(const struct vnpu_mem *mem, u64 offset, u64 *length)
{
	return vnpu_mem_addr(vnpu_alias_target(mem), offset, length);
}

/* Check the target, because an alias itself is never marked as stale. */
static int vnpu_alias_begin_access(struct vnpu_mem *mem)
{
	struct vnpu_mem *target = vnpu_alias_target(mem);

	if (READ_ONCE(target->stale))
		return vnpu_mem_stale_error(target);
	vnpu_mem_pin(target);
	return 0;
}

static int vnpu_alias_try_access(struct vnpu_mem *mem)
{
	struct vnpu_mem *target = vnpu_alias_target(mem);

	if (READ_ONCE(target->stale))
		return vnpu_mem_stale_error(target);
	return vnpu_mem_try_pin(target) ? 0 : -EAGAIN;
}

static void vnpu_alias_end_access(struct vnpu_mem *mem)
{
	vnpu_mem_unpin(vnpu_alias_target(mem));
}

/* A target is never an alias, so its lock nests inside that of the alias. */
static int vnpu_alias_hold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_mem *target = vnpu_alias_target(mem);
	int ret;

	mutex_lock(target->lock);
	ret = target->ops->hold(target, client);
	mutex_unlock(target->lock);
	return ret;
}

static void vnpu_alias_unhold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_mem *target = vnpu_alias_target(mem);

	mutex_lock(target->lock);
	vnpu_mem_unhold_locked(target, client);
	mutex_unlock(target->lock);
}

static void vnpu_alias_release(struct vnpu_mem *mem)
{
	vnpu_mem_put(vnpu_alias_target(mem));
	kfree(container_of(mem, struct vnpu_alias, mem));
}

static const struct vnpu_mem_ops vnpu_alias_ops = {
	.kind = VNPU_MEM_KIND_DMABUF,
	.addr = vnpu_alias_addr,
	.begin_access = vnpu_alias_begin_access,
	.try_access = vnpu_alias_try_access,
	.end_access = vnpu_alias_end_access,
	.hold = vnpu_alias_hold,
	.unhold = vnpu_alias_unhold,
	.release = vnpu_alias_release,
};

/**
 * vnpu_alias_create() - create a read-only alias of an object
 * @target: the object to share; the alias takes a reference of its own
 *
 * Return: the object with one reference, or ERR_PTR(-ENOMEM).
 */
struct vnpu_mem *vnpu_alias_create(struct vnpu_devmem *target)
{
	struct vnpu_alias *alias = kzalloc(sizeof(*alias), GFP_KERNEL_ACCOUNT);

	if (!alias)
		return ERR_PTR(-ENOMEM);
	vnpu_mem_get(&target->mem);
	alias->target = &target->mem;
	alias->mem.dev = target->mem.dev;
	alias->mem.length = target->mem.length;
	alias->mem.page_shift = target->mem.page_shift;
	alias->mem.read_only = true;
	vnpu_mem_init(&alias->mem, &vnpu_alias_ops);
	return &alias->mem;
}
