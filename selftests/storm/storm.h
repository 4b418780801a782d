/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What storms have in common, wherever they are: how strong they are, and what
 * must be true when one is over. VNPU_STORM is its strength, 1 in "make check", 10 in "make soak".
 */
#ifndef SELFTESTS_VNPU_STORM_H
#define SELFTESTS_VNPU_STORM_H

#include "../isolation/observe.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

/* Enough for the strongest; who runs a storm has a limit, too. */
#define STORM_SECONDS	3600

/* What there was before: at first nobody else uses the devices. */
struct calm {
	struct client c;	/* holds nothing */
	__u32 devices;
	struct observed_memory memory[VNPU_MAX_DEVICES];
};

/* So many times in "make check", times the storm's strength. */
static inline uint64_t storm_times(uint64_t times)
{
	return times * env_u64("VNPU_STORM", 1);
}

int calm_begin(struct calm *calm);

/* NULL when all is as before; what is not, else. */
const char *calm_again(const struct calm *calm);

/* The same of the devices alone, where others are still there. */
const char *calm_devices(const struct calm *calm);
void calm_end(struct calm *calm);

#endif
