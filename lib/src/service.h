/* SPDX-License-Identifier: MIT */
/*
 * Where shared memory is handed out, see service.c.
 */
#ifndef VNPU_LIB_SERVICE_H
#define VNPU_LIB_SERVICE_H

#include <stdint.h>

/*
 * Start this process's service unless it runs, and tell its number; the lock of
 * sharing is held.  0 or -errno.
 */
int vnpu_service_start_locked(uint32_t *number);

/* In a forked child: the service is the parent's. */
void vnpu_service_disown(void);

#endif /* VNPU_LIB_SERVICE_H */
