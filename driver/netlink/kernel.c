// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: the kernels that cores have run. Their names belong to a
 * process, so a reader that does not see the process sees none of them.
 */
#include <net/genetlink.h>

#include "base/client.h"
#include "base/device.h"
#include "exec/core.h"
#include "exec/engine.h"
#include "genl.h"

static int vnpu_fill_kernel(struct sk_buff *skb, const struct vnpu_core *core,
			    pid_t pid, const struct vnpu_core_kernel *f)
{
	if (nla_put_u64_64bit(skb, VNPU_A_KERNEL_CLIENT_ID, core->client->id,
			      VNPU_A_KERNEL_PAD) ||
	    nla_put_u32(skb, VNPU_A_KERNEL_PID, pid) ||
	    nla_put_u32(skb, VNPU_A_KERNEL_DEV_ID, core->dev->index) ||
	    nla_put_string(skb, VNPU_A_KERNEL_NAME, f->name ?: "") ||
	    nla_put_u64_64bit(skb, VNPU_A_KERNEL_LAUNCHES, f->launches,
			      VNPU_A_KERNEL_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_KERNEL_BUSY, f->busy_ns,
			      VNPU_A_KERNEL_PAD))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_put_kernel(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct vnpu_core *core, pid_t pid,
			   const struct vnpu_core_kernel *f)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_KERNEL_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_kernel(skb, core, pid, f);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* Dump the kernels of a core, starting with number @number. */
static int vnpu_dump_core_kernels(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  const struct vnpu_core *core, u32 *number)
{
	pid_t pid = vnpu_nl_visible_pid(cb, core->client);
	struct vnpu_core_kernel f;
	int ret;

	if (!pid)
		return 0;
	for (; *number < VNPU_ENGINE_KERNELS_MAX; ++*number) {
		if (!vnpu_core_read_kernel(core, *number, &f))
			continue;
		ret = vnpu_put_kernel(skb, cb, core, pid, &f);
		if (ret)
			return ret;
	}
	return 0;
}

/* Dump the kernels of a device, starting with @number of the core @index. */
static int vnpu_dump_dev_kernels(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 const struct vnpu_device *dev, u32 *index,
				 u32 *number)
{
	u32 at = *index;
	struct vnpu_core *core;
	int ret;

	while ((core = vnpu_core_get_next(dev->engines, &at))) {
		/* The core at which the last part ended may be gone. */
		if (at != *index)
			*number = 0;
		*index = at;
		ret = vnpu_dump_core_kernels(skb, cb, core, number);
		vnpu_core_put(core);
		if (ret)
			return ret;
		at++;
		cond_resched();
	}
	return 0;
}

int vnpu_nl_kernel_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long at = cb->args[0], id = at;
	u32 index = cb->args[1], number = cb->args[2];
	struct vnpu_device *dev;
	int ret = 0;

	cb->seq = vnpu_devices_generation();
	while (!ret && (dev = vnpu_device_get_next(&id))) {
		/* The device at which the last part ended may be gone. */
		if (id != at) {
			index = 0;
			number = 0;
			at = id;
		}
		ret = vnpu_dump_dev_kernels(skb, cb, dev, &index, &number);
		vnpu_device_put(dev);
		if (!ret) {
			id++;
			index = 0;
			number = 0;
		}
	}
	cb->args[0] = id;
	cb->args[1] = index;
	cb->args[2] = number;
	return skb->len ?: ret;
}
