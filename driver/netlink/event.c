// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: events. They reach listeners in all namespaces, so they
 * name clients by their ids. A listener gets the process of a client, as seen
 * from its own namespaces, with client-get.
 */
#include <net/genetlink.h>

#include <linux/vnpu.h>

#include "account/quota_report.h"
#include "base/device.h"
#include "base/events.h"
#include "client/history.h"
#include "compact/compact.h"
#include "alloc/frag.h"
#include "exec/task_fault.h"
#include "genl.h"
#include "netlink.h"

static int vnpu_fill_oom_class(struct sk_buff *skb, const struct vnpu_oom *oom,
			       int class)
{
	u64 largest = vnpu_pages_to_bytes(oom->stats.largest_class[class]);
	u64 free = vnpu_pages_to_bytes(oom->class_free[class]);
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_OOM_CLASS);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_PAGE_SIZE,
			      vnpu_class_sizes[class], VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_FREE, free,
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_MEM_CLASS_LARGEST, largest,
			      VNPU_A_MEM_CLASS_PAD) ||
	    nla_put_u32(skb, VNPU_A_MEM_CLASS_FRAG_INDEX,
			vnpu_frag_index(free, largest)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_oom_holder(struct sk_buff *skb,
				const struct vnpu_oom_holding *holder)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_OOM_HOLDER);

	if (!nest ||
	    nla_put_u64_64bit(skb, VNPU_A_OOM_HOLDER_CLIENT_ID, holder->client,
			      VNPU_A_OOM_HOLDER_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_OOM_HOLDER_MEM_USED, holder->used,
			      VNPU_A_OOM_HOLDER_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_oom(struct sk_buff *skb, void *arg)
{
	const struct vnpu_oom *oom = arg;
	u32 i;

	if (nla_put_u64_64bit(skb, VNPU_A_OOM_CLIENT_ID, oom->client,
			      VNPU_A_OOM_PAD) ||
	    nla_put_u32(skb, VNPU_A_OOM_DEV_ID, oom->device) ||
	    nla_put_u64_64bit(skb, VNPU_A_OOM_LENGTH, oom->length,
			      VNPU_A_OOM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_OOM_PAGE_SIZE,
			      BIT_ULL(oom->page_shift), VNPU_A_OOM_PAD) ||
	    (oom->flags & VNPU_MEM_F_CONTIGUOUS &&
	     nla_put_flag(skb, VNPU_A_OOM_CONTIGUOUS)) ||
	    nla_put_u64_64bit(skb, VNPU_A_OOM_FREE,
			      vnpu_pages_to_bytes(oom->stats.free),
			      VNPU_A_OOM_PAD) ||
	    nla_put_u32(skb, VNPU_A_OOM_FRAG_INDEX,
			vnpu_frag_index(oom->stats.free, oom->stats.largest)) ||
	    nla_put_u32(skb, VNPU_A_OOM_COMPACTION_HELPS,
			oom->compaction_helps))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		if (vnpu_fill_oom_class(skb, oom, i))
			return -EMSGSIZE;
	for (i = 0; i < oom->nr_holders; i++)
		if (vnpu_fill_oom_holder(skb, &oom->holders[i]))
			return -EMSGSIZE;
	return 0;
}

/*
 * A user has a different id in each user namespace, so the event of a user's
 * quota contains no user id.
 */
static int vnpu_fill_quota_event(struct sk_buff *skb, void *arg)
{
	const struct vnpu_oom *oom = arg;
	const struct vnpu_quota_state *quota = &oom->quota;

	if (nla_put_u32(skb, VNPU_A_QUOTA_DEV_ID, oom->device) ||
	    nla_put_u32(skb, VNPU_A_QUOTA_RESOURCE, quota->key.resource) ||
	    nla_put_u32(skb, VNPU_A_QUOTA_SCOPE, quota->key.scope) ||
	    (quota->key.scope != VNPU_QUOTA_SCOPE_UID &&
	     nla_put_u64_64bit(skb, VNPU_A_QUOTA_ID, quota->key.id,
			       VNPU_A_QUOTA_PAD)) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_LIMIT, quota->limit,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_USED, quota->used,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_REFUSED, quota->refused,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_CLIENT_ID, oom->client,
			      VNPU_A_QUOTA_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_QUOTA_LENGTH, oom->length,
			      VNPU_A_QUOTA_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_oom() - notify all listeners of a failed allocation
 * @dev: the device
 * @oom: the report of the failed allocation
 */
void vnpu_event_send_oom(struct vnpu_device *dev, const struct vnpu_oom *oom)
{
	vnpu_nl_send_device_event(dev, oom->client, VNPU_CMD_OOM_NTF,
				  vnpu_fill_oom, (void *)oom);
}

/**
 * vnpu_event_send_quota() - notify all listeners of a refusal by a quota
 * @dev: the device
 * @oom: the report of the refused allocation
 */
void vnpu_event_send_quota(struct vnpu_device *dev,
			   const struct vnpu_oom *oom)
{
	vnpu_nl_send_device_event(dev, oom->client, VNPU_CMD_QUOTA_NTF,
				  vnpu_fill_quota_event, (void *)oom);
}

static int vnpu_fill_open(struct sk_buff *skb, void *arg)
{
	const struct vnpu_history *history = arg;

	if (nla_put_u64_64bit(skb, VNPU_A_CLIENT_ID, history->id,
			      VNPU_A_CLIENT_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_OPENED, history->opened,
			      VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_open() - notify all listeners of a new client
 * @history: the record of the client that outlives it
 */
void vnpu_event_send_open(const struct vnpu_history *history)
{
	vnpu_nl_send_event(VNPU_CMD_OPEN_NTF, vnpu_fill_open, (void *)history);
}

static int vnpu_fill_close(struct sk_buff *skb, void *arg)
{
	const struct vnpu_history *history = arg;

	if (vnpu_fill_open(skb, arg) ||
	    nla_put_u32(skb, VNPU_A_CLIENT_STREAMS, history->nr_streams) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_BUSY, history->busy_ns,
			      VNPU_A_CLIENT_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_CLIENT_CLOSED, history->closed,
			      VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_close() - notify all listeners that a client has closed
 * @history: the record of the client that outlives it
 */
void vnpu_event_send_close(const struct vnpu_history *history)
{
	vnpu_nl_send_event(VNPU_CMD_CLOSE_NTF, vnpu_fill_close, (void *)history);
}

static int vnpu_fill_compact(struct sk_buff *skb, void *arg)
{
	const struct vnpu_compaction *c = arg;
	u32 reason = c->client ? VNPU_COMPACT_REASON_ALLOCATION :
				 VNPU_COMPACT_REASON_REQUEST;

	if (nla_put_u32(skb, VNPU_A_COMPACTION_DEV_ID, c->dev->index) ||
	    nla_put_u32(skb, VNPU_A_COMPACTION_REASON, reason) ||
	    (c->client &&
	     nla_put_u64_64bit(skb, VNPU_A_COMPACTION_CLIENT_ID, c->client,
			       VNPU_A_COMPACTION_PAD)) ||
	    nla_put_u64_64bit(skb, VNPU_A_COMPACTION_MOVED, c->moved,
			      VNPU_A_COMPACTION_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_COMPACTION_OBJECTS, c->nr_moves,
			      VNPU_A_COMPACTION_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_COMPACTION_DURATION, c->ns,
			      VNPU_A_COMPACTION_PAD) ||
	    nla_put_u32(skb, VNPU_A_COMPACTION_RESULT, -c->result))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_compact() - notify all listeners that a compaction has
 * ended
 * @compaction: the results of the compaction
 */
void vnpu_event_send_compact(const struct vnpu_compaction *compaction)
{
	vnpu_nl_send_device_event(compaction->dev, compaction->client,
				  VNPU_CMD_COMPACT_NTF, vnpu_fill_compact,
				  (void *)compaction);
}

/*
 * The position of a client's window in memory is secret from other processes.
 * The event gives the address as an offset into the window, or no address if it
 * is outside the window.
 */
static int vnpu_fill_task_fault(struct sk_buff *skb, void *arg)
{
	const struct vnpu_task_fault *fault = arg;

	if (nla_put_u32(skb, VNPU_A_TASK_FAULT_DEV_ID, fault->device) ||
	    nla_put_u64_64bit(skb, VNPU_A_TASK_FAULT_CLIENT_ID, fault->client,
			      VNPU_A_TASK_FAULT_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_TASK_FAULT_STREAM_ID, fault->stream,
			      VNPU_A_TASK_FAULT_PAD) ||
	    nla_put_u32(skb, VNPU_A_TASK_FAULT_STREAM_NUMBER, fault->number) ||
	    nla_put_u64_64bit(skb, VNPU_A_TASK_FAULT_TASK, fault->seq,
			      VNPU_A_TASK_FAULT_PAD) ||
	    nla_put_u32(skb, VNPU_A_TASK_FAULT_OP, fault->op) ||
	    nla_put_u32(skb, VNPU_A_TASK_FAULT_ERROR, -fault->error) ||
	    (fault->is_inside &&
	     nla_put_u64_64bit(skb, VNPU_A_TASK_FAULT_OFFSET, fault->offset,
			       VNPU_A_TASK_FAULT_PAD)) ||
	    nla_put_u64_64bit(skb, VNPU_A_TASK_FAULT_UNREPORTED, fault->unreported,
			      VNPU_A_TASK_FAULT_PAD))
		return -EMSGSIZE;
	return 0;
}

/**
 * vnpu_event_send_task_fault() - notify all listeners of a task that failed
 * at an address
 * @fault: the task, and the position of the fault
 */
void vnpu_event_send_task_fault(const struct vnpu_task_fault *fault)
{
	struct vnpu_device *dev = vnpu_device_get(fault->device);

	/* A device that is gone has no fault injection left to check. */
	if (!dev) {
		vnpu_nl_send_event(VNPU_CMD_TASK_FAULT_NTF,
				   vnpu_fill_task_fault, (void *)fault);
		return;
	}
	vnpu_nl_send_device_event(dev, fault->client, VNPU_CMD_TASK_FAULT_NTF,
				  vnpu_fill_task_fault, (void *)fault);
	vnpu_device_put(dev);
}
