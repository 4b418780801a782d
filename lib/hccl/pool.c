// SPDX-License-Identifier: MIT
/*
 * The memory of communication buffers.
 *
 * It comes from a pool of its own on each device, which the communicators of this
 * process share.  So it is never in the program's pools, nor in the memory that a
 * plan uses again, even if aclrtMalloc() allocates from a pool.  The pool returns its
 * memory when the last communicator of the device has ended.
 */
#include <stdlib.h>

#include "vnpu/pool.h"

#include "comm.h"
#include "pool.h"

struct hccl_pool {
	struct hccl_pool *next;
	int32_t device;
	unsigned int users;
	vnpu_pool_t handle;	/* NULL if the process has as many as it may */
};

static struct hccl_pool *pools;	/* under hccl_lock(), as are their users */

void hccl_pool_in_child(void)
{
	pools = NULL;
}

/* The reset of a device ends its pools. */
static bool is_alive(const struct hccl_pool *pool)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };

	return !pool->handle || !vnpu_pool_get_stats(pool->handle, &stats);
}

static aclError pool_create(vnpu_pool_t *handle)
{
	struct vnpu_pool_config config;
	aclError ret;

	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.reuse = 0;
	*handle = NULL;
	ret = vnpu_pool_create(handle, &config);
	return ret == ACL_ERROR_BAD_ALLOC ? ACL_SUCCESS : ret;
}

static aclError make(int32_t device, struct hccl_pool **out)
{
	struct hccl_pool *new = calloc(1, sizeof(*new));
	aclError ret;

	if (!new)
		return ACL_ERROR_BAD_ALLOC;
	new->device = device;
	ret = pool_create(&new->handle);
	if (ret) {
		free(new);
		return ret;
	}
	new->next = pools;
	pools = new;
	*out = new;
	return ACL_SUCCESS;
}

aclError hccl_pool_get(int32_t device, struct hccl_pool **out)
{
	struct hccl_pool *found;
	aclError ret = ACL_SUCCESS;

	hccl_lock();
	found = pools;
	while (found && (found->device != device || !is_alive(found)))
		found = found->next;
	if (!found)
		ret = make(device, &found);
	if (!ret) {
		found->users++;
		*out = found;
	}
	hccl_unlock();
	return ret;
}

void hccl_pool_put(struct hccl_pool *pool)
{
	struct hccl_pool **link = &pools;

	if (!pool)
		return;
	hccl_lock();
	if (!--pool->users) {
		while (*link != pool)
			link = &(*link)->next;
		*link = pool->next;
		if (pool->handle)
			vnpu_pool_destroy(pool->handle);
		free(pool);
	}
	hccl_unlock();
}

aclError hccl_pool_alloc(struct hccl_pool *pool, uint64_t size,
			 uint64_t alignment, void **at)
{
	if (!pool->handle)
		return aclrtMalloc(at, size, ACL_MEM_MALLOC_HUGE_FIRST);
	*at = vnpu_pool_alloc_aligned(pool->handle, size, alignment);
	return *at ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

void hccl_pool_free(struct hccl_pool *pool, void *at)
{
	if (!at || !pool)
		return;
	if (pool->handle)
		vnpu_pool_free(pool->handle, at);
	else
		aclrtFree(at);
}
