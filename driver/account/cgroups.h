/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroups of a client, by id. */
#ifndef VNPU_CGROUPS_H
#define VNPU_CGROUPS_H

#include <linux/types.h>

/**
 * struct vnpu_cgroups - a cgroup and all its ancestors; constant
 * @nr: number of cgroups; 0 if the kernel has no cgroups
 * @ids: their ids, from the cgroup upwards
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
