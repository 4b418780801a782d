// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports about requests that failed for lack of device memory, or by a quota.
 * They go to observers (a netlink event, a tracepoint, the log), and to the
 * client, which can query its last one.
 *
 * A report is made only when a request has failed, so successful requests pay
 * nothing. Its numbers are not from a single moment, and other clients may free
 * memory in the meantime.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "account/quota_report.h"
#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "fit.h"
#include "frag.h"
#include "oom_report.h"
#include "trace.h"

static void vnpu_oom_add_holder(struct vnpu_oom *oom, struct vnpu_client *client,
				u64 used)
{
	struct vnpu_oom_holding *holders = oom->holders;
	u32 i = oom->nr_holders;

	if (i == VNPU_OOM_HOLDERS) {
		if (used <= holders[--i].used)
			return;
		put_pid(holders[i].pid);
	} else {
		oom->nr_holders++;
	}
	for (; i && holders[i - 1].used < used; i--)
		holders[i] = holders[i - 1];
	holders[i].client = client->id;
	holders[i].used = used;
	holders[i].pid = get_pid(client->pid);
	holders[i].uid = client->uid;
	vnpu_client_name(client, holders[i].comm);
}

static void vnpu_oom_find_holders(struct vnpu_oom *oom)
{
	struct vnpu_client *client;
	unsigned long id = 0;

	while ((client = vnpu_client_get_next(&id))) {
		struct vnpu_account *account =
			vnpu_client_peek_account(client, oom->device);
		u64 used = account ? READ_ONCE(account->used) : 0;

		if (used && (!vnpu_oom_is_quota(oom) ||
			     vnpu_quota_concerns(&oom->quota.key, client)))
			vnpu_oom_add_holder(oom, client, used);
		vnpu_client_put(client);
		id++;
		cond_resched();
	}
}

static u32 vnpu_oom_class_free_locked(const struct vnpu_device *dev,
				      unsigned int order)
{
	u32 pages = vnpu_allocator_free_pages(dev->allocator, order);

	return vnpu_pages_limit_locked(dev, pages, order);
}

static void vnpu_oom_look_at(struct vnpu_oom *oom, struct vnpu_device *dev)
{
	u8 order = oom->page_shift - VNPU_PAGE_SHIFT;
	struct vnpu_pages_req req = {
		.order = order,
		.contiguous = oom->flags & VNPU_MEM_F_CONTIGUOUS,
	};
	struct vnpu_fit fit;
	u64 pages;

	spin_lock(&dev->lock);
	vnpu_pages_get_stats_locked(dev, &oom->stats);
	oom->class_free[0] = oom->stats.free;
	oom->class_free[1] = vnpu_oom_class_free_locked(dev, VNPU_PAGE_ORDER_2M);
	oom->class_free[2] = vnpu_oom_class_free_locked(dev, VNPU_PAGE_ORDER_1G);
	spin_unlock(&dev->lock);

	/* Planning takes time, so skip it if compaction cannot help. */
	pages = DIV_ROUND_UP_ULL(oom->length, VNPU_PAGE_SIZE);
	if ((!req.contiguous && !order) || pages > oom->stats.free ||
	    vnpu_oom_is_quota(oom))
		return;
	req.count = round_up(pages, BIT(order));
	if (oom->alignment > VNPU_PAGE_SIZE)
		req.align_order = ilog2(oom->alignment) - VNPU_PAGE_SHIFT;
	/* Do not wait: the holder may have little processor time. */
	if (!mutex_trylock(&dev->oom_lock))
		return;
	/*
	 * One that was tried, and failed, found no place for contiguous
	 * objects.
	 */
	oom->compaction_helps =
		!vnpu_fit_check(dev, &req,
				oom->flags & VNPU_MEM_F_NO_COMPACT, &fit) &&
		fit.fits_compacted;
	mutex_unlock(&dev->oom_lock);
}

