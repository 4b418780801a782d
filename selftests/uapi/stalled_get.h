/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread of a core that has got an event, and waits for the memory that it is
 * to be written to. The write fails in the end.
 */
#ifndef UAPI_STALLED_GET_H
#define UAPI_STALLED_GET_H

#include <pthread.h>

#include "core.h"
#include "uffd.h"

struct stalled_get {
	int fd, ret, uffd;
	struct vnpu_engine_event *e;	/* not present */
	pthread_t thread;
};

static inline void *stalled_get_run(void *data)
{
	struct stalled_get *g = data;

	g->ret = engine_next(g->fd, g->e, 1, NO_TIMEOUT);
	return NULL;
}

/* Return 0 once the thread waits; -EOPNOTSUPP without userfaultfd; -errno. */
static inline int stalled_get_begin(struct stalled_get *g, int fd)
{
	struct uffd_msg msg;

	g->fd = fd;
	g->e = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g->e == MAP_FAILED)
		return -errno;
	g->uffd = uffd_open(g->e, PAGE, UFFDIO_REGISTER_MODE_MISSING);
	if (g->uffd < 0) {
		munmap(g->e, PAGE);
		return -EOPNOTSUPP;
	}
	if (pthread_create(&g->thread, NULL, stalled_get_run, g))
		return -EAGAIN;
	return read(g->uffd, &msg, sizeof(msg)) == sizeof(msg) ? 0 : -EIO;
}

/* Let the write fail; return the result of the call. */
static inline int stalled_get_end(struct stalled_get *g)
{
	munmap(g->e, PAGE);
	close(g->uffd);
	pthread_join(g->thread, NULL);
	return g->ret;
}

#endif /* UAPI_STALLED_GET_H */
