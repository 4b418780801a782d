// SPDX-License-Identifier: MIT
/* Connections that may take long to close, see parting.h. */
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "parting.h"
#include "raw.h"
#include "thread.h"

/* What the two threads tell each other; who closes frees it. */
struct closing {
	const int *kept;
	size_t nr_kept;
	sem_t has_table;
	int error;
	pid_t thread;
	sem_t is_last;
};

void vnpu_parting_add(struct vnpu_parting *parting, int fd)
{
	parting->fds[parting->count++] = fd;
}

static void closing_free(struct closing *closing)
{
	sem_destroy(&closing->has_table);
	sem_destroy(&closing->is_last);
	free(closing);
}

/* What it closes is what its table has when it has ended. */
static void *close_at_end(void *arg)
{
	struct closing *closing = arg;

	vnpu_thread_set_name("vnpu-parting");
	closing->thread = gettid();
	/* A copy of all that is open. */
	if (close_range(INT_MAX, INT_MAX, CLOSE_RANGE_UNSHARE))
		closing->error = -errno;
	else
		for (size_t i = 0; i < closing->nr_kept; i++)
			if (closing->kept[i] >= 0)
				vnpu_raw_close(closing->kept[i]);
	sem_post(&closing->has_table);
	vnpu_thread_wait(&closing->is_last);
	closing_free(closing);
	return NULL;
}

/* The thread, or 0 if there is none to be had. */
static pid_t start(struct vnpu_parting *parting, const int *kept, size_t count)
{
	struct closing *closing = calloc(1, sizeof(*closing));
	pid_t thread = 0;

	if (!closing)
		return 0;
	closing->kept = kept;
	closing->nr_kept = count;
	sem_init(&closing->has_table, 0, 0);
	sem_init(&closing->is_last, 0, 0);
	if (vnpu_thread_start(close_at_end, closing)) {
		closing_free(closing);
		return 0;
	}
	vnpu_thread_wait(&closing->has_table);
	if (!closing->error) {
		thread = closing->thread;
		while (parting->count)
			vnpu_raw_close(parting->fds[--parting->count]);
	}
	/* Now its descriptors are the last ones. */
	sem_post(&closing->is_last);
	return thread;
}

/* A thread is there until all is closed. */
static bool is_closing(pid_t thread)
{
	return thread && !syscall(SYS_tgkill, getpid(), thread, 0);
}

void vnpu_parting_close(struct vnpu_parting *parting, bool is_urgent,
			const int *kept, size_t count)
{
	pid_t *none = NULL;
	bool is_busy = false;

	if (!parting->count)
		return;
	for (pid_t *t = parting->threads;
	     t < parting->threads + VNPU_PARTING_THREADS; t++) {
		if (is_closing(*t)) {
			is_busy = true;
			continue;
		}
		/* The number may become another's. */
		*t = 0;
		none = t;
	}
	if (none && (!is_busy || is_urgent || vnpu_parting_is_full(parting)))
		*none = start(parting, kept, count);
}
