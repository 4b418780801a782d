/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports on requests that failed because of too little device memory or a quota.
 */
#ifndef VNPU_QUOTA_REPORT_H
#define VNPU_QUOTA_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/vnpu.h>

#include "core/allocator.h"
#include "quota.h"

struct pid;
struct vnpu_client;
struct vnpu_device;
struct vnpu_account;

/* Number of clients in a report: those that hold the most memory. */
#define VNPU_OOM_HOLDERS	3

/**
 * struct vnpu_oom_holding - the memory that a client holds on the device
 * @client: id of the client
 * @used: bytes; never 0
 * @pid: the client's process, with a reference
 * @uid: the client's user
 * @comm: name of the process
 */
struct vnpu_oom_holding {
	u64 client;
	u64 used;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
};

/**
 * struct vnpu_oom - a request for device memory that failed
 * @count: number of failed requests of the client, including this one
 * @client: id of the client
 * @length: requested bytes
 * @alignment: alignment of a contiguous object, or 0
 * @device: index of the device
 * @page_shift: page class
 * @flags: VNPU_MEM_F_*
 * @compaction_helps: true if moving other objects would make room; false also
 *	if another report was being made at the time
 * @nr_holders: number of entries in @holders
 * @quota: the quota that refused the request, if a quota did
 * @stats: the device's memory at the time
 * @class_free: free pages in whole pages of each class
 * @holders: the clients that hold the most memory, the largest first; if a
 *	quota refused the request, only clients that it covers
 */
struct vnpu_oom {
	u64 count;
	u64 client;
	u64 length;
	u64 alignment;
	u32 device;
	u32 page_shift;
	u32 flags;
	bool compaction_helps;
	u32 nr_holders;
	struct vnpu_quota_state quota;
	struct vnpu_allocator_stats stats;
	u32 class_free[VNPU_PAGE_CLASSES];
	struct vnpu_oom_holding holders[VNPU_OOM_HOLDERS];
};

void vnpu_oom_report_quota(struct vnpu_account *account,
			   const struct vnpu_quota_state *refusal);
void vnpu_oom_put_holders(struct vnpu_oom *oom);
void vnpu_oom_notify_quota(const struct vnpu_oom *oom, struct vnpu_device *dev);

static inline bool vnpu_oom_is_quota(const struct vnpu_oom *oom)
{
	return oom->quota.key.scope != VNPU_QUOTA_SCOPE_NONE;
}

#endif
