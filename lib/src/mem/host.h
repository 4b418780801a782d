/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the library allocated.
 */
#ifndef VNPU_LIB_HOST_H
#define VNPU_LIB_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "pinned.h"

/*
 * Find the block of this memory that contains an address; false if none does.
 */
bool vnpu_host_find(uint64_t addr, uint64_t *base, uint64_t *length);

/* Free a block of this memory. */
aclError vnpu_host_free(void *ptr);

/* Check whether a range is inside one block of this memory. */
bool vnpu_host_has(uint64_t addr, uint64_t length);

/* Fail because the driver had no @size bytes of host memory. */
aclError vnpu_host_error(int err, uint64_t size);

/*
 * Get the device address of @length bytes there, as vnpu_userptr_translate().
 */
bool vnpu_host_translate(uint64_t addr, uint64_t length,
			 struct vnpu_pinned *pinned);

#endif /* VNPU_LIB_HOST_H */
