// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of tasks: listeners are notified when a task has failed at an address.
 *
 * The engine only records the failure: a notification allocates memory, and
 * other clients wait for the engine's next work, perhaps those that could free
 * some. It records only a few in some seconds, as a program may fail as fast as
 * it can.
 */
#include <linux/string.h>

#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "stream.h"
#include "task_fault.h"

/*
 * The position of the address in the client's window, which stays until the
 * next one.
 */
static void vnpu_task_fault_locate(struct vnpu_client *client,
				   struct vnpu_task_fault *fault)
{
	down_read(&client->lock);
	fault->is_inside = vnpu_client_window_contains(client, fault->va);
	fault->offset = fault->va - client->window_start;
	up_read(&client->lock);
}

static void vnpu_task_faults_report(struct work_struct *work)
{
	struct vnpu_task_faults *faults =
		container_of(work, struct vnpu_task_faults, work);
	struct vnpu_client *client =
		container_of(faults, struct vnpu_client, faults);
	struct vnpu_task_fault reports[VNPU_TASK_FAULT_BURST];
	u32 nr, i;

	spin_lock(&faults->lock);
	nr = faults->nr;
	memcpy(reports, faults->faults, nr * sizeof(reports[0]));
	faults->nr = 0;
	spin_unlock(&faults->lock);
	for (i = 0; i < nr; i++) {
		vnpu_task_fault_locate(client, &reports[i]);
		vnpu_event_send_task_fault(&reports[i]);
	}
}

/**
 * vnpu_task_faults_init() - initialise the faults of a client
 * @faults: the faults
 */
void vnpu_task_faults_init(struct vnpu_task_faults *faults)
{
	INIT_WORK(&faults->work, vnpu_task_faults_report);
	spin_lock_init(&faults->lock);
	ratelimit_state_init(&faults->limit, VNPU_TASK_FAULT_SECONDS * HZ,
			     VNPU_TASK_FAULT_BURST);
	/* Without this flag, it would log how many were suppressed. */
	ratelimit_set_flags(&faults->limit, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * vnpu_task_faults_end() - report the remaining faults
 * @faults: faults of a client; its streams have ended
 */
void vnpu_task_faults_end(struct vnpu_task_faults *faults)
{
	flush_work(&faults->work);
}

/**
 * vnpu_task_fault_note() - record that a task has failed at an address
 * @stream: the stream of the calling engine, which still has the task
 * @error: the result, -errno
 */
void vnpu_task_fault_note(const struct vnpu_stream *stream, int error)
{
	struct vnpu_task_faults *faults = &stream->client->faults;
	bool is_reported;

	spin_lock(&faults->lock);
	is_reported = faults->nr < VNPU_TASK_FAULT_BURST &&
		  __ratelimit(&faults->limit);
	if (is_reported) {
		faults->faults[faults->nr++] = (struct vnpu_task_fault){
			.client = stream->client->id,
			.device = stream->dev->index,
			.stream = stream->id,
			.number = stream->number,
			.seq = stream->run.seq,
			.op = stream->run.task.op,
			.error = error,
			.va = stream->run.fault,
			.unreported = faults->unreported,
		};
		faults->unreported = 0;
	} else {
		faults->unreported++;
	}
	spin_unlock(&faults->lock);
	if (is_reported)
		queue_work(system_unbound_wq, &faults->work);
}
