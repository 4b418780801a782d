// SPDX-License-Identifier: MIT
/*
 * The events that end a communicator: failures of other ranks, their ends, and the
 * limits of time.
 */
#include <string.h>

#include "capture.h"
#include "message.h"
#include "worker.h"

bool hccl_find_failure(struct hccl_comm *comm)
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
	return comm->result;
}

/* A message that waits to be received by a rank that has left is lost. */
static void look_at_messages(struct hccl_comm *comm)
{
	bool has_left = false;

	for (unsigned int r = 0; r < comm->ranks; r++)
		has_left |= hccl_region_rank(&comm->region, r)->left;
	for (struct hccl_work *work = has_left ? hccl_work_next(comm, NULL) : NULL;
	     work; work = hccl_work_next(comm, work))
		for (unsigned int i = 0; i < work->nr_items; i++)
			if (work->items[i].is_send && work->is_submitted &&
			    !work->model)
				hccl_has_posted(comm, work->items[i].peer,
					&hccl_messages(comm,
						work->items[i].peer,
						true)->taken,
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

unsigned int hccl_find_dead(struct hccl_comm *comm)
{
	uint64_t end = hccl_now() + HCCL_GRACE_MS, now;

	for (;;) {
		unsigned int rank;

		hccl_sleep_begin(comm);
		rank = dead_rank(comm);
		now = hccl_now();
		if (rank < comm->ranks || now >= end)
			return rank;
		hccl_sleep(comm, (int)(end - now));
	}
}

static void fail_dead(struct hccl_comm *comm, unsigned int rank)
{
	hccl_fail(comm, HCCL_E_REMOTE, "rank %u (process %d) has ended", rank,
		  comm->peers[rank].member.self.pid);
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
	if (!in_flight || hccl_now() - *since > HCCL_GRACE_MS)
		fail_dead(comm, rank);
}

/*
 * The limit of a capture is that of connecting, since its caller waits for the
 * other ranks.
 */
static uint64_t limit_of(const struct hccl_comm *comm,
			 const struct hccl_work *work)
{
	return work->model ? hccl_connect_seconds() * 1000ULL :
			     comm->execute_ms;
}

static void time_out(struct hccl_comm *comm, const struct hccl_work *work)
{
	char text[HCCL_TEXT];

	hccl_wait_describe(comm, work, text, sizeof(text));
	hccl_fail(comm, HCCL_E_TIMEOUT, "%llu s of HCCL_%s_TIMEOUT have passed: %s",
		  (unsigned long long)limit_of(comm, work) / 1000,
		  work->model ? "CONNECT" : "EXEC", text);
}

/* A capture begins when it is called. */
static bool has_begun(const struct hccl_work *work)
{
	aclrtEventRecordedStatus status;

	return work->model ||
	       (!aclrtQueryEventStatus(work->ready, &status) &&
		status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

/*
 * Fail if a work item exceeds its time limit, which begins when its stream
 * reaches it.
 */
static void look_at_times(struct hccl_comm *comm)
{
	const struct hccl_work *oldest = NULL;
	uint64_t now = hccl_now();

	for (struct hccl_work *work = hccl_work_next(comm, NULL);
	     work && !comm->result; work = hccl_work_next(comm, work)) {
		uint64_t limit = limit_of(comm, work);

		if (!work->since && has_begun(work))
			work->since = now;
		if (!work->since)
			continue;
		if (!oldest)
			oldest = work;
		hccl_wait_report(comm, work, now);
		if (limit && now - work->since > limit)
			time_out(comm, work);
	}
	if (!comm->result)
		hccl_wait_publish(comm, oldest);
}

/* The notifies of a run that has failed stay set, so the model has no other run. */
static void look_at_models(struct hccl_comm *comm, uint64_t *last)
{
	uint64_t now = hccl_now();
	unsigned int rank;

	if (comm->result || !comm->graphs || now - *last < HCCL_MODELS_MS / 2)
		return;
	*last = now;
	if (!hccl_captures_have_failed(comm))
		return;
	rank = hccl_find_dead(comm);
	if (rank < comm->ranks)
		fail_dead(comm, rank);
	else
		hccl_fail(comm, HCCL_E_RUNTIME,
			  "a run of a captured model has failed");
}

void hccl_watch_ranks(struct hccl_comm *comm)
{
	hccl_find_failure(comm);
	look_at_messages(comm);
}

void hccl_watch_works(struct hccl_comm *comm, bool in_flight,
		      struct hccl_times *times)
{
	look_at_dead(comm, in_flight, &times->dead);
	look_at_times(comm);
	look_at_models(comm, &times->models);
}
