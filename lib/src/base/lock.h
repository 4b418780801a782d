/* SPDX-License-Identifier: MIT */
/*
 * A lock for short critical sections, where the types and checks of
 * pthread_mutex_t would take longer than the section itself.
 *
 * Waiters sleep.  The lock is not recursive, and not for signal handlers.
 */
#ifndef VNPU_LIB_LOCK_H
#define VNPU_LIB_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	VNPU_LOCK_FREE,
	VNPU_LOCK_TAKEN,
	VNPU_LOCK_WAITED,	/* taken, perhaps with waiters */
};

struct vnpu_lock {
	_Atomic uint32_t state;
};

void vnpu_lock_wait(struct vnpu_lock *lock);
void vnpu_lock_wake(struct vnpu_lock *lock);

static inline void vnpu_lock(struct vnpu_lock *lock)
{
	uint32_t state = VNPU_LOCK_FREE;

	if (!atomic_compare_exchange_strong_explicit(&lock->state, &state,
						     VNPU_LOCK_TAKEN,
						     memory_order_acquire,
						     memory_order_relaxed))
		vnpu_lock_wait(lock);
}

static inline void vnpu_unlock(struct vnpu_lock *lock)
{
	if (atomic_exchange_explicit(&lock->state, VNPU_LOCK_FREE,
				     memory_order_release) == VNPU_LOCK_WAITED)
		vnpu_lock_wake(lock);
}

#endif /* VNPU_LIB_LOCK_H */
