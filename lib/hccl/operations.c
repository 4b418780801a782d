// SPDX-License-Identifier: MIT
/*
 * The calls of operations of all ranks: checks of arguments, and the works made of
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"

/* An array of counts, then one of offsets, for each rank. */
static uint64_t *parts_make(const struct hccl_comm *comm,
			    const uint64_t counts[], const uint64_t offsets[])
{
	size_t size = comm->ranks * sizeof(uint64_t);
	uint64_t *parts = malloc(2 * size);

	if (parts) {
		memcpy(parts, counts, size);
		memcpy(parts + comm->ranks, offsets, size);
	}
	return parts;
}

/* Parts of the same size, @step elements apart. */
static uint64_t *parts_even(const struct hccl_comm *comm, uint64_t count,
			    uint64_t step)
{
	uint64_t *parts = malloc(2 * comm->ranks * sizeof(uint64_t));

	for (unsigned int r = 0; parts && r < comm->ranks; r++) {
		parts[r] = count;
		parts[comm->ranks + r] = r * step;
	}
	return parts;
}

/* Make the parts that a rank posts of a gather: its count, and where parts belong. */
static uint64_t *parts_gathered(const struct hccl_comm *comm, uint64_t count,
				const uint64_t *recv_parts)
{
	uint64_t *parts = recv_parts ? parts_even(comm, count, 0) : NULL;

	if (parts)
		memcpy(parts + comm->ranks, recv_parts + comm->ranks,
		       comm->ranks * sizeof(uint64_t));
	return parts;
}

/* Check the buffer that has these parts. */
static HcclResult check_parts(const struct hccl_comm *comm, const void *ptr,
			      const uint64_t *parts, uint32_t type)
{
	uint64_t end = 0;

	if (!parts)
		return HCCL_E_MEMORY;
	for (unsigned int r = 0; r < comm->ranks; r++) {
		uint64_t last;

		if (!parts[r])
			continue;
		if (__builtin_add_overflow(parts[r], parts[comm->ranks + r],
					   &last))
			return HCCL_E_PARA;
		if (last > end)
			end = last;
	}
	return hccl_check_buffer(comm, ptr, end, type);
}

/* The same of a number of elements for each rank. */
static HcclResult check_all(const struct hccl_comm *comm, const void *ptr,
			    uint64_t count, uint32_t type)
{
	uint64_t all;

	if (__builtin_mul_overflow(count, comm->ranks, &all))
		return HCCL_E_PARA;
	return hccl_check_buffer(comm, ptr, all, type);
}

static bool is_rank(const struct hccl_comm *comm, uint32_t rank)
{
	return rank < comm->ranks;
}

