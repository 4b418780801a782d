// SPDX-License-Identifier: GPL-2.0-only
/* The ioctl that queries the last failed request for device memory. */
#include <linux/cred.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "account/quota_report.h"
#include "account/user.h"
#include "base/client.h"
#include "alloc/frag.h"
#include "alloc/oom_report.h"
#include "ioctl.h"

static u64 vnpu_oom_bytes(u32 pages)
{
	return (u64)pages << VNPU_PAGE_SHIFT;
}

static_assert(sizeof(struct vnpu_oom_holder) == 40);

/* Show the same as netlink shows the caller about this client. */
static void vnpu_oom_fill_holder(const struct vnpu_oom_holding *holding,
				 struct vnpu_oom_holder *holder)
{
	*holder = (struct vnpu_oom_holder){
		.out_client = holding->client,
		.out_used = holding->used,
		.out_pid = vnpu_uid_is_in_sight(holding->uid) ?
			   pid_vnr(holding->pid) : 0,
	};
	if (holder->out_pid)
		strscpy_pad((char *)holder->out_name, holding->comm,
			    VNPU_OOM_NAME_LEN);
}

static int vnpu_oom_write_holders(const struct vnpu_oom *oom, u64 user,
				  u32 count, u32 stride)
{
	struct vnpu_oom_holder holders[VNPU_OOM_HOLDERS];
	u32 i;

	count = min(count, oom->nr_holders);
	for (i = 0; i < count; i++)
		vnpu_oom_fill_holder(&oom->holders[i], &holders[i]);
	return vnpu_ucmd_write_array(user, stride, holders, sizeof(holders[0]),
				     count);
}

/* Convert a quota as netlink does, with ids of the caller's user namespace. */
static void vnpu_oom_fill_quota(const struct vnpu_quota_state *quota,
				struct vnpu_oom_query *cmd)
{
	cmd->out_quota_scope = quota->key.scope;
	cmd->out_quota_id = quota->key.id;
	if (quota->key.scope == VNPU_QUOTA_SCOPE_UID)
		cmd->out_quota_id = from_kuid_munged(current_user_ns(),
						     KUIDT_INIT(quota->key.id));
	cmd->out_quota_limit = quota->limit;
	cmd->out_quota_used = quota->used;
}

static void vnpu_oom_fill(const struct vnpu_oom *oom,
			  struct vnpu_oom_query *cmd)
{
	cmd->out_count = oom->count;
	cmd->out_length = oom->length;
	cmd->out_alignment = oom->alignment;
	cmd->out_total = vnpu_oom_bytes(oom->stats.total);
	cmd->out_free = vnpu_oom_bytes(oom->stats.free);
	cmd->out_free_2m = vnpu_oom_bytes(oom->class_free[1]);
	cmd->out_free_1g = vnpu_oom_bytes(oom->class_free[2]);
	cmd->out_largest = vnpu_oom_bytes(oom->stats.largest);
	cmd->out_largest_2m = vnpu_oom_bytes(oom->stats.largest_class[1]);
	cmd->out_largest_1g = vnpu_oom_bytes(oom->stats.largest_class[2]);
	cmd->out_device = oom->device;
	cmd->out_page_shift = oom->page_shift;
	cmd->out_mem_flags = oom->flags;
	cmd->out_frag_index = vnpu_frag_index(oom->stats.free,
					      oom->stats.largest);
	cmd->out_compaction_helps = oom->compaction_helps;
	cmd->out_holders = oom->nr_holders;
	vnpu_oom_fill_quota(&oom->quota, cmd);
}

int vnpu_ioctl_oom_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_oom_query *cmd = ucmd->cmd;
	u32 stride = cmd->stride ?: sizeof(struct vnpu_oom_holder);
	struct vnpu_oom oom;
	int ret;

	if (stride < sizeof(struct vnpu_oom_holder) || stride % 8)
		return -EINVAL;
	if (!vnpu_oom_get_last(ucmd->client, &oom))
		return -ENOENT;
	ret = vnpu_oom_write_holders(&oom, cmd->holders, cmd->count, stride);
	cmd->out_reserved = 0;
	vnpu_oom_fill(&oom, cmd);
	vnpu_oom_put_holders(&oom);
	return ret ?: vnpu_ucmd_respond(ucmd);
}
