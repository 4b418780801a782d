/* SPDX-License-Identifier: GPL-2.0-only */
/* The control groups of a client, by their ids. */
#ifndef VNPU_CGROUPS_H
#define VNPU_CGROUPS_H

#include <linux/types.h>

/**
 * struct vnpu_cgroups - a control group and all above it; constant
 * @nr: how many; 0 where the kernel has none
 * @ids: of each, the nearest first
 */
struct vnpu_cgroups {
	u32 nr;
	u64 ids[];
};

struct vnpu_cgroups *vnpu_cgroups_create(void);
void vnpu_cgroups_destroy(struct vnpu_cgroups *cgroups);
bool vnpu_cgroups_contain(const struct vnpu_cgroups *cgroups, u64 id);
int vnpu_cgroups_check_id(u64 id);

#endif
