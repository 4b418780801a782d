// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cgroups of a client, by id.
 *
 * The client keeps only ids, which are never reused: a reference would keep a
 * removed cgroup alive for as long as the client. The ids are those of cgroup
 * v2, which has one hierarchy for all controllers.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "cgroups.h"

#ifdef CONFIG_CGROUPS
static u32 vnpu_cgroups_depth(void)
{
	u32 depth;

	rcu_read_lock();
	depth = task_dfl_cgroup(current)->level + 1;
	rcu_read_unlock();
	return depth;
}

/* Fill in the ids; false if the caller has moved to a deeper cgroup. */
static bool vnpu_cgroups_fill(struct vnpu_cgroups *cgroups, u32 room)
{
	struct cgroup *cgroup;

	cgroups->nr = 0;
	rcu_read_lock();
	for (cgroup = task_dfl_cgroup(current); cgroup && cgroups->nr < room;
	     cgroup = cgroup_parent(cgroup))
		cgroups->ids[cgroups->nr++] = cgroup_id(cgroup);
	rcu_read_unlock();
	return !cgroup;
}

/**
 * vnpu_cgroups_check_id() - check if a cgroup exists
 * @id: any number
 *
 * Return: 0; -ENOENT if the caller can see no such cgroup; -EOPNOTSUPP if the
 * kernel has no cgroups.
 */
int vnpu_cgroups_check_id(u64 id)
{
	struct cgroup *cgroup = cgroup_get_from_id(id);

	if (IS_ERR(cgroup))
		return -ENOENT;
	cgroup_put(cgroup);
	return 0;
}
#else
static u32 vnpu_cgroups_depth(void)
{
	return 0;
}

static bool vnpu_cgroups_fill(struct vnpu_cgroups *cgroups, u32 room)
{
	return true;
}

int vnpu_cgroups_check_id(u64 id)
{
	return -EOPNOTSUPP;
}
#endif

/**
 * vnpu_cgroups_create() - get the ids of the caller's cgroup and its ancestors
 *
 * Return: the ids, or NULL if the host is out of memory.
 */
struct vnpu_cgroups *vnpu_cgroups_create(void)
{
	for (;;) {
		u32 room = vnpu_cgroups_depth();
		struct vnpu_cgroups *cgroups;

		cgroups = kvzalloc(struct_size(cgroups, ids, room),
				   GFP_KERNEL_ACCOUNT);
		if (!cgroups || vnpu_cgroups_fill(cgroups, room))
			return cgroups;
		vnpu_cgroups_destroy(cgroups);
	}
}

/**
 * vnpu_cgroups_destroy() - free the ids
 * @cgroups: the ids, or NULL
 */
void vnpu_cgroups_destroy(struct vnpu_cgroups *cgroups)
{
	kvfree(cgroups);
}

/**
 * vnpu_cgroups_contain() - check if a cgroup is among the ids
 * @cgroups: the ids
 * @id: any number
 *
 * Return: true if @id is one of @cgroups.
 */
bool vnpu_cgroups_contain(const struct vnpu_cgroups *cgroups, u64 id)
{
	u32 i;

	for (i = 0; i < cgroups->nr; i++)
		if (cgroups->ids[i] == id)
			return true;
	return false;
}
