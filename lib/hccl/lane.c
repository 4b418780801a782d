// SPDX-License-Identifier: MIT
/* Submission of work to lanes, and the notifies among them. */
#include "stream/collective.h"

#include "capture.h"
#include "lane.h"

aclError hccl_copy(aclrtStream stream, uint64_t dst, uint64_t src,
		   uint64_t bytes)
{
	if (!bytes || dst == src)
		return ACL_SUCCESS;
	return aclrtMemcpyAsync((void *)(uintptr_t)dst, bytes,
				(void *)(uintptr_t)src, bytes,
				ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

/*
 * Only other lanes must wait, for the ticket of the use; so a use costs no
 * task.
 */
aclError hccl_use_wait(struct hccl_comm *comm, const struct hccl_use *last,
		       const struct hccl_work *work)
{
	if (!last->ticket || last->lane == work->lane)
		return ACL_SUCCESS;
	return vnpu_collective_count_wait(comm->lanes[last->lane].done,
					  last->ticket,
					  comm->lanes[work->lane].stream);
}

aclError hccl_turn_wait(struct hccl_comm *comm, struct hccl_turn *turn,
			unsigned int lane)
{
	if (!turn->event || turn->lane == lane)
		return ACL_SUCCESS;
	return aclrtStreamWaitEvent(comm->lanes[lane].stream, turn->event);
}

aclError hccl_turn_end(struct hccl_comm *comm, struct hccl_turn *turn,
		       unsigned int lane)
{
	aclError ret = ACL_SUCCESS;

	if (!turn->event)
		ret = aclrtCreateEventExWithFlag(&turn->event, ACL_EVENT_SYNC);
	if (ret)
		return ret;
	turn->lane = lane;
	return aclrtRecordEvent(turn->event, comm->lanes[lane].stream);
}

aclError hccl_lane_begin(struct hccl_comm *comm, struct hccl_work *work)
{
	struct hccl_lane *lane = &comm->lanes[work->lane];
	aclError ret = ACL_SUCCESS;

	if (!lane->stream)
		ret = aclrtCreateStream(&lane->stream);
	return ret ? ret : aclrtStreamWaitEvent(lane->stream, work->ready);
}

/* Let the caller's stream go on. */
aclError hccl_lane_end(struct hccl_comm *comm, const struct hccl_work *work)
{
	struct hccl_lane *lane = &comm->lanes[work->lane];

	return vnpu_collective_count_set(lane->done, work->ticket,
					 lane->stream);
}

static unsigned int notify_of(const struct hccl_work *work,
			      enum hccl_signal phase)
{
	return (unsigned int)(work->number % HCCL_SLOTS) * HCCL_PHASES + phase;
}

aclError hccl_signal_one(struct hccl_comm *comm, const struct hccl_work *work,
			 unsigned int rank, enum hccl_signal phase)
{
	return aclrtRecordNotify(work->model ?
		work->graph->lines[rank].to[phase] :
		comm->peers[rank].to[notify_of(work, phase)],
		hccl_stream(comm, work));
}

aclError hccl_wait_one(struct hccl_comm *comm, const struct hccl_work *work,
		       unsigned int rank, enum hccl_signal phase)
{
	/*
	 * The worker enforces the time limit of calls, but does not see runs of
	 * a model.
	 */
	if (work->model)
		return aclrtWaitAndResetNotify(
			work->graph->lines[rank].from[phase],
			work->stream, (uint32_t)(comm->execute_ms / 1000));
	return aclrtWaitAndResetNotify(
		comm->peers[rank].from[notify_of(work, phase)],
		comm->lanes[work->lane].stream, 0);
}

aclError hccl_signal_all(struct hccl_comm *comm, const struct hccl_work *work,
			 enum hccl_signal phase)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; !ret && i < comm->ranks; i++)
		if (i != comm->rank)
			ret = hccl_signal_one(comm, work, i, phase);
	return ret;
}

aclError hccl_wait_all(struct hccl_comm *comm, const struct hccl_work *work,
		       enum hccl_signal phase)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; !ret && i < comm->ranks; i++)
		if (i != comm->rank)
			ret = hccl_wait_one(comm, work, i, phase);
	return ret;
}
