// SPDX-License-Identifier: MIT
/*
 * Works: posting them, comparing them with those of the other ranks, and
 * submitting them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"
#include "mesh.h"

const char *hccl_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[HCCL_ALLREDUCE] = "HcclAllReduce",
		[HCCL_REDUCE] = "HcclReduce",
		[HCCL_REDUCESCATTER] = "HcclReduceScatter",
		[HCCL_REDUCESCATTERV] = "HcclReduceScatterV",
		[HCCL_BROADCAST] = "HcclBroadcast",
		[HCCL_SCATTER] = "HcclScatter",
		[HCCL_ALLGATHER] = "HcclAllGather",
		[HCCL_ALLGATHERV] = "HcclAllGatherV",
		[HCCL_ALLTOALL] = "HcclAlltoAll",
		[HCCL_ALLTOALLV] = "HcclAlltoAllV",
		[HCCL_ALLTOALLVC] = "HcclAlltoAllVC",
		[HCCL_BARRIER] = "HcclBarrier",
		[HCCL_MESSAGE] = "HcclSend",
	};

	return kind && kind < HCCL_KINDS ? names[kind] : "an unknown operation";
}

const char *hccl_type_name(uint32_t type)
{
	static const char *const names[] = {
		"int8", "int16", "int32", "fp16", "fp32", "int64", "uint64",
		"uint8", "uint16", "uint32", "fp64", "bfp16", "int128",
		"type 13", "hif8", "fp8e4m3", "fp8e5m2", "fp8e8m0",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] :
							 "an unknown type";
}

/* Describe a call for a message. */
static void describe(const struct hccl_call *call, char *text, size_t size)
{
	static const char *const ops[] = { "sum", "prod", "max", "min" };

	snprintf(text, size, "%s(count %llu, %s, %s, root %u) by %s",
		 hccl_kind_name(call->kind), (unsigned long long)call->count,
		 hccl_type_name(call->type), call->op < 4 ? ops[call->op] : "-",
		 call->root, hccl_algorithm_name(call->algorithm));
}

static void mismatch(struct hccl_comm *comm, const struct hccl_call *own,
		     unsigned int rank, const struct hccl_call *other,
		     const char *what)
{
	char mine[112], its[112];

	describe(own, mine, sizeof(mine));
	describe(other, its, sizeof(its));
	hccl_fail(comm, HCCL_E_PARA,
		  "%s differs: rank %u calls %s, but rank %u calls %s", what,
		  comm->rank, mine, rank, its);
}

/* The part for this rank of another one's buffer has to be as expected. */
static bool parts_match(const struct hccl_comm *comm,
			const struct hccl_work *work, unsigned int rank,
			const struct hccl_call *other)
{
	switch (work->kind) {
	case HCCL_REDUCESCATTERV:
		return other->parts[comm->rank] == work->count;
	case HCCL_ALLGATHERV:
	case HCCL_ALLTOALLV:
	case HCCL_ALLTOALLVC:
		return other->parts[comm->rank] == work->recv_parts[rank];
	default:
		return true;
	}
}

static bool has_same_count(enum hccl_kind kind)
{
	return kind != HCCL_REDUCESCATTERV && kind != HCCL_ALLGATHERV &&
	       kind != HCCL_ALLTOALLV && kind != HCCL_ALLTOALLVC;
}

static bool matches(struct hccl_comm *comm, const struct hccl_work *work,
		    const struct hccl_call *const calls[])
{
	const struct hccl_call *own = calls[comm->rank];

	for (unsigned int r = 0; r < comm->ranks; r++) {
		const struct hccl_call *other = calls[r];
		const char *what = NULL;

		if (other->kind != own->kind)
			what = "the operation";
		else if (other->type != own->type)
			what = "the type";
		else if (other->op != own->op)
			what = "the reduction";
		else if (other->root != own->root)
			what = "the root";
		else if (other->algorithm != own->algorithm)
			what = "the algorithm";
		else if (has_same_count(work->kind) ?
			 other->count != own->count :
			 !parts_match(comm, work, r, other))
			what = "the count";
		if (what) {
			mismatch(comm, own, r, other, what);
			return false;
		}
	}
	return true;
}

/*
 * A call fails, too, if it uses what another rank has shared and that rank has
 * ended; then its end is the reason.
 */
bool hccl_runtime_failed(struct hccl_comm *comm, aclError err,
			 const char *what)
{
	const char *reason;
	unsigned int rank;

	if (!err)
		return false;
	reason = aclGetRecentErrMsg();
	rank = hccl_find_dead(comm);
	if (rank < comm->ranks)
		hccl_fail(comm, HCCL_E_REMOTE, "rank %u (process %d) has ended",
			  rank, comm->peers[rank].member.self.pid);
	else
		hccl_fail(comm, HCCL_E_RUNTIME, "%s failed with %d: %s", what,
			  err, reason ? reason : "no reason");
	return true;
}

/* Whether all ranks have read the entry that a new call replaces. */
static bool has_room(const struct hccl_comm *comm, uint64_t number)
{
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (number - hccl_region_rank(&comm->region, r)->taken >=
		    HCCL_RING)
			return false;
	return true;
}

/*
 * Wake the ranks that wait for this one's post.  A rank that posts later looks for the
 * others' posts after its own, and finds this one.
 */
static void wake_waiting(const struct hccl_comm *comm, uint64_t number)
{
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (hccl_region_rank(&comm->region, r)->posted > number)
			hccl_wake(comm, r);
}

