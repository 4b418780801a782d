// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports on requests that a quota refused. alloc/oom_report.c reports on
 * requests for which the arena has too little free memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "account.h"
#include "quota_report.h"
#include "quota.h"
#include "trace.h"

static void vnpu_oom_log_quota(const struct vnpu_oom *oom)
{
	static const char *const scopes[] = {
		[VNPU_QUOTA_SCOPE_CLIENT] = "client",
		[VNPU_QUOTA_SCOPE_UID] = "uid",
		[VNPU_QUOTA_SCOPE_CGROUP] = "cgroup",
	};
	static const char *const resources[] = {
		[VNPU_QUOTA_RESOURCE_STREAMS] = "stream",
		[VNPU_QUOTA_RESOURCE_EVENTS] = "event",
		[VNPU_QUOTA_RESOURCE_COUNTERS] = "counter",
	};
	const struct vnpu_quota_state *quota = &oom->quota;

	if (quota->key.resource != VNPU_QUOTA_RESOURCE_MEMORY) {
		pr_info("device %u: quota exceeded: client %llu requested one more %s; %s %llu uses %llu of %llu\n",
			oom->device, oom->client,
			resources[quota->key.resource],
			scopes[quota->key.scope], quota->key.id, quota->used,
			quota->limit);
		return;
	}
	pr_info("device %u: quota exceeded: client %llu requested %llu bytes; %s %llu uses %llu of %llu KiB\n",
		oom->device, oom->client, oom->length,
		scopes[quota->key.scope], quota->key.id, quota->used >> 10,
		quota->limit >> 10);
}

/**
 * vnpu_oom_notify_quota() - report a request that a quota refused
 * @oom: the request
 * @dev: the device
 */
void vnpu_oom_notify_quota(const struct vnpu_oom *oom, struct vnpu_device *dev)
{
	trace_vnpu_quota(oom);
	if (vnpu_quota_may_notify(dev, &oom->quota.key)) {
		vnpu_event_send_quota(dev, oom);
		vnpu_oom_log_quota(oom);
	}
}

/**
 * vnpu_oom_report_quota() - report that a quota refused one more number
 * @account: the account of the client that made the request
 * @refusal: the quota
 *
 * The client can query its limits with VNPU_IOCTL_LIMITS_QUERY. Does nothing if
 * the host is out of memory, too.
 */
void vnpu_oom_report_quota(struct vnpu_account *account,
			   const struct vnpu_quota_state *refusal)
{
	struct vnpu_oom *oom;

	oom = kzalloc(sizeof(*oom), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!oom)
		return;
	oom->client = account->client->id;
	oom->device = account->dev->index;
	oom->length = 1;
	oom->quota = *refusal;
	vnpu_oom_notify_quota(oom, account->dev);
	kfree(oom);
}

/**
 * vnpu_oom_put_holders() - drop the references of a report
 * @oom: the report
 */
void vnpu_oom_put_holders(struct vnpu_oom *oom)
{
	u32 i;

	for (i = 0; i < oom->nr_holders; i++)
		put_pid(oom->holders[i].pid);
}
