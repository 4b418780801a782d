/* SPDX-License-Identifier: MIT */
/*
 * Pinned memory of the host: allocated or registered, and bound to a device
 * address, at which tasks reach it.
 */
#ifndef VNPU_LIB_PINNED_H
#define VNPU_LIB_PINNED_H

#include <stdbool.h>
#include <stdint.h>

struct vnpu_pinned {
	uint64_t addr;		/* host address, */
	uint64_t length;
	uint64_t va;		/* and device address, of the whole block */
};

/* Bind whole pages of host memory that has an id, which is not needed then. */
int vnpu_pinned_bind(uint32_t id, uint64_t length, uint64_t *va);

/* What was translated before is not found any more. */
int vnpu_pinned_unbind(uint64_t va, uint64_t length);

/* Whole pages of the driver's, bound; 0 or -errno. */
int vnpu_pinned_alloc(uint64_t length, void **addr, uint64_t *va);
void vnpu_pinned_free(void *addr, uint64_t length, uint64_t va);

/**
 * vnpu_pinned_translate() - find the device address of host memory
 * @addr: host address
 * @length: bytes
 * @va: set to it
 *
 * Where a thread uses the same blocks again and none was freed since, no lock
 * is taken.
 *
 * Return: false if the range is not in one block of pinned memory.
 */
bool vnpu_pinned_translate(uint64_t addr, uint64_t length, uint64_t *va);

#endif /* VNPU_LIB_PINNED_H */
