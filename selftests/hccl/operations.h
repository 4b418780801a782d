/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every operation, checked against its plain result.  All ranks run the same
 * operations in the same order; the elements depend on rank and seed, so that each
 * rank knows those of all.
 */
#ifndef SELFTESTS_HCCL_OPERATIONS_H
#define SELFTESTS_HCCL_OPERATIONS_H

#include "ranks.h"
#include "reference.h"

enum operation {
	ALL_REDUCE, REDUCE_TO, REDUCE_SCATTER, REDUCE_SCATTER_V, BROADCAST,
	SCATTER, ALL_GATHER, ALL_GATHER_V, ALL_TO_ALL, ALL_TO_ALL_V,
	ALL_TO_ALL_VC, BARRIER, RING, BATCH, NR_OPERATIONS,
};

static inline bool is_reduction(enum operation operation)
{
	return operation <= REDUCE_SCATTER_V;
}

struct job {
	enum operation operation;
	HcclDataType type;
	HcclReduceOp op;
	size_t count;
	unsigned int root;
	bool in_place;
	uint64_t seed;
	/* of the rank */
	HcclComm comm;
	aclrtStream stream;
	unsigned int rank;
	unsigned int ranks;
	void *send;		/* of the device */
	void *recv;
	void *host;
	void *wanted;
	size_t send_count;
	size_t recv_count;	/* that are checked */
	uint64_t counts[2][RANKS_MAX];	/* sent, received */
	uint64_t displs[2][RANKS_MAX];
	uint64_t matrix[RANKS_MAX * RANKS_MAX];
	bool is_checked;
};

/* Elements from rank @from to rank @to; some are 0. */
static inline size_t part(const struct job *job, unsigned int from,
			  unsigned int to)
{
	switch (job->operation) {
	case ALL_TO_ALL_V:
	case ALL_TO_ALL_VC:
		return job->count / (1 + (from + 2 * to + job->seed) % 3) *
		       ((from + to) % 4 != 3);
	case ALL_GATHER_V:
		return job->count / (1 + (from + job->seed) % 3);
	case REDUCE_SCATTER_V:
		return job->count / (1 + (to + job->seed) % 3);
	default:
		return job->count;
	}
}

static inline void job_parts(struct job *job)
{
	size_t at[2] = { 0, 0 };

	for (unsigned int r = 0; r < job->ranks; r++) {
		size_t sizes[2] = { part(job, job->rank, r),
				    part(job, r, job->rank) };

		for (int way = 0; way < 2; way++) {
			job->counts[way][r] = sizes[way];
			job->displs[way][r] = at[way];
			at[way] += sizes[way];
		}
		for (unsigned int to = 0; to < job->ranks; to++)
			job->matrix[r * job->ranks + to] = part(job, r, to);
	}
	job->send_count = at[0];
	job->recv_count = at[1];
}

/* How many elements each buffer has. */
static inline void job_counts(struct job *job)
{
	job_parts(job);
	job->is_checked = true;
	switch (job->operation) {
	case ALL_REDUCE:
	case REDUCE_TO:
	case BROADCAST:
		job->send_count = job->recv_count = job->count;
		job->is_checked = job->operation != REDUCE_TO ||
				  job->rank == job->root;
		break;
	case REDUCE_SCATTER:
	case REDUCE_SCATTER_V:
		job->recv_count = part(job, 0, job->rank);
		break;
	case SCATTER:
		job->recv_count = job->count;
		break;
	case ALL_GATHER:
	case ALL_GATHER_V:
		job->send_count = part(job, job->rank, 0);
		break;
	case RING:
		job->send_count = job->recv_count = job->count;
		job->is_checked = job->ranks > 1;
		break;
	case BATCH:
		job->is_checked = job->ranks > 1;
		break;
	case BARRIER:
		job->is_checked = false;
		break;
	default:
		break;
	}
}

/* Make the send buffer of rank @rank: an array of @count elements. */
static inline void *sent_by(const struct job *job, unsigned int rank,
			    size_t count)
{
	void *data = malloc(count * size_of(job->type) + 1);

	fill(data, count, job->type, job->seed * 64 + rank);
	return data;
}

static inline size_t sent_count(const struct job *job, unsigned int rank)
{
	struct job other = *job;

	other.rank = rank;
	job_counts(&other);
	return other.send_count;
}

static inline void want_reduction(struct job *job)
{
	void *all[RANKS_MAX], *at[RANKS_MAX];
	size_t unit = size_of(job->type), first = 0;

	if (job->operation == REDUCE_SCATTER ||
	    job->operation == REDUCE_SCATTER_V)
		first = job->displs[0][job->rank];
	for (unsigned int r = 0; r < job->ranks; r++) {
		all[r] = sent_by(job, r, job->send_count);
		at[r] = (char *)all[r] + first * unit;
	}
	reduce_plain(job->wanted, at, job->ranks, job->recv_count, job->type,
		     job->op);
	for (unsigned int r = 0; r < job->ranks; r++)
		free(all[r]);
}

