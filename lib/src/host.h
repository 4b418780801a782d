/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the library allocated.
 */
#ifndef VNPU_LIB_HOST_H
#define VNPU_LIB_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a range lies in one block of such memory. */
bool vnpu_host_has(uint64_t addr, uint64_t length);

#endif /* VNPU_LIB_HOST_H */
