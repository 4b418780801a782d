// SPDX-License-Identifier: MIT
/*
 * Collectives by algorithms with steps, see algorithm.h.
 *
 * The lane of a rank sets STEP at its reader when that may read, and END at the rank
 * that it has read from.  It waits for the END of its reader before the next step,
 * so that a notify is never set twice.
 *
 * Integers are reduced along the steps.  Partial results of floats would depend on
 * the algorithm; they are reduced by a mesh, in the order of the ranks, and only the
 * results are distributed in steps.  So all algorithms give the same bits.
 */
#include "algorithm.h"
#include "buffer.h"
#include "mesh.h"

/* Elements of the array that all ranks have in the end. */
static uint64_t total(const struct hccl_comm *comm,
		      const struct hccl_work *work)
{
	uint64_t sum = 0;

	if (work->kind == HCCL_ALLREDUCE || work->kind == HCCL_BROADCAST)
		return work->count;
	for (unsigned int r = 0; r < comm->ranks; r++)
		sum += work->recv_parts[r];
	return sum;
}

bool hccl_has_steps(const struct hccl_comm *comm, const struct hccl_work *work)
{
	return comm->ranks > 1 && comm->algorithms[work->kind] != HCCL_MESH &&
	       (work->kind == HCCL_ALLREDUCE || work->kind == HCCL_BROADCAST ||
		work->kind == HCCL_ALLGATHER ||
		work->kind == HCCL_ALLGATHERV) &&
	       total(comm, work) * hccl_type_size(work->type) >= HCCL_SHARED_MIN;
}

/* Where a part is in the buffer of a rank, in elements. */
static uint64_t offset_of(const struct hccl_collective *collective,
			  unsigned int rank, unsigned int part)
{
	const struct hccl_work *work = collective->work;
	const uint64_t *parts = rank == collective->comm->rank ?
				work->recv_parts :
				collective->calls[rank]->parts;

	if (work->kind == HCCL_ALLREDUCE || work->kind == HCCL_BROADCAST)
		return hccl_cut(collective, part);
	return parts[collective->comm->ranks + part];
}

static uint64_t count_of(const struct hccl_collective *collective,
			 unsigned int part)
{
	const struct hccl_work *work = collective->work;

	if (work->kind == HCCL_ALLREDUCE || work->kind == HCCL_BROADCAST)
		return hccl_cut(collective, part + 1) -
		       hccl_cut(collective, part);
	return work->recv_parts[part];
}

/* Copy a part from another rank, or reduce it into that of this rank. */
static aclError take(struct hccl_collective *collective, unsigned int from,
		     unsigned int part, bool is_reduction)
{
	const struct hccl_work *work = collective->work;
	unsigned int own = collective->comm->rank, unit = collective->unit;
	uint64_t count = count_of(collective, part), dst, src;
	aclError ret;

	dst = collective->recv[own].va +
	      offset_of(collective, own, part) * unit;
	ret = hccl_span_at(collective->comm, &collective->recv[from],
			   offset_of(collective, from, part), count, unit,
			   &src);
	if (ret || !count)
		return ret;
	return is_reduction ?
	       hccl_reduce_into(collective->stream, dst, src, count,
				work->type, work->op) :
	       hccl_copy(collective->stream, dst, src, count * unit);
}

/*
 * Read @parts from @from, while @to reads from this rank.  The root of a broadcast
 * has everything, so it reads nothing.
 */
