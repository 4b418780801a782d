// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of the kernel's memory each user may have the driver allocate for
 * small objects.
 *
 * That memory is charged to the memory cgroup of the caller, but not every user
 * has one with a limit. The numbers are far above what programs use: they stop a
 * user who takes all, no program.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/user_namespace.h>

#include "user.h"

/* A fence lives for seconds, and no user has as many files open. */
#define VNPU_USER_SYNC_FILES_DEFAULT	65536

/* 0: the default. */
static unsigned long vnpu_user_limits[VNPU_USER_KINDS];

module_param_named(user_bindings, vnpu_user_limits[VNPU_USER_BINDINGS], ulong,
		   0644);
MODULE_PARM_DESC(user_bindings, "Bindings of device addresses that each user may have; 0 for the default: as many as the host has pages");
module_param_named(user_objects, vnpu_user_limits[VNPU_USER_OBJECTS], ulong,
		   0644);
MODULE_PARM_DESC(user_objects, "Ids of memory objects, timelines and counters, own and imported, that each user may have; 0 for the default: as many as the host has pages");
module_param_named(user_sync_files, vnpu_user_limits[VNPU_USER_SYNC_FILES],
		   ulong, 0644);
MODULE_PARM_DESC(user_sync_files, "Fences of sync_files that each user may have; 0 for the default: 65536");

static unsigned long vnpu_user_limit(u32 kind)
{
	unsigned long limit = READ_ONCE(vnpu_user_limits[kind]);

	if (limit)
		return limit;
	return kind == VNPU_USER_SYNC_FILES ? VNPU_USER_SYNC_FILES_DEFAULT :
					      totalram_pages();
}

/**
 * vnpu_user_charge() - count one more object of a user
 * @user: the user that answers for the calling client
 * @kind: VNPU_USER_*
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_user_charge(struct vnpu_user *user, u32 kind)
{
	unsigned long count = atomic_long_inc_return(&user->counts[kind]);

	if (count <= vnpu_user_limit(kind) ||
	    ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return 0;
	atomic_long_dec(&user->counts[kind]);
	return -EDQUOT;
}

/**
 * vnpu_user_uncharge() - count one object less
 * @user: the user
 * @kind: VNPU_USER_*
 */
void vnpu_user_uncharge(struct vnpu_user *user, u32 kind)
{
	atomic_long_dec(&user->counts[kind]);
}
