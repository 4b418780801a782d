// SPDX-License-Identifier: MIT
/*
 * Works: posting them, comparing them with those of the other ranks, and
 * submitting them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"
#include "buffer.h"
#include "capture.h"
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

/*
 * Check that the part of another rank's buffer that is for this rank has the
 * expected size.
 */
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
		else if (other->graph != own->graph)
			what = "the number of the captured model";
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
 * A call also fails if it uses memory that another rank has shared, and that
 * rank has ended or failed.  The reason is then the end, or failure, of that rank.
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
	else if (!hccl_find_failure(comm))
		hccl_fail(comm, HCCL_E_RUNTIME, "%s failed with %d: %s", what,
			  err, reason ? reason : "no reason");
	return true;
}

/* Whether all ranks have read the entry that a new call replaces. */
static bool has_room(const struct hccl_comm *comm,
		     const struct hccl_work *work)
{
	unsigned int room = work->model ? HCCL_CAPTURE_RING : HCCL_RING;

	for (unsigned int r = 0; r < comm->ranks; r++)
		if (work->number - hccl_posts(comm, r, work)->taken >= room)
			return false;
	return true;
}

/*
 * Wake the other ranks if this one has posted last.  Each looks for the others' posts
 * after its own, so at least one rank finds all of them.
 */
static void wake_waiting(struct hccl_comm *comm,
			 const struct hccl_work *work)
{
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (hccl_posts(comm, r, work)->posted <= work->number)
			return;
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (r != comm->rank)
			hccl_wake(comm, r);
}

/* Wake the ranks that wait for the entry of this work item. */
static void wake_full(struct hccl_comm *comm,
		      const struct hccl_work *work)
{
	unsigned int room = work->model ? HCCL_CAPTURE_RING : HCCL_RING;

	for (unsigned int r = 0; r < comm->ranks; r++)
		if (hccl_posts(comm, r, work)->posted >= work->number + room)
			hccl_wake(comm, r);
}

/* Share the buffers that other ranks read. */
static aclError share(struct hccl_comm *comm, struct hccl_work *work,
		      struct hccl_ref *send, struct hccl_ref *recv)
{
	struct hccl_stages *stages = work->graph ? &work->graph->stages :
						   &comm->stages;
	unsigned int index = work->graph ? 0 : work->number % HCCL_SLOTS;
	struct hccl_stage unused;
	aclError ret = hccl_buffer_share(comm, work->send, stages, index, send,
					 &work->stage);

	if (ret || !hccl_shares_result(comm, work))
		return ret;
	return hccl_buffer_share(comm, work->recv, stages, index, recv,
				 &unused);
}

/* Let the lane or the captured stream make the buffers ready. */
static aclError begin(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret;

	if (work->model) {
		ret = hccl_capture_begin(comm, work);
	} else {
		ret = hccl_lane_begin(comm, work);
		if (!ret)
			ret = hccl_use_wait(comm, &comm->slots[work->number %
							       HCCL_SLOTS],
					    work);
	}
	if (!ret)
		ret = hccl_copy(hccl_stream(comm, work), work->stage.to,
				work->stage.from, work->stage.bytes);
	return ret ? ret : hccl_signal_all(comm, work, HCCL_READY);
}

/* Let the other ranks see a call of this rank: those of this process, and the others. */
static void publish(struct hccl_comm *comm, const struct hccl_work *work,
		    const struct hccl_call *call)
{
	hccl_posts(comm, comm->rank, work)->posted = work->number + 1;
	if (!comm->has_remote)
		return;
	memcpy(hccl_region_call(&comm->region, comm->rank, work->model,
				work->number), call, comm->region.call_size);
	hccl_region_rank(&comm->region, comm->rank)
		->posts[!!work->model].posted = work->number + 1;
}

/* Likewise, that this rank has read the calls of all ranks. */
static void publish_taken(struct hccl_comm *comm, const struct hccl_work *work)
{
	hccl_posts(comm, comm->rank, work)->taken = work->number + 1;
	hccl_region_rank(&comm->region, comm->rank)
		->posts[!!work->model].taken = work->number + 1;
}

