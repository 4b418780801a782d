/* SPDX-License-Identifier: GPL-2.0-only */
/* Compaction: making a run of free memory by moving what is in its way. */
#ifndef VNPU_COMPACT_H
#define VNPU_COMPACT_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages_req;
struct vnpu_quota_state;
struct vnpu_usage;

int vnpu_compact_for(struct vnpu_devmem *devmem,
		     const struct vnpu_pages_req *req,
		     struct vnpu_usage *usage,
		     struct vnpu_quota_state *refusal);
int vnpu_compact_device(struct vnpu_device *dev);

#endif