/* The first of two results that is an error; both are evaluated. */
static HcclResult first(HcclResult a, HcclResult b)
{
	return a ? a : b;
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count,
			 HcclDataType dataType, HcclReduceOp op,
			 HcclComm handle, aclrtStream stream)
{
	const struct hccl_work work = {
		.kind = HCCL_ALLREDUCE,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.op = op,
		.count = count,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	ret = first(hccl_check_reduction(dataType, op),
		    first(hccl_check_buffer(comm, sendBuf, count, dataType),
			  hccl_check_buffer(comm, recvBuf, count, dataType)));
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count,
		      HcclDataType dataType, HcclReduceOp op, uint32_t root,
		      HcclComm handle, aclrtStream stream)
{
	const struct hccl_work work = {
		.kind = HCCL_REDUCE,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.op = op,
		.root = root,
		.count = count,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	ret = first(hccl_check_reduction(dataType, op),
		    hccl_check_buffer(comm, sendBuf, count, dataType));
	if (!ret && !is_rank(comm, root))
		ret = HCCL_E_PARA;
	if (!ret && root == comm->rank)
		ret = hccl_check_buffer(comm, recvBuf, count, dataType);
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount,
			     HcclDataType dataType, HcclReduceOp op,
			     HcclComm handle, aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_REDUCESCATTER,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.op = op,
		.count = recvCount,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	work.parts = parts_even(comm, recvCount, recvCount);
	ret = first(hccl_check_reduction(dataType, op),
		    first(check_all(comm, sendBuf, recvCount, dataType),
			  hccl_check_buffer(comm, recvBuf, recvCount, dataType)));
	if (!ret && !work.parts)
		ret = HCCL_E_MEMORY;
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts,
			      const void *sendDispls, void *recvBuf,
			      uint64_t recvCount, HcclDataType dataType,
			      HcclReduceOp op, HcclComm handle,
			      aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_REDUCESCATTERV,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.op = op,
		.count = recvCount,
	};
	struct hccl_comm *comm;
	HcclResult ret;

	if (!sendCounts || !sendDispls)
		return HCCL_E_PTR;
	ret = hccl_call_begin(handle, dataType, &comm);
	if (ret)
		return ret;
	work.parts = parts_make(comm, sendCounts, sendDispls);
	ret = first(hccl_check_reduction(dataType, op),
		    first(check_parts(comm, sendBuf, work.parts, dataType),
			  hccl_check_buffer(comm, recvBuf, recvCount, dataType)));
	if (!ret && work.parts[comm->rank] != recvCount)
		ret = HCCL_E_PARA;
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType,
			 uint32_t root, HcclComm handle, aclrtStream stream)
{
	const struct hccl_work work = {
		.kind = HCCL_BROADCAST,
		.send = buf,
		.type = dataType,
		.root = root,
		.count = count,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	ret = is_rank(comm, root) ? hccl_check_buffer(comm, buf, count, dataType) :
				    HCCL_E_PARA;
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount,
		       HcclDataType dataType, uint32_t root, HcclComm handle,
		       aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_SCATTER,
		.recv = recvBuf,
		.type = dataType,
		.root = root,
		.count = recvCount,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	ret = is_rank(comm, root) ?
	      hccl_check_buffer(comm, recvBuf, recvCount, dataType) : HCCL_E_PARA;
	if (!ret && root == comm->rank) {
		work.send = sendBuf;
		ret = check_all(comm, sendBuf, recvCount, dataType);
	}
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount,
			 HcclDataType dataType, HcclComm handle,
			 aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_ALLGATHER,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.count = sendCount,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, dataType, &comm);

	if (ret)
		return ret;
	work.recv_parts = parts_even(comm, sendCount, sendCount);
	work.parts = parts_gathered(comm, sendCount, work.recv_parts);
	ret = first(hccl_check_buffer(comm, sendBuf, sendCount, dataType),
		    check_all(comm, recvBuf, sendCount, dataType));
	if (!work.parts || !work.recv_parts)
		ret = HCCL_E_MEMORY;
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf,
			  const void *recvCounts, const void *recvDispls,
			  HcclDataType dataType, HcclComm handle,
			  aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_ALLGATHERV,
		.send = sendBuf,
		.recv = recvBuf,
		.type = dataType,
		.count = sendCount,
	};
	struct hccl_comm *comm;
	HcclResult ret;

	if (!recvCounts || !recvDispls)
		return HCCL_E_PTR;
	ret = hccl_call_begin(handle, dataType, &comm);
	if (ret)
		return ret;
	work.recv_parts = parts_make(comm, recvCounts, recvDispls);
	work.parts = parts_gathered(comm, sendCount, work.recv_parts);
	ret = first(hccl_check_buffer(comm, sendBuf, sendCount, dataType),
		    check_parts(comm, recvBuf, work.recv_parts, dataType));
	if (!ret && !work.parts)
		ret = HCCL_E_MEMORY;
	if (!ret && work.recv_parts[comm->rank] != sendCount)
		ret = HCCL_E_PARA;
	return hccl_call_end(comm, ret, &work, stream);
}

