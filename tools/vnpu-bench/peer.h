/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: comparable facilities of the kernel, to be measured like vnpu.
 * Only this part of the tool calls ioctl, on nodes of other drivers.
 */
#ifndef VNPU_BENCH_PEER_H
#define VNPU_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

/* A memory block of a peer. */
struct peer_buffer {
	uint64_t size;
	int fd;			/* of the buffer, or of the device */
	uint32_t handle;
	void *addr;		/* where it is mapped, or NULL */
};

/**
 * struct peer - one facility
 * @name: its name in the kernel
 * @granule: unit of sizes, if that is more than a page; or 0
 * @create: allocate buffer->size bytes; 0 or -errno
 * @map: map them to buffer->addr; NULL if @create has done so
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

/* Submit PEER_BATCH NOPs of io_uring by one call, and reap them. */
int peer_uring_nops(void);

/* Wake a thread, and sleep until it wakes this one. */
int peer_futex_round_trip(void);

/* PEER_EMPTY_CALLS system calls that do nothing. */
int peer_empty_calls(void);

#endif /* VNPU_BENCH_PEER_H */
