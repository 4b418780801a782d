// SPDX-License-Identifier: MIT
/*
 * Device memory for pools, see provider.h: pages of 2 MiB at addresses of the
 * window, or smaller ones if the device has no more of these.
 */
#include <errno.h>

#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "ipc/share.h"
#include "mem/mem.h"
#include "io/va.h"
#include "runtime/context.h"
#include "async.h"
#include "default.h"
#include "mempool.h"
#include "pool.h"
#include "provider.h"

static uint32_t device_of(void *user)
{
	return vnpu_ptr_to_u64(user);
}

static int device_reserve(void *user, uint64_t length, uint64_t *base)
{
	(void)user;
	return vnpu_va_alloc(VNPU_IO_SHIFT_2M, length, base);
}

static void device_release(void *user, uint64_t base, uint64_t length)
{
	(void)user;
	vnpu_va_free(VNPU_IO_SHIFT_2M, length, base);
}

static int try_map(uint32_t device, uint64_t addr, uint64_t length)
{
	int ret = -ENOSPC;

	if (!(length % VNPU_CHUNK_MIN))
		ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_2M, length, addr,
					VNPU_IO_ALLOC_TRY, NULL);
	if (vnpu_mem_is_oom(ret))
		ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_4K, length, addr,
					VNPU_IO_ALLOC_TRY, NULL);
	return ret;
}

static int device_map(void *user, uint64_t addr, uint64_t length)
{
	int ret = try_map(device_of(user), addr, length);

	if (vnpu_mem_is_oom(ret) && vnpu_mempool_trim_all(true))
		ret = try_map(device_of(user), addr, length);
	return ret;
}

static void device_unmap(void *user, uint64_t addr, uint64_t length)
{
	(void)user;
	(void)length;
	/* Moved memory is bound in the same way as the program's own. */
	vnpu_io_unbind(addr);
	vnpu_share_forget(addr);
}

/* The id keeps the memory alive until it is bound at its new address. */
static int device_move(void *user, uint64_t from, uint64_t to, uint64_t length)
{
	uint32_t id;
	int ret;

	(void)user;
	ret = vnpu_io_mem_open(from, &id);
	if (ret)
		return ret;
	ret = vnpu_io_bind(id, to, length, 0, VNPU_IO_ALL);
	if (!ret) {
		ret = vnpu_io_unbind(from);
		if (ret)
			vnpu_io_unbind(to);
		else
			vnpu_share_forget(from);
	}
	vnpu_io_mem_close(id);
	return ret;
}

void vnpu_provider_of(uint32_t device, struct vnpu_pool_provider *provider)
{
	*provider = (struct vnpu_pool_provider){
		.reserve = device_reserve,
		.release = device_release,
		.map = device_map,
		.unmap = device_unmap,
		.move = device_move,
		.user = vnpu_u64_to_ptr(device),
	};
}

int vnpu_provider_device(uint32_t device, struct vnpu_pool_config *config,
			 struct vnpu_pool_provider *provider)
{
	struct vnpu_io_device info;
	int ret = vnpu_io_device_query(device, &info);

	if (ret)
		return ret;
	if (!config->limit || config->limit > info.total)
		config->limit = info.total;
	vnpu_provider_of(device, provider);
	config->provider = provider;
	return 0;
}

aclError vnpu_provider_current(struct vnpu_pool_config *config,
			       struct vnpu_pool_provider *provider)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);
	int err;

	if (ret)
		return ret;
	err = vnpu_provider_device(current.device, config, provider);
	return err ? vnpu_error_errno(err, "querying the device") :
		     ACL_SUCCESS;
}

bool vnpu_provider_has_pools(void)
{
	return !vnpu_registry_is_empty();
}

bool vnpu_provider_trim(uint32_t device)
{
	struct vnpu_pool_provider provider;

	if (!vnpu_provider_has_pools())
		return false;
	vnpu_provider_of(device, &provider);
	return vnpu_registry_trim(&provider);
}

void vnpu_provider_reset(uint32_t device)
{
	struct vnpu_pool_provider provider;
	uint64_t handle;
	int index = 0;

	vnpu_default_forget(device);
	vnpu_provider_of(device, &provider);
	while ((handle = vnpu_registry_next(&provider, &index))) {
		struct vnpu_pool_object *pool;

		vnpu_async_forget(handle);
		pool = vnpu_registry_remove(handle);
		/* The program may have destroyed it in the meantime. */
		if (pool)
			vnpu_pool_object_destroy(pool);
	}
}
