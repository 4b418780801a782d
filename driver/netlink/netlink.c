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
		hdr = genlmsg_put_reply(skb, info, &vnpu_nl_family, 0,
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
	hdr = genlmsg_put(skb, 0, 0, &vnpu_nl_family, 0, cmd);
	if (!hdr || fill(skb, arg)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_allns(&vnpu_nl_family, skb, 0, VNPU_NLGRP_EVENTS);
}

/* Report a lost event to each listener, as if its socket had no room left. */
static void vnpu_nl_lose_event(void)
{
	struct net *net;

	rcu_read_lock();
	for_each_net_rcu(net)
		genl_set_err(&vnpu_nl_family, net, 0, VNPU_NLGRP_EVENTS, -ENOBUFS);
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

/* Merge the "do" and the "dump" of a command; the policy of "do" is of both. */
static void __init vnpu_nl_merge_ops(struct genl_family *family)
{
	static struct genl_ops merged[__VNPU_CMD_MAX];
	const struct genl_ops *op;
	unsigned int n = 0;

	for (op = family->ops; op < family->ops + family->n_ops; op++) {
		if (n && merged[n - 1].cmd == op->cmd) {
			merged[n - 1].start = op->start;
			merged[n - 1].dumpit = op->dumpit;
			merged[n - 1].done = op->done;
			merged[n - 1].flags |= op->flags;
		} else {
			merged[n++] = *op;
		}
	}
	family->ops = merged;
	family->n_ops = n;
}

/**
 * vnpu_netlink_register() - register the netlink family
 *
 * Return: 0 or -errno.
 */
int __init vnpu_netlink_register(void)
{
	vnpu_nl_merge_ops(&vnpu_nl_family);
	return genl_register_family(&vnpu_nl_family);
}

/**
 * vnpu_netlink_unregister() - unregister the netlink family
 */
void vnpu_netlink_unregister(void)
{
	genl_unregister_family(&vnpu_nl_family);
}