/* Copy @count elements of a rank's send buffer to the wanted result. */
static inline void want_part(struct job *job, unsigned int from, size_t first,
			     size_t at, size_t count)
{
	size_t unit = size_of(job->type);
	void *data = sent_by(job, from, sent_count(job, from));

	memcpy((char *)job->wanted + at * unit, (char *)data + first * unit,
	       count * unit);
	free(data);
}

static inline void want(struct job *job)
{
	unsigned int before = (job->rank + job->ranks - 1) % job->ranks;

	if (is_reduction(job->operation)) {
		want_reduction(job);
		return;
	}
	switch (job->operation) {
	case BROADCAST:
		want_part(job, job->root, 0, 0, job->count);
		return;
	case SCATTER:
		want_part(job, job->root, job->rank * job->count, 0,
			  job->count);
		return;
	case RING:
		want_part(job, before, 0, 0, job->count);
		return;
	case BARRIER:
		return;
	default:
		break;
	}
	for (unsigned int r = 0; r < job->ranks; r++) {
		struct job other = *job;
		bool is_gather = job->operation == ALL_GATHER ||
				 job->operation == ALL_GATHER_V;

		other.rank = r;
		job_counts(&other);
		if (job->operation == BATCH && r == job->rank)
			continue;
		want_part(job, r, is_gather ? 0 : other.displs[0][job->rank],
			  job->displs[1][r], part(job, r, job->rank));
	}
}

/* Where the buffers of an operation in place are. */
static inline void job_place(struct job *job)
{
	size_t unit = size_of(job->type);

	if (!job->in_place)
		return;
	switch (job->operation) {
	case ALL_REDUCE:
	case REDUCE_TO:
		job->recv = job->send;
		break;
	case REDUCE_SCATTER:
	case REDUCE_SCATTER_V:
		job->recv = (char *)job->send +
			    job->displs[0][job->rank] * unit;
		break;
	case ALL_GATHER:
	case ALL_GATHER_V:
		job->send = (char *)job->recv +
			    job->displs[1][job->rank] * unit;
		break;
	default:
		break;
	}
}

static inline int job_ring(struct job *job)
{
	unsigned int next = (job->rank + 1) % job->ranks;
	unsigned int before = (job->rank + job->ranks - 1) % job->ranks;
	int ret;

	if (job->ranks == 1)
		return 0;
	/* Calls of their own would wait for each other around the ring. */
	if (job->rank % 2) {
		ret = HcclRecv(job->recv, job->count, job->type, before,
			       job->comm, job->stream);
		return ret ? ret : HcclSend(job->send, job->count, job->type,
					    next, job->comm, job->stream);
	}
	if (job->ranks % 2 && !job->rank) {
		HcclSendRecvItem items[] = {
			{ HCCL_RECV, job->recv, job->count, job->type, before },
			{ HCCL_SEND, job->send, job->count, job->type, next },
		};

		return HcclBatchSendRecv(items, 2, job->comm, job->stream);
	}
	ret = HcclSend(job->send, job->count, job->type, next, job->comm,
		       job->stream);
	return ret ? ret : HcclRecv(job->recv, job->count, job->type, before,
				    job->comm, job->stream);
}

/* All to all, as messages, each of them in three pieces. */
static inline int job_batch(struct job *job)
{
	HcclSendRecvItem items[RANKS_MAX * 6];
	size_t unit = size_of(job->type);
	uint32_t count = 0;

	for (unsigned int way = 0; way < 2; way++)
		for (unsigned int r = 0; r < job->ranks; r++)
			for (unsigned int k = 0; k < 3; k++) {
				size_t all = job->counts[way][r];
				size_t first = all * k / 3;
				char *at = way ? job->recv : job->send;

				if (r == job->rank)
					continue;
				at += (job->displs[way][r] + first) * unit;
				items[count++] = (HcclSendRecvItem){
					way ? HCCL_RECV : HCCL_SEND, at,
					all * (k + 1) / 3 - first, job->type, r,
				};
			}
	return count ? HcclBatchSendRecv(items, count, job->comm,
					 job->stream) : 0;
}

