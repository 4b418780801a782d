/* SPDX-License-Identifier: MIT */
/* Memory of the ranks of one process, see local.c. */
#ifndef VNPU_HCCL_LOCAL_H
#define VNPU_HCCL_LOCAL_H

#include "region.h"

struct hccl_local;

/**
 * hccl_local_get() - join the ranks of this process that have met
 * @memory: file of the memory that all ranks of the meeting share
 * @place: of the meeting
 * @rank: the rank that joins
 * @own: set to memory with the parts of that of @memory, for ranks of this process
 *
 * Return: HCCL_SUCCESS; HCCL_E_INTERNAL if this rank has joined already, or if @memory
 * is that of another meeting; HCCL_E_MEMORY, HCCL_E_SYSCALL.
 */
HcclResult hccl_local_get(int memory, const struct hccl_place *place,
			  unsigned int ranks, unsigned int rank,
			  struct hccl_local **local, struct hccl_region *own);

/* Drop the reference of a rank at its end; @local may be NULL. */
void hccl_local_put(struct hccl_local *local);

/*
 * Check whether a rank of this process has joined; ranks join before they set
 * their stage.
 */
bool hccl_local_has(const struct hccl_local *local, unsigned int rank);

/* Forget all memory in a child of fork(); under hccl_lock(). */
void hccl_local_in_child(void);

#endif /* VNPU_HCCL_LOCAL_H */
