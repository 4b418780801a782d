// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: round trips into the kernel, and between threads.
 *
 * They create what they need on first use, and keep it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/futex.h>
#include <linux/io_uring.h>

#include "bench.h"
#include "peer.h"

/* A ring of io_uring, for the calling thread only. */
struct uring {
	int fd;			/* or -errno; 0 before the first time */
	unsigned int *sq_tail;
	unsigned int *cq_head;
	unsigned int *cq_tail;
	unsigned int cq_mask;
	const struct io_uring_cqe *cqes;
};

static void *uring_map(int fd, size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, offset);
}

/*
 * Fill all entries with NOPs that stay in place, so that no call prepares any.
 */
static void uring_fill(char *ring, struct io_uring_sqe *sqes,
		       const struct io_uring_params *params)
{
	unsigned int *array = (unsigned int *)(ring + params->sq_off.array);
	unsigned int i;

	for (i = 0; i < params->sq_entries; i++) {
		sqes[i] = (struct io_uring_sqe){ .opcode = IORING_OP_NOP };
		array[i] = i;
	}
}

static int uring_open(struct uring *u)
{
	struct io_uring_params params = { 0 };
	size_t size;
	char *ring;
	void *sqes;
	int fd;

	fd = (int)syscall(SYS_io_uring_setup, PEER_BATCH, &params);
	if (fd < 0)
		return -errno;
	size = params.cq_off.cqes +
	       params.cq_entries * sizeof(struct io_uring_cqe);
	if (size < params.sq_off.array + params.sq_entries * sizeof(int))
		size = params.sq_off.array + params.sq_entries * sizeof(int);
	ring = params.features & IORING_FEAT_SINGLE_MMAP ?
	       uring_map(fd, size, IORING_OFF_SQ_RING) : MAP_FAILED;
	sqes = uring_map(fd, params.sq_entries * sizeof(struct io_uring_sqe),
			 IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqes == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	uring_fill(ring, sqes, &params);
	u->sq_tail = (unsigned int *)(ring + params.sq_off.tail);
	u->cq_head = (unsigned int *)(ring + params.cq_off.head);
	u->cq_tail = (unsigned int *)(ring + params.cq_off.tail);
	u->cq_mask = *(unsigned int *)(ring + params.cq_off.ring_mask);
	u->cqes = (struct io_uring_cqe *)(ring + params.cq_off.cqes);
	return fd;
}

int peer_uring_nops(void)
{
	static struct uring u;
	unsigned int head, tail, failed = 0;

	if (!u.fd)
		u.fd = uring_open(&u);
	if (u.fd < 0)
		return u.fd;
	__atomic_store_n(u.sq_tail, *u.sq_tail + PEER_BATCH, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u.fd, PEER_BATCH, PEER_BATCH,
		    IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -errno;
	tail = __atomic_load_n(u.cq_tail, __ATOMIC_ACQUIRE);
	for (head = *u.cq_head; head != tail; head++)
		failed |= (unsigned int)u.cqes[head & u.cq_mask].res;
	__atomic_store_n(u.cq_head, head, __ATOMIC_RELEASE);
	return failed ? -EIO : 0;
}

static void futex(_Atomic uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* The next to run: even for the caller, odd for the other thread. */
static _Atomic uint32_t turns;

static void pass_turn(uint32_t turn)
{
	atomic_store(&turns, turn);
	futex(&turns, FUTEX_WAKE, 1);
}

static void wait_for_turn(uint32_t turn)
{
	uint32_t now;

	while ((now = atomic_load(&turns)) != turn)
		futex(&turns, FUTEX_WAIT, now);
}

static void *answer(void *arg)
{
	uint32_t turn;

	for (turn = 1; ; turn += 2) {
		wait_for_turn(turn);
		pass_turn(turn + 1);
	}
	return arg;
}

int peer_futex_round_trip(void)
{
	static bool is_there;
	static uint32_t turn;
	pthread_t thread;
	int ret;

	if (!is_there) {
		ret = pthread_create(&thread, NULL, answer, NULL);
		if (ret)
			return -ret;
		is_there = true;
	}
	pass_turn(turn + 1);
	turn += 2;
	wait_for_turn(turn);
	return 0;
}

int peer_empty_calls(void)
{
	unsigned int i;

	for (i = 0; i < PEER_EMPTY_CALLS; i++)
		syscall(SYS_getppid);
	return 0;
}
