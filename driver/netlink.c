// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: what can be seen of the devices from outside.
 * uapi/netlink/vnpu.yaml specifies it.
 *
 * Every answer is of the reader's point of view: process ids of its pid
 * namespace, user ids of its user namespace. A device's lock is held only to
 * copy its figures, so that those of one answer agree with each other.
 */
#include <linux/err.h>
#include <net/genetlink.h>

#include "device.h"
#include "genl.h"
#include "inject.h"
#include "netlink.h"

/**
 * vnpu_nl_device_get() - the device that a request names
 * @info: the request
 *
 * Return: the device with a reference, or ERR_PTR of -EINVAL or -ENODEV.
 */
struct vnpu_device *vnpu_nl_device_get(struct genl_info *info)
{
	struct vnpu_device *dev;

	if (GENL_REQ_ATTR_CHECK(info, VNPU_A_REQUEST_DEVICE))
		return ERR_PTR(-EINVAL);
	dev = vnpu_device_get(nla_get_u32(info->attrs[VNPU_A_REQUEST_DEVICE]));
	if (dev)
		return dev;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VNPU_A_REQUEST_DEVICE],
			    "no such device");
	return ERR_PTR(-ENODEV);
}

/**
 * vnpu_nl_reply_in() - answer a request with one message that there is room for
 * @info: the request
 * @skb: the room, which is taken over; NULL where @ret says that there is none
 * @ret: what has come of the request: 0, or the -errno to end it with
 * @fill: puts the attributes of the answer
 * @arg: for @fill
 *
 * A request that changes something has the room first: who is told that there is
 * no memory knows that nothing has changed.
 *
 * Return: 0 or -errno.
 */
int vnpu_nl_reply_in(struct genl_info *info, struct sk_buff *skb, int ret,
		     vnpu_nl_fill_t fill, void *arg)
{
	void *hdr = NULL;

	if (!ret) {
		hdr = genlmsg_put_reply(skb, info, &vnpu_family, 0,
					info->genlhdr->cmd);
		ret = hdr ? fill(skb, arg) : -EMSGSIZE;
	}
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/**
 * vnpu_nl_reply() - answer a request with one message
 * @info: the request
 * @size: what the answer takes at most
 * @fill: puts its attributes
 * @arg: for @fill
 *
 * Return: 0 or -errno.
 */
int vnpu_nl_reply(struct genl_info *info, size_t size, vnpu_nl_fill_t fill,
		  void *arg)
{
	struct sk_buff *skb = genlmsg_new(size, GFP_KERNEL);

	return vnpu_nl_reply_in(info, skb, skb ? 0 : -ENOMEM, fill, arg);
}

/**
 * vnpu_nl_send_event() - tell all who listen, in all namespaces
 * @cmd: VNPU_CMD_*_NTF
 * @fill: puts its attributes
 * @arg: for @fill
 *
 * Nobody waits for an event: where it cannot be sent, it is not.
 */
void vnpu_nl_send_event(u8 cmd, vnpu_nl_fill_t fill, void *arg)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &vnpu_family, 0, cmd);
	if (!hdr || fill(skb, arg)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_allns(&vnpu_family, skb, 0, VNPU_NL_EVENTS);
}

/* As where a socket has no room: each that listens is told that one is lost. */
static void vnpu_nl_lose_event(void)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		genl_set_err(&vnpu_family, net, 0, VNPU_NL_EVENTS, -ENOBUFS);
	rcu_read_unlock();
}

/**
 * vnpu_nl_send_device_event() - tell all who listen of a device
 * @dev: the device
 * @client: who did it, or 0
 * @cmd: VNPU_CMD_*_NTF
 * @fill: puts its attributes
 * @arg: for @fill
 */
void vnpu_nl_send_device_event(struct vnpu_device *dev, u64 client, u8 cmd,
			       vnpu_nl_fill_t fill, void *arg)
{
	if (vnpu_inject_is_on() && vnpu_inject_event(dev, client))
		vnpu_nl_lose_event();
	else
		vnpu_nl_send_event(cmd, fill, arg);
}

static const struct nla_policy vnpu_device_policy[VNPU_A_REQUEST_DEVICE + 1] = {
	[VNPU_A_REQUEST_DEVICE] = { .type = NLA_U32 },
};

