// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas of host resources: the number of bindings, ids, sync_files and
 * threads, and the amount of host memory, that a client or user may have.
 *
 * A quota is a part of the tally that it limits (account/host_account.h). The
 * quota of a client ends with the client. A user with a quota stays in the
 * table of users until the quota is removed. cgroups have no such quotas:
 * except for imports and the stacks of threads, the memory is charged to the
 * memory cgroup, so memory.max limits it.
 */
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "host_account.h"
#include "host_quota.h"
#include "quota.h"
#include "user.h"

/* Serializes changes of quotas. Only the locks of tables are taken inside. */
static DEFINE_MUTEX(vnpu_host_quota_lock);

static void vnpu_tally_get_state(const struct vnpu_tally *tally,
				 const struct vnpu_quota_key *key,
				 struct vnpu_quota_state *state)
{
	*state = (struct vnpu_quota_state){
		.key = *key,
		.limit = READ_ONCE(tally->limit),
		.used = atomic64_read(&tally->used),
		.refused = atomic64_read(&tally->refused),
	};
}

/* Set a limit. Return true if there was none. */
static bool vnpu_tally_set_limit(struct vnpu_tally *tally, u64 limit)
{
	bool is_new = !tally->is_limited;

	lockdep_assert_held(&vnpu_host_quota_lock);
	if (is_new)
		atomic64_set(&tally->refused, 0);
	WRITE_ONCE(tally->limit, limit);
	/* Pairs with smp_load_acquire() in vnpu_tally_charge(). */
	smp_store_release(&tally->is_limited, true);
	return is_new;
}

/* Remove a limit. Return true if there was one. */
static bool vnpu_tally_remove_limit(struct vnpu_tally *tally)
{
	bool was_limited = tally->is_limited;

	lockdep_assert_held(&vnpu_host_quota_lock);
	WRITE_ONCE(tally->is_limited, false);
	return was_limited;
}

/* The client or user that a key names, with a reference, and its tally. */
struct vnpu_quota_holder {
	struct vnpu_client *client;
	struct vnpu_user *user;
	struct vnpu_tally *tally;
};

/* A user without a record gets one only for a quota that is set. */
static int vnpu_host_quota_find(const struct vnpu_quota_key *key,
				struct vnpu_quota_holder *of, bool is_set)
{
	u32 kind = key->resource - VNPU_HOST_RESOURCE;

