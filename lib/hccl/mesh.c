// SPDX-License-Identifier: MIT
/*
 * Collectives by a full mesh: each rank reads from every other rank.  Memory is
 * shared by all devices of a host, so that no algorithm moves fewer bytes.
 *
 * A lane sets READY at the ranks when its buffers may be read, and END when it no
 * longer reads theirs.  It never writes to another rank's memory.
 */
#include "algorithm.h"
#include "mesh.h"

static aclError find(const struct hccl_collective *mesh, unsigned int rank,
		     const struct hccl_ref *ref, struct hccl_span *span)
{
	return hccl_buffer_find(mesh->comm, rank, ref, mesh->work->model, span);
}

/* Copy elements of another rank's buffer from @first on. */
static aclError copy(struct hccl_collective *mesh, uint64_t dst,
		     const struct hccl_span *span, uint64_t first,
		     uint64_t count)
{
	uint64_t src;
	aclError ret = hccl_span_at(mesh->comm, span, first, count, mesh->unit,
				    &src);

	return ret ? ret : hccl_copy(mesh->stream, dst, src,
				     count * mesh->unit);
}

aclError hccl_find_sends(struct hccl_collective *mesh)
{
	for (unsigned int r = 0; r < mesh->comm->ranks; r++) {
		aclError ret = find(mesh, r, &mesh->calls[r]->send,
				    &mesh->send[r]);

		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

static aclError end(struct hccl_collective *mesh)
{
	aclError ret = hccl_signal_all(mesh->comm, mesh->work, HCCL_END);

	return ret ? ret : hccl_wait_all(mesh->comm, mesh->work, HCCL_END);
}

uint64_t hccl_cut(const struct hccl_collective *mesh, unsigned int rank)
{
	uint64_t count = mesh->work->count, ranks = mesh->comm->ranks;
	uint64_t rest = count % ranks;

	return count / ranks * rank + (rank < rest ? rank : rest);
}

static aclError reduce_to(struct hccl_collective *mesh, uint64_t dst, uint64_t first,
			  uint64_t count)
{
	uint64_t src[HCCL_RANKS_MAX];
	aclError ret = ACL_SUCCESS;

	for (unsigned int r = 0; !ret && r < mesh->comm->ranks; r++)
		ret = hccl_span_at(mesh->comm, &mesh->send[r], first, count,
				   mesh->unit, &src[r]);
	return ret ? ret : hccl_reduce(mesh->comm, mesh->work, dst, src, count);
}

/* Reduce the whole array, without reading the results of other ranks. */
static aclError reduce_whole(struct hccl_collective *mesh)
{
	struct hccl_comm *comm = mesh->comm;
	struct hccl_work *work = mesh->work;
	uint64_t bytes = work->count * mesh->unit;
	uint64_t recv = (uintptr_t)work->recv, size, at;
	aclError ret;

	if (work->recv != work->send) {
		ret = reduce_to(mesh, recv, 0, work->count);
		return ret ? ret : end(mesh);
	}
	/* In place: the others read the buffer until they set END. */
	ret = hccl_scratch_begin(comm, work, 3 * bytes + 64, &at, &size);
	if (ret)
		return ret;
	/* hccl_reduce() itself uses the beginning of the buffer. */
	at += size - bytes;
	ret = reduce_to(mesh, at, 0, work->count);
	if (!ret)
		ret = end(mesh);
	if (!ret)
		ret = hccl_copy(mesh->stream, recv, at, bytes);
	hccl_scratch_end(comm, work);
	return ret;
}

aclError hccl_mesh_reduce_part(struct hccl_collective *mesh)
{
	struct hccl_comm *comm = mesh->comm;
	struct hccl_work *work = mesh->work;
	uint64_t first = hccl_cut(mesh, comm->rank);
	aclError ret;

	ret = reduce_to(mesh, (uintptr_t)work->recv + first * mesh->unit, first,
			hccl_cut(mesh, comm->rank + 1) - first);
	if (!ret)
		ret = hccl_signal_all(comm, work, HCCL_MIDDLE);
	return ret ? ret : hccl_wait_all(comm, work, HCCL_MIDDLE);
}

/* Each rank reduces its part, and gets those of the others. */
static aclError reduce_parts(struct hccl_collective *mesh)
{
	struct hccl_comm *comm = mesh->comm;
	uint64_t recv = (uintptr_t)mesh->work->recv;
	aclError ret = hccl_mesh_reduce_part(mesh);

	/* Each begins with the next rank, so that not all read from one. */
	for (unsigned int i = 1; !ret && i < comm->ranks; i++) {
		unsigned int r = (comm->rank + i) % comm->ranks;
		uint64_t first = hccl_cut(mesh, r);

		ret = copy(mesh, recv + first * mesh->unit, &mesh->recv[r],
			   first, hccl_cut(mesh, r + 1) - first);
	}
	return ret ? ret : end(mesh);
}

bool hccl_shares_result(const struct hccl_comm *comm,
			const struct hccl_work *work)
{
	return hccl_has_steps(comm, work) ||
	       (work->kind == HCCL_ALLREDUCE &&
		hccl_has_parts(comm->ranks,
			       work->count * hccl_type_size(work->type)));
}

/* Broadcasts have a single buffer. */
aclError hccl_find_recvs(struct hccl_collective *mesh)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int r = 0; !ret && r < mesh->comm->ranks; r++)
		ret = find(mesh, r, mesh->work->kind == HCCL_BROADCAST ?
			   &mesh->calls[r]->send : &mesh->calls[r]->recv,
			   &mesh->recv[r]);
	return ret;
}

