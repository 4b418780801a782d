// SPDX-License-Identifier: GPL-2.0-only
/* Pollers of a file, which a workqueue wakes. */
#include <linux/sched.h>

#include "pollers.h"

static void vnpu_pollers_wake(struct work_struct *work)
{
	struct vnpu_pollers *pollers = container_of(work, struct vnpu_pollers,
						    work);

	wake_up_all(&pollers->queue);
}

/**
 * vnpu_pollers_init() - initialise the pollers of a file
 * @pollers: the pollers
 */
void vnpu_pollers_init(struct vnpu_pollers *pollers)
{
	init_waitqueue_head(&pollers->queue);
	INIT_WORK(&pollers->work, vnpu_pollers_wake);
}

/**
 * vnpu_pollers_fini() - wait until the workqueue has woken all pollers
 * @pollers: the pollers, which no thread calls any more
 */
void vnpu_pollers_fini(struct vnpu_pollers *pollers)
{
	cancel_work_sync(&pollers->work);
}

/**
 * vnpu_pollers_call() - let the pollers of a file look again
 * @pollers: the pollers
 *
 * The caller has stored the new state before. Pairs with the barrier of
 * poll_wait(), after which a poller loads the state.
 */
void vnpu_pollers_call(struct vnpu_pollers *pollers)
{
	if (wq_has_sleeper(&pollers->queue))
		queue_work(system_unbound_wq, &pollers->work);
}
