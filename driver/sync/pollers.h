/* SPDX-License-Identifier: GPL-2.0-only */
/* Pollers of a file, which a workqueue wakes. */
#ifndef VNPU_POLLERS_H
#define VNPU_POLLERS_H

#include <linux/wait.h>
#include <linux/workqueue.h>

/**
 * struct vnpu_pollers - the pollers of a file
 * @queue: their wait queue, for poll_wait()
 * @work: wakes them. There may be very many, so neither an engine nor a holder of
 *	a lock does.
 */
struct vnpu_pollers {
	wait_queue_head_t queue;
	struct work_struct work;
};

void vnpu_pollers_init(struct vnpu_pollers *pollers);
void vnpu_pollers_fini(struct vnpu_pollers *pollers);
void vnpu_pollers_call(struct vnpu_pollers *pollers);

#endif
