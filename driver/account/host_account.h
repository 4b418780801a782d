/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: the host resources that clients and users have. */
#ifndef VNPU_HOST_ACCOUNT_H
#define VNPU_HOST_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include <linux/vnpu_netlink.h>

struct vnpu_uids;
struct vnpu_user;

/* The kinds of host resources, in the order of VNPU_QUOTA_RESOURCE_*. */
#define VNPU_HOST_BINDINGS	0
#define VNPU_HOST_OBJECTS	1	/* ids, and keys with their pids */
#define VNPU_HOST_SYNC_FILES	2	/* fences of tasks, while they have users */
#define VNPU_HOST_MEMORY	3	/* bytes, including imported dma-bufs */
#define VNPU_HOST_THREADS	4	/* kernel threads, see foreign.c */
#define VNPU_HOST_KINDS		(VNPU_RESOURCES - VNPU_HOST_RESOURCE)

/* The first host resource, and the number of all resources. */
#define VNPU_HOST_RESOURCE	VNPU_QUOTA_RESOURCE_BINDINGS
#define VNPU_RESOURCES		(VNPU_QUOTA_RESOURCE_MAX + 1)

/**
 * struct vnpu_tally - the usage and quota of one kind of host resource
 * @used: usage as a number or in bytes; at most S64_MAX
 * @refused: number of requests that the quota has refused since it was set
 * @limit: the quota, if @is_limited; written under vnpu_host_quota_lock
 * @is_limited: true if a quota is set; written under vnpu_host_quota_lock
 */
struct vnpu_tally {
	atomic64_t used;
	atomic64_t refused;
	u64 limit;
	bool is_limited;
};

/**
 * struct vnpu_host_account - the host resources of a client
 * @ref: held by the client, and by objects that outlive the client and are
 *	charged to it
 * @tallies: tallies of the client, by VNPU_HOST_*
 * @in_charge: the one of @users that answers for the client; constant
 * @nr_users: number of @users, at least 1; constant
 * @users: all users that the client counts against, with a reference each. Each
 *	user has its own tallies; constant.
 */
struct vnpu_host_account {
	refcount_t ref;
	struct vnpu_tally tallies[VNPU_HOST_KINDS];
	struct vnpu_user *in_charge;
	u32 nr_users;
	struct vnpu_user *users[];
};

struct vnpu_host_account *vnpu_host_account_create(const struct vnpu_uids *uids);
void vnpu_host_account_get(struct vnpu_host_account *host_account);
void vnpu_host_account_put(struct vnpu_host_account *host_account);

int vnpu_host_account_charge(struct vnpu_host_account *host_account, u32 kind, u64 amount);
void vnpu_host_account_uncharge(struct vnpu_host_account *host_account, u32 kind, u64 amount);

void vnpu_user_limits_init(void);
u64 vnpu_user_limit(u32 kind);

#endif
