/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: what clients and users have of the host's memory. */
#ifndef VNPU_ACCOUNT_H
#define VNPU_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include <linux/vnpu_netlink.h>

struct vnpu_uids;
struct vnpu_user;

/* What is counted, in the order of VNPU_QUOTA_RESOURCE_*. */
#define VNPU_HOST_BINDINGS	0
#define VNPU_HOST_OBJECTS	1	/* ids of memory, timelines and counters */
#define VNPU_HOST_SYNC_FILES	2	/* fences of tasks that may still be waited for */
#define VNPU_HOST_MEMORY	3	/* bytes, imports of other drivers' included */
#define VNPU_HOST_THREADS	4	/* of the kernel, see foreign.c */
#define VNPU_HOST_KINDS		5

/* The first of them, and how many resources there are in all. */
#define VNPU_HOST_RESOURCE	VNPU_QUOTA_RESOURCE_BINDINGS
#define VNPU_RESOURCES		(VNPU_HOST_RESOURCE + VNPU_HOST_KINDS)

/**
 * struct vnpu_tally - how much a client or user has of one kind, and may have
 * @used: how many, or bytes; no more than S64_MAX
 * @refused: requests that the quota did not allow, since it was set
 * @limit: the quota, while @is_limited; written under the lock of host_quota.c
 * @is_limited: is a quota set? Likewise.
 */
struct vnpu_tally {
	atomic64_t used;
	atomic64_t refused;
	u64 limit;
	bool is_limited;
};

/**
 * struct vnpu_account - what a client has of the host's memory
 * @ref: held by the client, and by what outlives it and is charged to it
 * @tallies: of the client, by VNPU_HOST_*
 * @in_charge: the one of @users that answers for the client; constant
 * @nr_users: how many, at least 1; constant
 * @users: all users that the client counts against, with a reference each. Each
 *	has tallies of its own; constant.
 */
struct vnpu_account {
	refcount_t ref;
	struct vnpu_tally tallies[VNPU_HOST_KINDS];
	struct vnpu_user *in_charge;
	u32 nr_users;
	struct vnpu_user *users[];
};

struct vnpu_account *vnpu_account_create(const struct vnpu_uids *uids);
void vnpu_account_get(struct vnpu_account *account);
void vnpu_account_put(struct vnpu_account *account);

int vnpu_account_charge(struct vnpu_account *account, u32 kind, u64 amount);
void vnpu_account_uncharge(struct vnpu_account *account, u32 kind, u64 amount);

void vnpu_user_limits_init(void);
u64 vnpu_user_limit(u32 kind);

#endif
