/* SPDX-License-Identifier: MIT */
/*
 * Records of what is allocated, each found by its address.  All of it is under
 * the profiler's lock.
 */
#ifndef VNPU_LIB_PROFILE_LIVE_H
#define VNPU_LIB_PROFILE_LIVE_H

#include "record.h"

/*
 * More chains, where @count records are in them already; false if there is no
 * chain at all, so that none can be added.
 */
bool vnpu_live_grow(size_t count);

void vnpu_live_add(struct vnpu_record *record);
struct vnpu_record *vnpu_live_take(uint64_t address);

/* To see all of them, or to take some out on the way. */
size_t vnpu_live_chains(void);
struct vnpu_record **vnpu_live_chain(size_t i);

#endif /* VNPU_LIB_PROFILE_LIVE_H */
