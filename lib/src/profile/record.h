/* SPDX-License-Identifier: MIT */
/*
 * The book of allocations, see record.c.
 */
#ifndef VNPU_LIB_PROFILE_RECORD_H
#define VNPU_LIB_PROFILE_RECORD_H

#include "profile.h"
#include "site.h"

/* Under the profiler's lock; what is copied out of it belongs to the copier. */
struct vnpu_record {
	struct vnpu_record *next;	/* in a chain or list */
	uint64_t address;
	uint64_t size;
	uint64_t alloc_ns;
	uint64_t free_ns;
	uint64_t alloc_seq;		/* of events, from 1 */
	uint64_t free_seq;		/* 0 while it is allocated */
	struct vnpu_site *site;
	int64_t stream;
	uint32_t device;		/* its number for the driver */
	uint32_t alloc_thread;
	uint32_t free_thread;
	uint32_t run;			/* in which it was recorded */
	vnpu_profile_kind kind;
};

/* Whether anybody wants to know, with the environment asked. */
bool vnpu_profile_is_wanted(void);

/* The number that the system has for the caller. */
uint32_t vnpu_profile_thread(void);

void vnpu_profile_lock(void);
void vnpu_profile_unlock(void);

/* Sums of one device, by its number for the driver; takes the lock. */
void vnpu_record_device_stats(uint32_t device,
			      struct vnpu_profile_stats *stats);

/* The rest is under the lock. */

/* From now on @keep freed ones are remembered; none of before if it is new. */
void vnpu_record_begin(size_t keep, bool is_new);

#define VNPU_RECORD_ANY_DEVICE	(-1)

/*
 * Copies of the records of a set, in the order of allocation, to be freed; NULL
 * without memory.  With @device, its number for the driver, those of the device,
 * and its own peak; else VNPU_RECORD_ANY_DEVICE.
 */
struct vnpu_record *vnpu_record_copy(vnpu_profile_set set, int64_t device,
				     size_t *count);

#endif /* VNPU_LIB_PROFILE_RECORD_H */
