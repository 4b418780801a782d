/* SPDX-License-Identifier: GPL-2.0-only */
/* Quotas: limits on the resources of a device for a client, user or cgroup. */
#ifndef VNPU_QUOTA_H
#define VNPU_QUOTA_H

#include <linux/ratelimit.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include <linux/vnpu_netlink.h>

struct vnpu_client;
struct vnpu_device;
struct vnpu_account;

/* How many kinds of resources a device has; for the rest see host_quota.h. */
#define VNPU_QUOTA_RESOURCES	(VNPU_QUOTA_RESOURCE_COUNTERS + 1)

/**
 * struct vnpu_quota_key - the resource and the subject of a quota
 * @resource: VNPU_QUOTA_RESOURCE_*
 * @scope: VNPU_QUOTA_SCOPE_*; VNPU_QUOTA_SCOPE_NONE if there is no quota
 * @id: id of the client, of the user (as a kuid), or of the cgroup
 */
struct vnpu_quota_key {
	u32 resource;
	u32 scope;
	u64 id;
};

/**
 * struct vnpu_quota_state - the state of a quota at one moment
 * @key: the resource and the subject
 * @limit: bytes for memory, otherwise a number of objects
 * @used: amount charged to the quota, which may exceed @limit
 * @refused: number of requests that this quota has refused
 */
struct vnpu_quota_state {
	struct vnpu_quota_key key;
	u64 limit;
	u64 used;
	u64 refused;
};

/**
 * struct vnpu_quota - a quota of a device; all members are under the device's
 * lock
 * @node: in vnpu_device.quotas
 * @state: key, limit and counters
 * @telling: rate limit for reports of refusals. Each quota has its own, so that
 *	exhausting one quota does not suppress the reports of another.
 */
struct vnpu_quota {
	struct rb_node node;
	struct vnpu_quota_state state;
	struct ratelimit_state telling;
};

int vnpu_quota_set(struct vnpu_device *dev, const struct vnpu_quota_key *key,
		   u64 limit, struct vnpu_quota_state *state);
int vnpu_quota_remove(struct vnpu_device *dev,
		      const struct vnpu_quota_key *key,
		      struct vnpu_quota_state *state);
bool vnpu_quota_get_next(struct vnpu_device *dev,
			 const struct vnpu_quota_key *key,
			 struct vnpu_quota_state *state);
unsigned int vnpu_quota_generation(void);
void vnpu_quota_note_change(void);

u32 vnpu_quota_max(const struct vnpu_client *client);
void vnpu_quota_attach_locked(struct vnpu_account *account);
void vnpu_quota_detach_locked(struct vnpu_account *account);
void vnpu_quota_remove_all(struct vnpu_device *dev);

int vnpu_quota_check_locked(const struct vnpu_account *account, u32 resource,
			    u64 amount, struct vnpu_quota_state *refusal);
u64 vnpu_quota_left_locked(const struct vnpu_account *account, u32 resource,
			   struct vnpu_quota_state *tightest);
bool vnpu_quota_is_own_locked(const struct vnpu_account *account, u32 resource);
bool vnpu_quota_may_notify(struct vnpu_device *dev,
			   const struct vnpu_quota_key *key);
void vnpu_quota_charge_locked(const struct vnpu_account *account, u32 resource,
			      u64 amount);
void vnpu_quota_uncharge_locked(const struct vnpu_account *account, u32 resource,
				u64 amount);

bool vnpu_quota_concerns(const struct vnpu_quota_key *key,
			 const struct vnpu_client *client);

#endif
