// SPDX-License-Identifier: MIT
/*
 * The worker of a communicator, see comm.h.
 *
 * It sleeps until it is woken, by the callers, the workers of the other ranks, or the
 * sentry, which sees the ends of other ranks.
 */
#include <stdlib.h>

#include "stream/collective.h"

#include "buffer.h"
#include "capture.h"
#include "worker.h"

/* Interval between looks at work items in flight: usually, and if one waits. */
#define TICK_MS		200
#define TICK_SHORT_MS	1

static void work_free(struct hccl_comm *comm, struct hccl_work *work)
{
	aclrtEvent events[] = { work->ready, work->end };

	pthread_mutex_lock(&comm->lock);
	for (unsigned int i = 0; i < 2; i++) {
		if (events[i] && comm->nr_free < sizeof(comm->free_events) /
						 sizeof(comm->free_events[0])) {
			comm->free_events[comm->nr_free++] = events[i];
			events[i] = NULL;
		}
	}
	pthread_mutex_unlock(&comm->lock);
	for (unsigned int i = 0; i < 2; i++)
		if (events[i])
			aclrtDestroyEvent(events[i]);
	if (work->wait)
		hccl_captured(work->wait);
	free(work->parts);
	free(work->recv_parts);
	free(work->items);
	free(work);
}

/* Remove the work after @before, or the first one, from the list. */
static void work_remove(struct hccl_comm *comm, struct hccl_work *before,
			struct hccl_work *work)
{
	pthread_mutex_lock(&comm->lock);
	if (before)
		before->next = work->next;
	else
		comm->first = work->next;
	if (comm->last == work)
		comm->last = before;
	pthread_mutex_unlock(&comm->lock);
	work_free(comm, work);
}

struct hccl_work *hccl_work_next(struct hccl_comm *comm,
				   struct hccl_work *work)
{
	struct hccl_work *next;

	pthread_mutex_lock(&comm->lock);
	next = work ? work->next : comm->first;
	pthread_mutex_unlock(&comm->lock);
	return next;
}

static void drop_all(struct hccl_comm *comm)
{
	struct hccl_work *work;

	while ((work = hccl_work_next(comm, NULL)))
		work_remove(comm, NULL, work);
}

/* A task of a lane fails if a buffer was freed, or its memory has an error. */
static void look_at_lane(struct hccl_comm *comm, unsigned int lane)
{
	aclrtStreamStatus status;
	aclError ret;

	if (comm->result)
		return;
	ret = aclrtStreamQuery(comm->lanes[lane].stream, &status);
	hccl_runtime_failed(comm, ret, "a task of an operation");
}

/* Check whether the caller's stream has passed a work item, or captured it. */
static bool is_done(const struct hccl_work *work)
{
	aclrtEventRecordedStatus status;

	return work->is_submitted &&
	       (work->model || (!aclrtQueryEventStatus(work->end, &status) &&
				status == ACL_EVENT_RECORDED_STATUS_COMPLETE));
}

/* Count the bytes of the result, or those that this rank has sent. */
static uint64_t bytes_of(const struct hccl_comm *comm,
			 const struct hccl_work *work)
{
	uint64_t unit = hccl_type_size(work->type), count = 0;

	if (work->kind == HCCL_BARRIER)
		return 0;
	for (unsigned int i = 0; i < work->nr_items; i++)
		count += work->items[i].count *
			 hccl_type_size(work->items[i].type);
	if (work->kind == HCCL_MESSAGE)
		return count;
	if (!work->recv_parts)
		return work->count * unit;
	for (unsigned int r = 0; r < comm->ranks; r++)
		count += work->recv_parts[r];
	return count * unit;
}

static void count_work(struct hccl_comm *comm, const struct hccl_work *work)
{
	struct hccl_view *view = hccl_region_view(&comm->region, comm->rank);

	view->calls++;
	view->bytes += bytes_of(comm, work);
}

