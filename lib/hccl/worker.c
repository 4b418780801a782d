// SPDX-License-Identifier: MIT
/*
 * The worker of a communicator, see comm.h.
 *
 * It sleeps until its bell rings, which the callers and the workers of the other
 * ranks do, or until another rank ends.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm.h"
#include "message.h"

/* How often works in flight are looked at: usually, and if something waits. */
#define TICK_MS		200
#define TICK_SHORT_MS	1

/* Tasks that a rank submitted before it ended may still complete. */
#define GRACE_MS	200

void hccl_wake(const struct hccl_comm *comm, unsigned int rank)
{
	struct hccl_rank *state = hccl_region_rank(&comm->region, rank);
	const uint64_t one = 1;
	ssize_t ret;

	/* Pairs with the fence in rest(). */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&state->asleep, memory_order_relaxed))
		return;
	/* It cannot overflow, as the sleeper clears it. */
	ret = write(comm->peers[rank].member.bell, &one, sizeof(one));
	(void)ret;
}

static void work_free(struct hccl_comm *comm, struct hccl_work *work)
{
	aclrtEvent events[] = { work->ready, work->end };

	pthread_mutex_lock(&comm->lock);
	for (unsigned int i = 0; i < 2; i++) {
		if (comm->nr_free < sizeof(comm->free_events) /
				    sizeof(comm->free_events[0])) {
			comm->free_events[comm->nr_free++] = events[i];
			events[i] = NULL;
		}
	}
	pthread_mutex_unlock(&comm->lock);
	for (unsigned int i = 0; i < 2; i++)
		if (events[i])
			aclrtDestroyEvent(events[i]);
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

static struct hccl_work *work_next(struct hccl_comm *comm,
				   struct hccl_work *work)
{
	struct hccl_work *next;

	pthread_mutex_lock(&comm->lock);
	next = work ? work->next : comm->first;
	pthread_mutex_unlock(&comm->lock);
	return next;
}

/* Let the streams of all calls go on, into the copy that fails. */
static void release_streams(struct hccl_comm *comm)
{
	aclrtCntNotifyRecordInfo info = {
		.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE,
		.value = UINT32_MAX,
	};
	void *nowhere = (void *)(uintptr_t)64;

	aclrtSetMemcpyDesc(comm->fuse, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
			   nowhere, comm->spare, sizeof(uint64_t), NULL);
	for (unsigned int i = 0; i < HCCL_LANES; i++) {
		if (comm->lanes[i].stream)
			aclrtStreamAbort(comm->lanes[i].stream);
		aclrtCntNotifyRecord(comm->lanes[i].done, comm->rescue, &info);
	}
}

void hccl_fail(struct hccl_comm *comm, HcclResult result, const char *format,
	       ...)
{
	struct hccl_rank *state = hccl_region_rank(&comm->region, comm->rank);
	va_list list;

	if (comm->result)
		return;
	va_start(list, format);
	vsnprintf(comm->text, sizeof(comm->text), format, list);
	va_end(list);
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "HCCL communicator %s, rank %u: %s", comm->name, comm->rank,
		  comm->text);
	memcpy(state->text, comm->text, sizeof(state->text));
	comm->result = result;
	state->failed = result;
	release_streams(comm);
	for (unsigned int r = 0; r < comm->ranks; r++)
		hccl_wake(comm, r);
}

