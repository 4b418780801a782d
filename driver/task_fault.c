// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of tasks: who listens is told that a task has failed at an address.
 *
 * The engine only notes it: to tell takes memory, and others wait for what the
 * engine does next, maybe those who are to free some. And it notes a few in some
 * seconds only, as a program may fail as fast as it can.
 */
#include <linux/string.h>

#include "client.h"
#include "device.h"
#include "netlink.h"
#include "stream.h"
#include "task_fault.h"

/* Where the address is to the client, whose window is there until the next. */
static void vnpu_task_fault_place(struct vnpu_client *client,
				  struct vnpu_task_fault *fault)
{
	down_read(&client->lock);
	fault->is_inside = vnpu_client_window_contains(client, fault->va);
	fault->offset = fault->va - client->window_start;
	up_read(&client->lock);
}

static void vnpu_task_faults_tell(struct work_struct *work)
{
	struct vnpu_task_faults *faults =
		container_of(work, struct vnpu_task_faults, work);
	struct vnpu_client *client =
		container_of(faults, struct vnpu_client, faults);
	struct vnpu_task_fault told[VNPU_TASK_FAULT_BURST];
	u32 nr, i;

	spin_lock(&faults->lock);
	nr = faults->nr;
	memcpy(told, faults->faults, nr * sizeof(told[0]));
	faults->nr = 0;
	spin_unlock(&faults->lock);
	for (i = 0; i < nr; i++) {
		vnpu_task_fault_place(client, &told[i]);
		vnpu_netlink_send_task_fault(&told[i]);
	}
}

/**
 * vnpu_task_faults_init() - no faults
 * @faults: of a client
 */
void vnpu_task_faults_init(struct vnpu_task_faults *faults)
{
	INIT_WORK(&faults->work, vnpu_task_faults_tell);
	spin_lock_init(&faults->lock);
	ratelimit_state_init(&faults->limit, VNPU_TASK_FAULT_SECONDS * HZ,
			     VNPU_TASK_FAULT_BURST);
	/* Without, it would log how many it did not let through. */
	ratelimit_set_flags(&faults->limit, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * vnpu_task_faults_end() - tell what is left to tell
 * @faults: of a client whose streams have ended
 */
void vnpu_task_faults_end(struct vnpu_task_faults *faults)
{
	flush_work(&faults->work);
}

/**
 * vnpu_task_fault_note() - a task has failed at an address
 * @stream: the calling engine's, which has the task still
 * @error: what came of it, -errno
 */
void vnpu_task_fault_note(const struct vnpu_stream *stream, int error)
{
	struct vnpu_task_faults *faults = &stream->client->faults;
	bool is_told;

	spin_lock(&faults->lock);
	is_told = faults->nr < VNPU_TASK_FAULT_BURST &&
		  __ratelimit(&faults->limit);
	if (is_told) {
		faults->faults[faults->nr++] = (struct vnpu_task_fault){
			.client = stream->client->id,
			.device = stream->dev->index,
			.stream = stream->id,
			.number = stream->number,
			.seq = stream->run.seq,
			.op = stream->run.task.op,
			.error = error,
			.va = stream->run.fault,
			.untold = faults->untold,
		};
		faults->untold = 0;
	} else {
		faults->untold++;
	}
	spin_unlock(&faults->lock);
	if (is_told)
		queue_work(system_unbound_wq, &faults->work);
}
