/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the door to the kernel share.  Nothing but them includes
 * this.
 */
#ifndef VNPU_LIB_IO_CALL_H
#define VNPU_LIB_IO_CALL_H

#include <stdint.h>

/* An ioctl, after the device was opened if it was not: 0 or -errno. */
int vnpu_io_call(unsigned long request, void *arg);

/*
 * The same for what nobody would ask for again: to take something back, or to
 * ring for tasks that are in a ring already.  What the kernel has no memory for
 * at that moment, it is asked a few times.
 */
int vnpu_io_insist(unsigned long request, void *arg);

/*
 * VNPU_MEM_F_* that all device memory has, and the first device address; known
 * once the device is open.
 */
uint32_t vnpu_io_alloc_flags(void);
uint64_t vnpu_io_window_start(void);

/* A mapping of the open device; MAP_FAILED and errno when there is none. */
void *vnpu_io_map(uint64_t length, uint64_t offset);

#endif /* VNPU_LIB_IO_CALL_H */
