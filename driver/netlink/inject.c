// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: requests for fault injection and resets, and events of
 * hangs, resets and changes of health.
 */
#include <linux/err.h>
#include <net/genetlink.h>

#include "base/device.h"
#include "exec/engine.h"
#include "ras/inject.h"
#include "genl.h"
#include "netlink.h"

static_assert(VNPU_A_INJECT_DEV_ID == VNPU_A_REQUEST_DEVICE);
static_assert(VNPU_ENGINE_CLASS_COPY == VNPU_ENGINE_COPY);
static_assert(VNPU_ENGINE_CLASS_VECTOR == VNPU_ENGINE_VECTOR);
/* The specification limits classes of faults by this number. */
static_assert(VNPU_ENGINE_CLASS_VECTOR == 1);

/* An injected fault and its device: the contents of a message. */
struct vnpu_device_injection {
	const struct vnpu_device *dev;
	struct vnpu_injection fault;
};

/* Add the attributes that select the passes at which the fault happens. */
static int vnpu_put_inject_point(struct sk_buff *skb, const struct vnpu_injection *fault)
{
	if (fault->kind == VNPU_INJECT_KIND_ENGINE_SLOW)
		return 0;
	if (fault->ppm)
		return nla_put_u32(skb, VNPU_A_INJECT_PPM, fault->ppm) ?:
		       nla_put_u64_64bit(skb, VNPU_A_INJECT_SEED, fault->seed,
					 VNPU_A_INJECT_PAD);
	return nla_put_u64_64bit(skb, VNPU_A_INJECT_NTH, fault->nth,
				 VNPU_A_INJECT_PAD) ?:
	       (fault->every ?
		nla_put_u64_64bit(skb, VNPU_A_INJECT_EVERY, fault->every,
				  VNPU_A_INJECT_PAD) : 0);
}

static int vnpu_fill_injection(struct sk_buff *skb, void *arg)
{
	const struct vnpu_device_injection *df = arg;
	const struct vnpu_injection *fault = &df->fault;

	if (nla_put_u32(skb, VNPU_A_INJECT_DEV_ID, df->dev->index) ||
	    nla_put_u32(skb, VNPU_A_INJECT_KIND, fault->kind) ||
	    (fault->client != VNPU_INJECT_ANY_CLIENT &&
	     nla_put_u64_64bit(skb, VNPU_A_INJECT_CLIENT_ID, fault->client,
			       VNPU_A_INJECT_PAD)) ||
	    (fault->class != VNPU_INJECT_ANY_CLASS &&
	     nla_put_u32(skb, VNPU_A_INJECT_CLASS, fault->class)) ||
	    (fault->addr &&
	     nla_put_u64_64bit(skb, VNPU_A_INJECT_ADDR, fault->addr,
			       VNPU_A_INJECT_PAD)) ||
	    (fault->delay_us &&
	     nla_put_u64_64bit(skb, VNPU_A_INJECT_DELAY_US, fault->delay_us,
			       VNPU_A_INJECT_PAD)) ||
	    vnpu_put_inject_point(skb, fault) ||
	    nla_put_u64_64bit(skb, VNPU_A_INJECT_HITS, fault->hits,
			      VNPU_A_INJECT_PAD))
		return -EMSGSIZE;
	return 0;
}

