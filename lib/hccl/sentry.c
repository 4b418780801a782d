// SPDX-License-Identifier: MIT
/*
 * The sentry of a communicator: a thread that wakes the worker as soon as another rank
 * ends.  The worker cannot see this itself, as it sleeps on words, not on files.
 */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "file.h"
#include "worker.h"

static void see(struct hccl_comm *comm, struct pollfd pollers[])
{
	for (unsigned int r = 0; r < comm->ranks; r++) {
		if (pollers[r].fd < 0 || !pollers[r].revents)
			continue;
		comm->peers[r].is_gone = true;
		pollers[r].fd = -1;
		hccl_wake(comm, comm->rank);
	}
}

static void *watch_ends(void *arg)
{
	struct hccl_comm *comm = arg;
	struct pollfd pollers[HCCL_RANKS_MAX + 1];
	struct pollfd *stop = &pollers[comm->ranks];

	for (unsigned int r = 0; r < comm->ranks; r++)
		pollers[r] = (struct pollfd){
			r == comm->rank ? -1 : comm->peers[r].member.alive,
			POLLIN, 0,
		};
	*stop = (struct pollfd){ comm->stop, POLLIN, 0 };
	while (!stop->revents)
		if (poll(pollers, comm->ranks + 1, -1) > 0)
			see(comm, pollers);
	return NULL;
}

int hccl_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

HcclResult hccl_sentry_start(struct hccl_comm *comm)
{
	comm->stop = hccl_file_event();
	if (comm->stop < 0)
		return HCCL_E_SYSCALL;
	if (!hccl_thread_start(&comm->sentry, watch_ends, comm))
		return HCCL_SUCCESS;
	hccl_file_close(comm->stop);
	comm->stop = -1;
	return HCCL_E_SYSCALL;
}

void hccl_sentry_stop(struct hccl_comm *comm)
{
	if (comm->stop < 0)
		return;
	/* The first write to an eventfd does not wait. */
	eventfd_write(comm->stop, 1);
	pthread_join(comm->sentry, NULL);
	hccl_file_close(comm->stop);
	comm->stop = -1;
}
