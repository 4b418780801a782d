/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: a stream's ring in the kernel's format, without the library. It
 * measures the cost for another runtime, which writes all tasks of a batch and
 * submits them at once, like a batch of io_uring.
 */
#ifndef VNPU_BENCH_RING_H
#define VNPU_BENCH_RING_H

#include <stdint.h>

/* The tasks of a batch. */
enum ring_task {
	RING_NOP,
	RING_COPY,		/* on the device */
};

/* Open a ring until the end of the program; 0 or -errno. */
int ring_open(uint32_t device);

/*
 * Submit @count tasks and wait for them; 0 or -errno. Each copies @bytes from a
 * different place. @count times @bytes is at most RING_BYTES.
 */
int ring_run(enum ring_task task, unsigned int count, uint64_t bytes);

/*
 * Open a client with a page of device memory, until it is closed; 0 or -errno.
 */
int ring_client_open(uint32_t device, void **client);
void ring_client_close(void *client);

#define RING_BYTES	(1u << 20)

#endif /* VNPU_BENCH_RING_H */
