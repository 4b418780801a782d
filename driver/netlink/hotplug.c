// SPDX-License-Identifier: GPL-2.0-only
/* The netlink family: requests that add and remove devices. */
#include <linux/err.h>
#include <net/genetlink.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "base/events.h"
#include "base/params.h"
#include "device/create.h"
#include "genl.h"
#include "netlink.h"

/* Add a device, and answer with its description. */
int vnpu_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[VNPU_A_DEV_MEM_TOTAL];
	u64 size = attr ? nla_get_u64(attr) : 0;
	struct vnpu_device *dev;
	int ret;

	if (attr && !vnpu_params_arena_is_valid(size)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "invalid memory size: must be a multiple of 2 MiB, up to 512 GiB");
		return -EINVAL;
	}
	dev = vnpu_device_add(size);
	if (dev == ERR_PTR(-ENOSPC))
		NL_SET_ERR_MSG(info->extack, "no free device id: all 64 are in use");
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = vnpu_nl_reply(info, GENLMSG_DEFAULT_SIZE, vnpu_fill_dev, dev);
	/* A caller that gets an error does not know the device to remove. */
	if (ret)
		vnpu_device_remove(dev->index);
	vnpu_device_put(dev);
	return ret;
}

static int vnpu_fill_dev_id(struct sk_buff *skb, void *arg)
{
	const struct vnpu_device *dev = arg;

	return nla_put_u32(skb, VNPU_A_DEV_ID, dev->index);
}

/* Remove a device, and answer with its id. */
int vnpu_nl_dev_remove_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_device *dev = vnpu_nl_device_get(info);
	struct sk_buff *reply;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	/* -ENODEV if another request has removed the device meanwhile. */
	ret = reply ? vnpu_device_remove(dev->index) : -ENOMEM;
	ret = vnpu_nl_reply_in(info, reply, ret, vnpu_fill_dev_id, dev);
	vnpu_device_put(dev);
	return ret;
}

/**
 * vnpu_event_send_dev_add() - notify all listeners of a new device
 * @dev: the device
 */
void vnpu_event_send_dev_add(struct vnpu_device *dev)
{
	vnpu_nl_send_device_event(dev, 0, VNPU_CMD_DEV_ADD_NTF, vnpu_fill_dev,
				  dev);
}

/**
 * vnpu_event_send_dev_remove() - notify all listeners that a device is
 * removed
 * @dev: the device
 */
void vnpu_event_send_dev_remove(struct vnpu_device *dev)
{
	vnpu_nl_send_device_event(dev, 0, VNPU_CMD_DEV_REMOVE_NTF,
				  vnpu_fill_dev_id, dev);
}
