// SPDX-License-Identifier: MIT
/* Buffers for partial results. */
#include "buffer.h"
#include "capture.h"
#include "comm.h"

/* Enough for an AllReduce in place by reduce_whole(), see mesh.c. */
#define SCRATCH_MIN	(1ULL << 20)

static aclError grow(struct hccl_comm *comm, struct hccl_scratch *scratch,
		     uint64_t bytes)
{
	const unsigned int max = sizeof(scratch->old) / sizeof(scratch->old[0]);
	uint64_t size = scratch->size ? scratch->size * 2 : SCRATCH_MIN;
	aclError ret;
	void *new;

	while (size < bytes)
		size *= 2;
	if (size > comm->buffer_size)
		size = comm->buffer_size;
	if (size <= scratch->size || scratch->nr_old == max)
		return ACL_SUCCESS;
	/* A lane may still use the old one. */
	ret = hccl_buffer_alloc(comm, size, 64, &new);
	if (ret)
		return scratch->at ? ACL_SUCCESS : ret;
	if (scratch->at)
		scratch->old[scratch->nr_old++] = scratch->at;
	scratch->at = new;
	scratch->size = size;
	scratch->bytes += size;
	return ACL_SUCCESS;
}

static struct hccl_scratch *scratch_of(struct hccl_comm *comm,
				       const struct hccl_work *work)
{
	return work->model ? &work->graph->scratch : &comm->scratch;
}

aclError hccl_scratch_begin(struct hccl_comm *comm,
			    const struct hccl_work *work, uint64_t bytes,
			    uint64_t *at, uint64_t *size)
{
	struct hccl_scratch *scratch = scratch_of(comm, work);
	aclError ret = ACL_SUCCESS;

	if (bytes > scratch->size)
		ret = grow(comm, scratch, bytes);
	if (ret && bytes > SCRATCH_MIN)
		ret = grow(comm, scratch, SCRATCH_MIN);
	*at = (uintptr_t)scratch->at;
	*size = scratch->size;
	/* The collectives of a captured model run one after the other. */
	if (ret || work->model)
		return ret;
	return hccl_use_wait(comm, &scratch->last, work);
}

void hccl_scratch_end(struct hccl_comm *comm, const struct hccl_work *work)
{
	if (!work->model)
		comm->scratch.last = (struct hccl_use){
			work->lane, work->ticket,
		};
}

void hccl_scratch_free(struct hccl_pool *pool, struct hccl_scratch *scratch)
{
	hccl_pool_free(pool, scratch->at);
	for (unsigned int i = 0; i < scratch->nr_old; i++)
		hccl_pool_free(pool, scratch->old[i]);
}
