/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-bench: devices that are there for as long as something is measured. */
#ifndef VNPU_BENCH_DEVICES_H
#define VNPU_BENCH_DEVICES_H

#include <stdbool.h>

#define DEVICES		64

/* Which there are, by number; zeroes at first. */
struct devices {
	bool is_adding;
	bool before[DEVICES];	/* before the one that is being added */
	bool added[DEVICES];
};

/* One more: 0 or -errno, ENOSPC if there are as many as there can be. */
int devices_add(struct devices *d);

/* Those that were added, for undo_begin(). */
void devices_remove(void *d);

#endif /* VNPU_BENCH_DEVICES_H */