static bool post(struct hccl_comm *comm, struct hccl_work *work)
{
	struct hccl_ref send, recv = { 0 };
	struct hccl_call *call;
	aclError ret = ACL_SUCCESS;

	if (!has_room(comm, work))
		return false;
	if (work->model)
		ret = hccl_capture_prepare(comm, work);
	if (!ret)
		ret = share(comm, work, &send, &recv);
	if (hccl_runtime_failed(comm, ret, "sharing a buffer"))
		return false;
	call = hccl_region_call(&comm->own, comm->rank, work->model,
				work->number);
	call->kind = work->kind;
	call->type = work->type;
	call->op = work->op;
	call->root = work->root;
	call->algorithm = comm->algorithms[work->kind];
	call->graph = work->graph ? work->graph->number : 0;
	call->count = work->count;
	call->send = send;
	call->recv = recv;
	if (work->parts)
		memcpy(call->parts, work->parts,
		       2 * comm->ranks * sizeof(uint64_t));
	publish(comm, work, call);
	work->is_posted = true;
	wake_waiting(comm, work);
	/* A captured stream needs the notifies of the other ranks first. */
	ret = work->model ? ACL_SUCCESS : begin(comm, work);
	return !hccl_runtime_failed(comm, ret, "submitting an operation");
}

bool hccl_has_posted(struct hccl_comm *comm, unsigned int rank,
		     _Atomic uint64_t *posted, uint64_t number,
		     const char *what)
{
	struct hccl_rank *state = hccl_region_rank(&comm->region, rank);
	/* A rank posts before it leaves, so look at its posts again. */
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
				       &hccl_posts(comm, r, work)->posted,
				       work->number,
				       hccl_kind_name(work->kind));
	return all && !comm->result;
}

/* Wait until the buffers of all ranks are ready, and submit the collective. */
static aclError submit_rest(struct hccl_comm *comm, struct hccl_work *work,
			    const struct hccl_call *const calls[])
{
	struct hccl_collective collective = {
		.comm = comm,
		.work = work,
		.calls = calls,
		.stream = hccl_stream(comm, work),
		.unit = hccl_type_size(work->type),
	};
	aclError ret = hccl_wait_all(comm, work, HCCL_READY);

	if (ret)
		return ret;
	return hccl_has_steps(comm, work) ? hccl_steps(&collective) :
					    hccl_mesh(&collective);
}

static aclError submit(struct hccl_comm *comm, struct hccl_work *work,
		       const struct hccl_call *const calls[])
{
	aclError ret;

	if (work->model) {
		/* Streams are used in their own context. */
		ret = aclrtSetCurrentContext(work->context);
		if (!ret)
			ret = begin(comm, work);
		if (!ret)
			ret = submit_rest(comm, work, calls);
		if (!ret)
			ret = hccl_capture_end(comm, work);
		aclrtSetCurrentContext(comm->context);
		return ret;
	}
	ret = submit_rest(comm, work, calls);
	comm->slots[work->number % HCCL_SLOTS] = (struct hccl_use){
		work->lane, work->ticket,
	};
	return ret ? ret : hccl_lane_end(comm, work);
}

/* All ranks have posted: copy what they have called, and go on. */
static bool go_on(struct hccl_comm *comm, struct hccl_work *work)
{
	const struct hccl_call *calls[HCCL_RANKS_MAX];
	size_t size = comm->region.call_size;
	char *copies = malloc(size * comm->ranks);
	aclError ret;

	if (!copies) {
		hccl_fail(comm, HCCL_E_MEMORY, "no host memory");
		return false;
	}
	for (unsigned int r = 0; r < comm->ranks; r++) {
		memcpy(copies + r * size,
		       hccl_region_call(hccl_region_of(comm, r), r, work->model,
					work->number), size);
		calls[r] = (void *)(copies + r * size);
	}
	publish_taken(comm, work);
	wake_full(comm, work);
	if (!matches(comm, work, calls)) {
		free(copies);
		return false;
	}
	ret = submit(comm, work, calls);
	free(copies);
	if (hccl_runtime_failed(comm, ret, hccl_kind_name(work->kind)))
		return false;
	work->is_submitted = true;
	return true;
}

bool hccl_advance(struct hccl_comm *comm, struct hccl_work *work)
{
	bool was_posted = work->is_posted;

	if (work->kind == HCCL_MESSAGE)
		return work->model ? hccl_captured_messages_advance(comm, work) :
				     hccl_messages_advance(comm, work);
	if (!work->is_posted && !post(comm, work))
		return false;
	if (!all_there(comm, work))
		return !was_posted && !comm->result;
	return go_on(comm, work);
}
