// SPDX-License-Identifier: GPL-2.0-only
/* The ioctl that explains why device memory was not to be had. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "client.h"
#include "frag.h"
#include "ioctl.h"
#include "oom.h"

static u64 vnpu_oom_bytes(u32 pages)
{
	return (u64)pages << VNPU_PAGE_SHIFT;
}

/* What netlink would tell the caller of this client, and no more. */
static void vnpu_oom_tell_holder(const struct vnpu_oom_holder *holder,
				 u64 *client, u64 *used, u32 *pid,
				 u8 name[VNPU_OOM_NAME_LEN])
{
	*client = holder->client;
	*used = holder->used;
	*pid = pid_vnr(holder->pid);
	if (*pid)
		strscpy_pad((char *)name, holder->comm, VNPU_OOM_NAME_LEN);
}

/* As netlink would tell it, in the caller's own user ids. */
static void vnpu_oom_tell_quota(const struct vnpu_quota_state *quota,
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

static void vnpu_oom_tell(const struct vnpu_oom *oom,
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
	vnpu_oom_tell_holder(&oom->holders[0], &cmd->out_holder0_client,
			     &cmd->out_holder0_used, &cmd->out_holder0_pid,
			     cmd->out_holder0_name);
	vnpu_oom_tell_holder(&oom->holders[1], &cmd->out_holder1_client,
			     &cmd->out_holder1_used, &cmd->out_holder1_pid,
			     cmd->out_holder1_name);
	vnpu_oom_tell_holder(&oom->holders[2], &cmd->out_holder2_client,
			     &cmd->out_holder2_used, &cmd->out_holder2_pid,
			     cmd->out_holder2_name);
	vnpu_oom_tell_quota(&oom->quota, cmd);
}

int vnpu_ioctl_oom_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_oom_query *cmd = ucmd->cmd;
	u32 size = cmd->size;
	struct vnpu_oom oom;

	if (!vnpu_oom_get_last(ucmd->client, &oom))
		return -ENOENT;
	*cmd = (struct vnpu_oom_query){ .size = size };
	vnpu_oom_tell(&oom, cmd);
	vnpu_oom_put_holders(&oom);
	return vnpu_ucmd_respond(ucmd);
}
