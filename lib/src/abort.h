/* SPDX-License-Identifier: MIT */
/*
 * All streams of a device at once, see abort.c.
 */
#ifndef VNPU_LIB_ABORT_H
#define VNPU_LIB_ABORT_H

#include <stdint.h>

/* Tell who wants to know that the streams of a device are going to end. */
void vnpu_abort_announce_device(int32_t user_device);

/* The same for those of one context. */
void vnpu_abort_announce_context(uint64_t context);

#endif /* VNPU_LIB_ABORT_H */
