// SPDX-License-Identifier: GPL-2.0-only
/* The netlink family: devices and their memory. */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <net/genetlink.h>

#include <linux/vnpu.h>

#include "account/id_pool.h"
#include "base/device.h"
#include "base/soc.h"
#include "compact/compact.h"
#include "alloc/frag.h"
#include "exec/engine.h"
#include "genl.h"

const u64 vnpu_class_sizes[VNPU_PAGE_CLASSES] = {
	BIT_ULL(VNPU_PAGE_SHIFT_4K),
	BIT_ULL(VNPU_PAGE_SHIFT_2M),
	BIT_ULL(VNPU_PAGE_SHIFT_1G),
};

/* The memory statistics of a device, all read at one moment. */
struct vnpu_device_stats {
	struct vnpu_allocator_stats stats;
	u64 class_used[VNPU_PAGE_CLASSES];
	u64 class_free[VNPU_PAGE_CLASSES];
	u64 class_largest[VNPU_PAGE_CLASSES];
	u64 objects;
	u64 requested;
	u64 cleared;
	u64 moved;
	u64 compactions;
	u32 clients;
};

static void vnpu_device_read_stats(struct vnpu_device *dev, struct vnpu_device_stats *f)
{
	int i;

	spin_lock(&dev->lock);
	vnpu_pages_get_stats_locked(dev, &f->stats);
	for (i = 0; i < VNPU_PAGE_CLASSES; i++) {
		u8 order = ilog2(vnpu_class_sizes[i]) - VNPU_PAGE_SHIFT;
		u32 free = vnpu_allocator_free_pages(dev->allocator, order);

		free = vnpu_pages_limit_locked(dev, free, order);
		f->class_used[i] = vnpu_pages_to_bytes(dev->class_pages[i]);
		f->class_free[i] = vnpu_pages_to_bytes(free);
		f->class_largest[i] =
			vnpu_pages_to_bytes(f->stats.largest_class[i]);
	}
	f->objects = dev->nr_objects;
	f->requested = dev->requested;
	f->cleared = dev->cleared;
	f->moved = dev->moved;
	f->compactions = dev->nr_compactions;
	f->clients = dev->nr_clients;
	spin_unlock(&dev->lock);
}

static int vnpu_fill_dev_class(struct sk_buff *skb, struct vnpu_device *dev,
			       u32 class)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_DEV_ENGINES);
	struct vnpu_class_stats f;

	vnpu_engines_read_class(dev->engines, class, &f);
	if (!nest ||
	    nla_put_u32(skb, VNPU_A_DEV_ENGINES_CLASS, class) ||
	    nla_put_u32(skb, VNPU_A_DEV_ENGINES_COUNT, f.count) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_ENGINES_BUSY, f.busy_ns,
			      VNPU_A_DEV_ENGINES_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_dev_engines(struct sk_buff *skb, struct vnpu_device *dev)
{
	const struct vnpu_id_pool *streams = &dev->id_pools[VNPU_ID_STREAM];
	u32 class;

	if (nla_put_u32(skb, VNPU_A_DEV_STREAMS, VNPU_MAX_STREAMS -
			vnpu_id_pool_available(streams)) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_TIME, ktime_get_ns(),
			      VNPU_A_DEV_PAD))
		return -EMSGSIZE;
	for (class = 0; class < VNPU_ENGINE_STATS_CLASSES; class++)
		if (vnpu_fill_dev_class(skb, dev, class))
			return -EMSGSIZE;
	return 0;
}

int vnpu_fill_dev(struct sk_buff *skb, void *arg)
{
	char bus_id[VNPU_DEVICE_BUS_ID_LEN];
	struct vnpu_device *dev = arg;
	struct vnpu_device_stats f;

	vnpu_device_read_stats(dev, &f);
	vnpu_device_bus_id(dev, bus_id);
	if (nla_put_u32(skb, VNPU_A_DEV_ID, dev->index) ||
	    nla_put_string(skb, VNPU_A_DEV_NAME, VNPU_PRODUCT_NAME) ||
	    nla_put(skb, VNPU_A_DEV_UUID, sizeof(dev->uuid), &dev->uuid) ||
	    nla_put_string(skb, VNPU_A_DEV_BUS_ID, bus_id) ||
	    nla_put_u32(skb, VNPU_A_DEV_HEALTH, READ_ONCE(dev->health)) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_TOTAL,
			      vnpu_pages_to_bytes(f.stats.total), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_USED,
			      vnpu_pages_to_bytes(f.stats.total - f.stats.free),
			      VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_FREE,
			      vnpu_pages_to_bytes(f.stats.free), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_MEM_LARGEST_FREE,
			      vnpu_pages_to_bytes(f.stats.largest), VNPU_A_DEV_PAD) ||
	    nla_put_u32(skb, VNPU_A_DEV_CLIENTS, f.clients) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_RESETS,
			      READ_ONCE(dev->engines->resets), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_HANGS,
			      READ_ONCE(dev->engines->hangs), VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_ECC_CORRECTED,
			      atomic64_read(&dev->ecc.corrected),
			      VNPU_A_DEV_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_DEV_ECC_UNCORRECTED,
			      atomic64_read(&dev->ecc.uncorrected),
			      VNPU_A_DEV_PAD) ||
	    nla_put_string(skb, VNPU_A_DEV_SOC, dev->soc->name) ||
	    nla_put_u32(skb, VNPU_A_DEV_AI_CORES, dev->soc->ai_cores) ||
	    nla_put_u32(skb, VNPU_A_DEV_VECTOR_CORES, dev->soc->vector_cores) ||
	    vnpu_fill_dev_engines(skb, dev))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_mem_class(struct sk_buff *skb, const struct vnpu_device_stats *f,
			       unsigned int class)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_MEM_CLASS);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_PAGE_SIZE,
			      vnpu_class_sizes[class], VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_USED, f->class_used[class],
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_FREE, f->class_free[class],
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_LARGEST,
			      f->class_largest[class], VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u32(skb, VNPU_A_MEM_CLASS_FRAG_INDEX,
			vnpu_frag_index(f->class_free[class],
					f->class_largest[class])))
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

