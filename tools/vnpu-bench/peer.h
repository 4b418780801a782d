/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: what the kernel itself has for the purpose, to be measured beside
 * vnpu. This is the one place of the tool that calls ioctl, and it does so on
 * nodes of others.
 */
#ifndef VNPU_BENCH_PEER_H
#define VNPU_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

/* A piece of memory of a peer's. */
struct peer_buffer {
	uint64_t size;
	int fd;			/* of the buffer, or of the device */
	uint32_t handle;
	void *addr;		/* where it is mapped, or NULL */
};

/**
 * struct peer - one facility
 * @name: as the kernel calls it
 * @granule: what sizes are multiples of, if that is more than a page; or 0
 * @create: allocate buffer->size bytes; 0 or -errno
 * @map: map them into buffer->addr; NULL where @create has done so
 * @destroy: unmap and free
 */
struct peer {
	const char *name;
	uint32_t granule;
	int (*create)(struct peer_buffer *buffer);
	int (*map)(struct peer_buffer *buffer);
	void (*destroy)(struct peer_buffer *buffer);
};

extern const struct peer peers[];
extern const size_t peer_count;

/* peer_call.c: each is an operation, and returns 0 or -errno */

/* How many at once. */
#define PEER_BATCH		128
#define PEER_EMPTY_CALLS	10

/* Submit PEER_BATCH NOPs of io_uring by one call, and take what it completes. */
int peer_uring_nops(void);

/* Wake a thread, and sleep until it wakes this one. */
int peer_futex_round_trip(void);

/* PEER_EMPTY_CALLS system calls that do nothing. */
int peer_empty_calls(void);

#endif /* VNPU_BENCH_PEER_H */