/* Free the work items that are done.  Return whether some are in flight. */
static bool reap(struct hccl_comm *comm)
{
	struct hccl_work *before = NULL, *work = hccl_work_next(comm, NULL);
	bool in_flight = false;

	while (work) {
		struct hccl_work *next = hccl_work_next(comm, work);

		if (is_done(work)) {
			if (!work->model) {
				comm->lanes[work->lane].in_flight--;
				comm->lanes[work->lane].passed++;
				look_at_lane(comm, work->lane);
				count_work(comm, work);
			}
			work_remove(comm, before, work);
		} else {
			in_flight |= work->is_submitted;
			before = work;
		}
		work = next;
	}
	return in_flight;
}

/* Messages that wait, so that later ones cannot overtake them. */
struct blocked {
	bool lanes[HCCL_LANES];
	bool collectives;
	bool captures;
	bool messages[2][2][HCCL_RANKS_MAX];	/* the captured ones apart */
};

static bool is_blocked(const struct blocked *blocked,
		       const struct hccl_work *work)
{
	if (!work->model && blocked->lanes[work->lane])
		return true;
	if (work->kind != HCCL_MESSAGE)
		return work->model ? blocked->captures : blocked->collectives;
	for (unsigned int i = 0; i < work->nr_items; i++)
		if (blocked->messages[!!work->model][work->items[i].is_send]
				     [work->items[i].peer])
			return true;
	return false;
}

static void block(struct blocked *blocked, const struct hccl_work *work)
{
	if (!work->model)
		blocked->lanes[work->lane] = true;
	if (work->kind != HCCL_MESSAGE && work->model)
		blocked->captures = true;
	else if (work->kind != HCCL_MESSAGE)
		blocked->collectives = true;
	for (unsigned int i = 0; i < work->nr_items; i++)
		blocked->messages[!!work->model][work->items[i].is_send]
				 [work->items[i].peer] = true;
}

/* Advance a work item as far as possible; returns whether it advanced. */
static bool push(struct hccl_comm *comm, struct hccl_work *work)
{
	bool has_moved = false;

	while (!work->is_submitted && hccl_advance(comm, work)) {
		has_moved = true;
		if (work->is_submitted && !work->model)
			comm->lanes[work->lane].in_flight++;
		else if (work->kind != HCCL_MESSAGE)
			break;
	}
	return has_moved;
}

/* Submit all work items that can be; @is_full is set if a lane is full. */
static bool submit(struct hccl_comm *comm, bool *is_full)
{
	struct blocked blocked = { 0 };
	bool has_moved = false;

	for (struct hccl_work *work = hccl_work_next(comm, NULL);
	     work && !comm->result; work = hccl_work_next(comm, work)) {
		if (work->is_submitted)
			continue;
		if (!work->model &&
		    comm->lanes[work->lane].in_flight == HCCL_LANE_CALLS)
			*is_full = true;
		else if (!is_blocked(&blocked, work))
			has_moved |= push(comm, work);
		if (!work->is_submitted)
			block(&blocked, work);
	}
	return has_moved;
}

/* Do all pending work; returns for how many ms there is nothing to do. */
static int look(struct hccl_comm *comm, struct hccl_times *times)
{
	bool in_flight = reap(comm), is_full = false, has_moved;

	hccl_watch_ranks(comm);
	has_moved = submit(comm, &is_full);
	hccl_watch_works(comm, in_flight, times);
	if (comm->result) {
		drop_all(comm);
		return -1;
	}
	if (has_moved)
		return 0;
	if (is_full || (in_flight && (comm->is_closing || times->dead)))
		return TICK_SHORT_MS;
	if (hccl_work_next(comm, NULL))
		return TICK_MS;
	return comm->graphs ? HCCL_MODELS_MS : -1;
}

static bool is_over(struct hccl_comm *comm)
{
	bool is_over;

	pthread_mutex_lock(&comm->lock);
	is_over = comm->is_closing && !comm->first;
	pthread_mutex_unlock(&comm->lock);
	return is_over;
}

void *hccl_worker(void *arg)
{
	struct hccl_comm *comm = arg;
	struct hccl_times times = { 0 };

	vnpu_collective_begin_thread();
	aclrtSetCurrentContext(comm->context);
	while (!is_over(comm)) {
		if (!look(comm, &times))
			continue;
		hccl_sleep_begin(comm);
		if (!is_over(comm))
			hccl_sleep(comm, look(comm, &times));
	}
	return NULL;
}
