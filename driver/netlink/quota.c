// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: quotas. In answers, user ids are those of the reader's
 * user namespace; in requests, those of the sender's.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "account/cgroups.h"
#include "account/host_account.h"
#include "account/host_quota.h"
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
#include "genl.h"

/* The specification limits attributes by these numbers. */
static_assert(VNPU_QUOTA_SCOPE_NONE == 0);
static_assert(VNPU_QUOTA_SCOPE_CLIENT == 1);
static_assert(VNPU_QUOTA_SCOPE_CGROUP == 3);
static_assert(VNPU_QUOTA_SCOPE_SHARE == 4);

/* A quota as @user_ns sees it. @device is valid for a resource of a device. */
struct vnpu_quota_answer {
	u32 device;
	struct vnpu_quota_state state;
	struct user_namespace *user_ns;
};

static int vnpu_fill_quota(struct sk_buff *skb, void *arg)
{
	const struct vnpu_quota_answer *answer = arg;
	const struct vnpu_quota_state *state = &answer->state;
	u64 id = state->key.id;

	if (state->key.scope == VNPU_QUOTA_SCOPE_UID)
		id = from_kuid_munged(answer->user_ns, KUIDT_INIT(id));
	if ((!vnpu_quota_is_of_host(state->key.resource) &&
	     nla_put_u32(skb, VNPU_A_QUOTA_DEV_ID, answer->device)) ||
	    nla_put_u32(skb, VNPU_A_QUOTA_RESOURCE, state->key.resource) ||
	    nla_put_u32(skb, VNPU_A_QUOTA_SCOPE, state->key.scope) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_ID, id, VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_LIMIT, state->limit,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_USED, state->used,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_REFUSED, state->refused,
			      VNPU_A_QUOTA_PAD))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_put_quota(struct sk_buff *skb, struct netlink_callback *cb,
			  struct vnpu_quota_answer *answer)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_QUOTA_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_quota(skb, answer);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* Dump the quotas of a device from @key on, and advance @key past them. */
static int vnpu_dump_quotas(struct sk_buff *skb, struct netlink_callback *cb,
			    struct vnpu_device *dev, struct vnpu_quota_key *key)
{
	struct vnpu_quota_answer answer = {
		.device = dev->index,
		.user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk),
	};
	int ret;

	while (vnpu_quota_get_next(dev, key, &answer.state)) {
		*key = answer.state.key;
		ret = vnpu_put_quota(skb, cb, &answer);
		if (ret)
			return ret;
		if (!++key->id)
			key->scope++;
	}
	*key = (struct vnpu_quota_key){ };
	return 0;
}

/*
 * Dump the quotas of host resources from @key on, and advance @key past them.
 */
static int vnpu_dump_host_quotas(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 struct vnpu_quota_key *key)
{
	struct vnpu_quota_answer answer = {
		.user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk),
	};
	int ret;

	while (vnpu_host_quota_get_next(key, &answer.state)) {
		*key = answer.state.key;
		ret = vnpu_put_quota(skb, cb, &answer);
		if (ret)
			return ret;
		key->id++;
	}
	/* End the dump: no resource has this number. */
	key->resource = VNPU_RESOURCES;
	return 0;
}

struct vnpu_quota_cursor {
	unsigned long device;
	struct vnpu_quota_key key;
	struct vnpu_quota_key host_key;
};

int vnpu_nl_quota_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct vnpu_quota_cursor *cursor = (void *)cb->ctx;
	unsigned long at = cursor->device;
	struct vnpu_device *dev;
	int ret = 0;

	static_assert(sizeof(*cursor) <= sizeof(cb->ctx));
	/* A sum that each change of either changes, and that stays odd. */
	cb->seq = vnpu_devices_generation() + 2 * vnpu_quota_generation();
	while (!ret && (dev = vnpu_device_get_next(&cursor->device))) {
		/* The device at which the last part ended may be gone. */
		if (cursor->device != at)
			cursor->key = (struct vnpu_quota_key){ };
		ret = vnpu_dump_quotas(skb, cb, dev, &cursor->key);
		vnpu_device_put(dev);
		if (!ret)
			cursor->device++;
	}
	if (!ret)
		ret = vnpu_dump_host_quotas(skb, cb, &cursor->host_key);
	return skb->len ?: ret;
}

static int vnpu_quota_take_key(struct sk_buff *skb, struct genl_info *info,
			       struct vnpu_quota_key *key)
{
	kuid_t uid;

