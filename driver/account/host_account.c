// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: the host resources that clients and users have.
 *
 * Kernel memory for small objects, and host memory that the driver allocates
 * for user space, belong to no device. Both are charged to the memory cgroup of
 * the caller, but not every user has a cgroup with a limit. So the driver
 * counts them, too: for the client, and for each user that the client counts
 * against, as ucounts do. Each of these may have a quota (host_quota.c). If the
 * user that answers for the client (user.c) has no quota, a default limit
 * applies (user_limit.c).
 *
 * The code takes no lock, because a fence that ends in a soft interrupt is
 * uncharged, too. A charge begins with the client. If the limit of a user then
 * refuses it, the client's tally was too high for a moment. In this moment, the
 * client's quota may refuse another thread. ucounts have the same property.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "host_account.h"
#include "user.h"

/**
 * vnpu_host_account_create() - create the account of a new client
 * @uids: the users that the client counts against
 *
 * Return: the account with one reference, or NULL if there is no host memory.
 */
struct vnpu_host_account *vnpu_host_account_create(const struct vnpu_uids *uids)
{
	struct vnpu_host_account *host_account;
	u32 i;

	host_account = kzalloc(struct_size(host_account, users, uids->nr),
			       GFP_KERNEL_ACCOUNT);
	if (!host_account)
		return NULL;
	refcount_set(&host_account->ref, 1);
	for (i = 0; i < uids->nr; i++) {
		struct vnpu_user *user = vnpu_user_get_by_uid(uids->ids[i]);

		if (!user) {
			vnpu_host_account_put(host_account);
			return NULL;
		}
		host_account->users[host_account->nr_users++] = user;
		if (uid_eq(user->uid, uids->in_charge))
			host_account->in_charge = user;
	}
	return host_account;
}

/**
 * vnpu_host_account_get() - take a reference to an account
 * @host_account: an account to which the caller has a reference
 */
void vnpu_host_account_get(struct vnpu_host_account *host_account)
{
	refcount_inc(&host_account->ref);
}

/**
 * vnpu_host_account_put() - release a reference to an account
 * @host_account: the account; from any context except hard interrupts
 */
void vnpu_host_account_put(struct vnpu_host_account *host_account)
{
	u32 i;

	if (!refcount_dec_and_test(&host_account->ref))
		return;
	for (i = 0; i < host_account->nr_users; i++)
		vnpu_user_put(host_account->users[i]);
	kfree(host_account);
}

/* Add an amount to a tally, unless the sum exceeds @limit. */
static bool vnpu_tally_add(struct vnpu_tally *tally, u64 amount, u64 limit)
{
	s64 old = atomic64_read(&tally->used);
	u64 used;

	do {
		if (check_add_overflow((u64)old, amount, &used) ||
		    used > S64_MAX || used > limit)
			return false;
	} while (!atomic64_try_cmpxchg(&tally->used, &old, used));
	return true;
}

/*
 * Charge within the quota, or within @otherwise if there is no quota. A thread
 * with CAP_SYS_RESOURCE may exceed @otherwise.
 */
static bool vnpu_tally_charge(struct vnpu_tally *tally, u64 amount,
			      u64 otherwise)
{
	/* Pairs with smp_store_release() in vnpu_tally_set_limit(). */
	if (!smp_load_acquire(&tally->is_limited))
		return vnpu_tally_add(tally, amount, otherwise) ||
		       (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE) &&
			vnpu_tally_add(tally, amount, U64_MAX));
	if (vnpu_tally_add(tally, amount, READ_ONCE(tally->limit)))
		return true;
	atomic64_inc(&tally->refused);
	return false;
}

/**
 * vnpu_host_account_charge() - charge a client, and all users that it counts
 * against
 * @host_account: the account of the client for which the caller acts
 * @kind: VNPU_HOST_*
 * @amount: the amount as a number or in bytes
 *
 * The tallies are charged one after the other: first the client's, then those
 * of the users. If one refuses, the tallies before it are uncharged again.
 * Until then, they include the amount, and may refuse another charge that would
 * fit alone.
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_host_account_charge(struct vnpu_host_account *host_account, u32 kind, u64 amount)
{
	u32 i;

	if (!vnpu_tally_charge(&host_account->tallies[kind], amount, U64_MAX))
		return -EDQUOT;
	for (i = 0; i < host_account->nr_users; i++) {
		struct vnpu_user *user = host_account->users[i];

		if (!vnpu_tally_charge(&user->tallies[kind], amount,
				       user == host_account->in_charge ?
				       vnpu_user_limit(kind) : U64_MAX))
			goto err_uncharge;
	}
	return 0;

err_uncharge:
	while (i--)
		atomic64_sub(amount, &host_account->users[i]->tallies[kind].used);
	atomic64_sub(amount, &host_account->tallies[kind].used);
	return -EDQUOT;
}

/**
 * vnpu_host_account_uncharge() - uncharge a client, and all users that it
 * counts against
 * @host_account: the account
 * @kind: VNPU_HOST_*
 * @amount: a charged amount, as a number or in bytes
 */
void vnpu_host_account_uncharge(struct vnpu_host_account *host_account, u32 kind, u64 amount)
{
	u32 i;

	for (i = 0; i < host_account->nr_users; i++)
		atomic64_sub(amount, &host_account->users[i]->tallies[kind].used);
	atomic64_sub(amount, &host_account->tallies[kind].used);
}
