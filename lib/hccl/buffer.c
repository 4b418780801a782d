// SPDX-License-Identifier: MIT
/*
 * Buffers of ranks in other processes.
 *
 * A rank shares the whole memory block of a buffer, once; the other ranks keep it
 * mapped.  When the program frees the block, its key is void, which the next use
 * of the same address finds out.  The memory itself is free when the other ranks
 * have dropped it: with the next block that gets the same number, or with the
 * communicator.
 *
 * Memory of less than a page cannot be shared: it is copied to a stage, a part of a
 * block that can.  The turns of notifies keep the stages apart.
 */
#include <string.h>

#include "mem/ipc_mem.h"

#include "comm.h"

#define STAGE_SIZE	4096

static bool has_remote(const struct hccl_comm *comm)
{
	for (unsigned int i = 0; i < comm->ranks; i++)
		if (i != comm->rank && !comm->peers[i].is_local)
			return true;
	return false;
}

static void block_forget(struct hccl_shared *shared)
{
	if (shared->base)
		aclrtIpcMemClose(shared->key);
	shared->base = 0;
}

/* Find the entry of a block, or one that may be replaced. */
static struct hccl_shared *entry_of(struct hccl_comm *comm, uint64_t base)
{
	struct hccl_shared *best = &comm->shared[0];

	for (unsigned int i = 0; i < HCCL_EXPORTS; i++) {
		struct hccl_shared *shared = &comm->shared[i];

		if (shared->base == base)
			return shared;
		if (!shared->base ? best->base != 0 :
		    best->base && shared->used < best->used)
			best = shared;
	}
	return best;
}

/* Close one key after the other whose block is gone, one in each call. */
static void sweep(struct hccl_comm *comm)
{
	struct hccl_shared *shared = &comm->shared[comm->uses % HCCL_EXPORTS];

	if (shared->base && !vnpu_collective_key_is_valid(shared->key))
		block_forget(shared);
}

static aclError share_block(struct hccl_comm *comm, const void *ptr,
			    struct hccl_ref *ref, uint64_t *rest)
{
	struct hccl_shared *shared;
	uint64_t base;
	void *start;
	size_t size;
	aclError ret;

	ret = aclrtMemGetAddressRange((void *)(uintptr_t)ptr, &start, &size);
	if (ret)
		return ret;
	base = (uintptr_t)start;
	ref->va = (uintptr_t)ptr;
	ref->offset = ref->va - base;
	*rest = size - ref->offset;
	shared = entry_of(comm, base);
	if (shared->base != base || shared->size != size ||
	    !vnpu_collective_key_is_valid(shared->key)) {
		block_forget(shared);
		if (vnpu_collective_key_create(start, size, shared->key,
					       sizeof(shared->key)))
			return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
		shared->base = base;
		shared->size = size;
	}
	shared->used = comm->uses;
	ref->slot = (uint32_t)(shared - comm->shared);
	memcpy(ref->key, shared->key, sizeof(shared->key));
	return ACL_SUCCESS;
}

/* Refer to a copy of a buffer, which is smaller than a page. */
static aclError share_stage(struct hccl_comm *comm, unsigned int index,
			    struct hccl_ref *ref, struct hccl_stage *stage)
{
	uint64_t count = HCCL_STAGE_OF_MESSAGE(comm->ranks, 0), rest;
	aclError ret = ACL_SUCCESS;

	if (!comm->stages)
		ret = aclrtMalloc(&comm->stages, count * STAGE_SIZE,
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	if (ret)
		return ret;
	stage->to = (uintptr_t)comm->stages + index * STAGE_SIZE;
	return share_block(comm, (void *)(uintptr_t)stage->to, ref, &rest);
}

aclError hccl_buffer_share(struct hccl_comm *comm, const void *ptr,
			   unsigned int index, struct hccl_ref *ref,
			   struct hccl_stage *stage)
{
	aclError ret;

	memset(ref, 0, sizeof(*ref));
	memset(stage, 0, sizeof(*stage));
	ref->va = (uintptr_t)ptr;
	if (!ptr || !has_remote(comm))
		return ACL_SUCCESS;
	comm->uses++;
	sweep(comm);
	stage->from = ref->va;
	ret = share_block(comm, ptr, ref, &stage->bytes);
	if (!ret)
		stage->bytes = 0;
	else if (stage->bytes && stage->bytes <= STAGE_SIZE)
		ret = share_stage(comm, index, ref, stage);
	return ret;
}

static void drop(struct hccl_import *import)
{
	if (import->key[0])
		aclrtIpcMemClose(import->key);
	import->key[0] = 0;
}

aclError hccl_buffer_find(struct hccl_comm *comm, unsigned int rank,
			  const struct hccl_ref *ref, uint64_t *va)
{
	struct hccl_peer *peer = &comm->peers[rank];
	struct hccl_import *import;
	char key[HCCL_KEY];
	aclError ret;

	*va = ref->va;
	if (rank == comm->rank || peer->is_local || !ref->va)
		return ACL_SUCCESS;
	memcpy(key, ref->key, sizeof(key));
	key[HCCL_KEY - 1] = 0;
	if (ref->slot >= HCCL_EXPORTS || !key[0])
		return ACL_ERROR_INVALID_PARAM;
	import = &peer->imports[ref->slot];
	if (strcmp(import->key, key)) {
		drop(import);
		ret = aclrtIpcMemImportByKey(&import->ptr, key,
			ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
		if (ret)
			return ret;
		memcpy(import->key, key, sizeof(key));
	}
	*va = (uintptr_t)import->ptr + ref->offset;
	return ACL_SUCCESS;
}

void hccl_buffers_close(struct hccl_comm *comm)
{
	for (unsigned int i = 0; i < comm->ranks; i++)
		for (unsigned int j = 0; j < HCCL_EXPORTS; j++)
			drop(&comm->peers[i].imports[j]);
	for (unsigned int j = 0; j < HCCL_EXPORTS; j++)
		block_forget(&comm->shared[j]);
}