	*of = (struct vnpu_quota_holder){ };
	switch (key->scope) {
	case VNPU_QUOTA_SCOPE_CLIENT:
		of->client = vnpu_client_get_by_id(key->id);
		if (!of->client)
			return -ENOENT;
		of->tally = &of->client->host_account->tallies[kind];
		return 0;
	case VNPU_QUOTA_SCOPE_UID:
		of->user = is_set ?
			   vnpu_user_get_by_uid(KUIDT_INIT(key->id)) :
			   vnpu_user_find(KUIDT_INIT(key->id));
		if (!of->user)
			return is_set ? -ENOMEM : -ENOENT;
		of->tally = &of->user->tallies[kind];
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Look up a holder, and take the lock under which its quota changes. */
static int vnpu_host_quota_begin(const struct vnpu_quota_key *key,
				 struct vnpu_quota_holder *of, bool is_set)
{
	int ret = vnpu_host_quota_find(key, of, is_set);

	if (!ret)
		mutex_lock(&vnpu_host_quota_lock);
	return ret;
}

/* Count a change, release the lock, and put the holder. */
static void vnpu_host_quota_end(const struct vnpu_quota_holder *of,
				bool is_changed)
{
	if (is_changed)
		vnpu_quota_note_change();
	mutex_unlock(&vnpu_host_quota_lock);
	if (of->client)
		vnpu_client_put(of->client);
	if (of->user)
		vnpu_user_put(of->user);
}

/**
 * vnpu_host_quota_set() - set the quota of a client or user
 * @key: the client or user, and the resource
 * @limit: the limit as a number or in bytes; may be below the current usage,
 *	which remains
 * @state: filled with the quota
 *
 * Return: 0, -ENOENT (no such client), -EOPNOTSUPP (a cgroup) or -ENOMEM.
 */
int vnpu_host_quota_set(const struct vnpu_quota_key *key, u64 limit,
			struct vnpu_quota_state *state)
{
	struct vnpu_quota_holder of;
	int ret = vnpu_host_quota_begin(key, &of, true);

	if (ret)
		return ret;
	if (vnpu_tally_set_limit(of.tally, limit) && of.user)
		vnpu_user_get(of.user);
	vnpu_tally_get_state(of.tally, key, state);
	vnpu_host_quota_end(&of, true);
	return 0;
}

/**
 * vnpu_host_quota_remove() - remove the quota of a client or user
 * @key: the client or user, and the resource
 * @state: filled with the removed quota
 *
 * Return: 0, -ENOENT (no such quota) or -EOPNOTSUPP (a cgroup).
 */
int vnpu_host_quota_remove(const struct vnpu_quota_key *key,
			   struct vnpu_quota_state *state)
{
	struct vnpu_quota_holder of;
	int ret = vnpu_host_quota_begin(key, &of, false);

	if (ret)
		return ret;
	vnpu_tally_get_state(of.tally, key, state);
	if (!vnpu_tally_remove_limit(of.tally))
		ret = -ENOENT;
	else if (of.user)
		vnpu_user_put(of.user);
	vnpu_host_quota_end(&of, !ret);
	return ret;
}

static bool vnpu_host_quota_peek(struct vnpu_tally *tally,
				 const struct vnpu_quota_key *key,
				 struct vnpu_quota_state *state)
{
	/* Pairs with smp_store_release() in vnpu_tally_set_limit(). */
	if (!smp_load_acquire(&tally->is_limited))
		return false;
	vnpu_tally_get_state(tally, key, state);
	return true;
}

static bool vnpu_host_quota_next_of_client(struct vnpu_quota_key *key,
					   struct vnpu_quota_state *state)
{
	u32 kind = key->resource - VNPU_HOST_RESOURCE;
	struct vnpu_client *client;
	unsigned long id = key->id;
	bool found = false;

	for (; !found && (client = vnpu_client_get_next(&id)); id++) {
		key->id = id;
		found = vnpu_host_quota_peek(&client->host_account->tallies[kind],
					     key, state);
		vnpu_client_put(client);
		cond_resched();
	}
	return found;
}

static bool vnpu_host_quota_next_of_user(struct vnpu_quota_key *key,
					 struct vnpu_quota_state *state)
{
	u32 kind = key->resource - VNPU_HOST_RESOURCE;
	unsigned long uid = key->id;
	struct vnpu_user *user;
	bool found = false;

	for (; !found && (user = vnpu_user_get_next(&uid)); uid++) {
		key->id = uid;
		found = vnpu_host_quota_peek(&user->tallies[kind], key, state);
		vnpu_user_put(user);
		cond_resched();
	}
	return found;
}

/**
 * vnpu_host_quota_get_next() - look up the first quota at or after a key
 * @key: the key to start at, of any resource and scope
 * @state: filled with the quota
 *
 * Return: true if there is one.
 */
bool vnpu_host_quota_get_next(const struct vnpu_quota_key *key,
			      struct vnpu_quota_state *state)
{
	struct vnpu_quota_key at = *key;

	if (!vnpu_quota_is_of_host(at.resource))
		at = (struct vnpu_quota_key){ .resource = VNPU_HOST_RESOURCE };
	for (; at.resource < VNPU_RESOURCES; at.resource++) {
		if (at.scope <= VNPU_QUOTA_SCOPE_CLIENT) {
			at.scope = VNPU_QUOTA_SCOPE_CLIENT;
			if (vnpu_host_quota_next_of_client(&at, state))
				return true;
			at.scope = VNPU_QUOTA_SCOPE_UID;
			at.id = 0;
		}
		if (at.scope == VNPU_QUOTA_SCOPE_UID &&
		    vnpu_host_quota_next_of_user(&at, state))
			return true;
		at.scope = VNPU_QUOTA_SCOPE_NONE;
		at.id = 0;
	}
	return false;
}

/**
 * vnpu_host_quota_note_end() - count the removal of a closed client's quotas
 * @client: the client, which has left the table of clients
 */
void vnpu_host_quota_note_end(const struct vnpu_client *client)
{
	u32 i;

	for (i = 0; i < VNPU_HOST_KINDS; i++)
		if (READ_ONCE(client->host_account->tallies[i].is_limited))
			vnpu_quota_note_change();
}

/**
 * vnpu_host_quota_remove_all() - remove the quotas of all users at module exit
 */
void vnpu_host_quota_remove_all(void)
{
	struct vnpu_user *user;
	unsigned long uid = 0;
	u32 i;

	mutex_lock(&vnpu_host_quota_lock);
	for (; (user = vnpu_user_get_next(&uid)); uid++) {
		for (i = 0; i < VNPU_HOST_KINDS; i++)
			if (vnpu_tally_remove_limit(&user->tallies[i]))
				vnpu_user_put(user);
		vnpu_user_put(user);
	}
	mutex_unlock(&vnpu_host_quota_lock);
}
