/* SPDX-License-Identifier: MIT */
/*
 * Limits for kernels, see limit.c.
 */
#ifndef VNPU_LIB_LIMIT_H
#define VNPU_LIB_LIMIT_H

#include "acl/acl_rt.h"

/* Check whether a device supports the limits or fail. */
aclError vnpu_limit_check(void);

#endif /* VNPU_LIB_LIMIT_H */
