/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: what it changes of the machine for a measurement, and changes back
 * however it ends.
 */
#ifndef VNPU_BENCH_UNDO_H
#define VNPU_BENCH_UNDO_H

#include <stddef.h>
#include <sys/types.h>

struct undo {
	void *what;		/* memory that who undoes it sees too */
	size_t size;
	int pipe;
	pid_t pid;
};

/*
 * Have undo(what) called by another process, at undo_end() or when this one is
 * no more; what is @size bytes of zeroes now.  The function may be called where
 * there is nothing to undo, and calls nothing that another thread may have
 * locked.  0 or -errno.
 */
int undo_begin(struct undo *u, size_t size, void (*undo)(void *what));

/* Returns when it is undone. */
void undo_end(struct undo *u);

#endif /* VNPU_BENCH_UNDO_H */