static void vnpu_nl_parse_injection(struct genl_info *info, struct vnpu_injection *fault)
{
	struct nlattr **attrs = info->attrs;

	*fault = (struct vnpu_injection){
		.client = VNPU_INJECT_ANY_CLIENT,
		.class = VNPU_INJECT_ANY_CLASS,
	};
	if (attrs[VNPU_A_INJECT_KIND])
		fault->kind = nla_get_u32(attrs[VNPU_A_INJECT_KIND]);
	if (attrs[VNPU_A_INJECT_CLIENT_ID])
		fault->client = nla_get_u64(attrs[VNPU_A_INJECT_CLIENT_ID]);
	if (attrs[VNPU_A_INJECT_CLASS])
		fault->class = nla_get_u32(attrs[VNPU_A_INJECT_CLASS]);
	if (attrs[VNPU_A_INJECT_NTH])
		fault->nth = nla_get_u64(attrs[VNPU_A_INJECT_NTH]);
	if (attrs[VNPU_A_INJECT_DELAY_US])
		fault->delay_us = nla_get_u64(attrs[VNPU_A_INJECT_DELAY_US]);
	if (attrs[VNPU_A_INJECT_ADDR])
		fault->addr = nla_get_u64(attrs[VNPU_A_INJECT_ADDR]);
	if (attrs[VNPU_A_INJECT_EVERY])
		fault->every = nla_get_u64(attrs[VNPU_A_INJECT_EVERY]);
	if (attrs[VNPU_A_INJECT_PPM])
		fault->ppm = nla_get_u32(attrs[VNPU_A_INJECT_PPM]);
	if (attrs[VNPU_A_INJECT_SEED])
		fault->seed = nla_get_u64(attrs[VNPU_A_INJECT_SEED]);
}

static int vnpu_inject_change(struct genl_info *info, struct vnpu_device *dev,
			      struct vnpu_injection *fault)
{
	int ret;

	if (!info->attrs[VNPU_A_INJECT_CLEAR]) {
		if (GENL_REQ_ATTR_CHECK(info, VNPU_A_INJECT_KIND))
			return -EINVAL;
		ret = vnpu_inject_check(fault, info->extack);
		return ret ?: vnpu_inject_set(&dev->inject, fault);
	}
	if (info->attrs[VNPU_A_INJECT_KIND])
		return vnpu_inject_clear(&dev->inject, fault);
	vnpu_inject_clear_all(&dev->inject);
	return 0;
}

static int vnpu_fill_device_id(struct sk_buff *skb, void *arg)
{
	const struct vnpu_device_injection *df = arg;

	return nla_put_u32(skb, VNPU_A_INJECT_DEV_ID, df->dev->index);
}

/* Set or clear a fault; answer with the fault, or with the device alone. */
int vnpu_nl_inject_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_device *dev = vnpu_nl_device_get(info);
	struct vnpu_device_injection df = { .dev = dev };
	struct sk_buff *reply;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	vnpu_nl_parse_injection(info, &df.fault);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	ret = reply ? vnpu_inject_change(info, dev, &df.fault) : -ENOMEM;
	ret = vnpu_nl_reply_in(info, reply, ret,
			       info->attrs[VNPU_A_INJECT_CLEAR] ?
			       vnpu_fill_device_id : vnpu_fill_injection, &df);
	vnpu_device_put(dev);
	return ret;
}

/* Add as many whole messages as fit; set *@number to that of the last fault. */
static int vnpu_put_injections(struct sk_buff *skb, struct netlink_callback *cb,
			       struct vnpu_device *dev, u64 *number)
{
	struct vnpu_device_injection df = { .dev = dev };
	u64 next = *number;

	while (vnpu_inject_get_next(&dev->inject, &next, &df.fault)) {
		void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
					cb->nlh->nlmsg_seq, &vnpu_nl_family,
					NLM_F_MULTI, VNPU_CMD_INJECT_GET);

		if (!hdr)
			return -EMSGSIZE;
		genl_dump_check_consistent(cb, hdr);
		if (vnpu_fill_injection(skb, &df)) {
			genlmsg_cancel(skb, hdr);
			return -EMSGSIZE;
		}
		genlmsg_end(skb, hdr);
		*number = next;
	}
	return 0;
}

int vnpu_nl_inject_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long index = cb->args[0];
	u64 number = cb->args[1];
	struct vnpu_device *dev;
	int ret = 0;

	cb->seq = vnpu_devices_generation();
	while (!ret && (dev = vnpu_device_get_next(&index))) {
		/* The device that the last part ended with may be gone. */
		if (index != (unsigned long)cb->args[0])
			number = 0;
		cb->args[0] = index;
		ret = vnpu_put_injections(skb, cb, dev, &number);
		vnpu_device_put(dev);
		if (!ret)
			index++;
	}
	cb->args[0] = index;
	cb->args[1] = number;
	return skb->len ?: ret;
}
