/* SPDX-License-Identifier: MIT */
/*
 * Records of live allocations, found by their addresses.  The profiler's lock
 * protects all of it.
 */
#ifndef VNPU_LIB_PROFILE_LIVE_H
#define VNPU_LIB_PROFILE_LIVE_H

#include "record.h"

/*
 * Add chains for @count existing records; false if there is no chain at all, so
 * that no record can be added.
 */
bool vnpu_live_grow(size_t count);

void vnpu_live_add(struct vnpu_record *record);
struct vnpu_record *vnpu_live_remove(uint64_t address);

/* The number of chains, to iterate over all records, or to remove some. */
size_t vnpu_live_chains(void);
struct vnpu_record **vnpu_live_chain(size_t i);

#endif /* VNPU_LIB_PROFILE_LIVE_H */