static const struct genl_ops vnpu_nl_ops[] = {
	{
		.cmd = VNPU_CMD_DEV_GET,
		.doit = vnpu_nl_dev_get_doit,
		.dumpit = vnpu_nl_dev_get_dumpit,
		.policy = vnpu_device_policy,
		.maxattr = VNPU_A_REQUEST_DEVICE,
	},
	{
		.cmd = VNPU_CMD_MEM_GET,
		.doit = vnpu_nl_mem_get_doit,
		.dumpit = vnpu_nl_mem_get_dumpit,
		.policy = vnpu_device_policy,
		.maxattr = VNPU_A_REQUEST_DEVICE,
	},
	{
		.cmd = VNPU_CMD_CLIENT_GET,
		.start = vnpu_nl_client_get_start,
		.dumpit = vnpu_nl_client_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_EXITED_GET,
		.dumpit = vnpu_nl_exited_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_MAP_GET,
		.doit = vnpu_nl_map_get_doit,
		.policy = vnpu_map_policy,
		.maxattr = ARRAY_SIZE(vnpu_map_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_FIT_GET,
		.doit = vnpu_nl_fit_get_doit,
		.policy = vnpu_fit_policy,
		.maxattr = ARRAY_SIZE(vnpu_fit_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_COMPACT,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_compact_doit,
		.policy = vnpu_device_policy,
		.maxattr = VNPU_A_REQUEST_DEVICE,
	},
	{
		.cmd = VNPU_CMD_SLAB_GET,
		.dumpit = vnpu_nl_slab_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_QUOTA_GET,
		.dumpit = vnpu_nl_quota_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_QUOTA_SET,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_quota_set_doit,
		.policy = vnpu_quota_policy,
		.maxattr = ARRAY_SIZE(vnpu_quota_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_QUOTA_REMOVE,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_quota_remove_doit,
		.policy = vnpu_quota_remove_policy,
		.maxattr = ARRAY_SIZE(vnpu_quota_remove_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_STREAM_GET,
		.dumpit = vnpu_nl_stream_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_ENGINE_GET,
		.dumpit = vnpu_nl_engine_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_INJECT_SET,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_inject_set_doit,
		.policy = vnpu_inject_policy,
		.maxattr = ARRAY_SIZE(vnpu_inject_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_INJECT_GET,
		.flags = GENL_ADMIN_PERM,
		.dumpit = vnpu_nl_inject_get_dumpit,
	},
	{
		.cmd = VNPU_CMD_RESET,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_reset_doit,
		.policy = vnpu_device_policy,
		.maxattr = VNPU_A_REQUEST_DEVICE,
	},
	{
		.cmd = VNPU_CMD_DEV_ADD,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_dev_add_doit,
		.policy = vnpu_dev_add_policy,
		.maxattr = ARRAY_SIZE(vnpu_dev_add_policy) - 1,
	},
	{
		.cmd = VNPU_CMD_DEV_REMOVE,
		.flags = GENL_ADMIN_PERM,
		.doit = vnpu_nl_dev_remove_doit,
		.policy = vnpu_device_policy,
		.maxattr = VNPU_A_REQUEST_DEVICE,
	},
};

static const struct genl_multicast_group vnpu_nl_groups[] = {
	[VNPU_NL_EVENTS] = { .name = VNPU_MCGRP_EVENTS },
};

struct genl_family vnpu_family __ro_after_init = {
	.name = VNPU_FAMILY_NAME,
	.version = VNPU_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = vnpu_nl_ops,
	.n_ops = ARRAY_SIZE(vnpu_nl_ops),
	.mcgrps = vnpu_nl_groups,
	.n_mcgrps = ARRAY_SIZE(vnpu_nl_groups),
};

/**
 * vnpu_netlink_register() - make the family
 *
 * Return: 0 or -errno.
 */
int __init vnpu_netlink_register(void)
{
	return genl_register_family(&vnpu_family);
}

/**
 * vnpu_netlink_unregister() - take the family away
 */
void vnpu_netlink_unregister(void)
{
	genl_unregister_family(&vnpu_family);
}
