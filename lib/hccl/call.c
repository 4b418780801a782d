// SPDX-License-Identifier: MIT
/* The caller's side of operations, see call.h. */
#include <stdlib.h>
#include <string.h>

#include "alloc/parts.h"
#include "stream/collective.h"

#include "buffer.h"
#include "call.h"
#include "capture.h"
#include "group.h"

static HcclResult begin(HcclComm handle, enum hccl_group_kind kind,
			struct hccl_comm **comm)
{
	HcclResult ret;

	*comm = hccl_comm_get(handle);
	if (!*comm)
		return HCCL_E_PARA;
	ret = (HcclResult)(*comm)->result;
	if (!ret && (*comm)->is_suspended)
		ret = HCCL_E_SUSPENDING;
	if (!ret)
		ret = hccl_group_join(kind);
	if (ret)
		hccl_comm_put(*comm);
	return ret;
}

HcclResult hccl_call_begin(HcclComm handle, uint32_t type,
			   struct hccl_comm **comm)
{
	if (!handle)
		return HCCL_E_PTR;
	if (!hccl_type_size(type))
		return HCCL_E_PARA;
	return begin(handle, HCCL_GROUP_OPERATIONS, comm);
}

HcclResult hccl_call_begin_message(HcclComm handle, struct hccl_comm **comm)
{
	return handle ? begin(handle, HCCL_GROUP_MESSAGES, comm) : HCCL_E_PTR;
}

HcclResult hccl_check_buffer(const struct hccl_comm *comm, const void *ptr,
			     uint64_t count, uint32_t type)
{
	unsigned int unit = hccl_type_size(type), parts;
	uint64_t bytes;

	if (!count)
		return HCCL_SUCCESS;
	if (!ptr)
		return HCCL_E_PTR;
	if ((uintptr_t)ptr % (unit > 8 ? 8 : unit) ||
	    __builtin_mul_overflow(count, unit, &bytes))
		return HCCL_E_PARA;
	parts = vnpu_collective_memory_parts(ptr, bytes);
	if (parts > 1 && comm->has_remote) {
		aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
			  "the buffer %p of %llu bytes is in %u mappings, and other processes can only read one; allocate it by aclrtMalloc without a pool",
			  ptr, (unsigned long long)bytes, parts);
		return HCCL_E_NOT_SUPPORT;
	}
	return parts ? HCCL_SUCCESS : HCCL_E_PARA;
}

HcclResult hccl_check_reduction(uint32_t type, uint32_t op)
{
	if (op > HCCL_REDUCE_MIN)
		return HCCL_E_PARA;
	return hccl_type_is_reducible(type) ? HCCL_SUCCESS : HCCL_E_NOT_SUPPORT;
}

/* Get an event that the caller may record. */
static aclrtEvent event_get(struct hccl_comm *comm)
{
	aclrtEvent event = NULL;

	pthread_mutex_lock(&comm->lock);
	if (comm->nr_free)
		event = comm->free_events[--comm->nr_free];
	pthread_mutex_unlock(&comm->lock);
	if (!event &&
	    aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC))
		return NULL;
	return event;
}

static bool is_idle(const struct hccl_lane *lane)
{
	return lane->passed == lane->tickets;
}

/* Choose the lane of a stream: its own, an idle one, or one for several. */
static unsigned int lane_of(struct hccl_comm *comm, aclrtStream stream)
{
	unsigned int best = 0;

	for (unsigned int i = 0; i < HCCL_LANES; i++) {
		struct hccl_lane *lane = &comm->lanes[i];

		if (lane->tickets && lane->user == stream)
			return i;
	}
	for (unsigned int i = 1; i < HCCL_LANES; i++) {
		const struct hccl_lane *lane = &comm->lanes[i];
		bool is_better = is_idle(lane);

		if (is_better == is_idle(&comm->lanes[best]))
			is_better = lane->tickets < comm->lanes[best].tickets;
		if (is_better)
			best = i;
	}
	comm->lanes[best].user = stream;
	return best;
}

/* Number the messages of a batch, in the order of the calls. */
static void number(struct hccl_comm *comm, struct hccl_work *work)
{
	if (work->kind != HCCL_MESSAGE) {
		work->number = work->model ? comm->captures++ : comm->calls++;
		return;
	}
	for (unsigned int i = 0; i < work->nr_items; i++) {
		struct hccl_item *item = &work->items[i];
		struct hccl_peer *peer = &comm->peers[item->peer];

		if (work->model)
			item->number = peer->captured[item->is_send]++;
		else
			item->number = item->is_send ? peer->sent++ :
						       peer->received++;
	}
}

