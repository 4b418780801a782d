/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the library, see init.c.
 */
#ifndef VNPU_LIB_INIT_H
#define VNPU_LIB_INIT_H

#include <stdint.h>

/*
 * Get the device for threads without a context, as set in the file of
 * aclInit(); -1 for none.
 */
int32_t vnpu_init_default_device(void);

#endif /* VNPU_LIB_INIT_H */
