// SPDX-License-Identifier: MIT
/*
 * Waits of ranks for each other.  Each rank publishes what its oldest call waits for,
 * so that the others can say in messages which rank waits for which, in which call.
 */
#include <stdio.h>

#include "worker.h"

/* A call that waits this long is reported once, in the log. */
#define REPORT_MS	10000

/* A published wait: the rank waited for, the call, and its number. */
struct wait {
	uint16_t rank;
	uint8_t kind;		/* enum hccl_kind; 0 for no wait */
	uint8_t is_send;
	uint32_t number;
};

_Static_assert(sizeof(struct wait) == sizeof(uint64_t), "one atomic store");

static const char *call_name(const struct wait *wait)
{
	if (wait->kind != HCCL_MESSAGE)
		return hccl_kind_name(wait->kind);
	return wait->is_send ? "HcclSend" : "HcclRecv";
}

/* Whether a message has been posted by its sender, or taken by its receiver. */
static bool has_come(const struct hccl_comm *comm, const struct hccl_work *work,
		     const struct hccl_item *item)
{
	struct hccl_messages *messages = hccl_messages(comm, item->peer,
						       item->is_send);

	if (work->model)
		return messages->captured[!item->is_send].posted > item->number;
	return (item->is_send ? messages->taken : messages->posted) >
	       item->number;
}

/* The next rank from @r on that has not called what @work needs of it. */
static struct wait next_missing(const struct hccl_comm *comm,
				const struct hccl_work *work, unsigned int r)
{
	struct wait wait = {
		.kind = (uint8_t)work->kind,
		.number = (uint32_t)work->number,
	};

	for (; r < comm->ranks; r++) {
		wait.rank = (uint16_t)r;
		if (work->kind != HCCL_MESSAGE &&
		    hccl_posts(comm, r, work)->posted <= work->number)
			return wait;
		for (unsigned int i = 0; i < work->nr_items; i++) {
			const struct hccl_item *item = &work->items[i];

			if (item->peer != r || has_come(comm, work, item))
				continue;
			wait.is_send = item->is_send;
			wait.number = (uint32_t)item->number;
			return wait;
		}
	}
	return (struct wait){ 0 };
}

/* Add ", which waits in ..." if a rank has published it; returns the bytes. */
static size_t add_wait(const struct hccl_comm *comm, unsigned int rank,
		       char *text, size_t size)
{
	union {
		uint64_t word;
		struct wait wait;
	} its = { .word = hccl_region_rank(&comm->region, rank)->waits };
	int length;

	if (!its.wait.kind || its.wait.kind >= HCCL_KINDS)
		return 0;
	length = snprintf(text, size, ", which waits in %s number %u for rank %u",
			  call_name(&its.wait), its.wait.number, its.wait.rank);
	return (size_t)length < size ? (size_t)length : size - 1;
}

void hccl_wait_describe(const struct hccl_comm *comm,
			const struct hccl_work *work, char *text, size_t size)
{
	struct wait wait = next_missing(comm, work, 0);
	size_t length = 0;

	if (!wait.kind) {
		snprintf(text, size, "all ranks have called %s number %llu",
			 hccl_kind_name(work->kind),
			 (unsigned long long)work->number);
		return;
	}
	while (wait.kind && length + 64 < size) {
		length += (size_t)snprintf(text + length, size - length,
			"%s%s number %u waits for rank %u (process %d)",
			length ? "; " : "", call_name(&wait), wait.number,
			wait.rank, comm->peers[wait.rank].member.self.pid);
		if (length >= size)
			return;
		length += add_wait(comm, wait.rank, text + length,
				   size - length);
		wait = next_missing(comm, work, wait.rank + 1U);
	}
}

void hccl_wait_publish(struct hccl_comm *comm, const struct hccl_work *work)
{
	union {
		struct wait wait;
		uint64_t word;
	} own = { .word = 0 };
	struct hccl_view *view = hccl_region_view(&comm->region, comm->rank);

	if (work)
		own.wait = next_missing(comm, work, 0);
	view->since_ms = work ? work->since : 0;
	view->waits_for = own.wait.kind ? own.wait.rank + 1U : 0;
	view->kind = work ? work->kind : 0;
	hccl_region_rank(&comm->region, comm->rank)->waits = own.word;
}

void hccl_wait_report(struct hccl_comm *comm, struct hccl_work *work,
		      uint64_t now)
{
	char text[HCCL_TEXT];

	if (work->is_reported || now - work->since < REPORT_MS)
		return;
	work->is_reported = true;
	hccl_wait_describe(comm, work, text, sizeof(text));
	aclAppLog(ACL_WARNING, __func__, __FILE__, __LINE__,
		  "HCCL communicator %s, rank %u, after %u s: %s", comm->name,
		  comm->rank, REPORT_MS / 1000, text);
}
