/* SPDX-License-Identifier: GPL-2.0-only */
/* OOM reports. */
#ifndef VNPU_OOM_REPORT_H
#define VNPU_OOM_REPORT_H

#include <linux/types.h>

struct vnpu_account;
struct vnpu_client;
struct vnpu_devmem_spec;
struct vnpu_oom;
struct vnpu_quota_state;

u64 vnpu_oom_report(struct vnpu_account *account,
		    const struct vnpu_devmem_spec *spec,
		    const struct vnpu_quota_state *refusal);
bool vnpu_oom_get_last(struct vnpu_client *client, struct vnpu_oom *oom);

#endif