static void append(struct hccl_comm *comm, struct hccl_work *work)
{
	pthread_mutex_lock(&comm->lock);
	if (comm->last)
		comm->last->next = work;
	else
		comm->first = work;
	comm->last = work;
	pthread_mutex_unlock(&comm->lock);
	hccl_wake(comm, comm->rank);
}

/*
 * The stream waits for the ticket, and then executes the copy that fails if the
 * communicator has failed.  Once the first event is recorded the work is added, even
 * if the rest fails, as the other ranks may count on it.
 */
static aclError submit(struct hccl_comm *comm, struct hccl_work *work,
		       aclrtStream stream, bool *is_added)
{
	struct hccl_lane *lane = &comm->lanes[work->lane];
	aclError ret = aclrtRecordEvent(work->ready, stream);

	*is_added = !ret;
	if (ret)
		return ret;
	work->ticket = HCCL_TICKET_FIRST + lane->tickets++;
	number(comm, work);
	ret = vnpu_collective_count_wait(lane->done, work->ticket, stream);
	if (!ret)
		ret = aclrtMemcpyAsyncWithDesc(comm->fuse,
			ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream);
	if (!ret)
		ret = aclrtRecordEvent(work->end, stream);
	/* From here on the worker owns the work item. */
	append(comm, work);
	return ret;
}

static void work_drop(struct hccl_work *work)
{
	if (work->ready)
		aclrtDestroyEvent(work->ready);
	if (work->end)
		aclrtDestroyEvent(work->end);
	if (work->wait) {
		hccl_captured(work->wait);
		hccl_capture_wait_end(work->wait);
	}
	free(work->parts);
	free(work->recv_parts);
	free(work->items);
	free(work);
}

/* Hand a work to the worker, and wait until it is captured. */
static HcclResult capture(struct hccl_comm *comm, struct hccl_work *work,
			  aclrtStream stream)
{
	struct hccl_capture_wait *wait;
	HcclResult ret = hccl_capture_wait_make(comm, &work->wait);

	if (!ret && aclrtGetCurrentContext(&work->context))
		ret = HCCL_E_RUNTIME;
	if (ret) {
		work_drop(work);
		return ret;
	}
	wait = work->wait;
	work->stream = stream;
	pthread_mutex_lock(&comm->call_lock);
	if (comm->is_closed) {
		pthread_mutex_unlock(&comm->call_lock);
		work_drop(work);
		return HCCL_E_PARA;
	}
	number(comm, work);
	append(comm, work);
	pthread_mutex_unlock(&comm->call_lock);
	if (!hccl_group_add_capture(wait))
		return hccl_capture_wait_end(wait);
	return HCCL_SUCCESS;
}

/* Check whether a stream's capture accepts more work items. */
static HcclResult check_capture(const struct hccl_work *work)
{
	if (work->model)
		return HCCL_SUCCESS;
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "the capture of the stream has failed; end it with aclmdlRICaptureEnd");
	return HCCL_E_RUNTIME;
}

static HcclResult add(struct hccl_comm *comm, struct hccl_work *work,
		      aclrtStream stream)
{
	bool is_added;
	aclError ret;

	if (hccl_is_captured(stream, &work->model)) {
		HcclResult result = check_capture(work);

		if (!result)
			return capture(comm, work, stream);
		work_drop(work);
		return result;
	}
	if (vnpu_collective_is_bound(stream)) {
		work_drop(work);
		return HCCL_E_NOT_SUPPORT;
	}
	work->ready = event_get(comm);
	work->end = event_get(comm);
	if (!work->ready || !work->end) {
		work_drop(work);
		return HCCL_E_RUNTIME;
	}
	pthread_mutex_lock(&comm->call_lock);
	if (comm->is_closed) {
		pthread_mutex_unlock(&comm->call_lock);
		work_drop(work);
		return HCCL_E_PARA;
	}
	work->lane = lane_of(comm, stream);
	ret = submit(comm, work, stream, &is_added);
	if (!is_added)
		work_drop(work);
	pthread_mutex_unlock(&comm->call_lock);
	return ret ? HCCL_E_RUNTIME : HCCL_SUCCESS;
}

HcclResult hccl_call_end(struct hccl_comm *comm, HcclResult ret,
			 const struct hccl_work *work, aclrtStream stream)
{
	struct hccl_work *copy = ret ? NULL : malloc(sizeof(*copy));

	if (!ret && !copy)
		ret = HCCL_E_MEMORY;
	if (ret) {
		free(work->parts);
		free(work->recv_parts);
		free(work->items);
	} else {
		*copy = *work;
		ret = add(comm, copy, stream);
	}
	hccl_comm_put(comm);
	return ret;
}
