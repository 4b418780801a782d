/* SPDX-License-Identifier: MIT */
/*
 * Small allocations: the driver puts them into slabs, and finds the address.
 */
#ifndef VNPU_LIB_SLAB_H
#define VNPU_LIB_SLAB_H

#include <stdint.h>

/**
 * vnpu_slab_alloc() - allocate an object of a slab
 * @device: on which device
 * @length: bytes
 * @va: set to its address, a multiple of 64
 *
 * Return: 0; -EOPNOTSUPP for what belongs into pages, because of its length or
 * because there are no slabs on this device; else what the driver said.
 * -ENOSPC means that the device has no room for another slab, though it may
 * still have pages.
 */
int vnpu_slab_alloc(uint32_t device, uint64_t length, uint64_t *va);

#endif /* VNPU_LIB_SLAB_H */