static int vnpu_fill_mem_state(struct sk_buff *skb,
			       const struct vnpu_device_stats *f)
{
	u64 used = 0;
	int i;

	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		used += f->class_used[i];
	if (nla_put_u32(skb, VNPU_A_MEM_RUNS, f->stats.runs) ||
	    nla_put_u32(skb, VNPU_A_MEM_FRAG_INDEX,
			vnpu_frag_index(f->stats.free, f->stats.largest)) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_WASTE, used - f->requested,
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLEARED, f->cleared,
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_COMPACTIONS, f->compactions,
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_MOVED, f->moved, VNPU_A_MEM_PAD))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_mem(struct sk_buff *skb, void *arg)
{
	struct vnpu_device *dev = arg;
	struct vnpu_device_stats f;
	u32 i;

	vnpu_device_read_stats(dev, &f);
	if (nla_put_u32(skb, VNPU_A_MEM_DEV_ID, dev->index) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_TOTAL, vnpu_pages_to_bytes(f.stats.total),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_FREE, vnpu_pages_to_bytes(f.stats.free),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_DIRTY, vnpu_pages_to_bytes(f.stats.dirty),
			      VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_LARGEST_FREE,
			      vnpu_pages_to_bytes(f.stats.largest), VNPU_A_MEM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_OBJECTS, f.objects,
			      VNPU_A_MEM_PAD) ||
	    vnpu_fill_mem_state(skb, &f))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		if (vnpu_fill_mem_class(skb, &f, i))
			return -EMSGSIZE;
	for (i = 0; i < VNPU_ALLOCATOR_ORDERS; i++)
		if (f.stats.free_blocks[i] &&
		    vnpu_fill_mem_order(skb, i, f.stats.free_blocks[i]))
			return -EMSGSIZE;
	return 0;
}

/* Add a whole message to @skb, or nothing. */
static int vnpu_put_dev(struct sk_buff *skb, struct netlink_callback *cb,
			u8 cmd, struct vnpu_device *dev, vnpu_nl_fill_t fill)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				cmd);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = fill(skb, dev);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static int vnpu_get_dev(struct genl_info *info, vnpu_nl_fill_t fill)
{
	struct vnpu_device *dev = vnpu_nl_device_get(info);
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	ret = vnpu_nl_reply(info, GENLMSG_DEFAULT_SIZE, fill, dev);
	vnpu_device_put(dev);
	return ret;
}

static int vnpu_dump_devs(struct sk_buff *skb, struct netlink_callback *cb,
			  u8 cmd, vnpu_nl_fill_t fill)
{
	unsigned long index = cb->args[0];
	struct vnpu_device *dev;
	int ret = 0;

	cb->seq = vnpu_devices_generation();
	while (!ret && (dev = vnpu_device_get_next(&index))) {
		ret = vnpu_put_dev(skb, cb, cmd, dev, fill);
		vnpu_device_put(dev);
		if (!ret)
			index++;
	}
	cb->args[0] = index;
	/* Return an error only if not even one message fits. */
	return skb->len ?: ret;
}

int vnpu_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return vnpu_get_dev(info, vnpu_fill_dev);
}

int vnpu_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return vnpu_dump_devs(skb, cb, VNPU_CMD_DEV_GET, vnpu_fill_dev);
}

int vnpu_nl_mem_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return vnpu_get_dev(info, vnpu_fill_mem);
}

/* Compact a device, and answer with the state of its memory. */
int vnpu_nl_compact_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct vnpu_device *dev = vnpu_nl_device_get(info);
	struct sk_buff *reply;
	int ret;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	ret = reply ? vnpu_compact_device(dev) : -ENOMEM;
	ret = vnpu_nl_reply_in(info, reply, ret, vnpu_fill_mem, dev);
	vnpu_device_put(dev);
	return ret;
}

int vnpu_nl_mem_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return vnpu_dump_devs(skb, cb, VNPU_CMD_MEM_GET, vnpu_fill_mem);
}
