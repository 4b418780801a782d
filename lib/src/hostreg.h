/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the program registered for the device.
 */
#ifndef VNPU_LIB_HOSTREG_H
#define VNPU_LIB_HOSTREG_H

#include <stdbool.h>
#include <stdint.h>

/* Whether an address lies in such memory. */
bool vnpu_hostreg_has(uint64_t addr);

#endif /* VNPU_LIB_HOSTREG_H */
