/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-bench: devices that exist for the duration of a measurement. */
#ifndef VNPU_BENCH_DEVICES_H
#define VNPU_BENCH_DEVICES_H

#include <stdbool.h>

#define DEVICES		64

/* The devices by number; initially zero. */
struct devices {
	bool is_adding;
	bool before[DEVICES];	/* existed before the last addition */
	bool added[DEVICES];
};

/* Add a device: 0 or -errno, ENOSPC if there are as many as possible. */
int devices_add(struct devices *d);

/* Remove the added devices, for undo_begin(). */
void devices_remove(void *d);

#endif /* VNPU_BENCH_DEVICES_H */