/* The three calls that exchange parts; the arrays of @work are made. */
static HcclResult exchange(struct hccl_comm *comm, struct hccl_work *work,
			   uint32_t recv_type, aclrtStream stream)
{
	HcclResult ret;

	ret = first(check_parts(comm, work->send, work->parts, work->type),
		    check_parts(comm, work->recv, work->recv_parts,
				work->type));
	if (!ret && (work->type != recv_type ||
		     (work->send && work->send == work->recv) ||
		     work->parts[comm->rank] != work->recv_parts[comm->rank]))
		ret = HCCL_E_PARA;
	return hccl_call_end(comm, ret, work, stream);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount,
			HcclDataType sendType, const void *recvBuf,
			uint64_t recvCount, HcclDataType recvType,
			HcclComm handle, aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_ALLTOALL,
		.send = (void *)(uintptr_t)sendBuf,
		.recv = (void *)(uintptr_t)recvBuf,
		.type = sendType,
		.count = sendCount,
	};
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, sendType, &comm);

	if (ret)
		return ret;
	work.parts = parts_even(comm, sendCount, sendCount);
	work.recv_parts = parts_even(comm, recvCount, recvCount);
	return exchange(comm, &work, recvType, stream);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts,
			 const void *sdispls, HcclDataType sendType,
			 const void *recvBuf, const void *recvCounts,
			 const void *rdispls, HcclDataType recvType,
			 HcclComm handle, aclrtStream stream)
{
	struct hccl_work work = {
		.kind = HCCL_ALLTOALLV,
		.send = (void *)(uintptr_t)sendBuf,
		.recv = (void *)(uintptr_t)recvBuf,
		.type = sendType,
	};
	struct hccl_comm *comm;
	HcclResult ret;

	if (!sendCounts || !sdispls || !recvCounts || !rdispls)
		return HCCL_E_PTR;
	ret = hccl_call_begin(handle, sendType, &comm);
	if (ret)
		return ret;
	work.parts = parts_make(comm, sendCounts, sdispls);
	work.recv_parts = parts_make(comm, recvCounts, rdispls);
	return exchange(comm, &work, recvType, stream);
}

/* Parts one after the other; @step is the distance of their counts. */
static uint64_t *parts_packed(const struct hccl_comm *comm,
			      const uint64_t *counts, size_t step)
{
	uint64_t *parts = malloc(2 * comm->ranks * sizeof(uint64_t));
	uint64_t at = 0;

	for (unsigned int r = 0; parts && r < comm->ranks; r++) {
		parts[r] = counts[r * step];
		parts[comm->ranks + r] = at;
		at += counts[r * step];
	}
	return parts;
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix,
			  HcclDataType sendType, const void *recvBuf,
			  HcclDataType recvType, HcclComm handle,
			  aclrtStream stream)
{
	const uint64_t *matrix = sendCountMatrix;
	struct hccl_work work = {
		.kind = HCCL_ALLTOALLVC,
		.send = (void *)(uintptr_t)sendBuf,
		.recv = (void *)(uintptr_t)recvBuf,
		.type = sendType,
	};
	struct hccl_comm *comm;
	HcclResult ret;

	if (!matrix)
		return HCCL_E_PTR;
	ret = hccl_call_begin(handle, sendType, &comm);
	if (ret)
		return ret;
	work.parts = parts_packed(comm, matrix + comm->rank * comm->ranks, 1);
	work.recv_parts = parts_packed(comm, matrix + comm->rank, comm->ranks);
	return exchange(comm, &work, recvType, stream);
}

HcclResult HcclBarrier(HcclComm handle, aclrtStream stream)
{
	const struct hccl_work work = { .kind = HCCL_BARRIER };
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin(handle, HCCL_DATA_TYPE_INT8, &comm);

	return ret ? ret : hccl_call_end(comm, HCCL_SUCCESS, &work, stream);
}
