// SPDX-License-Identifier: MIT
/* Sleeping for a lock that is taken, see lock.h. */
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"

/* @value: for a wait, what is expected there; for a wake, how many. */
static void futex(struct vnpu_lock *lock, int op, uint32_t value)
{
	syscall(SYS_futex, &lock->state, op | FUTEX_PRIVATE_FLAG, value, NULL,
		NULL, 0);
}

void vnpu_lock_wait(struct vnpu_lock *lock)
{
	/* Who takes it here cannot know whether others sleep, and says so. */
	while (atomic_exchange_explicit(&lock->state, VNPU_LOCK_WAITED,
					memory_order_acquire) !=
	       VNPU_LOCK_FREE)
		futex(lock, FUTEX_WAIT, VNPU_LOCK_WAITED);
}

void vnpu_lock_wake(struct vnpu_lock *lock)
{
	futex(lock, FUTEX_WAKE, 1);
}
