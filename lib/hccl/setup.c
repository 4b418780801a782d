// SPDX-License-Identifier: MIT
/*
 * The objects of a communicator on its device: a context of its own, so that
 * failures of the program's tasks do not stop the lanes; notifies, which the ranks
 * exchange; and the counters and memory by which the program's streams wait and
 * fail.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "capture.h"
#include "local.h"
#include "message.h"
#include "remains.h"
#include "worker.h"

/* Steps that all ranks take together: make notifies, import those of others. */
#define STAGE_MADE	1
#define STAGE_IMPORTED	2

/* How long a rank sleeps at most before it looks at the others again. */
#define STAGE_MS	200

static aclError make_basics(struct hccl_comm *comm)
{
	aclError ret = aclrtCreateContext(&comm->context, comm->device);
	size_t size;

	if (!ret)
		ret = hccl_pool_get(comm->device, &comm->pool);
	if (!ret)
		ret = aclrtCreateStream(&comm->rescue);
	for (unsigned int i = 0; !ret && i < HCCL_LANES; i++)
		ret = aclrtCntNotifyCreate(&comm->lanes[i].done, 0);
	if (!ret)
		ret = aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
					     &size);
	if (!ret)
		ret = aclrtMalloc(&comm->fuse, size, ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!ret)
		ret = aclrtMalloc(&comm->spare, 2 * sizeof(uint64_t),
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	return ret ? ret : aclrtSetMemcpyDesc(comm->fuse,
		ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, comm->spare,
		(char *)comm->spare + sizeof(uint64_t), sizeof(uint64_t), NULL);
}

