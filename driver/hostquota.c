// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of the host's memory a user may have the driver allocate.
 *
 * The pages are of no process, so neither RLIMIT_MEMLOCK nor the OOM killer's
 * badness sees them, and not every user has a memory cgroup with a limit. Memory of
 * other drivers that a user has imported counts as well. Charged is the user that
 * answers for the client (user.c), so that subordinate user ids have no quotas of
 * their own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "hostquota.h"
#include "user.h"

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
 * vnpu_hostquota_charge() - count more memory of a user
 * @user: the user that answers for the calling client
 * @pages: how much
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_hostquota_charge(struct vnpu_user *user, unsigned long pages)
{
	unsigned long limit = READ_ONCE(vnpu_hostquota_bytes) >> PAGE_SHIFT;
	long old = atomic_long_read(&user->host_pages);
	unsigned long used;

	do {
		if (check_add_overflow((unsigned long)old, pages, &used) ||
		    used > LONG_MAX)
			return -EDQUOT;
		if (used > limit && !capable(CAP_SYS_RESOURCE))
			return -EDQUOT;
	} while (!atomic_long_try_cmpxchg(&user->host_pages, &old, used));
	return 0;
}

/**
 * vnpu_hostquota_uncharge() - count less memory of a user
 * @user: the user
 * @pages: how much
 */
void vnpu_hostquota_uncharge(struct vnpu_user *user, unsigned long pages)
{
	atomic_long_sub(pages, &user->host_pages);
}
