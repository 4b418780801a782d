// SPDX-License-Identifier: MIT
/*
 * How the worker of a communicator sleeps, and how it is woken.
 *
 * It sleeps on two words, which are 1 meanwhile.  One is in the shared memory, for the
 * other ranks.  A wake by a futex never waits, as a write to a file could.  Another
 * process may change the word, or move its sleepers, so that a wake is lost; then the
 * worker looks again at its next tick.  The other word is in memory of this process
 * alone, so wakes for calls and for the ends of ranks are never lost.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

/* The pause if the kernel refuses to wait for both words. */
#define PAUSE_NS	1000000

static _Atomic uint32_t *own_word(const struct hccl_comm *comm)
{
	return &hccl_region_rank(&comm->region, comm->rank)->asleep;
}

static void wake(_Atomic uint32_t *asleep, int flags)
{
	/* Pairs with the fence in hccl_sleep_begin(). */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(asleep, memory_order_relaxed) ||
	    !atomic_exchange(asleep, 0))
		return;
	/* All sleepers: another process may sleep there, too.  This cannot fail. */
	syscall(SYS_futex, asleep, FUTEX_WAKE | flags, INT_MAX, NULL, NULL, 0);
}

void hccl_wake(struct hccl_comm *comm, unsigned int rank)
{
	if (rank == comm->rank)
		wake(&comm->asleep, FUTEX_PRIVATE_FLAG);
	else
		wake(&hccl_region_rank(&comm->region, rank)->asleep, 0);
}

void hccl_sleep_begin(struct hccl_comm *comm)
{
	*own_word(comm) = 1;
	comm->asleep = 1;
	/* Pairs with the fence in wake(): the caller looks again. */
	atomic_thread_fence(memory_order_seq_cst);
}

/* The time in @ms, for futex_waitv(). */
static struct timespec time_in(int ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += ms / 1000;
	time.tv_nsec += ms % 1000 * 1000000L;
	if (time.tv_nsec >= 1000000000L) {
		time.tv_sec++;
		time.tv_nsec -= 1000000000L;
	}
	return time;
}

/* Wait until one of the words is not 1, or for @ms; -1 for no limit. */
static void wait_words(struct hccl_comm *comm, int ms)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct futex_waitv words[] = {
		{ 1, (uintptr_t)own_word(comm), FUTEX_32, 0 },
		{ 1, (uintptr_t)&comm->asleep, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0 },
	};
	struct timespec limit = ms < 0 ? pause : time_in(ms);

	if (syscall(SYS_futex_waitv, words, 2, 0, ms < 0 ? NULL : &limit,
		    CLOCK_MONOTONIC) >= 0 ||
	    errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR)
		return;
	nanosleep(&pause, NULL);
}

void hccl_sleep(struct hccl_comm *comm, int ms)
{
	if (ms)
		wait_words(comm, ms);
	comm->asleep = 0;
	*own_word(comm) = 0;
}
