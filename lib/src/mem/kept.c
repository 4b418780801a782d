// SPDX-License-Identifier: MIT
/* Blocks of device memory that belong to the library, see kept.h. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/fork.h"
#include "base/util.h"
#include "io/io.h"
#include "kept.h"
#include "mem.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *blocks;	/* protected by the lock */
static _Atomic uint32_t count;		/* of them; written under the lock */

void vnpu_kept_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_kept_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static void remove_locked(struct vnpu_kept *kept)
{
	vnpu_tree_remove(&blocks, &kept->node);
	atomic_fetch_sub(&count, 1);
	kept->is_gone = true;
}

int vnpu_kept_alloc(uint32_t device, uint64_t size, struct vnpu_kept *kept)
{
	uint64_t report = 0, va;
	int ret = vnpu_mem_alloc_pages(device, VNPU_IO_SHIFT_4K, size, 0, &va,
				       &report);

	if (ret)
		return ret;
	*kept = (struct vnpu_kept){ .node.hi = va };
	vnpu_kept_lock();
	vnpu_tree_add(&blocks, &kept->node);
	atomic_fetch_add(&count, 1);
	vnpu_kept_unlock();
	return 0;
}

void vnpu_kept_free(struct vnpu_kept *kept)
{
	vnpu_kept_lock();
	if (!kept->is_gone) {
		remove_locked(kept);
		vnpu_mem_free_block(vnpu_kept_va(kept));
	}
	vnpu_kept_unlock();
}

bool vnpu_kept_has(uint64_t va)
{
	const struct vnpu_tree_node *node;
	bool ret;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return false;
	vnpu_kept_lock();
	node = vnpu_tree_at_least(blocks, va, 0);
	ret = node && node->hi == va;
	vnpu_kept_unlock();
	return ret;
}

int vnpu_kept_free_range(uint64_t va, uint64_t length)
{
	struct vnpu_tree_node *node;
	int ret;

	vnpu_kept_lock();
	while ((node = vnpu_tree_at_least(blocks, va, 0)) &&
	       node->hi - va < length)
		remove_locked(container_of(node, struct vnpu_kept, node));
	ret = vnpu_mem_free_block(va);
	vnpu_kept_unlock();
	return ret;
}
