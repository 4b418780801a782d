// SPDX-License-Identifier: MIT
/*
 * Buffers of ranks in other processes.
 *
 * A rank shares the whole memory block of a buffer, once; the other ranks keep it
 * mapped.  When the program frees the block, its key becomes invalid, which the
 * next use of the same address detects.  The memory itself is freed when the
 * other ranks drop it: with the next block of the same number, or with the
 * communicator.  Captured models contain addresses, so their blocks stay.
 *
 * Memory of less than a page cannot be shared: it is copied to a stage, a part of a
 * block that can.  The turns of notifies keep the stages apart.
 */
#include <stdlib.h>
#include <string.h>

#include "mem/ipc_mem.h"

#include "buffer.h"
#include "comm.h"

#define STAGE_SIZE	4096

aclError hccl_buffer_alloc(struct hccl_comm *comm, uint64_t size,
			   uint64_t alignment, void **at)
{
	aclError ret = hccl_pool_alloc(comm->pool, size, alignment, at);

	if (!ret)
		hccl_region_view(&comm->region, comm->rank)->buffers += size;
	return ret;
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

/* Close the keys of blocks that are gone, one in each call. */
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

/*
 * Another process that maps a part of an allocation can map all of it.  So
 * stages have an allocation of their own, in no pool, and too large to share a
 * page.
 */
static aclError stages_alloc(struct hccl_comm *comm, struct hccl_stages *stages)
{
	uint64_t size = (uint64_t)stages->count * STAGE_SIZE;
	aclError ret = aclrtMalloc(&stages->at, size,
				   ACL_MEM_MALLOC_NORMAL_ONLY);

	if (ret)
		return ret;
	stages->bytes = size;
	hccl_region_view(&comm->region, comm->rank)->buffers += size;
	return ACL_SUCCESS;
}

void hccl_stages_free(const struct hccl_pool *pool,
		      const struct hccl_stages *stages)
{
	if (pool && stages->at)
		aclrtFree(stages->at);
}

/* Refer to a copy of a buffer, which is smaller than a page. */
static aclError share_stage(struct hccl_comm *comm, struct hccl_stages *stages,
			    unsigned int index, struct hccl_ref *ref,
			    struct hccl_stage *stage)
{
	aclError ret = ACL_SUCCESS;
	uint64_t rest;

	if (!stages->at)
		ret = stages_alloc(comm, stages);
	if (ret)
		return ret;
	stage->to = (uintptr_t)stages->at + index * STAGE_SIZE;
	return share_block(comm, (void *)(uintptr_t)stage->to, ref, &rest);
}

aclError hccl_buffer_share(struct hccl_comm *comm, const void *ptr,
			   struct hccl_stages *stages, unsigned int index,
			   struct hccl_ref *ref, struct hccl_stage *stage)
{
	aclError ret;

	memset(ref, 0, sizeof(*ref));
	memset(stage, 0, sizeof(*stage));
	ref->va = (uintptr_t)ptr;
	if (!ptr || !comm->has_remote)
		return ACL_SUCCESS;
	comm->uses++;
	sweep(comm);
	stage->from = ref->va;
	ret = share_block(comm, ptr, ref, &stage->bytes);
	if (!ret)
		stage->bytes = 0;
	else if (stage->bytes && stage->bytes <= STAGE_SIZE)
		ret = share_stage(comm, stages, index, ref, stage);
	return ret;
}

static void drop(struct hccl_import *import)
{
	if (import->key[0])
		aclrtIpcMemClose(import->key);
	import->key[0] = 0;
	import->is_kept = false;
}

/* Make room for another block with this number. */
static aclError displace(struct hccl_peer *peer, struct hccl_import *import)
{
	struct hccl_kept *kept;

	if (!import->is_kept) {
		drop(import);
		return ACL_SUCCESS;
	}
	kept = malloc(sizeof(*kept));
	if (!kept)
		return ACL_ERROR_BAD_ALLOC;
	kept->import = *import;
	kept->next = peer->kept;
	peer->kept = kept;
	*import = (struct hccl_import){ .key = "" };
	return ACL_SUCCESS;
}

static aclError import_open(struct hccl_import *import, const char *key)
{
	void *base;
	size_t size;
	aclError ret = aclrtIpcMemImportByKey(&import->ptr, key,
		ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);

	if (ret)
		return ret;
	memcpy(import->key, key, HCCL_KEY);
	ret = aclrtMemGetAddressRange(import->ptr, &base, &size);
	if (ret)
		drop(import);
	else
		import->size = size - ((uintptr_t)import->ptr -
				       (uintptr_t)base);
	return ret;
}

/* Find or import the block with this key. */
static aclError import_get(struct hccl_peer *peer, uint32_t slot,
			   const char *key, struct hccl_import **import)
{
	aclError ret;

	for (struct hccl_kept *kept = peer->kept; kept; kept = kept->next) {
		*import = &kept->import;
		if (!strcmp(kept->import.key, key))
			return ACL_SUCCESS;
	}
	*import = &peer->imports[slot];
	if (!strcmp((*import)->key, key))
		return ACL_SUCCESS;
	ret = displace(peer, *import);
	return ret ? ret : import_open(*import, key);
}

aclError hccl_buffer_find(struct hccl_comm *comm, unsigned int rank,
			  const struct hccl_ref *ref, bool is_kept,
			  struct hccl_span *span)
{
	struct hccl_peer *peer = &comm->peers[rank];
	struct hccl_import *import;
	char key[HCCL_KEY];
	aclError ret;

	*span = (struct hccl_span){ ref->va, UINT64_MAX, rank };
	if (peer->is_local)
		return ACL_SUCCESS;
	span->room = 0;
	if (!ref->va)
		return ACL_SUCCESS;
	memcpy(key, ref->key, sizeof(key));
	key[HCCL_KEY - 1] = 0;
	if (ref->slot >= HCCL_EXPORTS || !key[0])
		return ACL_ERROR_INVALID_PARAM;
	ret = import_get(peer, ref->slot, key, &import);
	if (ret)
		return ret;
	import->is_kept |= is_kept;
	span->va = (uintptr_t)import->ptr + ref->offset;
	if (ref->offset <= import->size)
		span->room = import->size - ref->offset;
	return ACL_SUCCESS;
}

aclError hccl_span_at(struct hccl_comm *comm, const struct hccl_span *span,
		      uint64_t first, uint64_t count, unsigned int unit,
		      uint64_t *va)
{
	uint64_t end;

	*va = span->va + first * unit;
	if (!count || (!__builtin_add_overflow(first, count, &end) &&
		       !__builtin_mul_overflow(end, unit, &end) &&
		       end <= span->room))
		return ACL_SUCCESS;
	hccl_fail(comm, HCCL_E_REMOTE,
		  "rank %u (process %d) describes a buffer that is not in the memory that it shares",
		  span->rank, comm->peers[span->rank].member.self.pid);
	return ACL_ERROR_INVALID_PARAM;
}

void hccl_kept_free(struct hccl_kept *kept)
{
	while (kept) {
		struct hccl_kept *next = kept->next;

		drop(&kept->import);
		free(kept);
		kept = next;
	}
}

struct hccl_kept *hccl_buffers_keep(struct hccl_comm *comm)
{
	struct hccl_kept *all = NULL, **end = &all;

	for (unsigned int r = 0; r < comm->ranks; r++) {
		struct hccl_peer *peer = &comm->peers[r];

		/* Without host memory an import is never closed. */
		for (unsigned int i = 0; i < HCCL_EXPORTS; i++)
			if (peer->imports[i].is_kept &&
			    displace(peer, &peer->imports[i]))
				peer->imports[i].key[0] = 0;
		*end = peer->kept;
		peer->kept = NULL;
		while (*end)
			end = &(*end)->next;
	}
	return all;
}

void hccl_buffers_close(struct hccl_comm *comm)
{
	for (unsigned int r = 0; r < comm->ranks; r++) {
		for (unsigned int i = 0; i < HCCL_EXPORTS; i++)
			drop(&comm->peers[r].imports[i]);
		hccl_kept_free(comm->peers[r].kept);
		comm->peers[r].kept = NULL;
	}
	for (unsigned int j = 0; j < HCCL_EXPORTS; j++)
		block_forget(&comm->shared[j]);
}