/* Wake the ranks that wait for room, which the entry of this number was. */
static void wake_full(const struct hccl_comm *comm, uint64_t number)
{
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (hccl_region_rank(&comm->region, r)->posted >=
		    number + HCCL_RING)
			hccl_wake(comm, r);
}

static bool post(struct hccl_comm *comm, struct hccl_work *work)
{
	unsigned int slot = work->number % HCCL_SLOTS;
	struct hccl_ref send, recv = { 0 };
	struct hccl_stage stage, unused;
	struct hccl_call *call;
	aclError ret;

	if (!has_room(comm, work->number))
		return false;
	ret = hccl_buffer_share(comm, work->send, slot, &send, &stage);
	if (!ret && hccl_shares_result(comm, work))
		ret = hccl_buffer_share(comm, work->recv, slot, &recv,
					&unused);
	if (hccl_runtime_failed(comm, ret, "sharing a buffer"))
		return false;
	call = hccl_region_call(&comm->region, comm->rank, work->number);
	call->kind = work->kind;
	call->type = work->type;
	call->op = work->op;
	call->root = work->root;
	call->algorithm = comm->algorithms[work->kind];
	call->count = work->count;
	call->send = send;
	call->recv = recv;
	if (work->parts)
		memcpy(call->parts, work->parts,
		       2 * comm->ranks * sizeof(uint64_t));
	hccl_region_rank(&comm->region, comm->rank)->posted = work->number + 1;
	work->is_posted = true;
	wake_waiting(comm, work->number);
	ret = hccl_lane_begin(comm, work);
	if (!ret)
		ret = hccl_turn_wait(comm, &comm->slots[slot], work->lane);
	if (!ret)
		ret = hccl_copy(comm->lanes[work->lane].stream, stage.to,
				stage.from, stage.bytes);
	if (!ret)
		ret = hccl_signal_all(comm, work, HCCL_READY);
	return !hccl_runtime_failed(comm, ret, "submitting an operation");
}

bool hccl_has_posted(struct hccl_comm *comm, unsigned int rank,
		     _Atomic uint64_t *posted, uint64_t number,
		     const char *what)
{
	struct hccl_rank *state = hccl_region_rank(&comm->region, rank);
	/* It posts before it leaves: look at that first. */
	bool has_left = state->left, is_gone = comm->peers[rank].is_gone;

	if (*posted > number)
		return true;
	if (has_left || is_gone)
		hccl_fail(comm, HCCL_E_REMOTE,
			  "rank %u waits in %s for rank %u (process %d), which has %s",
			  comm->rank, what, rank,
			  comm->peers[rank].member.self.pid,
			  has_left ? "destroyed its communicator" : "ended");
	return false;
}

static bool all_there(struct hccl_comm *comm, const struct hccl_work *work)
{
	bool all = true;

	for (unsigned int r = 0; r < comm->ranks && !comm->result; r++)
		all &= hccl_has_posted(comm, r,
			&hccl_region_rank(&comm->region, r)->posted,
			work->number, hccl_kind_name(work->kind));
	return all && !comm->result;
}

/* The lane waits until the buffers of all ranks are ready, and then does it. */
static aclError submit(struct hccl_comm *comm, struct hccl_work *work,
		       const struct hccl_call *const calls[])
{
	struct hccl_collective collective = {
		.comm = comm,
		.work = work,
		.calls = calls,
		.stream = comm->lanes[work->lane].stream,
		.unit = hccl_type_size(work->type),
	};
	aclError ret = hccl_wait_all(comm, work, HCCL_READY);

	if (ret)
		return ret;
	return hccl_has_steps(comm, work) ? hccl_steps(&collective) :
					    hccl_mesh(&collective);
}

/* All ranks have posted: copy what they have called, and go on. */
static bool go_on(struct hccl_comm *comm, struct hccl_work *work)
{
	const struct hccl_call *calls[HCCL_RANKS_MAX];
	struct hccl_turn *slot = &comm->slots[work->number % HCCL_SLOTS];
	size_t size = comm->region.call_size;
	char *copies = malloc(size * comm->ranks);
	aclError ret;

	if (!copies) {
		hccl_fail(comm, HCCL_E_MEMORY, "no host memory");
		return false;
	}
	for (unsigned int r = 0; r < comm->ranks; r++) {
		memcpy(copies + r * size, hccl_region_call(&comm->region, r,
							   work->number), size);
		calls[r] = (void *)(copies + r * size);
	}
	hccl_region_rank(&comm->region, comm->rank)->taken = work->number + 1;
	wake_full(comm, work->number);
	if (!matches(comm, work, calls)) {
		free(copies);
		return false;
	}
	ret = submit(comm, work, calls);
	free(copies);
	if (!ret)
		ret = hccl_turn_end(comm, slot, work->lane);
	if (!ret)
		ret = hccl_lane_end(comm, work);
	if (hccl_runtime_failed(comm, ret, hccl_kind_name(work->kind)))
		return false;
	work->is_submitted = true;
	return true;
}

bool hccl_advance(struct hccl_comm *comm, struct hccl_work *work)
{
	bool was_posted = work->is_posted;

	if (work->kind == HCCL_MESSAGE)
		return hccl_messages_advance(comm, work);
	if (!work->is_posted && !post(comm, work))
		return false;
	if (!all_there(comm, work))
		return !was_posted && !comm->result;
	return go_on(comm, work);
}
