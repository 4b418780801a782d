// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: the slabs of each client on each device. A slab holds
 * objects smaller than a page.
 */
#include <linux/slab.h>
#include <net/genetlink.h>

#include "base/client.h"
#include "va/slabs.h"
#include "genl.h"

/* The contents of a message about one client on one device. */
struct vnpu_slab_answer {
	struct vnpu_client *client;
	unsigned int device;
	struct vnpu_slab_stats stats[VNPU_SLAB_CLASSES];
};

static int vnpu_fill_slab_class(struct sk_buff *skb, u32 class,
				const struct vnpu_slab_stats *stats)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_SLAB_CLASS);

	if (!nest ||
	    nla_put_u32(skb, VNPU_A_SLAB_CLASS_SIZE,
			vnpu_slab_class_size(class)) ||
	    nla_put_u64_64bit(skb, VNPU_A_SLAB_CLASS_SLABS, stats->slabs,
			      VNPU_A_SLAB_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_SLAB_CLASS_HELD, stats->held,
			      VNPU_A_SLAB_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_SLAB_CLASS_OBJECTS, stats->objects,
			      VNPU_A_SLAB_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_SLAB_CLASS_WASTE,
			      stats->used - stats->requested,
			      VNPU_A_SLAB_CLASS_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_slabs(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct vnpu_slab_answer *answer)
{
	u32 class;

	if (nla_put_u64_64bit(skb, VNPU_A_SLAB_CLIENT_ID, answer->client->id,
			      VNPU_A_SLAB_PAD) ||
	    nla_put_u32(skb, VNPU_A_SLAB_PID,
			vnpu_nl_visible_pid(cb, answer->client)) ||
	    nla_put_u32(skb, VNPU_A_SLAB_DEV_ID, answer->device))
		return -EMSGSIZE;
	for (class = 0; class < VNPU_SLAB_CLASSES; class++)
		if (answer->stats[class].slabs &&
		    vnpu_fill_slab_class(skb, class, &answer->stats[class]))
			return -EMSGSIZE;
	return 0;
}

static int vnpu_put_slabs(struct sk_buff *skb, struct netlink_callback *cb,
			  const struct vnpu_slab_answer *answer)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_SLAB_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_slabs(skb, cb, answer);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static bool vnpu_slab_answer_is_empty(const struct vnpu_slab_answer *answer)
{
	u32 class;

	for (class = 0; class < VNPU_SLAB_CLASSES; class++)
		if (answer->stats[class].slabs)
			return false;
	return true;
}

/* Return the next device that the client has used, or VNPU_MAX_DEVICES. */
static unsigned int vnpu_slab_next_device(const struct vnpu_slab_answer *answer)
{
	return find_next_bit(answer->client->devices, VNPU_MAX_DEVICES,
			     answer->device);
}

/* Dump the client's slabs on each device, starting with @answer->device. */
static int vnpu_dump_client_slabs(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  struct vnpu_slab_answer *answer)
{
	for (;; answer->device++) {
		struct vnpu_slabs *slabs;
		int ret;

		answer->device = vnpu_slab_next_device(answer);
		if (answer->device == VNPU_MAX_DEVICES)
			return 0;
		slabs = vnpu_slabs_of(answer->client, answer->device);
		if (!slabs)
			continue;
		vnpu_slabs_read(slabs, answer->stats);
		if (vnpu_slab_answer_is_empty(answer))
			continue;
		ret = vnpu_put_slabs(skb, cb, answer);
		if (ret)
			return ret;
	}
	return 0;
}

int vnpu_nl_slab_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long id = cb->args[0], at = id;
	struct vnpu_slab_answer *answer;
	int ret = 0;

	answer = kmalloc(sizeof(*answer), GFP_KERNEL);
	if (!answer)
		return -ENOMEM;
	answer->device = cb->args[1];
	/* Sequence number 0 would switch the consistency check off. */
	cb->seq = vnpu_clients_generation() ?: 1;
	while (!ret && (answer->client = vnpu_client_get_next(&id))) {
		/* The client at which the last part ended may be gone. */
		if (id != at)
			answer->device = 0;
		ret = vnpu_dump_client_slabs(skb, cb, answer);
		vnpu_client_put(answer->client);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	cb->args[1] = answer->device;
	kfree(answer);
	return skb->len ?: ret;
}