static aclError all_reduce(struct hccl_collective *mesh)
{
	aclError ret = hccl_find_sends(mesh);

	if (!ret && !hccl_shares_result(mesh->comm, mesh->work))
		return reduce_whole(mesh);
	if (!ret)
		ret = hccl_find_recvs(mesh);
	return ret ? ret : reduce_parts(mesh);
}

static aclError reduce_to_root(struct hccl_collective *mesh)
{
	struct hccl_work *work = mesh->work;
	aclError ret = ACL_SUCCESS;

	if (mesh->comm->rank == work->root) {
		ret = hccl_find_sends(mesh);
		if (!ret)
			ret = reduce_to(mesh, (uintptr_t)work->recv, 0,
					work->count);
	}
	return ret ? ret : end(mesh);
}

/*
 * In place, the result is written to a part of the send buffer that no other rank
 * reads.
 */
static aclError reduce_scatter(struct hccl_collective *mesh)
{
	unsigned int own = mesh->comm->rank, ranks = mesh->comm->ranks;
	uint64_t src[HCCL_RANKS_MAX];
	aclError ret = hccl_find_sends(mesh);

	for (unsigned int r = 0; !ret && r < ranks; r++)
		ret = hccl_span_at(mesh->comm, &mesh->send[r],
				   mesh->calls[r]->parts[ranks + own],
				   mesh->work->count, mesh->unit, &src[r]);
	if (!ret)
		ret = hccl_reduce(mesh->comm, mesh->work,
				  (uintptr_t)mesh->work->recv, src,
				  mesh->work->count);
	return ret ? ret : end(mesh);
}

static aclError broadcast(struct hccl_collective *mesh)
{
	struct hccl_work *work = mesh->work;
	aclError ret = ACL_SUCCESS;
	struct hccl_span from;

	if (mesh->comm->rank != work->root) {
		ret = find(mesh, work->root, &mesh->calls[work->root]->send,
			   &from);
		if (!ret)
			ret = copy(mesh, (uintptr_t)work->send, &from, 0,
				   work->count);
	}
	return ret ? ret : end(mesh);
}

static aclError scatter(struct hccl_collective *mesh)
{
	struct hccl_work *work = mesh->work;
	struct hccl_span from;
	aclError ret = find(mesh, work->root, &mesh->calls[work->root]->send,
			    &from);

	if (!ret)
		ret = copy(mesh, (uintptr_t)work->recv, &from,
			   mesh->comm->rank * work->count, work->count);
	return ret ? ret : end(mesh);
}

/* Receive the part from each rank; recv_parts says where it belongs. */
static aclError exchange(struct hccl_collective *mesh)
{
	struct hccl_comm *comm = mesh->comm;
	struct hccl_work *work = mesh->work;
	bool is_gather = work->kind == HCCL_ALLGATHER ||
			 work->kind == HCCL_ALLGATHERV;
	unsigned int ranks = comm->ranks;
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; !ret && i < ranks; i++) {
		unsigned int r = (comm->rank + i) % ranks;
		const struct hccl_call *call = mesh->calls[r];
		struct hccl_span from;

		if (!work->recv_parts[r])
			continue;
		ret = find(mesh, r, &call->send, &from);
		if (!ret)
			ret = copy(mesh, (uintptr_t)work->recv +
				   work->recv_parts[ranks + r] * mesh->unit,
				   &from, is_gather ? 0 :
				   call->parts[ranks + comm->rank],
				   work->recv_parts[r]);
	}
	return ret ? ret : end(mesh);
}

aclError hccl_mesh(struct hccl_collective *mesh)
{
	switch (mesh->work->kind) {
	case HCCL_ALLREDUCE:
		return all_reduce(mesh);
	case HCCL_REDUCE:
		return reduce_to_root(mesh);
	case HCCL_REDUCESCATTER:
	case HCCL_REDUCESCATTERV:
		return reduce_scatter(mesh);
	case HCCL_BROADCAST:
		return broadcast(mesh);
	case HCCL_SCATTER:
		return scatter(mesh);
	case HCCL_BARRIER:
		return end(mesh);
	default:
		return exchange(mesh);
	}
}
