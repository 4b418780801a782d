/* SPDX-License-Identifier: MIT */
/*
 * The interface of the library to the profiler: each allocation of device
 * memory and each free.
 *
 * A free is reported in two steps around that of the driver: as soon as the
 * driver has freed the memory, another thread may get the address, which must
 * not be in use then.
 *
 * All of this costs one branch while the profiler is off.  The profiler's lock
 * is the last in the lock order.
 */
#ifndef VNPU_LIB_PROFILE_H
#define VNPU_LIB_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vnpu/profile.h"

/* Bits of the state: the users, or that the environment was not read yet. */
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
 * Record an allocation at @address, before the program gets it.  The caller
 * holds no lock, because this may wait for the dynamic loader, which may run a
 * constructor that calls the library; the calls below do not wait for it.
 */
static inline void vnpu_profile_alloc(vnpu_profile_kind kind, uint64_t address,
				      uint64_t size, uint32_t device,
				      int64_t stream)
{
	if (vnpu_profile_is_on())
		vnpu_record_alloc(kind, address, size, device, stream);
}

/* Announce the free of @address, if it is allocated. */
static inline struct vnpu_record *vnpu_profile_free_begin(uint64_t address)
{
	return vnpu_profile_is_on() ? vnpu_record_free_begin(address) : NULL;
}

/* Report whether it was freed; @record is from vnpu_profile_free_begin(). */
static inline void vnpu_profile_free_end(struct vnpu_record *record,
					 bool is_freed)
{
	if (__builtin_expect(!!record, 0))
		vnpu_record_free_end(record, is_freed);
}

/* Record a reset: the program does not free the memory of this device. */
static inline void vnpu_profile_reset(uint32_t device)
{
	if (vnpu_profile_is_on())
		vnpu_record_reset(device);
}

#endif /* VNPU_LIB_PROFILE_H */
