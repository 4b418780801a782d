// SPDX-License-Identifier: GPL-2.0-only
/* Netlink: hangs, resets and health of devices. */
#include <linux/err.h>
#include <net/genetlink.h>

#include "base/device.h"
#include "base/events.h"
#include "exec/engine.h"
#include "exec/reset.h"
#include "ras/inject.h"
#include "genl.h"
#include "netlink.h"

/* Reset a device, and answer with its state after the reset. */
int vnpu_nl_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_device *dev = vnpu_nl_device_get(info);
	struct sk_buff *reply;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	ret = reply ? vnpu_device_reset(dev, VNPU_RESET_REASON_ADMIN) : -ENOMEM;
	ret = vnpu_nl_reply_in(info, reply, ret, vnpu_fill_dev, dev);
	vnpu_device_put(dev);
	return ret;
}

static int vnpu_fill_hang(struct sk_buff *skb, void *arg)
{
	const struct vnpu_hang *hang = arg;

	if (nla_put_u32(skb, VNPU_A_HANG_DEV_ID, hang->device) ||
	    nla_put_u32(skb, VNPU_A_HANG_CLASS, hang->class) ||
	    nla_put_u32(skb, VNPU_A_HANG_ENGINE, hang->engine) ||
	    nla_put_u64_64bit(skb, VNPU_A_HANG_TIME_NS, hang->ns,
			      VNPU_A_HANG_PAD))
		return -EMSGSIZE;
	if (!hang->stream)
		return 0;
	if (nla_put_u64_64bit(skb, VNPU_A_HANG_CLIENT_ID, hang->client,
			      VNPU_A_HANG_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_HANG_STREAM_ID, hang->stream,
			      VNPU_A_HANG_PAD) ||
	    nla_put_u32(skb, VNPU_A_HANG_STREAM_NUMBER, hang->number) ||
	    nla_put_u64_64bit(skb, VNPU_A_HANG_TASK, hang->seq,
			      VNPU_A_HANG_PAD) ||
	    nla_put_u32(skb, VNPU_A_HANG_OP, hang->op))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_hang() - notify all listeners of a hung engine
 * @dev: the device of the engine
 * @hang: the engine and its task
 */
void vnpu_event_send_hang(struct vnpu_device *dev,
			  const struct vnpu_hang *hang)
{
	vnpu_nl_send_device_event(dev, hang->client, VNPU_CMD_HANG_NTF,
				  vnpu_fill_hang, (void *)hang);
}

struct vnpu_reset_event {
	const struct vnpu_device *dev;
	u32 reason;
	u64 resets;
};

static int vnpu_fill_reset(struct sk_buff *skb, void *arg)
{
	const struct vnpu_reset_event *event = arg;

	if (nla_put_u32(skb, VNPU_A_RESET_DEV_ID, event->dev->index) ||
	    nla_put_u32(skb, VNPU_A_RESET_REASON, event->reason) ||
	    nla_put_u64_64bit(skb, VNPU_A_RESET_COUNT, event->resets,
			      VNPU_A_RESET_PAD) ||
	    nla_put_u32(skb, VNPU_A_RESET_HEALTH,
			READ_ONCE(event->dev->health)))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_reset() - notify all listeners that a device was reset
 * @dev: the device
 * @reason: VNPU_RESET_REASON_*
 * @resets: the number of resets of the device, including this one
 */
void vnpu_event_send_reset(struct vnpu_device *dev, u32 reason, u64 resets)
{
	struct vnpu_reset_event event = {
		.dev = dev,
		.reason = reason,
		.resets = resets,
	};

	vnpu_nl_send_device_event(dev, 0, VNPU_CMD_RESET_NTF, vnpu_fill_reset,
				  &event);
}

struct vnpu_health_event {
	const struct vnpu_device *dev;
	u32 before;
};

static int vnpu_fill_health(struct sk_buff *skb, void *arg)
{
	const struct vnpu_health_event *event = arg;
	const struct vnpu_device *dev = event->dev;

	if (nla_put_u32(skb, VNPU_A_HEALTH_DEV_ID, dev->index) ||
	    nla_put_u32(skb, VNPU_A_HEALTH_STATE, dev->health) ||
	    nla_put_u32(skb, VNPU_A_HEALTH_BEFORE, event->before) ||
	    nla_put_u64_64bit(skb, VNPU_A_HEALTH_HANGS, dev->engines->hangs,
			      VNPU_A_HEALTH_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_HEALTH_RESETS, dev->engines->resets,
			      VNPU_A_HEALTH_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_HEALTH_ECC_CORRECTED,
			      atomic64_read(&dev->ecc.corrected),
			      VNPU_A_HEALTH_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_HEALTH_ECC_UNCORRECTED,
			      atomic64_read(&dev->ecc.uncorrected),
			      VNPU_A_HEALTH_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_health() - notify all listeners of a change of health
 * @dev: the device; the caller holds vnpu_engines.reset_lock
 * @before: the previous health, VNPU_HEALTH_*
 */
void vnpu_event_send_health(struct vnpu_device *dev, u32 before)
{
	struct vnpu_health_event event = { .dev = dev, .before = before };

	lockdep_assert_held(&dev->engines->reset_lock);
	vnpu_nl_send_device_event(dev, 0, VNPU_CMD_HEALTH_NTF,
				  vnpu_fill_health, &event);
}