static void drop_all(struct hccl_comm *comm)
{
	struct hccl_work *work;

	while ((work = work_next(comm, NULL)))
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

/* Free the works that are done.  Return whether some are in flight. */
static bool reap(struct hccl_comm *comm)
{
	struct hccl_work *before = NULL, *work = work_next(comm, NULL);
	bool in_flight = false;

	while (work) {
		struct hccl_work *next = work_next(comm, work);
		aclrtEventRecordedStatus status;

		if (work->is_submitted &&
		    !aclrtQueryEventStatus(work->end, &status) &&
		    status == ACL_EVENT_RECORDED_STATUS_COMPLETE) {
			comm->lanes[work->lane].in_flight--;
			look_at_lane(comm, work->lane);
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
	bool messages[2][HCCL_RANKS_MAX];
};

static bool is_blocked(const struct blocked *blocked,
		       const struct hccl_work *work)
{
	if (blocked->lanes[work->lane])
		return true;
	if (work->kind != HCCL_MESSAGE)
		return blocked->collectives;
	for (unsigned int i = 0; i < work->nr_items; i++)
		if (blocked->messages[work->items[i].is_send]
				     [work->items[i].peer])
			return true;
	return false;
}

static void block(struct blocked *blocked, const struct hccl_work *work)
{
	blocked->lanes[work->lane] = true;
	if (work->kind != HCCL_MESSAGE)
		blocked->collectives = true;
	for (unsigned int i = 0; i < work->nr_items; i++)
		blocked->messages[work->items[i].is_send]
				 [work->items[i].peer] = true;
}

/* Go on with a work as far as possible; returns whether it has gone on. */
static bool push(struct hccl_comm *comm, struct hccl_work *work)
{
	bool has_moved = false;

	while (!work->is_submitted && hccl_advance(comm, work)) {
		has_moved = true;
		if (work->is_submitted)
			comm->lanes[work->lane].in_flight++;
		else if (work->kind != HCCL_MESSAGE)
			break;
	}
	return has_moved;
}

/* Submit what can be submitted; @is_full is set if a lane has too much. */
static bool submit(struct hccl_comm *comm, bool *is_full)
{
	struct blocked blocked = { 0 };
	bool has_moved = false;

	for (struct hccl_work *work = work_next(comm, NULL);
	     work && !comm->result; work = work_next(comm, work)) {
		if (work->is_submitted)
			continue;
		if (comm->lanes[work->lane].in_flight == HCCL_LANE_CALLS)
			*is_full = true;
		else if (!is_blocked(&blocked, work))
			has_moved |= push(comm, work);
		if (!work->is_submitted)
			block(&blocked, work);
	}
	return has_moved;
}

/* See whether another rank has failed. */
static void look_at_peers(struct hccl_comm *comm)
{
	for (unsigned int r = 0; r < comm->ranks && !comm->result; r++) {
		struct hccl_rank *state = hccl_region_rank(&comm->region, r);
		char text[HCCL_TEXT];

		if (r == comm->rank || !state->failed)
			continue;
		memcpy(text, state->text, sizeof(text));
		text[sizeof(text) - 1] = 0;
		hccl_fail(comm, HCCL_E_REMOTE, "rank %u failed: %s", r, text);
	}
}

/* A message that waits to be received by a rank that has left is lost. */
static void look_at_messages(struct hccl_comm *comm)
{
	bool has_left = false;

	for (unsigned int r = 0; r < comm->ranks; r++)
		has_left |= hccl_region_rank(&comm->region, r)->left;
	for (struct hccl_work *work = has_left ? work_next(comm, NULL) : NULL;
	     work; work = work_next(comm, work))
		for (unsigned int i = 0; i < work->nr_items; i++)
			if (work->items[i].is_send && work->is_submitted)
				hccl_has_posted(comm, work->items[i].peer,
					&hccl_region_messages(&comm->region,
						comm->rank,
						work->items[i].peer)->taken,
					work->items[i].number, "HcclSend");
}

/* Return a rank that ended without leaving, or the number of ranks. */
static unsigned int dead_rank(struct hccl_comm *comm)
{
	unsigned int r = 0;

	while (r < comm->ranks &&
	       !(comm->peers[r].is_gone &&
		 !hccl_region_rank(&comm->region, r)->left))
		r++;
	return r;
}

/* After a rank has ended, let what it has submitted complete, for a while. */
static void look_at_dead(struct hccl_comm *comm, bool in_flight,
			 uint64_t *since)
{
	unsigned int rank = dead_rank(comm);

	if (rank == comm->ranks || comm->result)
		return;
	if (!*since)
		*since = hccl_now();
	if (!in_flight || hccl_now() - *since > GRACE_MS)
		hccl_fail(comm, HCCL_E_REMOTE, "rank %u (process %d) has ended",
			  rank, comm->peers[rank].member.self.pid);
}

static void time_out(struct hccl_comm *comm, const struct hccl_work *work)
{
	char text[HCCL_TEXT];

	hccl_wait_describe(comm, work, text, sizeof(text));
	hccl_fail(comm, HCCL_E_TIMEOUT,
		  "%llu s of HCCL_EXEC_TIMEOUT have passed: %s",
		  (unsigned long long)comm->execute_ms / 1000, text);
}

/* The limit of a work begins when its stream has reached it. */
static void look_at_times(struct hccl_comm *comm)
{
	const struct hccl_work *oldest = NULL;
	uint64_t now = hccl_now();

	for (struct hccl_work *work = work_next(comm, NULL);
	     work && !comm->result; work = work_next(comm, work)) {
		aclrtEventRecordedStatus status;

		if (!work->since &&
		    !aclrtQueryEventStatus(work->ready, &status) &&
		    status == ACL_EVENT_RECORDED_STATUS_COMPLETE)
			work->since = now;
		if (!work->since)
			continue;
		if (!oldest)
			oldest = work;
		hccl_wait_report(comm, work, now);
		if (comm->execute_ms && now - work->since > comm->execute_ms)
			time_out(comm, work);
	}
	if (!comm->result)
		hccl_wait_publish(comm, oldest);
}

/* Sleep until something happens, or for @ms; without @bell until a rank ends. */
static void rest(struct hccl_comm *comm, int ms, bool bell)
{
	struct pollfd pollers[HCCL_RANKS_MAX + 1];
	uint64_t count;

	for (unsigned int r = 0; r < comm->ranks; r++) {
		const struct hccl_peer *peer = &comm->peers[r];
		bool is_watched = r != comm->rank && !peer->is_gone;

		pollers[r].fd = is_watched ? peer->member.alive : -1;
		pollers[r].events = POLLIN;
		pollers[r].revents = 0;
	}
	pollers[comm->ranks].fd = bell ? comm->peers[comm->rank].member.bell :
					 -1;
	pollers[comm->ranks].events = POLLIN;
	pollers[comm->ranks].revents = 0;
	if (poll(pollers, comm->ranks + 1, ms) <= 0)
		return;
	if (pollers[comm->ranks].revents &&
	    read(pollers[comm->ranks].fd, &count, sizeof(count)) < 0)
		return;
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (pollers[r].revents)
			comm->peers[r].is_gone = true;
}

unsigned int hccl_find_dead(struct hccl_comm *comm)
{
	if (dead_rank(comm) == comm->ranks)
		rest(comm, GRACE_MS, false);
	return dead_rank(comm);
}

/* One look at everything; returns how long there is nothing to do, in ms. */
static int look(struct hccl_comm *comm, uint64_t *dead_since)
{
	bool in_flight = reap(comm), is_full = false, has_moved;

	look_at_peers(comm);
	look_at_messages(comm);
	has_moved = submit(comm, &is_full);
	look_at_dead(comm, in_flight, dead_since);
	look_at_times(comm);
	if (comm->result) {
		drop_all(comm);
		return -1;
	}
	if (has_moved)
		return 0;
	if (is_full || (in_flight && (comm->is_closing || *dead_since)))
		return TICK_SHORT_MS;
	return work_next(comm, NULL) ? TICK_MS : -1;
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
	struct hccl_rank *state = hccl_region_rank(&comm->region, comm->rank);
	uint64_t dead_since = 0;

	aclrtSetCurrentContext(comm->context);
	while (!is_over(comm)) {
		if (!look(comm, &dead_since))
			continue;
		state->asleep = 1;
		/* Pairs with the fence in hccl_wake(): look again. */
		atomic_thread_fence(memory_order_seq_cst);
		if (!is_over(comm))
			rest(comm, look(comm, &dead_since), true);
		state->asleep = 0;
	}
	return NULL;
}