static aclError step(struct hccl_collective *collective, unsigned int from,
		     unsigned int to, const struct hccl_step *parts,
		     bool is_reduction)
{
	struct hccl_comm *comm = collective->comm;
	const struct hccl_work *work = collective->work;
	bool has_all = work->kind == HCCL_BROADCAST &&
		       work->root == comm->rank;
	aclError ret = ACL_SUCCESS;

	if (to < comm->ranks)
		ret = hccl_signal_one(comm, work, to, HCCL_STEP);
	if (!ret && from < comm->ranks)
		ret = hccl_wait_one(comm, work, from, HCCL_STEP);
	for (unsigned int i = 0; !ret && !has_all && from < comm->ranks &&
	     i < parts->count; i++)
		ret = take(collective, from, parts->parts[i], is_reduction);
	if (!ret && from < comm->ranks)
		ret = hccl_signal_one(comm, work, from, HCCL_END);
	if (!ret && to < comm->ranks)
		ret = hccl_wait_one(comm, work, to, HCCL_END);
	return ret;
}

/* Distribute the parts: each rank begins with its own, and ends with all. */
static aclError distribute(struct hccl_collective *collective)
{
	struct hccl_comm *comm = collective->comm;
	enum hccl_algorithm algorithm =
		comm->algorithms[collective->work->kind];
	struct hccl_step own;
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; !ret && hccl_step_get(algorithm, comm->ranks,
						       comm->rank, i, &own);
	     i++)
		ret = step(collective, own.from, own.to, &own, false);
	return ret;
}

/*
 * The steps backwards: what the reader of a step would get from this rank, this
 * rank reduces from that reader.
 */
static aclError reduce(struct hccl_collective *collective)
{
	struct hccl_comm *comm = collective->comm;
	enum hccl_algorithm algorithm =
		comm->algorithms[collective->work->kind];
	struct hccl_step own, other = { .count = 0 };
	unsigned int steps = 0;
	aclError ret = ACL_SUCCESS;

	while (hccl_step_get(algorithm, comm->ranks, comm->rank, steps, &own))
		steps++;
	while (!ret && steps) {
		steps--;
		hccl_step_get(algorithm, comm->ranks, comm->rank, steps, &own);
		if (own.to < comm->ranks)
			hccl_step_get(algorithm, comm->ranks, own.to, steps,
				      &other);
		ret = step(collective, own.to, own.from, &other, true);
	}
	return ret;
}

static aclError all_reduce(struct hccl_collective *collective)
{
	struct hccl_work *work = collective->work;
	aclError ret;

	if (hccl_type_is_integer(work->type)) {
		ret = hccl_copy(collective->stream, (uintptr_t)work->recv,
				(uintptr_t)work->send,
				work->count * collective->unit);
		if (!ret)
			ret = reduce(collective);
	} else {
		ret = hccl_find_sends(collective);
		if (!ret)
			ret = hccl_mesh_reduce_part(collective);
	}
	return ret ? ret : distribute(collective);
}

static aclError all_gather(struct hccl_collective *collective)
{
	struct hccl_work *work = collective->work;
	unsigned int own = collective->comm->rank, unit = collective->unit;
	aclError ret;

	ret = hccl_copy(collective->stream, collective->recv[own].va +
			offset_of(collective, own, own) * unit,
			(uintptr_t)work->send, work->count * unit);
	return ret ? ret : distribute(collective);
}

/* Each rank gets its part from the root, and those of the others in steps. */
static aclError broadcast(struct hccl_collective *collective)
{
	struct hccl_comm *comm = collective->comm;
	struct hccl_work *work = collective->work;
	aclError ret = ACL_SUCCESS;

	if (comm->rank != work->root)
		ret = take(collective, work->root, comm->rank, false);
	/* Until this point, all ranks read from the root. */
	if (!ret)
		ret = hccl_signal_all(comm, work, HCCL_MIDDLE);
	if (!ret)
		ret = hccl_wait_all(comm, work, HCCL_MIDDLE);
	return ret ? ret : distribute(collective);
}

aclError hccl_steps(struct hccl_collective *collective)
{
	aclError ret = hccl_find_recvs(collective);

	if (ret)
		return ret;
	switch (collective->work->kind) {
	case HCCL_ALLREDUCE:
		return all_reduce(collective);
	case HCCL_BROADCAST:
		return broadcast(collective);
	default:
		return all_gather(collective);
	}
}
