/* SPDX-License-Identifier: GPL-2.0-only */
/* Users to which the resources of clients are charged. */
#ifndef VNPU_USER_H
#define VNPU_USER_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "host_account.h"

/**
 * struct vnpu_user - a user to which resources of clients are charged
 * @ref: number of references: those of accounts, of charged resources that
 *	outlive their client, and of each quota of the user in @tallies
 * @uid: the user; constant
 * @tallies: host resources of all clients of the user, by VNPU_HOST_*, see
 *	host_account.c
 * @history: list of records of the user's closed clients,
 *	vnpu_history.user_link, the oldest first. This and the following are
 *	protected by vnpu_history_lock.
 * @nr_records: number of records in @history
 * @history_link: entry in the list of users with records
 */
struct vnpu_user {
	refcount_t ref;
	kuid_t uid;
	struct vnpu_tally tallies[VNPU_HOST_KINDS];
	struct list_head history;
	u32 nr_records;
	struct list_head history_link;
};

/**
 * struct vnpu_uids - the users that a process counts against; constant
 * @in_charge: the user that answers for the process
 * @nr: number of users, at least 1
 * @ids: the user of the process first, then the users in charge of its user
 *	namespaces, the innermost namespace first; without duplicates
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

struct vnpu_user *vnpu_user_get_by_uid(kuid_t uid);
struct vnpu_user *vnpu_user_find(kuid_t uid);
struct vnpu_user *vnpu_user_get_next(unsigned long *uid);
void vnpu_user_get(struct vnpu_user *user);
void vnpu_user_put(struct vnpu_user *user);
void vnpu_users_fini(void);

#endif
