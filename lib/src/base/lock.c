// SPDX-License-Identifier: MIT
/* The slow path of a lock, see lock.h. */
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"

/* @value: the expected state for a wait; the number of waiters for a wake. */
static void futex(struct vnpu_lock *lock, int op, uint32_t value)
{
	syscall(SYS_futex, &lock->state, op | FUTEX_PRIVATE_FLAG, value, NULL,
		NULL, 0);
}

void vnpu_lock_wait(struct vnpu_lock *lock)
{
	/*
	 * A thread that takes the lock here cannot know whether others sleep.
	 */
	while (atomic_exchange_explicit(&lock->state, VNPU_LOCK_WAITED,
					memory_order_acquire) !=
	       VNPU_LOCK_FREE)
		futex(lock, FUTEX_WAIT, VNPU_LOCK_WAITED);
}

void vnpu_lock_wake(struct vnpu_lock *lock)
{
	futex(lock, FUTEX_WAKE, 1);
}
