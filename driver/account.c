// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: what clients and users have of the host's memory.
 *
 * The kernel's memory for small objects, and the memory that the driver allocates
 * for programs, belong to no device. Both are charged to the memory cgroup of the
 * caller, but not every user has one with a limit. So they are counted here: for the
 * client, and for each user that the client counts against, as ucounts do. Each of
 * these may have a quota (host_quota.c). The user that answers for the client
 * (user.c) has a default limit where it has no quota (user_limit.c).
 *
 * No lock is taken, since a fence that ends in a soft interrupt is counted, too. A
 * charge begins with the client. If the limit of a user refuses it, the charge has
 * been in the client's tally for a moment, and the same quota of the client may
 * refuse another thread in this moment, as with ucounts.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "account.h"
#include "user.h"

/**
 * vnpu_account_create() - make the account of a new client
 * @uids: the users that the client counts against
 *
 * Return: the account with one reference, or NULL when the host has no memory.
 */
struct vnpu_account *vnpu_account_create(const struct vnpu_uids *uids)
{
	struct vnpu_account *account;
	u32 i;

	account = kzalloc(struct_size(account, users, uids->nr),
			  GFP_KERNEL_ACCOUNT);
	if (!account)
		return NULL;
	refcount_set(&account->ref, 1);
	for (i = 0; i < uids->nr; i++) {
		struct vnpu_user *user = vnpu_user_get_by_uid(uids->ids[i]);

		if (!user) {
			vnpu_account_put(account);
			return NULL;
		}
		account->users[account->nr_users++] = user;
		if (uid_eq(user->uid, uids->in_charge))
			account->in_charge = user;
	}
	return account;
}

/**
 * vnpu_account_get() - take a reference
 * @account: an account that the caller has a reference to
 */
void vnpu_account_get(struct vnpu_account *account)
{
	refcount_inc(&account->ref);
}

/**
 * vnpu_account_put() - give a reference back
 * @account: the account; from any context but a hard interrupt's
 */
void vnpu_account_put(struct vnpu_account *account)
{
	u32 i;

	if (!refcount_dec_and_test(&account->ref))
		return;
	for (i = 0; i < account->nr_users; i++)
		vnpu_user_put(account->users[i]);
	kfree(account);
}

/* Adds @amount unless more than @limit would be used. */
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

/* Within the quota, or if there is none within @otherwise, which root may exceed. */
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
 * vnpu_account_charge() - count more of what a client has
 * @account: the account of the client, by which the caller acts
 * @kind: VNPU_HOST_*
 * @amount: how many, or bytes
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_account_charge(struct vnpu_account *account, u32 kind, u64 amount)
{
	u32 i;

	if (!vnpu_tally_charge(&account->tallies[kind], amount, U64_MAX))
		return -EDQUOT;
	for (i = 0; i < account->nr_users; i++) {
		struct vnpu_user *user = account->users[i];

		if (!vnpu_tally_charge(&user->tallies[kind], amount,
				       user == account->in_charge ?
				       vnpu_user_limit(kind) : U64_MAX))
			goto err_uncharge;
	}
	return 0;

err_uncharge:
	while (i--)
		atomic64_sub(amount, &account->users[i]->tallies[kind].used);
	atomic64_sub(amount, &account->tallies[kind].used);
	return -EDQUOT;
}

/**
 * vnpu_account_uncharge() - count less of what a client has
 * @account: the account
 * @kind: VNPU_HOST_*
 * @amount: how many, or bytes, of what was charged
 */
void vnpu_account_uncharge(struct vnpu_account *account, u32 kind, u64 amount)
{
	u32 i;

	for (i = 0; i < account->nr_users; i++)
		atomic64_sub(amount, &account->users[i]->tallies[kind].used);
	atomic64_sub(amount, &account->tallies[kind].used);
}
