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

#include "base/child.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "base/tree.h"
#include "io/io.h"
#include "runtime/context.h"
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

aclError vnpu_host_error(int err, uint64_t size)
{
	switch (err) {
	case -EDQUOT:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu exceeds the host memory that the driver grants a user; free some, or have an administrator raise the module parameter host_quota",
			(unsigned long long)size);
	case -ENOMEM:
	case -EOVERFLOW:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu bytes of host memory are not available; free some, or request less",
			(unsigned long long)size);
	default:
		return vnpu_error_errno(err, "allocating host memory");
	}
}

static aclError host_alloc(void **ptr, uint64_t size)
{
	struct vnpu_current current;
	uint64_t length = vnpu_align_up(size, HOST_PAGE);
	struct block *block;
	aclError ret;
	void *memory;
	int err;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("hostPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	block = malloc(sizeof(*block));
	err = block && length >= size ?
	      vnpu_pinned_alloc(length, &memory, &block->va) : -ENOMEM;
	if (err) {
		free(block);
		return vnpu_host_error(err, size);
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
	VNPU_CALL();

	return host_alloc(hostPtr, size);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
				aclrtMallocConfig *cfg)
{
	VNPU_CALL();
	int64_t user_device;
	aclError ret = vnpu_mem_config_check(cfg, &user_device);

	return ret ? ret : host_alloc(ptr, size);
}

aclError vnpu_host_free(void *ptr)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);
	struct block *block;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("hostPtr");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_host_lock();
	block = find(addr);
	if (block && block->node.hi != addr)
		block = NULL;
	if (block)
		vnpu_tree_remove(&blocks, &block->node);
	vnpu_host_unlock();
	if (!block)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
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
	VNPU_CALL();

	return vnpu_host_free(hostPtr);
}
