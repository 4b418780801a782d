// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas: how much of a device's memory, and how many of its streams, events and
 * counters, a client, user or cgroup may have.
 *
 * A quota counts what is charged to the accounts of all clients that it
 * concerns. A client concerns the quotas of all users that it counts against,
 * see user.c. Each account points to its quotas, so that an allocation looks none
 * up: it is checked against all of them and charged to all of them under one
 * hold of the device's lock, so no race exceeds a limit. What is charged to
 * another client later, because that is the one who still has it, is charged
 * whatever the limits say: it can be refused to nobody any more.
 *
 * User and cgroups of a client are those it was opened with, as files have it:
 * who is moved or becomes another takes the memory along, and its account.
 */
#include <linux/list.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "cgroups.h"
#include "client.h"
#include "device.h"
#include "quota.h"
#include "usage.h"
#include "user.h"

/* Of one quota, this many refusals in as many seconds are told of. */
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
 * vnpu_quota_concerns() - does a quota count what a client has?
 * @key: whom the quota is for
 * @client: the client
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

/* There is room for as many as can concern the client. */
static void vnpu_quota_add_usage_locked(struct vnpu_quota *quota,
					struct vnpu_usage *usage)
{
	usage->quotas[usage->nr_quotas++] = quota;
	quota->state.used += vnpu_usage_of(usage, quota->state.key.resource);
}

static void vnpu_quota_forget_locked(const struct vnpu_quota *quota,
				     struct vnpu_usage *usage)
{
	u32 i;