	if (GENL_REQ_ATTR_CHECK(info, VNPU_A_QUOTA_SCOPE) ||
	    GENL_REQ_ATTR_CHECK(info, VNPU_A_QUOTA_ID))
		return -EINVAL;
	key->resource = VNPU_QUOTA_RESOURCE_MEMORY;
	if (info->attrs[VNPU_A_QUOTA_RESOURCE])
		key->resource =
			nla_get_u32(info->attrs[VNPU_A_QUOTA_RESOURCE]);
	key->scope = nla_get_u32(info->attrs[VNPU_A_QUOTA_SCOPE]);
	key->id = nla_get_u64(info->attrs[VNPU_A_QUOTA_ID]);
	if (key->scope != VNPU_QUOTA_SCOPE_UID)
		return 0;
	uid = make_kuid(sk_user_ns(NETLINK_CB(skb).sk), key->id);
	if (key->id > U32_MAX || !uid_valid(uid)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VNPU_A_QUOTA_ID],
				    "invalid user id: must be mapped in the caller's user namespace");
		return -EINVAL;
	}
	key->id = __kuid_val(uid);
	return 0;
}

/* Set a quota of a client, which needs an account to end with its client. */
static int vnpu_quota_set_client(struct vnpu_device *dev,
				 const struct vnpu_quota_key *key, u64 limit,
				 struct vnpu_quota_state *state)
{
	struct vnpu_client *client = vnpu_client_get_by_id(key->id);
	struct vnpu_account *account;
	int ret;

	if (!client)
		return -ENOENT;
	account = vnpu_client_account(client, dev->index);
	ret = PTR_ERR_OR_ZERO(account);
	if (!ret)
		ret = vnpu_quota_set(dev, key, limit, state);
	vnpu_client_put(client);
	return ret;
}

/* Look up the device of a quota; NULL if the quota is of a host resource. */
static int vnpu_quota_take_device(struct genl_info *info,
				  const struct vnpu_quota_key *key,
				  struct vnpu_device **dev)
{
	*dev = NULL;
	if (!vnpu_quota_is_of_host(key->resource)) {
		*dev = vnpu_nl_device_get(info);
		return PTR_ERR_OR_ZERO(*dev);
	}
	if (info->attrs[VNPU_A_QUOTA_DEV_ID]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[VNPU_A_QUOTA_DEV_ID],
				    "this resource is of no device");
		return -EINVAL;
	}
	if (key->scope == VNPU_QUOTA_SCOPE_CGROUP) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[VNPU_A_QUOTA_SCOPE],
				    "cgroups have no quota of this resource");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int vnpu_quota_set_any(struct vnpu_device *dev,
			      const struct vnpu_quota_key *key, u64 limit,
			      struct vnpu_quota_state *state)
{
	int ret = 0;

	if (!dev)
		return vnpu_host_quota_set(key, limit, state);
	if (key->scope == VNPU_QUOTA_SCOPE_CLIENT)
		return vnpu_quota_set_client(dev, key, limit, state);
	if (key->scope == VNPU_QUOTA_SCOPE_CGROUP)
		ret = vnpu_cgroups_check_id(key->id);
	return ret ?: vnpu_quota_set(dev, key, limit, state);
}

/* Set a quota, and answer with it. A removal answers with the removed quota. */
int vnpu_nl_quota_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_quota_answer answer = {
		.user_ns = sk_user_ns(NETLINK_CB(skb).sk),
	};
	struct vnpu_quota_key key;
	struct vnpu_device *dev;
	struct sk_buff *reply;
	u64 limit;
	int ret;

	ret = vnpu_quota_take_key(skb, info, &key);
	if (ret)
		return ret;
	if (GENL_REQ_ATTR_CHECK(info, VNPU_A_QUOTA_LIMIT))
		return -EINVAL;
	limit = nla_get_u64(info->attrs[VNPU_A_QUOTA_LIMIT]);
	ret = vnpu_quota_take_device(info, &key, &dev);
	if (ret)
		return ret;
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	ret = reply ? vnpu_quota_set_any(dev, &key, limit, &answer.state) :
		      -ENOMEM;
	if (ret == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VNPU_A_QUOTA_ID],
				    "no such client or cgroup");
	if (dev) {
		answer.device = dev->index;
		vnpu_device_put(dev);
	}
	return vnpu_nl_reply_in(info, reply, ret, vnpu_fill_quota, &answer);
}

int vnpu_nl_quota_remove_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_quota_answer answer = {
		.user_ns = sk_user_ns(NETLINK_CB(skb).sk),
	};
	struct vnpu_quota_key key;
	struct vnpu_device *dev;
	struct sk_buff *reply;
	int ret;

	ret = vnpu_quota_take_key(skb, info, &key);
	if (ret)
		return ret;
	ret = vnpu_quota_take_device(info, &key, &dev);
	if (ret)
		return ret;
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		ret = -ENOMEM;
	else if (dev)
		ret = vnpu_quota_remove(dev, &key, &answer.state);
	else
		ret = vnpu_host_quota_remove(&key, &answer.state);
	if (ret == -ENOENT)
		NL_SET_ERR_MSG(info->extack, "no such quota");
	if (dev) {
		answer.device = dev->index;
		vnpu_device_put(dev);
	}
	return vnpu_nl_reply_in(info, reply, ret, vnpu_fill_quota, &answer);
}
