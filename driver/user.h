/* SPDX-License-Identifier: GPL-2.0-only */
/* Users: who answers for a client. */
#ifndef VNPU_USER_H
#define VNPU_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/* What each user may have only so many of. */
#define VNPU_USER_BINDINGS	0
#define VNPU_USER_OBJECTS	1	/* ids of memory, timelines and counters */
#define VNPU_USER_SYNC_FILES	2	/* fences of tasks that may still be waited for */
#define VNPU_USER_KINDS		3

/**
 * struct vnpu_user - a user who answers for clients
 * @ref: held by each client, and by what outlives a client and is counted here
 * @uid: the user; constant
 * @host_pages: pages of host memory that the driver allocated for this user, see
 *	hostquota.c
 * @counts: what else is counted, by VNPU_USER_*, see user_limit.c
 * @exited: what is remembered of this user's clients that are gone,
 *	vnpu_exited.user_link, the oldest first. This and what follows is under the
 *	lock of that table.
 * @nr_exited: how many there are
 * @exited_link: among the users of whom any are remembered
 */
struct vnpu_user {
	refcount_t ref;
	kuid_t uid;
	atomic_long_t host_pages;
	atomic_long_t counts[VNPU_USER_KINDS];
	struct list_head exited;
	u32 nr_exited;
	struct list_head exited_link;
};

/**
 * struct vnpu_uids - the users that a process counts against; constant
 * @in_charge: the one that answers for the process
 * @nr: how many, at least 1
 * @ids: the user of the process first, then the users in charge of its user
 *	namespaces, the innermost namespace first; none twice
 */
struct vnpu_uids {
	kuid_t in_charge;
	u32 nr;
	kuid_t ids[];
};

struct vnpu_uids *vnpu_uids_create(void);
void vnpu_uids_destroy(struct vnpu_uids *uids);
bool vnpu_uids_contain(const struct vnpu_uids *uids, kuid_t uid);
bool vnpu_uid_is_in_sight(kuid_t uid);
bool vnpu_uid_is_in_sight_of(const struct file *file, kuid_t uid);

struct vnpu_user *vnpu_user_get_in_charge(const struct vnpu_uids *uids);
void vnpu_user_get(struct vnpu_user *user);
void vnpu_user_put(struct vnpu_user *user);
void vnpu_users_fini(void);

int vnpu_user_charge(struct vnpu_user *user, u32 kind);
void vnpu_user_uncharge(struct vnpu_user *user, u32 kind);

#endif
