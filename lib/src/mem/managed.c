// SPDX-License-Identifier: MIT
/*
 * Managed memory: device memory that the host may access, in a part of the
 * window that it can access.  managed_advice.c has the advice on its location.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "base/tree.h"
#include "io/io.h"
#include "io/va.h"
#include "memprof/profile.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "managed.h"
#include "managed_internal.h"
#include "mem.h"

static pthread_mutex_t managed_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *blocks;		/* protected by the lock */

void vnpu_managed_lock(void)
{
	pthread_mutex_lock(&managed_mutex);
}

void vnpu_managed_unlock(void)
{
	pthread_mutex_unlock(&managed_mutex);
}

struct vnpu_managed *vnpu_managed_find_locked(uint64_t va, uint64_t length)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(blocks, va, 0);
	struct vnpu_managed *block;

	if (!node)
		return NULL;
	block = container_of(node, struct vnpu_managed, node);
	if (va - node->hi >= block->length ||
	    length > block->length - (va - node->hi))
		return NULL;
	return block;
}

bool vnpu_managed_has(uint64_t va)
{
	bool has;

	vnpu_managed_lock();
	has = vnpu_managed_find_locked(va, 1);
	vnpu_managed_unlock();
	return has;
}

void vnpu_managed_forget(uint64_t va)
{
	struct vnpu_managed *block;

	vnpu_managed_lock();
	block = vnpu_managed_find_locked(va, 1);
	if (block)
		vnpu_tree_remove(&blocks, &block->node);
	vnpu_managed_unlock();
	free(block);
}

static struct vnpu_managed *block_create(uint64_t length)
{
	uint64_t granules = length / VNPU_MANAGED_GRANULE;
	struct vnpu_managed *block;

	block = malloc(sizeof(*block) + granules * sizeof(*block->advice));
	if (!block)
		return NULL;
	block->length = length;
	for (uint64_t i = 0; i < granules; i++)
		block->advice[i] = vnpu_managed_no_advice;
	return block;
}

static int block_alloc(struct vnpu_managed *block, uint32_t device,
		       uint64_t *va, uint64_t *report)
{
	int ret = vnpu_va_alloc_managed(block->length, va);

	if (ret)
		return ret;
	ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_2M, block->length, *va,
				VNPU_IO_ALLOC_HOST_ACCESS | VNPU_IO_ALLOC_TRY,
				NULL);
	if (vnpu_mem_is_oom(ret))
		ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_4K,
					block->length, *va,
					VNPU_IO_ALLOC_HOST_ACCESS, report);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_2M, block->length, *va);
	return ret;
}

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
	VNPU_CALL();
	struct vnpu_failed_alloc failed = { .page_shift = VNPU_IO_SHIFT_4K };
	struct vnpu_current current;
	struct vnpu_io_device info;
	struct vnpu_managed *block;
	aclError ret;
	uint64_t va;
	int err;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flag = 0x%x must be ACL_RT_MEM_ATTACH_GLOBAL", flag);
	if (!size)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size is 0; pass at least 1 byte");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	err = vnpu_io_device_query(current.device, &info);
	if (err)
		return vnpu_error_errno(err, "querying the device");
	failed.device = current.device;
	failed.size = size;
	failed.length = size;
	if (size > info.total)
		return vnpu_oom_explain(-ENOSPC, &failed);
	failed.length = vnpu_align_up(size, VNPU_MANAGED_GRANULE);
	block = block_create(failed.length);
	err = block ? block_alloc(block, current.device, &va, &failed.report) :
		      -ENOMEM;
	if (err) {
		free(block);
		if (vnpu_mem_is_oom(err))
			return vnpu_oom_explain(err, &failed);
		return vnpu_error_errno(err, "allocating managed memory");
	}

	block->node.hi = va;
	block->node.lo = 0;
	vnpu_managed_lock();
	vnpu_tree_add(&blocks, &block->node);
	vnpu_managed_unlock();
	vnpu_profile_alloc(VNPU_PROFILE_MANAGED, va, size, current.device,
			   VNPU_PROFILE_NO_STREAM);
	*ptr = vnpu_u64_to_ptr(va);
	return ACL_SUCCESS;
}