	for (i = 0; i < usage->nr_quotas; i++) {
		if (usage->quotas[i] == quota) {
			usage->quotas[i] = usage->quotas[--usage->nr_quotas];
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
	/* Without, it would log how many it did not let through. */
	ratelimit_set_flags(&quota->telling, RATELIMIT_MSG_ON_RELEASE);
	return quota;
}

/* Takes @new over, unless there is one. */
static struct vnpu_quota *vnpu_quota_insert_locked(struct vnpu_device *dev,
						   struct vnpu_quota *new)
{
	struct vnpu_usage *usage;
	struct rb_node *old;

	old = rb_find_add(&new->node, &dev->quotas, vnpu_quota_cmp_node);
	if (old)
		return vnpu_quota_of(old);
	list_for_each_entry(usage, &dev->usages, dev_link)
		if (vnpu_quota_concerns(&new->state.key, usage->client))
			vnpu_quota_add_usage_locked(new, usage);
	return new;
}

/**
 * vnpu_quota_set() - limit what a client, user or cgroup may have
 * @dev: of which device
 * @key: of whom; if it is a client, it has an account and a reference is held
 * @limit: bytes, or how many; if there is more already, nothing is taken away
 * @state: filled
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_quota_set(struct vnpu_device *dev, const struct vnpu_quota_key *key,
		   u64 limit, struct vnpu_quota_state *state)
{
	struct vnpu_quota *new = vnpu_quota_create(key), *quota;

	if (!new)
		return -ENOMEM;
	mutex_lock(&dev->lock);
	quota = vnpu_quota_insert_locked(dev, new);
	quota->state.limit = limit;
	*state = quota->state;
	mutex_unlock(&dev->lock);
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
 * vnpu_quota_remove() - there is no limit any more
 * @dev: of which device
 * @key: of whom
 * @state: filled with what it was
 *
 * Return: 0, or -ENOENT if there was none.
 */
int vnpu_quota_remove(struct vnpu_device *dev,
		      const struct vnpu_quota_key *key,
		      struct vnpu_quota_state *state)
{
	struct vnpu_quota *quota;
	struct vnpu_usage *usage;

	mutex_lock(&dev->lock);
	quota = vnpu_quota_find_locked(dev, key);
	if (quota) {
		*state = quota->state;
		list_for_each_entry(usage, &dev->usages, dev_link)
			vnpu_quota_forget_locked(quota, usage);
		vnpu_quota_erase_locked(dev, quota);
	}
	mutex_unlock(&dev->lock);
	return quota ? 0 : -ENOENT;
}

/**
 * vnpu_quota_get_next() - the first quota at or after a key
 * @dev: of which device
 * @key: where to start, of any scope
 * @state: filled
 *
 * Return: whether there is one.
 */
bool vnpu_quota_get_next(struct vnpu_device *dev,
			 const struct vnpu_quota_key *key,
			 struct vnpu_quota_state *state)
{
	struct vnpu_quota *found = NULL;
	struct rb_node *node;

	mutex_lock(&dev->lock);
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
	mutex_unlock(&dev->lock);
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
 */
unsigned int vnpu_quota_generation(void)
{
	return atomic_read(&vnpu_quota_gen);
}

static void vnpu_quota_try_add_locked(struct vnpu_usage *usage, u32 resource,
				      u32 scope, u64 id)
{
	const struct vnpu_quota_key key = { resource, scope, id };
	struct vnpu_quota *quota = vnpu_quota_find_locked(usage->dev, &key);

	if (quota)
		vnpu_quota_add_usage_locked(quota, usage);
}

/**
 * vnpu_quota_max() - how many quotas can concern a client on one device
 * @client: the client
 */
u32 vnpu_quota_max(const struct vnpu_client *client)
{
	return VNPU_QUOTA_RESOURCES *
	       (1 + client->uids->nr + client->cgroups->nr);
}

/**
 * vnpu_quota_attach_locked() - find the quotas of a new account
 * @usage: the account; its device's lock is held
 */
void vnpu_quota_attach_locked(struct vnpu_usage *usage)
{
	const struct vnpu_client *client = usage->client;
	u32 resource, i;

	list_add_tail(&usage->dev_link, &usage->dev->usages);
	if (RB_EMPTY_ROOT(&usage->dev->quotas))
		return;
	/* Of the client itself there can be none yet. */
	for (resource = 0; resource < VNPU_QUOTA_RESOURCES; resource++) {
		for (i = 0; i < client->uids->nr; i++)
			vnpu_quota_try_add_locked(usage, resource,
						  VNPU_QUOTA_SCOPE_UID,
						  __kuid_val(client->uids->ids[i]));
		for (i = 0; i < client->cgroups->nr; i++)
			vnpu_quota_try_add_locked(usage, resource,
						  VNPU_QUOTA_SCOPE_CGROUP,
						  client->cgroups->ids[i]);
	}
}

/**
 * vnpu_quota_detach_locked() - the end of an account, and of its client's quotas
 * @usage: the account, to which nothing is charged; its device's lock is held
 */
void vnpu_quota_detach_locked(struct vnpu_usage *usage)
{
	struct vnpu_quota_key key = {
		.scope = VNPU_QUOTA_SCOPE_CLIENT,
		.id = usage->client->id,
	};

	list_del(&usage->dev_link);
	for (; key.resource < VNPU_QUOTA_RESOURCES; key.resource++) {
		struct vnpu_quota *quota;

		quota = vnpu_quota_find_locked(usage->dev, &key);
		if (quota)
			vnpu_quota_erase_locked(usage->dev, quota);
	}
}

/**
 * vnpu_quota_remove_all() - the end of all quotas of a device
 * @dev: the device, which nobody uses any more
 */
void vnpu_quota_remove_all(struct vnpu_device *dev)
{
	struct vnpu_quota *quota, *next;

	WARN_ON_ONCE(!list_empty(&dev->usages));
	rbtree_postorder_for_each_entry_safe(quota, next, &dev->quotas, node)
		kfree(quota);
	dev->quotas = RB_ROOT;
}

static bool vnpu_quota_counts(const struct vnpu_quota *quota, u32 resource)
{
	return quota->state.key.resource == resource;
}

/**
 * vnpu_quota_check_locked() - may so much be charged to an account?
 * @usage: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes, or how many
 * @refusal: filled with the quota that does not allow it
 *
 * Return: 0 or -EDQUOT.
 */
int vnpu_quota_check_locked(const struct vnpu_usage *usage, u32 resource,
			    u64 amount, struct vnpu_quota_state *refusal)
{
	u32 i;

	lockdep_assert_held(&usage->dev->lock);
	for (i = 0; i < usage->nr_quotas; i++) {
		struct vnpu_quota *quota = usage->quotas[i];

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
 * vnpu_quota_left_locked() - how much more do the quotas of an account allow?
 * @usage: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @tightest: filled with the quota that allows least, if there is one
 *
 * Return: bytes, or how many; U64_MAX where there is no quota.
 */
u64 vnpu_quota_left_locked(const struct vnpu_usage *usage, u32 resource,
			   struct vnpu_quota_state *tightest)
{
	u64 left = U64_MAX;
	u32 i;

	lockdep_assert_held(&usage->dev->lock);
	for (i = 0; i < usage->nr_quotas; i++) {
		const struct vnpu_quota *quota = usage->quotas[i];
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
 * vnpu_quota_is_own_locked() - is there a quota of the client or of its user?
 * @usage: the account of the client; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 */
bool vnpu_quota_is_own_locked(const struct vnpu_usage *usage, u32 resource)
{
	u32 i;

	lockdep_assert_held(&usage->dev->lock);
	for (i = 0; i < usage->nr_quotas; i++)
		if (vnpu_quota_counts(usage->quotas[i], resource) &&
		    usage->quotas[i]->state.key.scope !=
		    VNPU_QUOTA_SCOPE_CGROUP)
			return true;
	return false;
}

/**
 * vnpu_quota_may_tell() - is a refusal to be told of?
 * @dev: of which device
 * @key: whose quota was the reason
 *
 * Return: false if there were too many of late, or the quota is gone.
 */
bool vnpu_quota_may_tell(struct vnpu_device *dev,
			 const struct vnpu_quota_key *key)
{
	struct vnpu_quota *quota;
	bool may;

	mutex_lock(&dev->lock);
	quota = vnpu_quota_find_locked(dev, key);
	may = quota && __ratelimit(&quota->telling);
	mutex_unlock(&dev->lock);
	return may;
}

/**
 * vnpu_quota_charge_locked() - so much more is charged to an account
 * @usage: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes, or how many
 */
void vnpu_quota_charge_locked(const struct vnpu_usage *usage, u32 resource,
			      u64 amount)
{
	u32 i;

	for (i = 0; i < usage->nr_quotas; i++)
		if (vnpu_quota_counts(usage->quotas[i], resource))
			usage->quotas[i]->state.used += amount;
}

/**
 * vnpu_quota_uncharge_locked() - so much less is charged to an account
 * @usage: the account; its device's lock is held
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @amount: bytes, or how many
 */
void vnpu_quota_uncharge_locked(const struct vnpu_usage *usage, u32 resource,
				u64 amount)
{
	u32 i;

	for (i = 0; i < usage->nr_quotas; i++)
		if (vnpu_quota_counts(usage->quotas[i], resource))
			usage->quotas[i]->state.used -= amount;
}
