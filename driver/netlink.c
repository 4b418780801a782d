// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: what can be seen of the devices from outside.
 * uapi/netlink/vnpu.yaml specifies it.
 *
 * Every answer is of the reader's point of view: process ids of its pid
 * namespace, user ids of its user namespace. A device's lock is held only to
 * copy its figures, so that those of one answer agree with each other.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/vnpu_netlink.h>

#include "client.h"
#include "device.h"
#include "netlink.h"

static struct genl_family vnpu_family;

static const u8 vnpu_class_shifts[VNPU_BUDDY_CLASSES] = {
	VNPU_PAGE_SHIFT_4K, VNPU_PAGE_SHIFT_2M, VNPU_PAGE_SHIFT_1G,
};

/* The figures of a device at one moment. */
struct vnpu_figures {
	struct vnpu_buddy_stats stats;
	u64 class_used[VNPU_BUDDY_CLASSES];
	u64 class_free[VNPU_BUDDY_CLASSES];
	u64 objects;
	u32 clients;
};

typedef int (*vnpu_fill_dev_t)(struct sk_buff *skb, struct vnpu_device *dev);

static u64 vnpu_bytes(u64 pages)
{
	return pages << VNPU_PAGE_SHIFT;
}

static void vnpu_device_figures(struct vnpu_device *dev, struct vnpu_figures *f)
{
	int i;

	mutex_lock(&dev->lock);
	vnpu_buddy_get_stats(dev->buddy, &f->stats);
	for (i = 0; i < VNPU_BUDDY_CLASSES; i++) {
		u8 order = vnpu_class_shifts[i] - VNPU_PAGE_SHIFT;

		f->class_used[i] = vnpu_bytes(dev->class_pages[i]);
		f->class_free[i] = vnpu_bytes(vnpu_buddy_free_pages(dev->buddy,
								    order));
	}
	f->objects = dev->nr_objects;
	f->clients = dev->nr_clients;
	mutex_unlock(&dev->lock);
}

static int vnpu_fill_dev(struct sk_buff *skb, struct vnpu_device *dev)
{
	char bus_id[VNPU_DEVICE_BUS_ID_LEN];
	struct vnpu_figures f;

	vnpu_device_figures(dev, &f);
	vnpu_device_bus_id(dev, bus_id);
	if (nla_put_u32(skb, VNPU_A_DEV_ID, dev->index) ||
	    nla_put_string(skb, VNPU_A_DEV_NAME, VNPU_PRODUCT_NAME) ||
	    nla_put(skb, VNPU_A_DEV_UUID, sizeof(dev->uuid), &dev->uuid) ||
	    nla_put_string(skb, VNPU_A_DEV_BUS_ID, bus_id) ||
	    nla_put_u32(skb, VNPU_A_DEV_HEALTH, dev->health) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_TOTAL,
			      vnpu_bytes(f.stats.total), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_USED,
			      vnpu_bytes(f.stats.total - f.stats.free),
			      VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_FREE,
			      vnpu_bytes(f.stats.free), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_LARGEST_FREE,
			      vnpu_bytes(f.stats.largest), VNPU_A_DEV_PAD) ||
	    nla_put_u32(skb, VNPU_A_DEV_CLIENTS, f.clients))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_mem_class(struct sk_buff *skb, const struct vnpu_figures *f,
			       unsigned int class)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_MEM_CLASS);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_PAGE_SIZE,
			      BIT_ULL(vnpu_class_shifts[class]),
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_USED, f->class_used[class],
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_FREE, f->class_free[class],
			      VNPU_A_MEM_CLASS_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_mem_order(struct sk_buff *skb, u32 order, u32 free_blocks)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_MEM_ORDER);

	if (!nest ||
	    nla_put_u32(skb, VNPU_A_MEM_ORDER_ORDER, order) ||
	    nla_put_u32(skb, VNPU_A_MEM_ORDER_FREE_BLOCKS, free_blocks))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_mem(struct sk_buff *skb, struct vnpu_device *dev)
{
	struct vnpu_figures f;
	u32 i;

	vnpu_device_figures(dev, &f);
	if (nla_put_u32(skb, VNPU_A_MEM_DEV_ID, dev->index) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_TOTAL, vnpu_bytes(f.stats.total),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_FREE, vnpu_bytes(f.stats.free),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_DIRTY, vnpu_bytes(f.stats.dirty),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_LARGEST_FREE,
			      vnpu_bytes(f.stats.largest), VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_OBJECTS, f.objects,
			      VNPU_A_MEM_PAD))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_BUDDY_CLASSES; i++)
		if (vnpu_fill_mem_class(skb, &f, i))
			return -EMSGSIZE;
	for (i = 0; i < VNPU_BUDDY_ORDERS; i++)
		if (f.stats.free_blocks[i] &&
		    vnpu_fill_mem_order(skb, i, f.stats.free_blocks[i]))
			return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_usage(struct sk_buff *skb, const struct vnpu_usage *usage)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE);

	if (!nest ||
	    nla_put_u32(skb, VNPU_A_CLIENT_USAGE_DEV_ID, usage->dev->index) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_USAGE_MEM_USED,
			      READ_ONCE(usage->used),
			      VNPU_A_CLIENT_USAGE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_USAGE_MEM_PEAK,
			      READ_ONCE(usage->peak),
			      VNPU_A_CLIENT_USAGE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_USAGE_MEM_OBJECTS,
			      READ_ONCE(usage->objects),
			      VNPU_A_CLIENT_USAGE_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* The name that the process has now, or had when it opened the file. */
static void vnpu_client_name(const struct vnpu_client *client,
			     char name[TASK_COMM_LEN])
{
	struct task_struct *task = get_pid_task(client->pid, PIDTYPE_TGID);

	if (task) {
		__get_task_comm(name, TASK_COMM_LEN, task);
		put_task_struct(task);
	} else {
		memcpy(name, client->comm, TASK_COMM_LEN);
	}
}

static int vnpu_fill_client(struct sk_buff *skb, struct vnpu_client *client,
			    struct user_namespace *user_ns)
{
	pid_t pid = pid_vnr(client->pid);
	char name[TASK_COMM_LEN] = "";
	unsigned int i;

	/* Who does not see the process does not see its name either. */
	if (pid)
		vnpu_client_name(client, name);
	if (nla_put_u64_64bit(skb, VNPU_A_CLIENT_ID, client->id,
			      VNPU_A_CLIENT_PAD) ||
	    nla_put_u32(skb, VNPU_A_CLIENT_PID, pid) ||
	    nla_put_string(skb, VNPU_A_CLIENT_NAME, name) ||
	    nla_put_u32(skb, VNPU_A_CLIENT_UID,
			from_kuid_munged(user_ns, client->uid)) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_BINDINGS,
			      READ_ONCE(client->map.count), VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_usage *usage = vnpu_client_peek_usage(client, i);

		if (usage && vnpu_fill_usage(skb, usage))
			return -EMSGSIZE;
	}
	return 0;
}

/* Puts a whole message into @skb, or nothing. */
static int vnpu_put_dev(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			u8 cmd, struct netlink_callback *cb,
			struct vnpu_device *dev, vnpu_fill_dev_t fill)
{
	void *hdr = genlmsg_put(skb, portid, seq, &vnpu_family, flags, cmd);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);
	ret = fill(skb, dev);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* Both sets of attributes that a device can be asked for by begin with it. */
static_assert(VNPU_A_DEV_ID == 1 && VNPU_A_MEM_DEV_ID == 1);
#define VNPU_A_REQUEST_DEVICE	1

static int vnpu_get_dev(struct genl_info *info, vnpu_fill_dev_t fill)
{
	struct vnpu_device *dev;
	struct sk_buff *skb;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, VNPU_A_REQUEST_DEVICE))
		return -EINVAL;
	dev = vnpu_device_get(nla_get_u32(info->attrs[VNPU_A_REQUEST_DEVICE]));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[VNPU_A_REQUEST_DEVICE],
				    "there is no such device");
		return -ENODEV;
	}
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb) {
		ret = -ENOMEM;
		goto out;
	}
	ret = vnpu_put_dev(skb, info->snd_portid, info->snd_seq, 0,
			   info->genlhdr->cmd, NULL, dev, fill);
	if (ret)
		nlmsg_free(skb);
	else
		ret = genlmsg_reply(skb, info);
