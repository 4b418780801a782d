// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of the host's memory a user may have the driver allocate.
 *
 * The pages are of no process, so neither RLIMIT_MEMLOCK nor the OOM killer's
 * badness sees them, and not every user has a memory cgroup with a limit. Memory of
 * other drivers that a user has imported counts as well.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "hostquota.h"

/* Pages by uid, as values; those of no page are not there. */
static DEFINE_XARRAY(vnpu_hostquota_used);
static DEFINE_MUTEX(vnpu_hostquota_lock);

static u64 vnpu_hostquota_bytes;
static bool vnpu_hostquota_is_set;

static int vnpu_hostquota_param_set(const char *val,
				    const struct kernel_param *kp)
{
	char *end;
	u64 bytes;

	if (*val < '0' || *val > '9')
		return -EINVAL;
	bytes = memparse(val, &end);
	if (*skip_spaces(end))
		return -EINVAL;
	WRITE_ONCE(vnpu_hostquota_bytes, bytes);
	vnpu_hostquota_is_set = true;
	return 0;
}

static int vnpu_hostquota_param_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(vnpu_hostquota_bytes));
}

static const struct kernel_param_ops vnpu_hostquota_param_ops = {
	.set = vnpu_hostquota_param_set,
	.get = vnpu_hostquota_param_get,
};

module_param_cb(host_quota, &vnpu_hostquota_param_ops, NULL, 0644);
MODULE_PARM_DESC(host_quota, "Host memory that each user may allocate through the driver, for example 2G; holds for later allocations (default: half of the machine's)");

/**
 * vnpu_hostquota_init() - the quota if none was given
 */
void vnpu_hostquota_init(void)
{
	if (!vnpu_hostquota_is_set)
		vnpu_hostquota_bytes = (u64)totalram_pages() << PAGE_SHIFT >> 1;
}

/**
 * vnpu_hostquota_fini() - nobody has any memory
 */
void vnpu_hostquota_fini(void)
{
	WARN_ON_ONCE(!xa_empty(&vnpu_hostquota_used));
	xa_destroy(&vnpu_hostquota_used);
}

static unsigned long vnpu_hostquota_used_locked(kuid_t uid)
{
	void *entry = xa_load(&vnpu_hostquota_used, __kuid_val(uid));

	lockdep_assert_held(&vnpu_hostquota_lock);
	return entry ? xa_to_value(entry) : 0;
}

static int vnpu_hostquota_store_locked(kuid_t uid, unsigned long pages)
{
	return xa_err(xa_store(&vnpu_hostquota_used, __kuid_val(uid),
			       pages ? xa_mk_value(pages) : NULL,
			       GFP_KERNEL_ACCOUNT));
}

/**
 * vnpu_hostquota_charge() - a user wants memory
 * @uid: the user
 * @pages: how much
 *
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int vnpu_hostquota_charge(kuid_t uid, unsigned long pages)
{
	unsigned long limit = READ_ONCE(vnpu_hostquota_bytes) >> PAGE_SHIFT;
	unsigned long used;
	int ret = -EDQUOT;

	mutex_lock(&vnpu_hostquota_lock);
	if (!check_add_overflow(vnpu_hostquota_used_locked(uid), pages, &used) &&
	    used <= LONG_MAX && (used <= limit || capable(CAP_SYS_RESOURCE)))
		ret = vnpu_hostquota_store_locked(uid, used);
	mutex_unlock(&vnpu_hostquota_lock);
	return ret;
}

/**
 * vnpu_hostquota_uncharge() - a user gave memory back
 * @uid: the user
 * @pages: how much
 */
void vnpu_hostquota_uncharge(kuid_t uid, unsigned long pages)
{
	mutex_lock(&vnpu_hostquota_lock);
	/* The slot is there, and is not allocated anew. */
	vnpu_hostquota_store_locked(uid, vnpu_hostquota_used_locked(uid) - pages);
	mutex_unlock(&vnpu_hostquota_lock);
}
