// SPDX-License-Identifier: MIT
/*
 * Host memory: aclrtMallocHost() and its like.
 *
 * A block is a mapping of pages that the driver allocated.  They are pinned, as
 * on hardware, and charged to the user.  They also have a device address, which
 * tasks need and programs do not see.  A tree by address has all blocks.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/tree.h"
#include "io/io.h"
#include "runtime/context.h"
#include "stream/stream.h"
#include "host.h"
#include "mem.h"

#define HOST_PAGE	4096UL

struct block {
	struct vnpu_tree_node node;	/* by address */
	uint64_t length;
	uint64_t va;			/* device address */
};

static pthread_mutex_t host_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *blocks;		/* protected by the lock */

void vnpu_host_lock(void)
{
	pthread_mutex_lock(&host_mutex);
}

void vnpu_host_unlock(void)
{
	pthread_mutex_unlock(&host_mutex);
}

/* Find the block that contains @addr, or NULL; the lock is held. */
static struct block *find(uint64_t addr)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(blocks, addr, 0);
	struct block *block;

	if (!node)
		return NULL;
	block = container_of(node, struct block, node);
	return addr - node->hi < block->length ? block : NULL;
}

bool vnpu_host_has(uint64_t addr, uint64_t length)
{
	struct block *block;
	bool has;

	vnpu_host_lock();
	block = find(addr);
	has = block && length <= block->length - (addr - block->node.hi);
	vnpu_host_unlock();
	return has;
}

bool vnpu_host_translate(uint64_t addr, uint64_t length,
			 struct vnpu_pinned *pinned)
{
	struct block *block;
	bool has;

	vnpu_host_lock();
	block = find(addr);
	has = block && length <= block->length - (addr - block->node.hi);
	if (has)
		*pinned = (struct vnpu_pinned){
			.addr = block->node.hi,
			.length = block->length,
			.va = block->va,
		};
	vnpu_host_unlock();
	return has;
}

bool vnpu_host_find(uint64_t addr, uint64_t *base, uint64_t *length)
{
	struct block *block;

	vnpu_host_lock();
	block = find(addr);
	if (block) {
		*base = block->node.hi;
		*length = block->length;
	}
	vnpu_host_unlock();
	return block;
}

aclError vnpu_host_error(const char *call, int err, uint64_t size)
{
	switch (err) {
	case -EDQUOT:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION, call,
			"size = %llu exceeds the host memory that the driver grants a user; free some, or have an administrator raise the module parameter host_quota",
			(unsigned long long)size);
	case -ENOMEM:
	case -EOVERFLOW:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION, call,
			"size = %llu bytes of host memory are not available; free some, or request less",
			(unsigned long long)size);
	default:
		return vnpu_error_errno(err, call, "allocating host memory");
	}
}

static aclError host_alloc(const char *call, void **ptr, uint64_t size)
{
	struct vnpu_current current;
	uint64_t length = vnpu_align_up(size, HOST_PAGE);
	struct block *block;
	aclError ret;
	void *memory;
	int err;

	if (!ptr)
		return vnpu_error_null(call, "hostPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, call,
			"size is 0; pass at least 1 byte");
	ret = vnpu_context_current(call, &current);
	if (ret)
		return ret;

	block = malloc(sizeof(*block));
	err = block && length >= size ?
	      vnpu_pinned_alloc(length, &memory, &block->va) : -ENOMEM;
	if (err) {
		free(block);
		return vnpu_host_error(call, err, size);
	}

	block->node.hi = vnpu_ptr_to_u64(memory);
	block->node.lo = 0;
	block->length = size;
	vnpu_host_lock();
	vnpu_tree_add(&blocks, &block->node);
	vnpu_host_unlock();
	*ptr = memory;
	return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	return host_alloc(__func__, hostPtr, size);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
				aclrtMallocConfig *cfg)
{
	int64_t user_device;
	aclError ret = vnpu_mem_config_check(__func__, cfg, &user_device);

	return ret ? ret : host_alloc(__func__, ptr, size);
}

static aclError host_free(const char *call, void *ptr)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);
	struct block *block;

	if (!ptr)
		return vnpu_error_null(call, "hostPtr");
	if (vnpu_io_is_forked())
		return vnpu_error_open(-EPERM, call);

	vnpu_host_lock();
	block = find(addr);
	if (block && block->node.hi != addr)
		block = NULL;
	if (block)
		vnpu_tree_remove(&blocks, &block->node);
	vnpu_host_unlock();
	if (!block)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			"hostPtr = %p is not an address that aclrtMallocHost returned, or was freed before%s",
			ptr, vnpu_io_is_device_address(addr) ?
			"; it is a device pointer: use aclrtFree" : "");
	vnpu_pinned_free(ptr, vnpu_align_up(block->length, HOST_PAGE),
			 block->va);
	free(block);
	return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr)
{
	return host_free(__func__, hostPtr);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	aclError ret;

	if (!hostPtr)
		return vnpu_error_null(__func__, "hostPtr");
	ret = vnpu_stream_wait_all(__func__, -1);
	return ret ? ret : host_free(__func__, hostPtr);
}