aclError hccl_notifies_make(aclrtNotify notifies[], unsigned int count,
			    char (*keys)[HCCL_KEY])
{
	for (unsigned int i = 0; i < count; i++) {
		aclError ret = aclrtCreateNotify(&notifies[i],
						 ACL_NOTIFY_DEFAULT);

		if (!ret)
			ret = aclrtNotifyGetExportKey(notifies[i], keys[i],
				HCCL_KEY,
				ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

aclError hccl_notifies_import(aclrtNotify notifies[], unsigned int count,
			      char (*keys)[HCCL_KEY])
{
	for (unsigned int i = 0; i < count; i++) {
		char key[HCCL_KEY];
		aclError ret;

		memcpy(key, keys[i], sizeof(key));
		key[sizeof(key) - 1] = 0;
		ret = aclrtNotifyImportByKey(&notifies[i], key,
			ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

/*
 * Enable access of this device to the memory of another one, which may be
 * enabled already.
 */
static void enable_access(struct hccl_comm *comm, const struct hccl_peer *peer)
{
	uint32_t count = 0;

	aclrtGetDeviceCount(&count);
	for (int32_t i = 0; i < (int32_t)count; i++) {
		int32_t physical;

		if (i != comm->device &&
		    !aclrtGetPhyDevIdByLogicDevId(i, &physical) &&
		    (uint32_t)physical == peer->member.self.device)
			aclrtDeviceEnablePeerAccess(i, 0);
	}
}

/* Reach a stage, and wait until all ranks have. */
static HcclResult wait_stage(struct hccl_comm *comm, uint32_t stage)
{
	uint64_t deadline = hccl_now() + hccl_connect_seconds() * 1000ULL;
	struct hccl_rank *own = hccl_region_rank(&comm->region, comm->rank);

	own->stage = stage;
	for (unsigned int r = 0; r < comm->ranks; r++)
		hccl_wake(comm, r);
	for (unsigned int r = 0; r < comm->ranks;) {
		struct hccl_rank *state = hccl_region_rank(&comm->region, r);
		bool is_gone;

		hccl_sleep_begin(comm);
		/* First: it may have reached the last stage and left since. */
		is_gone = comm->peers[r].is_gone;
		if (state->stage >= stage || r == comm->rank) {
			r++;
			continue;
		}
		if (is_gone)
			return HCCL_E_REMOTE;
		if (hccl_now() >= deadline)
			return HCCL_E_TIMEOUT;
		hccl_sleep(comm, STAGE_MS);
	}
	return HCCL_SUCCESS;
}

/*
 * An import fails, too, if the other rank has ended meanwhile.  The memory of a
 * process may be gone a moment before its files are closed.
 */
static HcclResult import_failed(const struct hccl_peer *peer)
{
	struct pollfd end = { peer->member.alive, POLLIN, 0 };

	return poll(&end, 1, HCCL_GRACE_MS) == 1 ? HCCL_E_REMOTE :
						     HCCL_E_RUNTIME;
}

/* A rank of another process may have said that it is of this one. */
static HcclResult check_locals(const struct hccl_comm *comm)
{
	for (unsigned int r = 0; r < comm->ranks; r++) {
		if (!comm->peers[r].is_local || hccl_local_has(comm->local, r))
			continue;
		aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
			  "HCCL rank %u (process %d) pretends to be of process %d",
			  r, comm->peers[r].member.self.pid,
			  comm->peers[comm->rank].member.self.pid);
		return HCCL_E_REMOTE;
	}
	return HCCL_SUCCESS;
}

static HcclResult setup(struct hccl_comm *comm)
{
	aclError ret = make_basics(comm);
	HcclResult result;

	for (unsigned int r = 0; !ret && r < comm->ranks; r++)
		if (r != comm->rank)
			ret = hccl_notifies_make(comm->peers[r].from,
				HCCL_NOTIFIES,
				hccl_region_keys(hccl_region_of(comm, r), r,
						 comm->rank));
	if (ret)
		return HCCL_E_RUNTIME;
	result = wait_stage(comm, STAGE_MADE);
	if (!result)
		result = check_locals(comm);
	if (result)
		return result;
	for (unsigned int r = 0; r < comm->ranks; r++) {
		if (r == comm->rank)
			continue;
		enable_access(comm, &comm->peers[r]);
		if (hccl_notifies_import(comm->peers[r].to, HCCL_NOTIFIES,
			hccl_region_keys(hccl_region_of(comm, r), comm->rank,
					 r)))
			return import_failed(&comm->peers[r]);
	}
	/* From then on a rank may leave. */
	return wait_stage(comm, STAGE_IMPORTED);
}

/* Set up the communicator, and restore the thread's context. */
HcclResult hccl_setup(struct hccl_comm *comm)
{
	aclrtContext before = NULL;
	HcclResult ret;

	aclrtGetCurrentContext(&before);
	ret = setup(comm);
	if (before)
		aclrtSetCurrentContext(before);
	return ret;
}

static void destroy_notifies(struct hccl_peer *peer)
{
	for (unsigned int i = 0; i < HCCL_NOTIFIES; i++) {
		if (peer->to[i])
			aclrtDestroyNotify(peer->to[i]);
		if (peer->from[i])
			aclrtDestroyNotify(peer->from[i]);
	}
}

static void destroy_turns(struct hccl_turn *turns, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (turns[i].event)
			aclrtDestroyEvent(turns[i].event);
}

static void destroy_lanes(struct hccl_comm *comm)
{
	for (unsigned int i = 0; i < HCCL_LANES; i++) {
		if (comm->lanes[i].stream)
			aclrtDestroyStreamForce(comm->lanes[i].stream);
		if (comm->lanes[i].done)
			aclrtCntNotifyDestroy(comm->lanes[i].done);
	}
	if (comm->rescue) {
		aclrtSynchronizeStream(comm->rescue);
		aclrtDestroyStreamForce(comm->rescue);
	}
}

static void destroy_aside(const struct hccl_aside *aside)
{
	if (aside->stream)
		aclrtDestroyStreamForce(aside->stream);
	if (aside->begin)
		aclrtDestroyEvent(aside->begin);
	if (aside->end)
		aclrtDestroyEvent(aside->end);
}

/* Free the memory; or keep what models use that are still there. */
static void free_memory(struct hccl_comm *comm, struct hccl_graph *graphs)
{
	hccl_stages_free(comm->pool, &comm->stages);
	if (comm->pool)
		hccl_scratch_free(comm->pool, &comm->scratch);
	if (graphs) {
		hccl_remains_add(comm, graphs);
		return;
	}
	/* After a failure, streams of the program may still have to read them. */
	if (!comm->result) {
		aclrtFree(comm->fuse);
		aclrtFree(comm->spare);
	}
	aclrtDestroyContext(comm->context);
}

void hccl_teardown(struct hccl_comm *comm)
{
	struct hccl_graph *graphs;
	aclrtContext before = NULL;
	bool is_alive;

	if (!comm->context)
		return;
	aclrtGetCurrentContext(&before);
	/* The reset of the device ends the context, and frees all memory. */
	is_alive = !aclrtSetCurrentContext(comm->context);
	/*
	 * Destroy the rescue stream first: streams of the program wait for it.
	 */
	destroy_lanes(comm);
	destroy_aside(&comm->aside);
	for (unsigned int r = 0; r < comm->ranks; r++) {
		destroy_notifies(&comm->peers[r]);
		destroy_turns(comm->peers[r].send_turn, HCCL_MESSAGE_SLOTS);
		destroy_turns(comm->peers[r].recv_turn, HCCL_MESSAGE_SLOTS);
	}
	if (!is_alive) {
		hccl_pool_put(comm->pool);
		comm->pool = NULL;
	}
	graphs = hccl_captures_end(comm);
	if (graphs && is_alive)
		hccl_fuse_blow(comm);
	for (unsigned int i = 0; i < comm->nr_free; i++)
		aclrtDestroyEvent(comm->free_events[i]);
	if (is_alive)
		free_memory(comm, graphs);
	hccl_buffers_close(comm);
	hccl_pool_put(comm->pool);
	free(comm->remains);
	hccl_remains_sweep();
	if (before)
		aclrtSetCurrentContext(before);
}
