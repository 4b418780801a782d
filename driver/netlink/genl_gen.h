/* SPDX-License-Identifier: GPL-2.0-only */
/* Do not edit directly, auto-generated from: */
/*	uapi/netlink/vnpu.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_VNPU_GEN_H
#define _LINUX_VNPU_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/vnpu_netlink.h>
#include <netlink/split.h>
#include <linux/vnpu.h>
#include <linux/vnpu.h>
#include <linux/vnpu.h>

#define VNPU_MAP_CELLS_MAX	512

int vnpu_nl_client_get_start(struct netlink_callback *cb);

int vnpu_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_mem_get_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_mem_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_client_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_map_get_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_fit_get_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_compact_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_slab_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_quota_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_quota_set_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_quota_remove_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_stream_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_engine_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_inject_set_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_inject_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int vnpu_nl_reset_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_dev_remove_doit(struct sk_buff *skb, struct genl_info *info);
int vnpu_nl_history_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int vnpu_nl_kernel_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	VNPU_NLGRP_EVENTS,
};

extern struct genl_family vnpu_nl_family;

#endif /* _LINUX_VNPU_GEN_H */
