/* SPDX-License-Identifier: MIT */
/*
 * Overflows, see overflow.c.
 */
#ifndef VNPU_LIB_OVERFLOW_H
#define VNPU_LIB_OVERFLOW_H

#include <stdint.h>

/* Reset the mode of a device.  The runtime lock may be held. */
void vnpu_overflow_reset(int32_t user_device);

#endif /* VNPU_LIB_OVERFLOW_H */
