/* SPDX-License-Identifier: MIT */
/*
 * Guarded allocations, which VNPU_GUARD=1 in the environment selects: each has
 * pages of its own and ends with the last of them, and its addresses stay unused
 * for long after it was freed.  So accesses that exceed an allocation, or come
 * too late, find no memory.
 *
 * Two addresses belong to a guarded allocation: the one that the program got,
 * and its base, where the driver has bound the pages.
 */
#ifndef VNPU_LIB_MEM_GUARD_H
#define VNPU_LIB_MEM_GUARD_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { VNPU_GUARD_UNKNOWN, VNPU_GUARD_OFF, VNPU_GUARD_ON };

/* Set once, by vnpu_guard_decide(). */
extern __attribute__((visibility("hidden"))) _Atomic int vnpu_guard_state;

bool vnpu_guard_decide(void);

/* Check whether allocations are guarded; the first call reads the environment. */
static inline bool vnpu_guard_is_on(void)
{
	int state = atomic_load_explicit(&vnpu_guard_state,
					 memory_order_relaxed);

	return __builtin_expect(state != VNPU_GUARD_OFF, 0) &&
	       vnpu_guard_decide();
}

/* A guarded allocation in the terms of the program. */
struct vnpu_guarded {
	uint64_t va;
	uint64_t size;		/* as requested */
	uint64_t bound;		/* bytes that can be accessed: whole data blocks */
	bool is_freed;
};

/*
 * Allocate @size bytes in pages of 4 KiB; @flags: VNPU_IO_ALLOC_*. @va: set to the
 * address for the program, a multiple of 32.  @report: see vnpu_io_mem_alloc().
 * 0 or -errno.
 */
int vnpu_guard_alloc(uint32_t device, uint64_t size, unsigned int flags,
		     uint64_t *va, uint64_t *report);

/* Find the allocation, live or freed, with @va in its pages. */
bool vnpu_guard_find(uint64_t va, struct vnpu_guarded *found);

/* The implementation of vnpu_guard_base(). */
int vnpu_guard_base_of(uint64_t va, uint64_t *base);

/*
 * Get the base of the memory that begins at @va for the program, which is @va
 * itself unless it is guarded.  0; -ENOENT if it was freed, or -EINVAL if the
 * allocation begins elsewhere.
 */
static inline int vnpu_guard_base(uint64_t va, uint64_t *base)
{
	*base = va;
	return vnpu_guard_is_on() ? vnpu_guard_base_of(va, base) : 0;
}

/*
 * Keep the addresses of the allocation at @base, which the driver has freed.
 * False if no such allocation exists.
 */
bool vnpu_guard_retire(uint64_t base);

#endif /* VNPU_LIB_MEM_GUARD_H */
