// SPDX-License-Identifier: MIT
/*
 * What the ranks of one process share apart from the other ranks of their
 * communicator.
 *
 * All ranks can write to the memory of a communicator.  A rank that reads there the
 * address of a buffer of its own process would read for another process whatever that
 * process has written there.  Therefore the ranks of one process exchange their calls
 * and keys in memory of this process.  They find each other by the file of the shared
 * memory, which is not copied.  A rank therefore need not trust another rank's
 * claim to be in the same process.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "comm.h"
#include "local.h"

struct hccl_local {
	struct hccl_local *next;
	dev_t device;		/* of the file, as the next one */
	ino_t number;
	struct hccl_place place;
	unsigned int users;
	struct hccl_region region;
	_Atomic bool is_here[HCCL_RANKS_MAX];
};

static struct hccl_local *locals;	/* under hccl_lock(), as are their users */

void hccl_local_in_child(void)
{
	locals = NULL;
}

static struct hccl_local *find(const struct stat *file)
{
	struct hccl_local *local = locals;

	while (local && (local->device != file->st_dev ||
			 local->number != file->st_ino))
		local = local->next;
	return local;
}

static HcclResult make(const struct stat *file, const struct hccl_place *place,
		       unsigned int ranks, struct hccl_local **out)
{
	struct hccl_local *local = calloc(1, sizeof(*local));

	if (!local || hccl_region_alloc(&local->region, ranks)) {
		free(local);
		return HCCL_E_MEMORY;
	}
	local->device = file->st_dev;
	local->number = file->st_ino;
	local->place = *place;
	local->next = locals;
	locals = local;
	*out = local;
	return HCCL_SUCCESS;
}

static HcclResult join(const struct stat *file, const struct hccl_place *place,
		       unsigned int ranks, unsigned int rank,
		       struct hccl_local **out)
{
	struct hccl_local *local = find(file);
	HcclResult ret;

	if (!local) {
		ret = make(file, place, ranks, &local);
		if (ret)
			return ret;
	} else if (local->region.ranks != ranks || local->is_here[rank] ||
		   memcmp(&local->place, place, sizeof(*place))) {
		return HCCL_E_INTERNAL;
	}
	local->users++;
	local->is_here[rank] = true;
	*out = local;
	return HCCL_SUCCESS;
}

HcclResult hccl_local_get(int memory, const struct hccl_place *place,
			  unsigned int ranks, unsigned int rank,
			  struct hccl_local **local, struct hccl_region *own)
{
	struct stat file;
	HcclResult ret;

	if (fstat(memory, &file))
		return HCCL_E_SYSCALL;
	hccl_lock();
	ret = join(&file, place, ranks, rank, local);
	hccl_unlock();
	if (!ret)
		*own = (*local)->region;
	return ret;
}

void hccl_local_put(struct hccl_local *local)
{
	struct hccl_local **link = &locals;

	if (!local)
		return;
	hccl_lock();
	if (!--local->users) {
		while (*link != local)
			link = &(*link)->next;
		*link = local->next;
		hccl_region_unmap(&local->region);
		free(local);
	}
	hccl_unlock();
}

bool hccl_local_has(const struct hccl_local *local, unsigned int rank)
{
	return local->is_here[rank];
}