static void vnpu_oom_log(const struct vnpu_oom *oom)
{
	static DEFINE_RATELIMIT_STATE(limit, DEFAULT_RATELIMIT_INTERVAL, 3);
	u32 i;

	if (!__ratelimit(&limit))
		return;
	pr_info("device %u: cannot allocate %llu bytes%s in %lu KiB pages for client %llu: %llu of %llu KiB are free, %llu KiB in the longest run, fragmentation %u/1000, compaction would%s help\n",
		oom->device, oom->length,
		oom->flags & VNPU_MEM_F_CONTIGUOUS ? " in one run" : "",
		BIT(oom->page_shift - 10), oom->client,
		(u64)oom->stats.free << 2, (u64)oom->stats.total << 2,
		(u64)oom->stats.largest << 2,
		vnpu_frag_index(oom->stats.free, oom->stats.largest),
		oom->compaction_helps ? "" : " not");
	for (i = 0; i < oom->nr_holders; i++)
		pr_info("device %u: client %llu, process %d (%s), holds %llu KiB\n",
			oom->device, oom->holders[i].client,
			pid_nr(oom->holders[i].pid), oom->holders[i].comm,
			oom->holders[i].used >> 10);
}

static bool vnpu_oom_may_send(struct vnpu_client *client)
{
	bool may;

	/* __ratelimit() returns false while another thread is in it. */
	mutex_lock(&client->oom_lock);
	may = __ratelimit(&client->oom_limit);
	mutex_unlock(&client->oom_lock);
	return may;
}

static void vnpu_oom_notify(const struct vnpu_oom *oom,
			    const struct vnpu_account *account)
{
	if (vnpu_oom_is_quota(oom)) {
		vnpu_oom_notify_quota(oom, account->dev);
		return;
	}
	trace_vnpu_oom(oom);
	if (vnpu_oom_may_send(account->client))
		vnpu_event_send_oom(account->dev, oom);
	vnpu_oom_log(oom);
}

/*
 * Replace the client's last report by @oom, which the client takes over. Return
 * its number.
 */
static u64 vnpu_oom_set_last(struct vnpu_client *client, struct vnpu_oom *oom)
{
	struct vnpu_oom *old;
	u64 number;

	mutex_lock(&client->oom_lock);
	old = client->oom;
	number = old ? old->count + 1 : 1;
	oom->count = number;
	client->oom = oom;
	mutex_unlock(&client->oom_lock);
	if (old)
		vnpu_oom_put_holders(old);
	kfree(old);
	return number;
}

/**
 * vnpu_oom_report() - report that a request for device memory has failed
 * @account: the account of the client that made the request
 * @spec: the request
 * @refusal: the quota that refused the request, if a quota did
 *
 * Return: the number of the report, from 1 up in each client; or 0 if none is
 * made, because the host is out of memory, too.
 */
u64 vnpu_oom_report(struct vnpu_account *account,
		    const struct vnpu_devmem_spec *spec,
		    const struct vnpu_quota_state *refusal)
{
	struct vnpu_client *client = account->client;
	struct vnpu_oom *oom;

	oom = kzalloc(sizeof(*oom), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!oom)
		return 0;
	oom->client = client->id;
	oom->device = account->dev->index;
	oom->length = spec->length;
	oom->alignment = spec->alignment;
	oom->page_shift = spec->page_shift;
	oom->flags = spec->flags;
	oom->quota = *refusal;
	vnpu_oom_look_at(oom, account->dev);
	vnpu_oom_find_holders(oom);

	vnpu_oom_notify(oom, account);
	return vnpu_oom_set_last(client, oom);
}

/**
 * vnpu_oom_get_last() - get the report of a client's last failed request
 * @client: the client
 * @oom: filled with a copy, which the caller passes to vnpu_oom_put_holders()
 *
 * Return: true if there is one.
 */
bool vnpu_oom_get_last(struct vnpu_client *client, struct vnpu_oom *oom)
{
	bool found;
	u32 i;

	mutex_lock(&client->oom_lock);
	found = client->oom;
	if (found) {
		*oom = *client->oom;
		for (i = 0; i < oom->nr_holders; i++)
			get_pid(oom->holders[i].pid);
	}
	mutex_unlock(&client->oom_lock);
	return found;
}
