/* SPDX-License-Identifier: MIT */
/*
 * The interface to the kernel, continued from io.h: engine files, by which a
 * process runs launches, and the place of that process.
 */
#ifndef VNPU_LIB_IO_ENGINE_H
#define VNPU_LIB_IO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Create an engine file of a device; close-on-exec.  -EBUSY: there is one that
 * has not ended; -ENOTTY: the driver has no engine files.
 */
int vnpu_io_engine_create(uint32_t device, int *fd);

/* Check whether VNPU_CORE=thread asks for cores in the process of the program. */
bool vnpu_io_engine_is_here(void);

#endif /* VNPU_LIB_IO_ENGINE_H */
