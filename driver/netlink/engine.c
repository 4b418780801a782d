// SPDX-License-Identifier: GPL-2.0-only
/* The netlink family: the engines of all devices. */
#include <linux/ktime.h>
#include <net/genetlink.h>

#include "base/device.h"
#include "exec/core.h"
#include "exec/engine.h"
#include "genl.h"

static_assert(VNPU_ENGINE_COPY == VNPU_ENGINE_CLASS_COPY);
static_assert(VNPU_ENGINE_VECTOR == VNPU_ENGINE_CLASS_VECTOR);
static_assert(VNPU_ENGINE_AICORE == VNPU_ENGINE_CLASS_AICORE);

/*
 * A number below this names an engine of a device: its class and its index.
 * Higher numbers name cores by their index.
 */
#define VNPU_ENGINES_MAX	(VNPU_ENGINE_CLASSES * VNPU_ENGINE_MAX)

static u32 vnpu_engine_state(const struct vnpu_engine_stats *f)
{
	if (f->client)
		return VNPU_ENGINE_STATE_RUNNING;
	return f->asleep ? VNPU_ENGINE_STATE_ASLEEP : VNPU_ENGINE_STATE_POLLING;
}

static int vnpu_fill_engine(struct sk_buff *skb, const struct vnpu_device *dev,
			    u32 which, const struct vnpu_engine_stats *f)
{
	if (nla_put_u32(skb, VNPU_A_ENGINE_DEV_ID, dev->index) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_CLASS, which / VNPU_ENGINE_MAX) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_INDEX, which % VNPU_ENGINE_MAX) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_STATE, vnpu_engine_state(f)) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_BUSY, f->busy_ns,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_TASKS, f->tasks,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_TIME, ktime_get_ns(),
			      VNPU_A_ENGINE_PAD))
		return -EMSGSIZE;
	if (!f->client)
		return 0;
	if (nla_put_u64_64bit(skb, VNPU_A_ENGINE_CLIENT_ID, f->client,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_STREAM_NUMBER, f->number))
		return -EMSGSIZE;
	return 0;
}

static u32 vnpu_core_state(const struct vnpu_core_stats *f)
{
	if (f->running)
		return VNPU_ENGINE_STATE_RUNNING;
	return f->is_attached ? VNPU_ENGINE_STATE_ASLEEP :
				VNPU_ENGINE_STATE_STARTING;
}

static int vnpu_fill_core(struct sk_buff *skb, const struct vnpu_device *dev,
			  u32 index, const struct vnpu_core_stats *f)
{
	if (nla_put_u32(skb, VNPU_A_ENGINE_DEV_ID, dev->index) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_CLASS, VNPU_ENGINE_CLASS_AICORE) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_INDEX, index) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_STATE, vnpu_core_state(f)) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_BUSY, f->busy_ns,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_TASKS, f->launches,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_CLIENT_ID, f->client,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_TIME, ktime_get_ns(),
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_ENGINE_FAILURES, f->failures,
			      VNPU_A_ENGINE_PAD) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_LAUNCHES, f->running) ||
	    nla_put_u32(skb, VNPU_A_ENGINE_WAITING, f->waiting))
		return -EMSGSIZE;
	return 0;
}

/* Put an engine, or a core if @core is not NULL. */
static int vnpu_put_engine(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct vnpu_device *dev, u32 which,
			   const struct vnpu_engine_stats *f,
			   const struct vnpu_core_stats *core)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_ENGINE_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = core ? vnpu_fill_core(skb, dev, which - VNPU_ENGINES_MAX, core) :
		     vnpu_fill_engine(skb, dev, which, f);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* Dump the cores of a device, starting with number @which. */
static int vnpu_dump_dev_cores(struct sk_buff *skb,
			       struct netlink_callback *cb,
			       const struct vnpu_device *dev, u32 *which)
{
	u32 index = *which - VNPU_ENGINES_MAX;
	struct vnpu_core_stats f;

	for (; vnpu_core_read_next(dev->engines, &index, &f); index++) {
		int ret;

		*which = VNPU_ENGINES_MAX + index;
		ret = vnpu_put_engine(skb, cb, dev, *which, NULL, &f);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/* Dump the engines of a device, starting with number @which. */
static int vnpu_dump_dev_engines(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 const struct vnpu_device *dev, u32 *which)
{
	for (; *which < VNPU_ENGINES_MAX; ++*which) {
		struct vnpu_engine_stats f;
		int ret;

		if (!vnpu_engines_read(dev->engines, *which / VNPU_ENGINE_MAX,
				       *which % VNPU_ENGINE_MAX, &f))
			continue;
		ret = vnpu_put_engine(skb, cb, dev, *which, &f, NULL);
		if (ret)
			return ret;
	}
	return vnpu_dump_dev_cores(skb, cb, dev, which);
}

int vnpu_nl_engine_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long at = cb->args[0], index = at;
	u32 which = cb->args[1];
	struct vnpu_device *dev;
	int ret = 0;

	cb->seq = vnpu_devices_generation();
	while (!ret && (dev = vnpu_device_get_next(&index))) {
		/* The device at which the last part ended may be gone. */
		if (index != at)
			which = 0;
		ret = vnpu_dump_dev_engines(skb, cb, dev, &which);
		vnpu_device_put(dev);
		if (!ret)
			index++;
	}
	cb->args[0] = index;
	cb->args[1] = which;
	return skb->len ?: ret;
}
