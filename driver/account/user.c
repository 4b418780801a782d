// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users that answer for clients.
 *
 * A user may own a range of subordinate user ids, and become any of them in a
 * user namespace. So a limit per user id alone is no limit. Like ucounts, the
 * driver counts a process against its own user, the user in charge of its
 * namespace, the user in charge of the parent namespace, and so on.
 *
 * The owner of a namespace is in charge of it. But if root created the
 * namespace, as for a container that a system service starts, the user that is
 * root inside is in charge, because root may grant any user ids. If that user
 * is root outside as well, no user is in charge.
 *
 * The outermost user in charge answers for the client; if there is none, the
 * user of the process does. All limits that apply without configuration apply
 * to this user, because the resources of the inner users are within its own.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include "user.h"

/*
 * Users by uid. A user in the table has at least one reference. The last one is
 * dropped under the table's lock, which a fence also takes in softirq context.
 */
static DEFINE_XARRAY_FLAGS(vnpu_users, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);

static kuid_t vnpu_uid_in_charge(struct user_namespace *ns)
{
	kuid_t uid = ns->owner;

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		uid = make_kuid(ns, 0);
	return uid_eq(uid, GLOBAL_ROOT_UID) ? INVALID_UID : uid;
}

static void vnpu_uids_add(struct vnpu_uids *uids, kuid_t uid)
{
	if (!vnpu_uids_contain(uids, uid))
		uids->ids[uids->nr++] = uid;
}

/**
 * vnpu_uids_create() - collect the users that the caller counts against
 *
 * Return: the users, or NULL if the host is out of memory.
 */
struct vnpu_uids *vnpu_uids_create(void)
{
	struct user_namespace *ns = current_user_ns();
	struct vnpu_uids *uids;

	uids = kzalloc(struct_size(uids, ids, ns->level + 1),
		       GFP_KERNEL_ACCOUNT);
	if (!uids)
		return NULL;
	uids->in_charge = current_uid();
	vnpu_uids_add(uids, uids->in_charge);
	for (; ns->parent; ns = ns->parent) {
		kuid_t uid = vnpu_uid_in_charge(ns);

		if (!uid_valid(uid))
			continue;
		/*
		 * This one is further out, even if it is in the list already.
		 */
		uids->in_charge = uid;
		vnpu_uids_add(uids, uid);
	}
	return uids;
}

/**
 * vnpu_uids_destroy() - free a list of users
 * @uids: the users, or NULL
 */
void vnpu_uids_destroy(struct vnpu_uids *uids)
{
	kfree(uids);
}

/**
 * vnpu_uids_contain() - check if a user is in a list
 * @uids: the users
 * @uid: any user
 *
 * Return: true if @uid is one of @uids.
 */
bool vnpu_uids_contain(const struct vnpu_uids *uids, kuid_t uid)
{
	u32 i;

	for (i = 0; i < uids->nr; i++)
		if (uid_eq(uids->ids[i], uid))
			return true;
	return false;
}

/**
 * vnpu_uid_is_in_sight() - check if the caller may see the process of a client
 * @uid: the user of the client
 *
 * The rule is that of ptrace() read access, as for /proc mounted with hidepid.
 * The process may be gone, so the check uses its user. It allows the same user,
 * a caller with CAP_SYS_PTRACE in a user namespace that the user belongs to,
 * and an administrator of the devices. All other callers see only the client's
 * id and user.
 *
 * Return: true if the caller may see the process.
 */
bool vnpu_uid_is_in_sight(kuid_t uid)
{
	struct user_namespace *ns = current_user_ns();

	return uid_eq(current_fsuid(), uid) ||
	       (kuid_has_mapping(ns, uid) &&
		ns_capable_noaudit(ns, CAP_SYS_PTRACE)) ||
	       ns_capable_noaudit(&init_user_ns, CAP_NET_ADMIN);
}

/**
 * vnpu_uid_is_in_sight_of() - check if the opener of a file may see a client's
 *   process
 * @file: the file through which the caller asks
 * @uid: the user of the client
 *
 * Uses the rule of vnpu_uid_is_in_sight(). The opener is checked in addition to
 * the caller, which may have been tricked into reading from a file opened by a
 * process with fewer rights.
 *
 * Return: true if both may see the process.
 */
bool vnpu_uid_is_in_sight_of(const struct file *file, kuid_t uid)
{
	struct user_namespace *ns = file->f_cred->user_ns;

	return uid_eq(file->f_cred->fsuid, uid) ||
	       (kuid_has_mapping(ns, uid) &&
		file_ns_capable(file, ns, CAP_SYS_PTRACE)) ||
	       file_ns_capable(file, &init_user_ns, CAP_NET_ADMIN);
}

/**
 * vnpu_user_get_by_uid() - find or make a user
 * @uid: the user
 *
 * Return: the user with a reference, or NULL if the host is out of memory.
 */
struct vnpu_user *vnpu_user_get_by_uid(kuid_t uid)
{
	struct vnpu_user *new, *user;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	refcount_set(&new->ref, 1);
	new->uid = uid;
	INIT_LIST_HEAD(&new->history);

	xa_lock_bh(&vnpu_users);
	user = __xa_cmpxchg(&vnpu_users, __kuid_val(uid), NULL, new,
			    GFP_KERNEL_ACCOUNT);
	if (!user) {
		xa_unlock_bh(&vnpu_users);
		return new;
	}
	if (xa_is_err(user))
		user = NULL;
	else
		refcount_inc(&user->ref);
	xa_unlock_bh(&vnpu_users);
	kfree(new);
	return user;
}

/**
 * vnpu_user_find() - find a user that has a record
 * @uid: the user
 *
 * Return: the user with a reference, or NULL if there is none.
 */
struct vnpu_user *vnpu_user_find(kuid_t uid)
{
	struct vnpu_user *user;

	xa_lock_bh(&vnpu_users);
	user = xa_load(&vnpu_users, __kuid_val(uid));
	if (user)
		refcount_inc(&user->ref);
	xa_unlock_bh(&vnpu_users);
	return user;
}

/**
 * vnpu_user_get_next() - find the first user at or after a user id
 * @uid: where to start, in the kernel's own numbers; where it was found
 *
 * Return: the user with a reference, or NULL.
 */
struct vnpu_user *vnpu_user_get_next(unsigned long *uid)
{
	struct vnpu_user *user;

	xa_lock_bh(&vnpu_users);
	user = xa_find(&vnpu_users, uid, U32_MAX, XA_PRESENT);
	if (user)
		refcount_inc(&user->ref);
	xa_unlock_bh(&vnpu_users);
	return user;
}

/**
 * vnpu_user_get() - take a reference
 * @user: a user to which the caller has a reference
 */
void vnpu_user_get(struct vnpu_user *user)
{
	refcount_inc(&user->ref);
}

/**
 * vnpu_user_put() - drop a reference
 * @user: the user; may be called in any context except hard interrupts
 */
void vnpu_user_put(struct vnpu_user *user)
{
	bool is_last;

	if (refcount_dec_not_one(&user->ref))
		return;
	xa_lock_bh(&vnpu_users);
	is_last = refcount_dec_and_test(&user->ref);
	if (is_last)
		__xa_erase(&vnpu_users, __kuid_val(user->uid));
	xa_unlock_bh(&vnpu_users);
	if (is_last)
		kfree(user);
}

/**
 * vnpu_users_fini() - free the table of users, which is empty
 */
void vnpu_users_fini(void)
{
	WARN_ON_ONCE(!xa_empty(&vnpu_users));
	xa_destroy(&vnpu_users);
}
