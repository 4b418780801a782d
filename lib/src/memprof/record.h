/* SPDX-License-Identifier: MIT */
/*
 * The database of allocations, see record.c.
 */
#ifndef VNPU_LIB_PROFILE_RECORD_H
#define VNPU_LIB_PROFILE_RECORD_H

#include "profile.h"
#include "site.h"

/*
 * Protected by the profiler's lock; a copy belongs to the thread that made it.
 */
struct vnpu_record {
	struct vnpu_record *next;	/* in a chain or list */
	uint64_t address;
	uint64_t size;
	uint64_t alloc_ns;
	uint64_t free_ns;
	uint64_t alloc_seq;		/* event number, from 1 */
	uint64_t free_seq;		/* 0 while it is allocated */
	struct vnpu_site *site;
	int64_t stream;
	uint32_t device;		/* its number in the driver */
	uint32_t alloc_thread;
	uint32_t free_thread;
	uint32_t run;			/* the recording that it belongs to */
	vnpu_profile_kind kind;
};

/* Check whether the program or the environment wants records. */
bool vnpu_profile_is_wanted(void);

/* Get the system's id of the calling thread. */
uint32_t vnpu_profile_thread(void);

void vnpu_profile_lock(void);
void vnpu_profile_unlock(void);

/* Get the totals of one device, by the driver's number; takes the lock. */
void vnpu_record_device_stats(uint32_t device,
			      struct vnpu_profile_stats *stats);

/* The lock protects the rest. */

/*
 * Start to keep @keep freed records, and drop all others if the recording is
 * new.
 */
void vnpu_record_begin(size_t keep, bool is_new);

#define VNPU_RECORD_ANY_DEVICE	(-1)

/*
 * Copy the records of a set, in the order of allocation, for the caller to
 * free; NULL without memory.  @device is a driver's number, for the records and
 * the peak of this device, or VNPU_RECORD_ANY_DEVICE.
 */
struct vnpu_record *vnpu_record_copy(vnpu_profile_set set, int64_t device,
				     size_t *count);

#endif /* VNPU_LIB_PROFILE_RECORD_H */