static inline int job_call(struct job *job)
{
	HcclComm comm = job->comm;
	aclrtStream stream = job->stream;
	size_t count = job->count;

	switch (job->operation) {
	case ALL_REDUCE:
		return HcclAllReduce(job->send, job->recv, count, job->type,
				     job->op, comm, stream);
	case REDUCE_TO:
		return HcclReduce(job->send, job->recv, count, job->type,
				  job->op, job->root, comm, stream);
	case REDUCE_SCATTER:
		return HcclReduceScatter(job->send, job->recv, count, job->type,
					 job->op, comm, stream);
	case REDUCE_SCATTER_V:
		return HcclReduceScatterV(job->send, job->counts[0],
					  job->displs[0], job->recv,
					  job->recv_count, job->type, job->op,
					  comm, stream);
	case BROADCAST:
		return HcclBroadcast(job->recv, count, job->type, job->root,
				     comm, stream);
	case SCATTER:
		return HcclScatter(job->rank == job->root ? job->send : NULL,
				   job->recv, count, job->type, job->root, comm,
				   stream);
	case ALL_GATHER:
		return HcclAllGather(job->send, job->recv, count, job->type,
				     comm, stream);
	case ALL_GATHER_V:
		return HcclAllGatherV(job->send, job->send_count, job->recv,
				      job->counts[1], job->displs[1], job->type,
				      comm, stream);
	case ALL_TO_ALL:
		return HcclAlltoAll(job->send, count, job->type, job->recv,
				    count, job->type, comm, stream);
	case ALL_TO_ALL_V:
		return HcclAlltoAllV(job->send, job->counts[0], job->displs[0],
				     job->type, job->recv, job->counts[1],
				     job->displs[1], job->type, comm, stream);
	case ALL_TO_ALL_VC:
		return HcclAlltoAllVC(job->send, job->matrix, job->type,
				      job->recv, job->type, comm, stream);
	case BARRIER:
		return HcclBarrier(comm, stream);
	case RING:
		return job_ring(job);
	default:
		return job_batch(job);
	}
}

/* Device memory, or NULL if there is none left. */
static inline void *device_buffer(size_t size)
{
	void *p = NULL;

	return aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY) ? NULL : p;
}

static inline int put_elements(void *to, const void *from, size_t bytes)
{
	return bytes ? aclrtMemcpy(to, bytes, from, bytes,
				   ACL_MEMCPY_HOST_TO_DEVICE) : 0;
}

/* Make buffers and call the operation; the rank has failed if false. */
static inline bool job_begin(struct rank *rank, struct job *job)
{
	size_t unit = size_of(job->type), send, recv;
	void *data;
	int ret;

	job->rank = rank->number;
	job->ranks = rank->world->ranks;
	job_counts(job);
	send = job->send_count * unit;
	recv = job->recv_count * unit;
	job->host = calloc(1, recv + 1);
	job->wanted = calloc(1, recv + 1);
	ret = aclrtMalloc(&job->send, send + 1, ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!ret)
		ret = aclrtMalloc(&job->recv, recv + 1,
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	job_place(job);
	data = sent_by(job, job->rank, job->send_count);
	if (!ret)
		ret = put_elements(job->operation == BROADCAST ? job->recv :
				   job->send, data, send);
	free(data);
	if (!ret)
		ret = job_call(job);
	if (ret)
		rank_failed(rank, __FILE__, __LINE__, "operation %d: %d, %s",
			    job->operation, ret, recent());
	return !ret;
}

static inline void job_free(struct job *job)
{
	bool is_inside = job->in_place && (job->operation == ALL_GATHER ||
					   job->operation == ALL_GATHER_V);

	if (!is_inside)
		aclrtFree(job->send);
	if (is_inside || !job->in_place || !is_reduction(job->operation))
		aclrtFree(job->recv);
	free(job->host);
	free(job->wanted);
}

/* Wait for the operation and check its result. */
static inline bool job_end(struct rank *rank, struct job *job)
{
	size_t bytes = job->recv_count * size_of(job->type);
	bool is_same = true;
	int ret = aclrtSynchronizeStream(job->stream);

	want(job);
	if (!ret && bytes && job->is_checked) {
		size_t unit = size_of(job->type), own = 0, skip = 0;

		/* A batch has no message to the own rank. */
		if (job->operation == BATCH) {
			own = job->displs[1][job->rank] * unit;
			skip = job->counts[1][job->rank] * unit;
		}
		ret = aclrtMemcpy(job->host, bytes, job->recv, bytes,
				  ACL_MEMCPY_DEVICE_TO_HOST);
		memcpy((char *)job->host + own, (char *)job->wanted + own, skip);
		is_same = !memcmp(job->host, job->wanted, bytes);
	}
	if (ret || !is_same) {
		size_t at = 0;

		while (at < bytes && ((char *)job->host)[at] ==
				     ((char *)job->wanted)[at])
			at++;
		rank_failed(rank, __FILE__, __LINE__,
			    "operation %d, type %d, op %d, count %zu, in place %d: %d, %s, differs at byte %zu",
			    job->operation, job->type, job->op, job->count,
			    job->in_place, ret, recent(), at);
	}
	job_free(job);
	return !ret && is_same;
}

#endif /* SELFTESTS_HCCL_OPERATIONS_H */
