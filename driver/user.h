/* SPDX-License-Identifier: GPL-2.0-only */
/* Users: who answers for a client. */
#ifndef VNPU_USER_H
#define VNPU_USER_H

#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/**
 * struct vnpu_user - a user who answers for clients
 * @ref: held by each client, and by what outlives a client and is counted here
 * @uid: the user; constant
 */
struct vnpu_user {
	refcount_t ref;
	kuid_t uid;
};

/**
 * struct vnpu_uids - the users that a process counts against; constant
 * @nr: how many, at least 1
 * @ids: the user of the process first, then the users in charge of its user
 *	namespaces, the innermost namespace first; none twice
 */
struct vnpu_uids {
	u32 nr;
	kuid_t ids[];
};

struct vnpu_uids *vnpu_uids_create(void);
void vnpu_uids_destroy(struct vnpu_uids *uids);
bool vnpu_uids_contain(const struct vnpu_uids *uids, kuid_t uid);

struct vnpu_user *vnpu_user_get_in_charge(const struct vnpu_uids *uids);
void vnpu_user_get(struct vnpu_user *user);
void vnpu_user_put(struct vnpu_user *user);
void vnpu_users_fini(void);

#endif
