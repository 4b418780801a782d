// SPDX-License-Identifier: GPL-2.0-only
/* Do not edit directly, auto-generated from: */
/*	uapi/netlink/vnpu.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "genl_gen.h"

#include <uapi/linux/vnpu_netlink.h>
#include <netlink/split.h>
#include <linux/vnpu.h>
#include <linux/vnpu.h>
#include <linux/vnpu.h>

/* Integer value ranges */
static const struct netlink_range_validation vnpu_a_inject_kind_range = {
	.max	= U32_MAX,
};

/* VNPU_CMD_DEV_GET - do */
static const struct nla_policy vnpu_dev_get_nl_policy[VNPU_A_DEV_ID + 1] = {
	[VNPU_A_DEV_ID] = { .type = NLA_U32, },
};

/* VNPU_CMD_MEM_GET - do */
static const struct nla_policy vnpu_mem_get_nl_policy[VNPU_A_MEM_DEV_ID + 1] = {
	[VNPU_A_MEM_DEV_ID] = { .type = NLA_U32, },
};

/* VNPU_CMD_MAP_GET - do */
static const struct nla_policy vnpu_map_get_nl_policy[VNPU_A_MAP_CELLS + 1] = {
	[VNPU_A_MAP_DEV_ID] = { .type = NLA_U32, },
	[VNPU_A_MAP_CELLS] = NLA_POLICY_RANGE(NLA_U32, 1, VNPU_MAP_CELLS_MAX),
};

/* VNPU_CMD_FIT_GET - do */
static const struct nla_policy vnpu_fit_get_nl_policy[VNPU_A_FIT_CONTIGUOUS + 1] = {
	[VNPU_A_FIT_DEV_ID] = { .type = NLA_U32, },
	[VNPU_A_FIT_LENGTH] = { .type = NLA_U64, },
	[VNPU_A_FIT_PAGE_SIZE] = { .type = NLA_U64, },
	[VNPU_A_FIT_CONTIGUOUS] = { .type = NLA_FLAG, },
};

/* VNPU_CMD_COMPACT - do */
static const struct nla_policy vnpu_compact_nl_policy[VNPU_A_MEM_DEV_ID + 1] = {
	[VNPU_A_MEM_DEV_ID] = { .type = NLA_U32, },
};

