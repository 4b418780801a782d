// SPDX-License-Identifier: MIT
/*
 * Pools under aclrtMalloc(), see default.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "runtime/context.h"
#include "default.h"
#include "pool.h"
#include "provider.h"

/* Values that are not handles. */
#define UNKNOWN		0ULL
#define NONE		1ULL

static _Atomic uint64_t defaults[VNPU_IO_MAX_DEVICES];
/* The pools that learn for the file of the environment; or 0. */
static _Atomic uint64_t learners[VNPU_IO_MAX_DEVICES];

static bool is_wanted(void)
{
	const char *value = getenv("VNPU_POOL");

	return value && !strcmp(value, "1");
}

static const char *profile_path(void)
{
	const char *path = secure_getenv("VNPU_POOL_PROFILE");

	return path && *path ? path : NULL;
}

/* Create a pool with the profile of the environment, or one that learns it. */
static int make(struct vnpu_pool_config *config, uint64_t *handle)
{
	const char *path = profile_path();
	struct vnpu_pattern pattern;
	bool has_pattern = false;

	if (path && access(path, F_OK) && errno == ENOENT)
		config->learn = 1;
	else if (path)
		has_pattern = !vnpu_pattern_read(path, &pattern);
	return vnpu_pool_object_create(config, has_pattern ? &pattern : NULL,
				       handle);
}

/* The first thread creates the pool; without one, nothing changes. */
static uint64_t decide(uint32_t device)
{
	uint64_t handle = NONE, expected = UNKNOWN;
	struct vnpu_pool_provider provider;
	struct vnpu_pool_config config;
	struct vnpu_pool_object *pool;

	vnpu_pool_config_init(&config);
	if (is_wanted() && !vnpu_provider_device(device, &config, &provider) &&
	    make(&config, &handle))
		handle = NONE;
	if (atomic_compare_exchange_strong(&defaults[device], &expected,
					   handle)) {
		if (config.learn)
			atomic_store(&learners[device], handle);
		return handle;
	}
	/* A reset of the device may have ended it in the meantime. */
	pool = handle == NONE ? NULL : vnpu_registry_remove(handle);
	if (pool)
		vnpu_pool_object_destroy(pool);
	return expected;
}

void *vnpu_default_alloc(uint32_t device, uint64_t size)
{
	uint64_t handle = atomic_load_explicit(&defaults[device],
					       memory_order_acquire);

	if (handle == UNKNOWN)
		handle = decide(device);
	return handle == NONE ? NULL : vnpu_pool_try_alloc(handle, size);
}

bool vnpu_default_is_set(uint32_t device)
{
	uint64_t handle = atomic_load(&defaults[device]);
	struct vnpu_pool_provider provider;

	if (handle == UNKNOWN)
		handle = decide(device);
	vnpu_provider_of(device, &provider);
	return handle != NONE && vnpu_registry_has(handle, &provider);
}

int vnpu_default_free(uint64_t addr)
{
	uint64_t handle;

	if (vnpu_registry_is_empty())
		return -ENOENT;
	handle = vnpu_thread_owner(addr);
	if (!handle)
		handle = vnpu_registry_find(addr);
	return handle ? vnpu_pool_try_free(handle, addr) : -ENOENT;
}

/* In a child of fork() the handle is not valid. */
static void save(uint32_t device)
{
	uint64_t handle = atomic_load(&learners[device]);
	const char *path = profile_path();

	if (handle && path && !vnpu_registry_is_empty())
		vnpu_pool_learned(handle, path);
}

void vnpu_default_save(void)
{
	for (uint32_t i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		save(i);
}

static __attribute__((destructor)) void save_at_exit(void)
{
	vnpu_default_save();
}

void vnpu_default_forget(uint32_t device)
{
	save(device);
	atomic_store(&learners[device], 0);
	atomic_store(&defaults[device], UNKNOWN);
}

VNPU_PUBLIC aclError vnpu_pool_set_default(vnpu_pool_t pool)
{
	VNPU_CALL();
	uint64_t handle = vnpu_ptr_to_u64(pool);
	struct vnpu_pool_provider provider;
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);

	if (ret)
		return ret;
	if (!pool) {
		atomic_store(&defaults[current.device], NONE);
		return ACL_SUCCESS;
	}
	vnpu_provider_of(current.device, &provider);
	if (!vnpu_registry_has(handle, &provider))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"pool = %p is not a pool of the current device's memory",
			pool);
	atomic_store(&defaults[current.device], handle);
	return ACL_SUCCESS;
}
