// SPDX-License-Identifier: MIT
/* STOP events that come before their launch, see early.h. */
#include <linux/vnpu_engine.h>

#include "early.h"

/* Ids are not reused, so the one of a launch that has ended does no harm. */
static uint64_t ids[VNPU_ENGINE_SLOTS_MAX];
static unsigned int next;

void early_add(uint64_t id)
{
	ids[next++ % VNPU_ENGINE_SLOTS_MAX] = id;
}

bool early_take(uint64_t id)
{
	for (unsigned int i = 0; i < VNPU_ENGINE_SLOTS_MAX; i++)
		if (ids[i] == id) {
			ids[i] = 0;
			return true;
		}
	return false;
}
