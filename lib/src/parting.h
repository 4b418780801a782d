/* SPDX-License-Identifier: MIT */
/*
 * Connections that may take long to close, of one who cannot wait, see hangup.h.
 *
 * They are left open until a thread takes what there is, with a table of descriptors
 * of its own, and ends: a thread that ends does not wait for connections that linger.
 * One may wait all the same, for a file system of the stranger's that does not answer.
 * It holds no lock, and there is another only when as many are left open as may be; but
 * exec() and the end of the process wait for it, until who serves the file system is
 * killed, and with 64 such threads nobody is let in.  It does not matter whether there
 * is a thread to be had now.
 */
#ifndef VNPU_LIB_PARTING_H
#define VNPU_LIB_PARTING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define VNPU_PARTING_OPEN	256	/* from then on it is full */
#define VNPU_PARTING_MORE	64	/* that still have room when it is */
#define VNPU_PARTING_THREADS	64

/* Of one thread, that has a table of descriptors to itself. */
struct vnpu_parting {
	int fds[VNPU_PARTING_OPEN + VNPU_PARTING_MORE];
	size_t count;
	pid_t threads[VNPU_PARTING_THREADS];	/* 0, or it may have ended */
};

/* Have one closed; it stays open for now. */
void vnpu_parting_add(struct vnpu_parting *parting, int fd);

static inline bool vnpu_parting_is_full(const struct vnpu_parting *parting)
{
	return parting->count >= VNPU_PARTING_OPEN;
}

/*
 * Have a thread close what there is, if none is at it or if they are too many, as
 * @is_urgent may tell, too.  The @count descriptors @kept, of which negative ones are
 * passed over, are not to be closed later than the caller closes them.
 */
void vnpu_parting_close(struct vnpu_parting *parting, bool is_urgent,
			const int *kept, size_t count);

#endif /* VNPU_LIB_PARTING_H */
