/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a device had no memory for a request, or none for this client. */
#ifndef VNPU_OOM_H
#define VNPU_OOM_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "core/buddy.h"
#include "quota.h"

struct pid;
struct vnpu_client;
struct vnpu_devmem_spec;
struct vnpu_usage;

/* How many of the largest holders are named. */
#define VNPU_OOM_HOLDERS	3

/**
 * struct vnpu_oom_holding - what a client holds of the device
 * @client: id of the client
 * @used: bytes; never 0
 * @pid: the process, with a reference
 * @uid: its user
 * @comm: its name
 */
struct vnpu_oom_holding {
	u64 client;
	u64 used;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
};

/**
 * struct vnpu_oom - a request that the device had no memory for
 * @count: how many the client had, with this
 * @client: id of the client
 * @length: bytes, as they were asked for
 * @alignment: of a contiguous object, or 0
 * @device: index of the device
 * @page_shift: page class
 * @flags: VNPU_MEM_F_*
 * @compaction_helps: moving others would make room; false where another report
 *	was being made
 * @nr_holders: how many there are
 * @quota: what did not allow it, if it was a quota
 * @stats: the device's memory at that time
 * @class_free: pages free in whole pages of each class
 * @holders: who has most, of those whom the quota counts; the largest first
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
	struct vnpu_buddy_stats stats;
	u32 class_free[VNPU_BUDDY_CLASSES];
	struct vnpu_oom_holding holders[VNPU_OOM_HOLDERS];
};

void vnpu_oom_report(struct vnpu_usage *usage,
		     const struct vnpu_devmem_spec *spec,
		     const struct vnpu_quota_state *refusal);
void vnpu_oom_report_quota(struct vnpu_usage *usage,
			   const struct vnpu_quota_state *refusal);
bool vnpu_oom_get_last(struct vnpu_client *client, struct vnpu_oom *oom);
void vnpu_oom_put_holders(struct vnpu_oom *oom);

#endif
