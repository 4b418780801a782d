/* SPDX-License-Identifier: MIT */
/*
 * Functions that the parts of the kernel interface share.  Only these parts
 * include this file.
 */
#ifndef VNPU_LIB_IO_CALL_H
#define VNPU_LIB_IO_CALL_H

#include <stdint.h>

/* Call an ioctl, after opening the device on first use: 0 or -errno. */
int vnpu_io_call(unsigned long request, void *arg);

/*
 * Call an ioctl that the caller would not repeat: to free something, or to ring
 * the doorbell for tasks that are in the ring already.  If the kernel has no
 * memory for it, the call is repeated a few times.
 */
int vnpu_io_retry(unsigned long request, void *arg);

/*
 * Get the VNPU_MEM_F_* flags of all device memory; valid once the device is
 * open.
 */
uint32_t vnpu_io_alloc_flags(void);
uint64_t vnpu_io_window_start(void);

/* Map the open device; MAP_FAILED and errno on failure. */
void *vnpu_io_map(uint64_t length, uint64_t offset);

#endif /* VNPU_LIB_IO_CALL_H */
