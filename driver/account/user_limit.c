// SPDX-License-Identifier: GPL-2.0-only
/*
 * Default limits of host resources, for users that have no quota.
 *
 * The limits are far above the needs of programs: they stop a user that would
 * take everything. The host memory that the driver allocates for user space
 * belongs to no process, so neither RLIMIT_MEMLOCK nor the OOM killer's badness
 * includes it. Imported memory of other drivers counts as such memory.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#include "host_account.h"

/*
 * More than any user has: a fence exists for seconds, and needs an open file.
 */
#define VNPU_USER_SYNC_FILES_DEFAULT	65536

/* More than any user has: one thread for each client that imports dma-bufs. */
#define VNPU_USER_THREADS_DEFAULT	256

/* The limits; 0 for the default. That of memory is in vnpu_user_memory. */
static unsigned long vnpu_user_limits[VNPU_HOST_KINDS];
static u64 vnpu_user_memory;
static bool vnpu_user_memory_is_set;

module_param_named(user_bindings, vnpu_user_limits[VNPU_HOST_BINDINGS], ulong,
		   0644);
MODULE_PARM_DESC(user_bindings, "Bindings of device addresses that each user may have, 0 for as many as the host has pages (default: 0)");
module_param_named(user_objects, vnpu_user_limits[VNPU_HOST_OBJECTS], ulong,
		   0644);
MODULE_PARM_DESC(user_objects, "Ids of memory objects, timelines and counters, own and imported, and keys that each user may have, 0 for as many as the host has pages (default: 0)");
module_param_named(user_sync_files, vnpu_user_limits[VNPU_HOST_SYNC_FILES],
		   ulong, 0644);
MODULE_PARM_DESC(user_sync_files, "Fences of sync_files that each user may have, 0 for 65536 (default: 0)");

module_param_named(user_threads, vnpu_user_limits[VNPU_HOST_THREADS], ulong,
		   0644);
MODULE_PARM_DESC(user_threads, "Kernel threads that each user may have, one for each client that imports memory of other drivers, 0 for 256 (default: 0)");

static int vnpu_user_memory_set(const char *val, const struct kernel_param *kp)
{
	char *end;
	u64 bytes;

	if (*val < '0' || *val > '9')
		return -EINVAL;
	bytes = memparse(val, &end);
	if (*skip_spaces(end))
		return -EINVAL;
	WRITE_ONCE(vnpu_user_memory, bytes);
	vnpu_user_memory_is_set = true;
	return 0;
}

static int vnpu_user_memory_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(vnpu_user_memory));
}

static const struct kernel_param_ops vnpu_user_memory_ops = {
	.set = vnpu_user_memory_set,
	.get = vnpu_user_memory_get,
};

module_param_cb(host_quota, &vnpu_user_memory_ops, NULL, 0644);
MODULE_PARM_DESC(host_quota, "Host memory that each user may allocate through the driver, for example 2G; holds for later allocations (default: half of the machine's)");

/**
 * vnpu_user_limits_init() - set the limits that have no module parameter
 */
void vnpu_user_limits_init(void)
{
	if (!vnpu_user_memory_is_set)
		vnpu_user_memory = (u64)totalram_pages() << PAGE_SHIFT >> 1;
}

/**
 * vnpu_user_limit() - return the limit of a user without a quota
 * @kind: VNPU_HOST_*
 *
 * Return: the limit as a number or in bytes.
 */
u64 vnpu_user_limit(u32 kind)
{
	unsigned long limit;

	if (kind == VNPU_HOST_MEMORY)
		return READ_ONCE(vnpu_user_memory);
	limit = READ_ONCE(vnpu_user_limits[kind]);
	if (limit)
		return limit;
	if (kind == VNPU_HOST_SYNC_FILES)
		return VNPU_USER_SYNC_FILES_DEFAULT;
	if (kind == VNPU_HOST_THREADS)
		return VNPU_USER_THREADS_DEFAULT;
	return totalram_pages();
}