out:
	vnpu_device_put(dev);
	return ret;
}

static int vnpu_dump_devs(struct sk_buff *skb, struct netlink_callback *cb,
			  u8 cmd, vnpu_fill_dev_t fill)
{
	unsigned long index = cb->args[0];
	struct vnpu_device *dev;
	int ret = 0;

	cb->seq = 1;
	while (!ret && (dev = vnpu_device_get_next(&index))) {
		ret = vnpu_put_dev(skb, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq, NLM_F_MULTI, cmd, cb,
				   dev, fill);
		vnpu_device_put(dev);
		if (!ret)
			index++;
	}
	cb->args[0] = index;
	/* What did not fit comes in the next part, unless nothing fits. */
	return skb->len ?: ret;
}

static int vnpu_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return vnpu_get_dev(info, vnpu_fill_dev);
}

static int vnpu_nl_dev_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return vnpu_dump_devs(skb, cb, VNPU_CMD_DEV_GET, vnpu_fill_dev);
}

static int vnpu_nl_mem_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return vnpu_get_dev(info, vnpu_fill_mem);
}

static int vnpu_nl_mem_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return vnpu_dump_devs(skb, cb, VNPU_CMD_MEM_GET, vnpu_fill_mem);
}

static int vnpu_put_client(struct sk_buff *skb, struct netlink_callback *cb,
			   struct vnpu_client *client)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_family, NLM_F_MULTI,
				VNPU_CMD_CLIENT_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_client(skb, client, sk_user_ns(NETLINK_CB(cb->skb).sk));
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static int vnpu_nl_client_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb)
{
	unsigned long id = cb->args[0];
	struct vnpu_client *client;
	int ret = 0;

	/* 0 would switch the check off. */
	cb->seq = vnpu_clients_generation() ?: 1;
	while (!ret && (client = vnpu_client_get_next(&id))) {
		ret = vnpu_put_client(skb, cb, client);
		vnpu_client_put(client);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	return skb->len ?: ret;
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
		.dumpit = vnpu_nl_client_get_dumpit,
	},
};

static struct genl_family vnpu_family __ro_after_init = {
	.name = VNPU_FAMILY_NAME,
	.version = VNPU_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = vnpu_nl_ops,
	.n_ops = ARRAY_SIZE(vnpu_nl_ops),
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
