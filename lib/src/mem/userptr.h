/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the program registered for the device.
 */
#ifndef VNPU_LIB_USERPTR_H
#define VNPU_LIB_USERPTR_H

#include <stdbool.h>
#include <stdint.h>

#include "pinned.h"

/* Check whether an address is in such memory. */
bool vnpu_userptr_has(uint64_t addr);

/*
 * Get the device address of @length bytes there, and their registration; false
 * if they are not inside one.
 */
bool vnpu_userptr_translate(uint64_t addr, uint64_t length,
			    struct vnpu_pinned *pinned);

#endif /* VNPU_LIB_USERPTR_H */
