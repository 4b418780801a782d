/* SPDX-License-Identifier: MIT */
/*
 * Pinned host memory: allocated or registered, and bound to a device address,
 * by which tasks access it.
 */
#ifndef VNPU_LIB_PINNED_H
#define VNPU_LIB_PINNED_H

#include <stdbool.h>
#include <stdint.h>

struct vnpu_pinned {
	uint64_t addr;		/* host address of the block */
	uint64_t length;
	uint64_t va;		/* its device address */
};

/* Bind whole pages of host memory; its id is not needed afterwards. */
int vnpu_pinned_bind(uint32_t id, uint64_t length, uint64_t *va);

/* Unbind them; cached translations become invalid. */
int vnpu_pinned_unbind(uint64_t va, uint64_t length);

/* Allocate and bind whole pages of the driver; 0 or -errno. */
int vnpu_pinned_alloc(uint64_t length, void **addr, uint64_t *va);
void vnpu_pinned_free(void *addr, uint64_t length, uint64_t va);

/**
 * vnpu_pinned_translate() - find the device address of host memory
 * @addr: host address
 * @length: bytes
 * @va: set to the device address
 *
 * Takes no lock if the thread uses the same blocks again and none was freed
 * since.
 *
 * Return: false if the range is not in one block of pinned memory.
 */
bool vnpu_pinned_translate(uint64_t addr, uint64_t length, uint64_t *va);

#endif /* VNPU_LIB_PINNED_H */
