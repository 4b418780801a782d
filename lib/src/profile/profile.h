/* SPDX-License-Identifier: MIT */
/*
 * What the library tells the profiler: each allocation of device memory and
 * each free.
 *
 * A free is told in two steps around the driver's: as soon as that has happened
 * another thread may get the address, and must not find it taken.
 *
 * All of this is a branch while nobody wants to know.  The profiler's lock is
 * the last of all locks.
 */
#ifndef VNPU_LIB_PROFILE_H
#define VNPU_LIB_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vnpu/profile.h"

/* Who wants to know, or that the environment has not been asked yet. */
#define VNPU_PROFILE_UNDECIDED	(1U << 0)
#define VNPU_PROFILE_PROGRAM	(1U << 1)
#define VNPU_PROFILE_TRACE	(1U << 2)

#define VNPU_PROFILE_NO_STREAM	(-1)

struct vnpu_record;

/* VNPU_PROFILE_*; written under the profiler's lock. */
extern _Atomic unsigned int vnpu_profile_state;

void vnpu_record_alloc(vnpu_profile_kind kind, uint64_t address, uint64_t size,
		       uint32_t device, int64_t stream);
struct vnpu_record *vnpu_record_free_begin(uint64_t address);
void vnpu_record_free_end(struct vnpu_record *record, bool is_freed);
void vnpu_record_reset(uint32_t device);

static inline bool vnpu_profile_is_on(void)
{
	return __builtin_expect(!!atomic_load_explicit(&vnpu_profile_state,
						memory_order_relaxed), 0);
}

/*
 * @address was allocated, and the program does not know it yet.  No lock is held,
 * since this may wait for the loader, which may be at an object whose beginning
 * calls the library; the others below do not.
 */
static inline void vnpu_profile_alloc(vnpu_profile_kind kind, uint64_t address,
				      uint64_t size, uint32_t device,
				      int64_t stream)
{
	if (vnpu_profile_is_on())
		vnpu_record_alloc(kind, address, size, device, stream);
}

/* @address is about to be freed, if it is allocated. */
static inline struct vnpu_record *vnpu_profile_free_begin(uint64_t address)
{
	return vnpu_profile_is_on() ? vnpu_record_free_begin(address) : NULL;
}

/* It was, or it was not; @record is what vnpu_profile_free_begin() returned. */
static inline void vnpu_profile_free_end(struct vnpu_record *record,
					 bool is_freed)
{
	if (__builtin_expect(!!record, 0))
		vnpu_record_free_end(record, is_freed);
}

/* A device is reset: what is allocated on it is not freed by the program. */
static inline void vnpu_profile_reset(uint32_t device)
{
	if (vnpu_profile_is_on())
		vnpu_record_reset(device);
}

#endif /* VNPU_LIB_PROFILE_H */
