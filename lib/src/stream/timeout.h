/* SPDX-License-Identifier: MIT */
/*
 * Time limits of tasks, see timeout.c: milliseconds, 0 for no limit.
 */
#ifndef VNPU_LIB_TIMEOUT_H
#define VNPU_LIB_TIMEOUT_H

#include <stdatomic.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Only timeout.c writes it. */
extern __attribute__((visibility("hidden")))
_Atomic uint32_t vnpu_timeout_execute_ms;

/* Get the limit of tasks other than waits. */
static inline uint32_t vnpu_timeout_execute(void)
{
	return atomic_load_explicit(&vnpu_timeout_execute_ms,
				    memory_order_relaxed);
}

/* Get the limit of waits for events. */
uint32_t vnpu_timeout_wait(void);

/* Convert seconds to milliseconds, at most UINT32_MAX. */
uint32_t vnpu_timeout_from_seconds(uint64_t seconds);

/*
 * Check a timeout in milliseconds, -1 for ever; else
 * ACL_ERROR_RT_PARAM_INVALID.
 */
aclError vnpu_timeout_check(int32_t timeout);

#endif /* VNPU_LIB_TIMEOUT_H */
