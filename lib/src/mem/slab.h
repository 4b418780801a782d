/* SPDX-License-Identifier: MIT */
/*
 * Small allocations: the driver puts them into slabs, and chooses the address.
 */
#ifndef VNPU_LIB_SLAB_H
#define VNPU_LIB_SLAB_H

#include <stdint.h>

/**
 * vnpu_mem_slab_alloc() - allocate an object of a slab
 * @device: the device
 * @length: bytes
 * @va: set to its address, a multiple of 64
 *
 * Return: 0; -EOPNOTSUPP if the allocation needs pages, because of its length
 * or because this device has no slabs; otherwise the error of the driver.
 * -ENOSPC means that the device has no room for another slab, though it may
 * still have pages.
 */
int vnpu_mem_slab_alloc(uint32_t device, uint64_t length, uint64_t *va);

#endif /* VNPU_LIB_SLAB_H */