/* VNPU_CMD_QUOTA_SET - do */
static const struct nla_policy vnpu_quota_set_nl_policy[VNPU_A_QUOTA_RESOURCE + 1] = {
	[VNPU_A_QUOTA_DEV_ID] = { .type = NLA_U32, },
	[VNPU_A_QUOTA_RESOURCE] = NLA_POLICY_MAX(NLA_U32, 8),
	[VNPU_A_QUOTA_SCOPE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[VNPU_A_QUOTA_ID] = { .type = NLA_U64, },
	[VNPU_A_QUOTA_LIMIT] = { .type = NLA_U64, },
};

/* VNPU_CMD_QUOTA_REMOVE - do */
static const struct nla_policy vnpu_quota_remove_nl_policy[VNPU_A_QUOTA_RESOURCE + 1] = {
	[VNPU_A_QUOTA_DEV_ID] = { .type = NLA_U32, },
	[VNPU_A_QUOTA_RESOURCE] = NLA_POLICY_MAX(NLA_U32, 8),
	[VNPU_A_QUOTA_SCOPE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[VNPU_A_QUOTA_ID] = { .type = NLA_U64, },
};

/* VNPU_CMD_INJECT_SET - do */
static const struct nla_policy vnpu_inject_set_nl_policy[VNPU_A_INJECT_SEED + 1] = {
	[VNPU_A_INJECT_DEV_ID] = { .type = NLA_U32, },
	[VNPU_A_INJECT_KIND] = NLA_POLICY_FULL_RANGE(NLA_U32, &vnpu_a_inject_kind_range),
	[VNPU_A_INJECT_CLIENT_ID] = NLA_POLICY_MIN(NLA_U64, 1),
	[VNPU_A_INJECT_CLASS] = NLA_POLICY_MAX(NLA_U32, 1),
	[VNPU_A_INJECT_NTH] = NLA_POLICY_MIN(NLA_U64, 1),
	[VNPU_A_INJECT_DELAY_US] = NLA_POLICY_MIN(NLA_U64, 1),
	[VNPU_A_INJECT_CLEAR] = { .type = NLA_FLAG, },
	[VNPU_A_INJECT_ADDR] = NLA_POLICY_MIN(NLA_U64, 1),
	[VNPU_A_INJECT_EVERY] = NLA_POLICY_MIN(NLA_U64, 1),
	[VNPU_A_INJECT_PPM] = NLA_POLICY_MIN(NLA_U32, 1),
	[VNPU_A_INJECT_SEED] = { .type = NLA_U64, },
};

/* VNPU_CMD_RESET - do */
static const struct nla_policy vnpu_reset_nl_policy[VNPU_A_DEV_ID + 1] = {
	[VNPU_A_DEV_ID] = { .type = NLA_U32, },
};

/* VNPU_CMD_DEV_ADD - do */
static const struct nla_policy vnpu_dev_add_nl_policy[VNPU_A_DEV_MEM_TOTAL + 1] = {
	[VNPU_A_DEV_MEM_TOTAL] = { .type = NLA_U64, },
};

/* VNPU_CMD_DEV_REMOVE - do */
static const struct nla_policy vnpu_dev_remove_nl_policy[VNPU_A_DEV_ID + 1] = {
	[VNPU_A_DEV_ID] = { .type = NLA_U32, },
};

/* Ops table for vnpu */
static const struct genl_split_ops vnpu_nl_ops[] = {
	{
		.cmd		= VNPU_CMD_DEV_GET,
		.doit		= vnpu_nl_dev_get_doit,
		.policy		= vnpu_dev_get_nl_policy,
		.maxattr	= VNPU_A_DEV_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_DEV_GET,
		.dumpit	= vnpu_nl_dev_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= VNPU_CMD_MEM_GET,
		.doit		= vnpu_nl_mem_get_doit,
		.policy		= vnpu_mem_get_nl_policy,
		.maxattr	= VNPU_A_MEM_DEV_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_MEM_GET,
		.dumpit	= vnpu_nl_mem_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= VNPU_CMD_CLIENT_GET,
		.start	= vnpu_nl_client_get_start,
		.dumpit	= vnpu_nl_client_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= VNPU_CMD_MAP_GET,
		.doit		= vnpu_nl_map_get_doit,
		.policy		= vnpu_map_get_nl_policy,
		.maxattr	= VNPU_A_MAP_CELLS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= VNPU_CMD_FIT_GET,
		.doit		= vnpu_nl_fit_get_doit,
		.policy		= vnpu_fit_get_nl_policy,
		.maxattr	= VNPU_A_FIT_CONTIGUOUS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= VNPU_CMD_COMPACT,
		.doit		= vnpu_nl_compact_doit,
		.policy		= vnpu_compact_nl_policy,
		.maxattr	= VNPU_A_MEM_DEV_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_SLAB_GET,
		.dumpit	= vnpu_nl_slab_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= VNPU_CMD_QUOTA_GET,
		.dumpit	= vnpu_nl_quota_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= VNPU_CMD_QUOTA_SET,
		.doit		= vnpu_nl_quota_set_doit,
		.policy		= vnpu_quota_set_nl_policy,
		.maxattr	= VNPU_A_QUOTA_RESOURCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= VNPU_CMD_QUOTA_REMOVE,
		.doit		= vnpu_nl_quota_remove_doit,
		.policy		= vnpu_quota_remove_nl_policy,
		.maxattr	= VNPU_A_QUOTA_RESOURCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_STREAM_GET,
		.dumpit	= vnpu_nl_stream_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= VNPU_CMD_ENGINE_GET,
		.dumpit	= vnpu_nl_engine_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= VNPU_CMD_INJECT_SET,
		.doit		= vnpu_nl_inject_set_doit,
		.policy		= vnpu_inject_set_nl_policy,
		.maxattr	= VNPU_A_INJECT_SEED,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_INJECT_GET,
		.dumpit	= vnpu_nl_inject_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= VNPU_CMD_RESET,
		.doit		= vnpu_nl_reset_doit,
		.policy		= vnpu_reset_nl_policy,
		.maxattr	= VNPU_A_DEV_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= VNPU_CMD_DEV_ADD,
		.doit		= vnpu_nl_dev_add_doit,
		.policy		= vnpu_dev_add_nl_policy,
		.maxattr	= VNPU_A_DEV_MEM_TOTAL,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= VNPU_CMD_DEV_REMOVE,
		.doit		= vnpu_nl_dev_remove_doit,
		.policy		= vnpu_dev_remove_nl_policy,
		.maxattr	= VNPU_A_DEV_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= VNPU_CMD_HISTORY_GET,
		.dumpit	= vnpu_nl_history_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= VNPU_CMD_KERNEL_GET,
		.dumpit	= vnpu_nl_kernel_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group vnpu_nl_mcgrps[] = {
	[VNPU_NLGRP_EVENTS] = { "events", },
};

struct genl_family vnpu_nl_family __ro_after_init = {
	.name		= VNPU_FAMILY_NAME,
	.version	= VNPU_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= vnpu_nl_ops,
	.n_split_ops	= ARRAY_SIZE(vnpu_nl_ops),
	.mcgrps		= vnpu_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(vnpu_nl_mcgrps),
};
