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
#include <unistd.h>

#include "comm.h"
#include "message.h"

/* Steps that all ranks take together: make notifies, import those of others. */
#define STAGE_MADE	1
#define STAGE_IMPORTED	2

static aclError make_basics(struct hccl_comm *comm)
{
	aclError ret = aclrtCreateContext(&comm->context, comm->device);
	size_t size;

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

static aclError make_notifies(struct hccl_comm *comm, unsigned int from)
{
	char (*keys)[HCCL_KEY] = hccl_region_keys(&comm->region, from,
						  comm->rank);

	for (unsigned int i = 0; i < HCCL_NOTIFIES; i++) {
		aclrtNotify *notify = &comm->peers[from].from[i];
		aclError ret = aclrtCreateNotify(notify, ACL_NOTIFY_DEFAULT);

		if (!ret)
			ret = aclrtNotifyGetExportKey(*notify, keys[i],
				HCCL_KEY,
				ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

static aclError import_notifies(struct hccl_comm *comm, unsigned int to)
{
	char (*keys)[HCCL_KEY] = hccl_region_keys(&comm->region, comm->rank,
						  to);

	for (unsigned int i = 0; i < HCCL_NOTIFIES; i++) {
		char key[HCCL_KEY];
		aclError ret;

		memcpy(key, keys[i], sizeof(key));
		key[sizeof(key) - 1] = 0;
		ret = aclrtNotifyImportByKey(&comm->peers[to].to[i], key,
			ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

/* Let this device read the memory of the other one; it may be able to already. */
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

	own->asleep = 1;
	own->stage = stage;
	for (unsigned int r = 0; r < comm->ranks; r++)
		hccl_wake(comm, r);
	for (unsigned int r = 0; r < comm->ranks;) {
		struct pollfd pollers[2] = {
			{ comm->peers[r].member.alive, POLLIN, 0 },
			{ comm->peers[comm->rank].member.bell, POLLIN, 0 },
		};
		struct hccl_rank *state = hccl_region_rank(&comm->region, r);
		uint64_t count;

		if (state->stage >= stage || r == comm->rank) {
			r++;
			continue;
		}
		if (hccl_now() >= deadline)
			return HCCL_E_TIMEOUT;
		if (poll(pollers, 2, 1000) <= 0)
			continue;
		/* It may have reached the last stage and left in between. */
		if (pollers[0].revents && state->stage < stage)
			return HCCL_E_REMOTE;
		if (pollers[1].revents &&
		    read(pollers[1].fd, &count, sizeof(count)) < 0)
			continue;
	}
	return HCCL_SUCCESS;
}

static HcclResult setup(struct hccl_comm *comm)
{
	aclError ret = make_basics(comm);
	HcclResult result;

	for (unsigned int r = 0; !ret && r < comm->ranks; r++)
		if (r != comm->rank)
			ret = make_notifies(comm, r);
	if (ret)
		return HCCL_E_RUNTIME;
	result = wait_stage(comm, STAGE_MADE);
	if (result)
		return result;
	for (unsigned int r = 0; !ret && r < comm->ranks; r++) {
		if (r == comm->rank)
			continue;
		enable_access(comm, &comm->peers[r]);
		ret = import_notifies(comm, r);
	}
	/* From then on a rank may leave. */
	return ret ? HCCL_E_RUNTIME : wait_stage(comm, STAGE_IMPORTED);
}

/* The thread's context is the caller's again when it returns. */
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

static void free_memory(struct hccl_comm *comm)
{
	void *memory[] = { comm->fuse, comm->spare, comm->scratch,
			   comm->stages };

	for (unsigned int i = 0; i < 4; i++)
		if (memory[i])
			aclrtFree(memory[i]);
	for (unsigned int i = 0; i < comm->nr_old; i++)
		aclrtFree(comm->old_scratch[i]);
}

void hccl_teardown(struct hccl_comm *comm)
{
	aclrtContext before = NULL;

	if (!comm->context)
		return;
	aclrtGetCurrentContext(&before);
	aclrtSetCurrentContext(comm->context);
	/* The rescue first: streams of the program wait for it. */
	destroy_lanes(comm);
	destroy_aside(&comm->aside);
	for (unsigned int r = 0; r < comm->ranks; r++) {
		destroy_notifies(&comm->peers[r]);
		destroy_turns(comm->peers[r].send_turn, HCCL_MESSAGE_SLOTS);
		destroy_turns(comm->peers[r].recv_turn, HCCL_MESSAGE_SLOTS);
	}
	destroy_turns(comm->slots, HCCL_SLOTS);
	destroy_turns(&comm->scratch_turn, 1);
	for (unsigned int i = 0; i < comm->nr_free; i++)
		aclrtDestroyEvent(comm->free_events[i]);
	hccl_buffers_close(comm);
	free_memory(comm);
	aclrtDestroyContext(comm->context);
	if (before)
		aclrtSetCurrentContext(before);
}
