/* SPDX-License-Identifier: MIT */
/*
 * How long tasks may take: see timeout.c.  Milliseconds, 0 for no limit.
 */
#ifndef VNPU_LIB_TIMEOUT_H
#define VNPU_LIB_TIMEOUT_H

#include <stdint.h>

/* Of tasks that work. */
uint32_t vnpu_timeout_execute(void);

/* Of waits for events. */
uint32_t vnpu_timeout_wait(void);

/* Seconds to milliseconds, at most UINT32_MAX. */
uint32_t vnpu_timeout_from_seconds(uint64_t seconds);

#endif /* VNPU_LIB_TIMEOUT_H */
