// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of a device without a driver for torch_npu: pools, queries, and host memory.
 * selftests/llama/native.c has the others, and is preloaded with this file. Work is
 * done when its call returns, so no order matters.
 *
 *	NATIVE_LIMIT	bytes that pools give at most (default 1 GiB)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "vnpu/pool.h"

#define UNUSED __attribute__((unused))

static char pool_object;
static uint64_t limit, live, peak;

static uint64_t limit_now(void)
{
	const char *value = getenv("NATIVE_LIMIT");

	if (!limit)
		limit = value ? strtoull(value, NULL, 0) : 1ULL << 30;
	return limit;
}

void vnpu_pool_config_init(struct vnpu_pool_config *config)
{
	memset(config, 0, sizeof(*config));
	config->size = sizeof(*config);
}

aclError vnpu_pool_create(vnpu_pool_t *pool,
			  UNUSED const struct vnpu_pool_config *config)
{
	*pool = (vnpu_pool_t)&pool_object;
	return ACL_SUCCESS;
}

void *vnpu_pool_alloc_async(UNUSED vnpu_pool_t pool, size_t size,
			    UNUSED aclrtStream stream)
{
	void *address;

	if (size > limit_now() - live ||
	    aclrtMalloc(&address, size + 64, ACL_MEM_MALLOC_HUGE_FIRST))
		return NULL;
	/* Where the free finds the size. */
	*(size_t *)address = size;
	live += size;
	peak = live > peak ? live : peak;
	return (char *)address + 64;
}

aclError vnpu_pool_free_async(UNUSED vnpu_pool_t pool, void *ptr,
			      UNUSED aclrtStream stream)
{
	char *address = (char *)ptr - 64;

	live -= *(size_t *)address;
	return aclrtFree(address);
}

void *vnpu_pool_alloc(vnpu_pool_t pool, size_t size)
{
	return vnpu_pool_alloc_async(pool, size, NULL);
}

aclError vnpu_pool_free(vnpu_pool_t pool, void *ptr)
{
	return vnpu_pool_free_async(pool, ptr, NULL);
}

aclError vnpu_pool_trim(UNUSED vnpu_pool_t pool, UNUSED uint64_t keep)
{
	return ACL_SUCCESS;
}

aclError vnpu_pool_set_limit(UNUSED vnpu_pool_t pool, uint64_t bytes)
{
	limit = bytes;
	return ACL_SUCCESS;
}

aclError vnpu_pool_get_stats(UNUSED vnpu_pool_t pool,
			     struct vnpu_pool_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->allocated = live;
	stats->reserved = live;
	stats->reserved_peak = peak;
	return ACL_SUCCESS;
}

aclError vnpu_pool_reset_peaks(UNUSED vnpu_pool_t pool)
{
	peak = live;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(UNUSED uint32_t device, UNUSED aclrtDevAttr attr,
			    int64_t *value)
{
	*value = 1;
	return ACL_SUCCESS;
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	return aclrtCreateEventWithFlag(event, flag);
}

aclError aclrtQueryEventStatus(UNUSED aclrtEvent event,
			       aclrtEventRecordedStatus *status)
{
	*status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

aclError aclrtStreamQuery(UNUSED aclrtStream stream, aclrtStreamStatus *status)
{
	*status = ACL_STREAM_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, UNUSED aclrtEvent start,
			       UNUSED aclrtEvent end)
{
	*ms = 0;
	return ACL_SUCCESS;
}

aclError aclrtFreeHostWithDevSync(void *address)
{
	return aclrtFreeHost(address);
}
