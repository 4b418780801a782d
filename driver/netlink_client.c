// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: clients, from the reader's point of view: process ids of
 * its pid namespace, user ids of its user namespace.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "client.h"
#include "device.h"
#include "genl.h"

static int vnpu_fill_usage_class(struct sk_buff *skb, u64 page_size,
				 const struct vnpu_usage_class *class)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE_CLASS);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_CLASS_PAGE_SIZE, page_size,
			      VNPU_A_CLIENT_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_CLASS_MEM_USED,
			      READ_ONCE(class->used),
			      VNPU_A_CLIENT_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_CLASS_MEM_OBJECTS,
			      READ_ONCE(class->objects),
			      VNPU_A_CLIENT_CLASS_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_usage(struct sk_buff *skb, const struct vnpu_usage *usage)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE);
	int i;

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
	for (i = 0; i < VNPU_BUDDY_CLASSES; i++)
		if (READ_ONCE(usage->class[i].objects) &&
		    vnpu_fill_usage_class(skb, vnpu_class_sizes[i],
					  &usage->class[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
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
			      READ_ONCE(client->map.count), VNPU_A_CLIENT_PAD) ||
	    nla_put_u32(skb, VNPU_A_CLIENT_STREAMS,
			atomic_read(&client->nr_streams)) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_BUSY,
			      vnpu_client_busy_ns(client),
			      VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_usage *usage = vnpu_client_peek_usage(client, i);

		if (usage && vnpu_fill_usage(skb, usage))
			return -EMSGSIZE;
	}
	return 0;
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

int vnpu_nl_client_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
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
