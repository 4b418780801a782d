/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the library allocated.
 */
#ifndef VNPU_LIB_HOST_H
#define VNPU_LIB_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* The block of such memory that an address lies in; false if in none. */
bool vnpu_host_find(uint64_t addr, uint64_t *base, uint64_t *length);

/* Whether a range lies in one block of such memory. */
bool vnpu_host_has(uint64_t addr, uint64_t length);

#endif /* VNPU_LIB_HOST_H */
