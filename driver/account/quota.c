// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas: limits on the memory, streams, events and counters of a device for a
 * client, user or cgroup.
 *
 * A quota counts the charges to the accounts of all clients that it covers. The
 * quotas of all users that a client counts against cover the client, see
 * user.c. Each account has pointers to its quotas, so an allocation needs no
 * look-up. An allocation is checked against all of them and charged to all of
 * them under one hold of the device's lock, so no race can exceed a limit.
 * Memory that is charged to another client later, because that one still uses
 * it, is charged regardless of the limits: it is allocated already and cannot
 * be refused.
 *
 * The user and the cgroups of a client are those of its open, as for files. A
 * process that changes its user or moves to another cgroup keeps its memory and
 * its accounts.
 */
#include <linux/list.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "base/device.h"
#include "account.h"
#include "cgroups.h"
#include "quota.h"
#include "user.h"

/* Maximum number of reported refusals of a quota in the given time. */
#define VNPU_QUOTA_TELL_SECONDS	5
#define VNPU_QUOTA_TELL_BURST	3

static atomic_t vnpu_quota_gen = ATOMIC_INIT(0);

static int vnpu_quota_key_cmp(const struct vnpu_quota_key *a,
			      const struct vnpu_quota_key *b)
{
	if (a->resource != b->resource)
		return a->resource < b->resource ? -1 : 1;
	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct vnpu_quota *vnpu_quota_of(const struct rb_node *node)
{
	return rb_entry(node, struct vnpu_quota, node);
}

static int vnpu_quota_cmp(const void *key, const struct rb_node *node)
{
	return vnpu_quota_key_cmp(key, &vnpu_quota_of(node)->state.key);
}

static int vnpu_quota_cmp_node(struct rb_node *new, const struct rb_node *node)
{
	return vnpu_quota_cmp(&vnpu_quota_of(new)->state.key, node);
}

static struct vnpu_quota *
vnpu_quota_find_locked(struct vnpu_device *dev,
		       const struct vnpu_quota_key *key)
{
	struct rb_node *node;

	lockdep_assert_held(&dev->lock);
	node = rb_find(key, &dev->quotas, vnpu_quota_cmp);
	return node ? vnpu_quota_of(node) : NULL;
}

/**
 * vnpu_quota_concerns() - check if a quota covers a client
 * @key: the key of the quota
 * @client: the client
 *
 * Return: true if the quota covers the client.
 */
bool vnpu_quota_concerns(const struct vnpu_quota_key *key,
			 const struct vnpu_client *client)
{
	switch (key->scope) {
	case VNPU_QUOTA_SCOPE_CLIENT:
		return key->id == client->id;
	case VNPU_QUOTA_SCOPE_UID:
		return vnpu_uids_contain(client->uids, KUIDT_INIT(key->id));
	case VNPU_QUOTA_SCOPE_CGROUP:
		return vnpu_cgroups_contain(client->cgroups, key->id);
	default:
		return false;
	}
}

/*
 * Add a quota to an account, which has room for all that can cover its client.
 */
static void vnpu_quota_add_account_locked(struct vnpu_quota *quota,
					  struct vnpu_account *account)
{
	account->quotas[account->nr_quotas++] = quota;
	quota->state.used += vnpu_account_of(account, quota->state.key.resource);
}

static void vnpu_quota_forget_locked(const struct vnpu_quota *quota,
				     struct vnpu_account *account)
{
	u32 i;

	for (i = 0; i < account->nr_quotas; i++) {
		if (account->quotas[i] == quota) {
			account->quotas[i] = account->quotas[--account->nr_quotas];
			return;
		}
	}
}

static struct vnpu_quota *vnpu_quota_create(const struct vnpu_quota_key *key)
{
	struct vnpu_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (!quota)
		return NULL;
	quota->state.key = *key;
	ratelimit_state_init(&quota->telling, VNPU_QUOTA_TELL_SECONDS * HZ,
			     VNPU_QUOTA_TELL_BURST);
	/* Else the kernel would log the number of suppressed messages. */
	ratelimit_set_flags(&quota->telling, RATELIMIT_MSG_ON_RELEASE);
	return quota;
}

/* Insert @new, or return the existing quota with the same key. */
static struct vnpu_quota *vnpu_quota_insert_locked(struct vnpu_device *dev,
						   struct vnpu_quota *new)
{
	struct vnpu_account *account;
	struct rb_node *old;

	old = rb_find_add(&new->node, &dev->quotas, vnpu_quota_cmp_node);
	if (old)
		return vnpu_quota_of(old);
	list_for_each_entry(account, &dev->accounts, dev_link)
		if (vnpu_quota_concerns(&new->state.key, account->client))
			vnpu_quota_add_account_locked(new, account);
	return new;
}

/**
 * vnpu_quota_set() - set the limit of a quota
 * @dev: the device
 * @key: the key; if it names a client, that client has an account, and the
 *	caller holds a reference to it
 * @limit: bytes for memory, otherwise a number of objects; may be below the
 *	amount in use, which is not taken away
 * @state: filled with the state of the quota
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_quota_set(struct vnpu_device *dev, const struct vnpu_quota_key *key,
		   u64 limit, struct vnpu_quota_state *state)
{
	struct vnpu_quota *new = vnpu_quota_create(key), *quota;

	if (!new)
		return -ENOMEM;
	spin_lock(&dev->lock);
	quota = vnpu_quota_insert_locked(dev, new);
	quota->state.limit = limit;
	*state = quota->state;
	spin_unlock(&dev->lock);
	atomic_inc(&vnpu_quota_gen);
	if (quota != new)
		kfree(new);
	return 0;
}

static void vnpu_quota_erase_locked(struct vnpu_device *dev,
				    struct vnpu_quota *quota)
{
	rb_erase(&quota->node, &dev->quotas);
	atomic_inc(&vnpu_quota_gen);
	kfree(quota);
}

/**
 * vnpu_quota_remove() - remove a quota
 * @dev: the device
 * @key: the key
 * @state: filled with the last state of the quota
 *
 * Return: 0, or -ENOENT if there is no such quota.
 */
int vnpu_quota_remove(struct vnpu_device *dev,
		      const struct vnpu_quota_key *key,
		      struct vnpu_quota_state *state)
{
	struct vnpu_quota *quota;
	struct vnpu_account *account;

	spin_lock(&dev->lock);
	quota = vnpu_quota_find_locked(dev, key);
	if (quota) {
		*state = quota->state;
		list_for_each_entry(account, &dev->accounts, dev_link)
			vnpu_quota_forget_locked(quota, account);
		vnpu_quota_erase_locked(dev, quota);
	}
	spin_unlock(&dev->lock);
	return quota ? 0 : -ENOENT;
}

/**
 * vnpu_quota_get_next() - find the first quota at or after a key
 * @dev: the device
 * @key: the key to start at, of any scope
 * @state: filled with the state of the quota
 *
 * Return: true if there is one.
 */
bool vnpu_quota_get_next(struct vnpu_device *dev,
			 const struct vnpu_quota_key *key,
			 struct vnpu_quota_state *state)
{
	struct vnpu_quota *found = NULL;
	struct rb_node *node;

	spin_lock(&dev->lock);
	node = dev->quotas.rb_node;
	while (node) {
		if (vnpu_quota_cmp(key, node) <= 0) {
			found = vnpu_quota_of(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found)
		*state = found->state;
	spin_unlock(&dev->lock);
	return found;
}

/**
 * vnpu_quota_note_change() - note that a quota was set or removed
 */
void vnpu_quota_note_change(void)
{
	atomic_inc(&vnpu_quota_gen);
}

/**
 * vnpu_quota_generation() - get a number that each change of quotas changes
 *
 * Return: the number.
 */
unsigned int vnpu_quota_generation(void)
{
	return atomic_read(&vnpu_quota_gen);
}

static void vnpu_quota_try_add_locked(struct vnpu_account *account, u32 resource,
				      u32 scope, u64 id)
{
	const struct vnpu_quota_key key = { resource, scope, id };
	struct vnpu_quota *quota = vnpu_quota_find_locked(account->dev, &key);

	if (quota)
		vnpu_quota_add_account_locked(quota, account);
}

/**
 * vnpu_quota_max() - get the maximum number of quotas of a client on a device
 * @client: the client
 */
u32 vnpu_quota_max(const struct vnpu_client *client)
{
	return VNPU_QUOTA_RESOURCES *
	       (1 + client->uids->nr + client->cgroups->nr);
}

/**
 * vnpu_quota_attach_locked() - connect a new account with its quotas
 * @account: the account; its device's lock is held
 */
void vnpu_quota_attach_locked(struct vnpu_account *account)
{
	const struct vnpu_client *client = account->client;
	u32 resource, i;

	list_add_tail(&account->dev_link, &account->dev->accounts);
	if (RB_EMPTY_ROOT(&account->dev->quotas))
		return;
	/* A new account has no quota of the client itself yet. */
	for (resource = 0; resource < VNPU_QUOTA_RESOURCES; resource++) {
		for (i = 0; i < client->uids->nr; i++)
			vnpu_quota_try_add_locked(account, resource,
						  VNPU_QUOTA_SCOPE_UID,
						  __kuid_val(client->uids->ids[i]));
		for (i = 0; i < client->cgroups->nr; i++)
			vnpu_quota_try_add_locked(account, resource,
						  VNPU_QUOTA_SCOPE_CGROUP,
						  client->cgroups->ids[i]);
	}
}

/**
 * vnpu_quota_detach_locked() - remove an account, and the quotas of its client
 * @account: the account, to which nothing is charged; its device's lock is held
 */
void vnpu_quota_detach_locked(struct vnpu_account *account)
{
	struct vnpu_quota_key key = {
		.scope = VNPU_QUOTA_SCOPE_CLIENT,
		.id = account->client->id,
	};

	list_del(&account->dev_link);
	for (; key.resource < VNPU_QUOTA_RESOURCES; key.resource++) {
		struct vnpu_quota *quota;

		quota = vnpu_quota_find_locked(account->dev, &key);
		if (quota)
			vnpu_quota_erase_locked(account->dev, quota);
	}
}

/**
 * vnpu_quota_remove_all() - free all quotas of a device
 * @dev: the device, which is no longer in use
 */
void vnpu_quota_remove_all(struct vnpu_device *dev)
{
	struct vnpu_quota *quota, *next;

	WARN_ON_ONCE(!list_empty(&dev->accounts));
	rbtree_postorder_for_each_entry_safe(quota, next, &dev->quotas, node)
		kfree(quota);
	dev->quotas = RB_ROOT;
}

static bool vnpu_quota_counts(const struct vnpu_quota *quota, u32 resource)
{
	return quota->state.key.resource == resource;
}

/**
 * vnpu_quota_check_locked() - check an amount against the quotas of an account
 * @account: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes for memory, otherwise a number of objects
 * @refusal: filled with the quota that refuses the amount
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_quota_check_locked(const struct vnpu_account *account, u32 resource,
			    u64 amount, struct vnpu_quota_state *refusal)
{
	u32 i;

	lockdep_assert_held(&account->dev->lock);
	for (i = 0; i < account->nr_quotas; i++) {
		struct vnpu_quota *quota = account->quotas[i];

		if (!vnpu_quota_counts(quota, resource))
			continue;
		if (amount <= quota->state.limit &&
		    quota->state.used <= quota->state.limit - amount)
			continue;
		quota->state.refused++;
		*refusal = quota->state;
		return -EDQUOT;
	}
	return 0;
}

/**
 * vnpu_quota_left_locked() - get the amount that the quotas of an account still
 *   allow
 * @account: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @tightest: filled with the quota that allows the least, if there is a quota
 *
 * Return: bytes for memory, otherwise a number of objects; U64_MAX if there is
 * no quota.
 */
u64 vnpu_quota_left_locked(const struct vnpu_account *account, u32 resource,
			   struct vnpu_quota_state *tightest)
{
	u64 left = U64_MAX;
	u32 i;

	lockdep_assert_held(&account->dev->lock);
	for (i = 0; i < account->nr_quotas; i++) {
		const struct vnpu_quota *quota = account->quotas[i];
		u64 of_this;

		if (!vnpu_quota_counts(quota, resource))
			continue;
		of_this = quota->state.limit -
			  min(quota->state.limit, quota->state.used);
		if (of_this >= left)
			continue;
		left = of_this;
		*tightest = quota->state;
	}
	return left;
}

/**
 * vnpu_quota_is_own_locked() - check for a quota of the client or one of its
 *   users
 * @account: the account of the client; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 *
 * Return: true if there is such a quota.
 */
bool vnpu_quota_is_own_locked(const struct vnpu_account *account, u32 resource)
{
	u32 i;

	lockdep_assert_held(&account->dev->lock);
	for (i = 0; i < account->nr_quotas; i++)
		if (vnpu_quota_counts(account->quotas[i], resource) &&
		    account->quotas[i]->state.key.scope !=
		    VNPU_QUOTA_SCOPE_CGROUP)
			return true;
	return false;
}

/**
 * vnpu_quota_may_notify() - check if a refusal should be reported
 * @dev: the device
 * @key: the key of the quota that refused
 *
 * Return: false if there were too many reports recently, or if the quota was
 * removed.
 */
bool vnpu_quota_may_notify(struct vnpu_device *dev,
			   const struct vnpu_quota_key *key)
{
	struct vnpu_quota *quota;
	bool may;

	spin_lock(&dev->lock);
	quota = vnpu_quota_find_locked(dev, key);
	may = quota && __ratelimit(&quota->telling);
	spin_unlock(&dev->lock);
	return may;
}

/**
 * vnpu_quota_charge_locked() - charge an amount to the quotas of an account
 * @account: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes for memory, otherwise a number of objects
 */
void vnpu_quota_charge_locked(const struct vnpu_account *account, u32 resource,
			      u64 amount)
{
	u32 i;

	for (i = 0; i < account->nr_quotas; i++)
		if (vnpu_quota_counts(account->quotas[i], resource))
			account->quotas[i]->state.used += amount;
}

/**
 * vnpu_quota_uncharge_locked() - uncharge an amount from the quotas of an
 *   account
 * @account: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes for memory, otherwise a number of objects
 */
void vnpu_quota_uncharge_locked(const struct vnpu_account *account, u32 resource,
				u64 amount)
{
	u32 i;

	for (i = 0; i < account->nr_quotas; i++)
		if (vnpu_quota_counts(account->quotas[i], resource))
			account->quotas[i]->state.used -= amount;
}
