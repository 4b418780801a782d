/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: changes of the machine for a measurement, which are undone
 * however the program ends.
 */
#ifndef VNPU_BENCH_UNDO_H
#define VNPU_BENCH_UNDO_H

#include <stddef.h>
#include <sys/types.h>

struct undo {
	void *what;		/* memory shared with the undoing process */
	size_t size;
	int pipe;
	pid_t pid;
};

/*
 * Have another process call undo(what), at undo_end() or when this process
 * ends; @what is @size bytes, zeroed now.  The function may be called with
 * nothing to undo, and must not call anything that another thread may have
 * locked.  0 or -errno.
 */
int undo_begin(struct undo *u, size_t size, void (*undo)(void *what));

/* Undo the changes, and wait until that is done. */
void undo_end(struct undo *u);

#endif /* VNPU_BENCH_UNDO_H */
