/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: a stream's ring as the kernel has it, without the library. This is
 * for what another runtime could reach: with all tasks of a batch written, and
 * told of once, as a batch of io_uring is.
 */
#ifndef VNPU_BENCH_RING_H
#define VNPU_BENCH_RING_H

#include <stdint.h>

/* What a batch consists of. */
enum ring_task {
	RING_NOP,
	RING_COPY,		/* on the device */
};

/* 0 or -errno. It is there until the end of the program. */
int ring_open(uint32_t device);

/*
 * Submit @count tasks and wait for them; 0 or -errno. Each copies @bytes, and not
 * from where others do. @count times @bytes is up to RING_BYTES.
 */
int ring_run(enum ring_task task, unsigned int count, uint64_t bytes);

/*
 * A client of its own with a page of the device, until it is closed; 0 or
 * -errno.
 */
int ring_client_open(uint32_t device, void **client);
void ring_client_close(void *client);

#define RING_BYTES	(1u << 20)

#endif /* VNPU_BENCH_RING_H */
