// SPDX-License-Identifier: MIT
/* The short calls of acl_rt_ext.h. */
#include <errno.h>
#include <stdatomic.h>

#include "acl/acl_rt_ext.h"
#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "pool/default.h"
#include "pool/pool.h"
#include "pool/provider.h"
#include "runtime/context.h"

static int host_reserve(void *user, uint64_t length, uint64_t *base)
{
	void *address;

	(void)user;
	if (aclrtReserveMemAddress(&address, length, 0, NULL, 0))
		return -ENOMEM;
	*base = vnpu_ptr_to_u64(address);
	return 0;
}

static void host_release(void *user, uint64_t base, uint64_t length)
{
	(void)user;
	(void)length;
	aclrtReleaseMemAddress(vnpu_u64_to_ptr(base));
}

static int host_map(void *user, uint64_t addr, uint64_t length)
{
	const aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_DDR_MEM_HUGE,
		.location.type = ACL_MEM_LOCATION_TYPE_HOST,
	};
	aclrtDrvMemHandle handle;
	aclError error;

	(void)user;
	if (aclrtMallocPhysical(&handle, length, &prop, 0))
		return -ENOMEM;
	error = aclrtMapMem(vnpu_u64_to_ptr(addr), length, 0, handle, 0);
	/* The mapping keeps the memory. */
	aclrtFreePhysical(handle);
	return error ? -ENOMEM : 0;
}

static void host_unmap(void *user, uint64_t addr, uint64_t length)
{
	(void)user;
	(void)length;
	aclrtUnmapMem(vnpu_u64_to_ptr(addr));
}

static const struct vnpu_pool_provider host_provider = {
	.reserve = host_reserve,
	.release = host_release,
	.map = host_map,
	.unmap = host_unmap,
};

static aclError check(const aclrtMemPoolConfig *config)
{
	if (!config)
		return vnpu_error_null("config");
	if ((unsigned int)config->pool_type > ACL_MEM_POOL_TYPE_HOST_DEVICE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"config->pool_type = %d is not a value of aclrtMemPoolType",
			config->pool_type);
	if (!(config->reuse_threshold >= 0 && config->reuse_threshold <= 1))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"config->reuse_threshold = %g: must be a share from 0 to 1",
			config->reuse_threshold);
	return ACL_SUCCESS;
}

aclError aclrtCreateMemPool(aclrtMemPoolConfig *config)
{
	VNPU_CALL();
	struct vnpu_pool_config settings;
	struct vnpu_current current;
	struct vnpu_io_device info;
	aclError ret = check(config);
	vnpu_pool_t pool;
	int err;

	if (!ret)
		ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	err = vnpu_io_device_query(current.device, &info);
	if (err)
		return vnpu_error_errno(err, "reading the size of the device");
	vnpu_pool_config_init(&settings);
	settings.limit = info.total;
	settings.reuse = config->reuse_enable;
	settings.reuse_threshold = config->reuse_threshold * info.total;
	if (config->pool_type != ACL_MEM_POOL_TYPE_DEVICE)
		settings.provider = &host_provider;
	ret = vnpu_pool_create(&pool, &settings);
	if (!ret && !settings.provider) {
		ret = vnpu_pool_set_default(pool);
		if (ret)
			vnpu_pool_destroy(pool);
	}
	if (!ret)
		config->pool = pool;
	return ret;
}

/* Get the pool of the policy, and create it at the first time. */
static aclError policy_pool(uint32_t device, vnpu_pool_t *pool)
{
	static _Atomic uint64_t made[VNPU_IO_MAX_DEVICES];
	uint64_t handle = atomic_load(&made[device]);
	struct vnpu_pool_provider provider;
	aclError ret = ACL_SUCCESS;

	vnpu_provider_of(device, &provider);
	if (handle && vnpu_registry_has(handle, &provider)) {
		*pool = vnpu_u64_to_ptr(handle);
		return ret;
	}
	ret = vnpu_pool_create(pool, NULL);
	if (!ret && !atomic_compare_exchange_strong(&made[device], &handle,
						    vnpu_ptr_to_u64(*pool))) {
		/* Another thread was faster. */
		vnpu_pool_destroy(*pool);
		*pool = vnpu_u64_to_ptr(handle);
	}
	return ret;
}

aclError aclrtSetMemReusePolicy(aclrtMemReusePolicy policy)
{
	VNPU_CALL();
	struct vnpu_current current;
	vnpu_pool_t pool = NULL;
	aclError ret;

	if ((unsigned int)policy > ACL_MEM_REUSE_ENABLE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"policy = %d: must be ACL_MEM_REUSE_DISABLE or ACL_MEM_REUSE_ENABLE",
			policy);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	if (policy == ACL_MEM_REUSE_ENABLE) {
		if (vnpu_default_is_set(current.device))
			return ACL_SUCCESS;
		ret = policy_pool(current.device, &pool);
	}
	return ret ? ret : vnpu_pool_set_default(pool);
}
