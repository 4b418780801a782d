// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family, which shows the state of the devices to monitors
 * and administrators. uapi/netlink/vnpu.yaml specifies it.
 *
 * Each answer takes the point of view of its reader: it holds process ids of
 * the reader's pid namespace and user ids of its user namespace. A handler
 * holds a lock of the device only while it copies statistics, so that those of
 * one answer agree with each other.
 */
#include <linux/err.h>
#include <net/genetlink.h>

#include "base/device.h"
#include "ras/inject.h"
#include "genl.h"
#include "netlink.h"

/**
 * vnpu_nl_device_get() - look up the device that a request names
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
 * vnpu_nl_reply_in() - answer a request in a message that is already allocated
 * @info: the request
 * @skb: the message, which this function consumes; NULL if @ret is an error
 *       because the message could not be allocated
 * @ret: the result of the request so far: 0, or the -errno to fail it with
 * @fill: the function that adds the attributes of the answer
 * @arg: the argument for @fill
 *
 * A handler that changes something allocates the message before the change. If
 * user space gets -ENOMEM for want of a message, nothing has changed.
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
 * @size: the maximum size of the answer's attributes, in bytes
 * @fill: the function that adds the attributes
 * @arg: the argument for @fill
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
 * vnpu_nl_send_event() - send an event to all listeners in all net namespaces
 * @cmd: VNPU_CMD_*_NTF
 * @fill: the function that adds the attributes
 * @arg: the argument for @fill
 *
 * No caller depends on the event: if it cannot be sent, it is dropped.
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

/* Report a lost event to each listener, as if its socket had no room left. */
static void vnpu_nl_lose_event(void)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		genl_set_err(&vnpu_family, net, 0, VNPU_NL_EVENTS, -ENOBUFS);
	rcu_read_unlock();
}

/**
 * vnpu_nl_send_device_event() - send an event of a device to all listeners
 * @dev: the device
 * @client: the id of the client that caused the event, or 0
 * @cmd: VNPU_CMD_*_NTF
 * @fill: the function that adds the attributes
 * @arg: the argument for @fill
 *
 * Fault injection may make the listeners lose the event.
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
		.cmd = VNPU_CMD_HISTORY_GET,
		.dumpit = vnpu_nl_history_get_dumpit,
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
		.cmd = VNPU_CMD_KERNEL_GET,
		.dumpit = vnpu_nl_kernel_get_dumpit,
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
 * vnpu_netlink_register() - register the netlink family
 *
 * Return: 0 or -errno.
 */
int __init vnpu_netlink_register(void)
{
	return genl_register_family(&vnpu_family);
}

/**
 * vnpu_netlink_unregister() - unregister the netlink family
 */
void vnpu_netlink_unregister(void)
{
	genl_unregister_family(&vnpu_family);
}
