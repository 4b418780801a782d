// SPDX-License-Identifier: MIT
/* Blocks of device memory that belong to the library, see lib_block.h. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/fork.h"
#include "base/util.h"
#include "io/io.h"
#include "lib_block.h"
#include "mem.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *blocks;	/* protected by the lock */
static _Atomic uint32_t count;		/* of them; written under the lock */

void vnpu_lib_block_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_lib_block_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void remove_locked(struct vnpu_lib_block *block)
{
	vnpu_tree_remove(&blocks, &block->node);
	atomic_fetch_sub(&count, 1);
	block->is_gone = true;
}

int vnpu_lib_block_alloc(uint32_t device, uint64_t size,
			 struct vnpu_lib_block *block)
{
	uint64_t report = 0, va;
	int ret = vnpu_mem_alloc_pages(device, VNPU_IO_SHIFT_4K, size, 0, &va,
				       &report);

	if (ret)
		return ret;
	*block = (struct vnpu_lib_block){ .node.hi = va };
	vnpu_lib_block_lock();
	vnpu_tree_add(&blocks, &block->node);
	atomic_fetch_add(&count, 1);
	vnpu_lib_block_unlock();
	return 0;
}

void vnpu_lib_block_free(struct vnpu_lib_block *block)
{
	vnpu_lib_block_lock();
	if (!block->is_gone) {
		remove_locked(block);
		vnpu_mem_free_block(vnpu_lib_block_va(block));
	}
	vnpu_lib_block_unlock();
}

bool vnpu_lib_block_has(uint64_t va)
{
	const struct vnpu_tree_node *node;
	bool ret;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return false;
	vnpu_lib_block_lock();
	node = vnpu_tree_at_least(blocks, va, 0);
	ret = node && node->hi == va;
	vnpu_lib_block_unlock();
	return ret;
}

int vnpu_lib_block_free_range(uint64_t va, uint64_t length)
{
	struct vnpu_tree_node *node;
	int ret;

	vnpu_lib_block_lock();
	while ((node = vnpu_tree_at_least(blocks, va, 0)) &&
	       node->hi - va < length)
		remove_locked(container_of(node, struct vnpu_lib_block, node));
	ret = vnpu_mem_free_block(va);
	vnpu_lib_block_unlock();
	return ret;
}
