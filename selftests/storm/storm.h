/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of storms in all directories: their strength, and the state that
 * must be restored after one. VNPU_STORM is the strength, 1 in "make check", 10
 * in "make soak".
 */
#ifndef SELFTESTS_VNPU_STORM_H
#define SELFTESTS_VNPU_STORM_H

#include "../isolation/observe.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

/* Enough for the strongest; a program with a storm has a limit, too. */
#define STORM_SECONDS	3600

/* The initial state: at first no other client uses the devices. */
struct calm {
	struct client c;	/* without memory */
	__u32 devices;
	struct observed_memory memory[VNPU_MAX_DEVICES];
};

/* Rounds in "make check", times the storm's strength. */
static inline uint64_t storm_times(uint64_t times)
{
	return times * env_u64("VNPU_STORM", 1);
}

int calm_begin(struct calm *calm);

/*
 * Return NULL if everything is as before, otherwise a description of the
 * difference.
 */
const char *calm_again(const struct calm *calm);

/* The same for the devices alone, if there are still other clients. */
const char *calm_devices(const struct calm *calm);
void calm_end(struct calm *calm);

#endif
