/* SPDX-License-Identifier: MIT */
/*
 * STOP events that a thread reads before another one has given their launch a slot.
 * The caller serializes the calls.
 */
#ifndef VNPU_CORE_EARLY_H
#define VNPU_CORE_EARLY_H

#include <stdbool.h>
#include <stdint.h>

/* Remember the STOP of a launch.  It is forgotten after as many others as slots. */
void early_add(uint64_t id);

/* Check whether the STOP of a launch was added, and forget it. */
bool early_take(uint64_t id);

#endif /* VNPU_CORE_EARLY_H */
