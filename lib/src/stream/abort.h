/* SPDX-License-Identifier: MIT */
/*
 * Operations on all streams of a device, see abort.c.
 */
#ifndef VNPU_LIB_ABORT_H
#define VNPU_LIB_ABORT_H

#include <stdint.h>

/* Announce to the callbacks that the streams of a device are going to end. */
void vnpu_abort_announce_device(int32_t user_device);

/* Announce to the callbacks that the streams of a context are going to end. */
void vnpu_abort_announce_context(uint64_t context);

#endif /* VNPU_LIB_ABORT_H */
