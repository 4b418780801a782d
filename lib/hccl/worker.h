/* SPDX-License-Identifier: MIT */
/* The worker of a communicator, see worker.c, and its helpers. */
#ifndef VNPU_HCCL_WORKER_H
#define VNPU_HCCL_WORKER_H

#include "comm.h"

/* The worker itself, a thread. */
void *hccl_worker(void *comm);

/* sentry.c: see the ends of other ranks from now on; and stop that. */
HcclResult hccl_sentry_start(struct hccl_comm *comm);
void hccl_sentry_stop(struct hccl_comm *comm);

/* Start a thread that takes no signals of the program; an errno value. */
int hccl_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/* The work after @work in the list of the communicator; NULL for the first. */
struct hccl_work *hccl_work_next(struct hccl_comm *comm,
				 struct hccl_work *work);

/*
 * bell.c: the worker says that it will sleep, looks once more for something to do, and
 * sleeps until it is woken, or for @ms.  Any wake in between ends the sleep; -1 is no
 * limit.
 */
void hccl_sleep_begin(struct hccl_comm *comm);
void hccl_sleep(struct hccl_comm *comm, int ms);

/* watch.c: fail if another rank has failed, or will not receive a message. */
void hccl_watch_ranks(struct hccl_comm *comm);

/* Times of the worker, in ms of hccl_now(); 0 if not yet. */
struct hccl_times {
	uint64_t dead;		/* when the end of a rank was seen */
	uint64_t models;	/* when the worker has looked at captured models */
};

/* Interval at which the worker looks at captured models, in ms. */
#define HCCL_MODELS_MS	200

/*
 * Fail if a rank has ended, if the time limit of a work item has passed, or if
 * a run of a captured model has failed.
 */
void hccl_watch_works(struct hccl_comm *comm, bool in_flight,
		      struct hccl_times *times);

/* wait.c: publish what @work waits for, or that nothing waits if it is NULL. */
void hccl_wait_publish(struct hccl_comm *comm, const struct hccl_work *work);

/* Log a work item that has waited for a long time. */
void hccl_wait_report(struct hccl_comm *comm, struct hccl_work *work,
		      uint64_t now);

/*
 * Describe the ranks that have not made the call for which a work item waits.
 */
void hccl_wait_describe(const struct hccl_comm *comm,
			const struct hccl_work *work, char *text, size_t size);

#endif /* VNPU_HCCL_WORKER_H */
